"""How memory is asked of the system while Lance is at work. Imports pyarrow and ctypes late.

Lance and Arrow give back what they are done with; what sits between keeps it. glibc has a heap for
each thread and holds on to what was freed in each, and Arrow's own pool (mimalloc) does the same:
at 20,000 passages that was a third of what `pull` took. So there is one heap, which is cut as soon
as its end is free, and larger blocks are mapped one by one (mallopt(3)).
"""

from __future__ import annotations

from contextlib import suppress

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Names of mallopt(3), from glibc's malloc.h."""
_LARGE = 256 << 10
"""Bytes from which a block is mapped for itself; saying so keeps glibc from raising it."""


def lean() -> None:
    """Keep no more memory than is used, from now on; where the C library cannot be told, nothing
    changes."""
    import ctypes

    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for name, value in ((_ARENA_MAX, 1), (_TRIM_THRESHOLD, _LARGE), (_MMAP_THRESHOLD, _LARGE)):
            library.mallopt(name, value)


def trim() -> None:
    """Give freed memory back, where the C library can (glibc)."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
