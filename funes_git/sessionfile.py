"""Open session files for reading, compressed or not, and tables of sessions as JSON lines; what
parsers are given to read faster. The only importer of zstandard and msgspec."""

from __future__ import annotations

import errno
import io
import os
import stat
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from funes_git_parsers.values import decode_with, encode_with

HEAD = 64 * 1024
_BUFFER = 128 * 1024
"""With Python's own 8 KB, reading lines takes three times as long."""


def open_session(path: Path) -> BinaryIO:
    """The bytes of a session file, decompressed where its name ends in `.zst`; a `.parquet` table
    as JSON lines (parquet.py).

    Raises OSError if it cannot be opened; reading raises OSError if it is not what its name says.
    """
    if path.suffix == ".parquet":
        from funes_git.parquet import ParquetLines

        return io.BufferedReader(ParquetLines(_regular(path)), _BUFFER)
    if path.suffix != ".zst":
        return _regular(path)
    import zstandard

    reader = zstandard.ZstdDecompressor().stream_reader(
        _regular(path), read_across_frames=True, closefd=True
    )
    return io.BufferedReader(_Errors(reader), _BUFFER)


def _regular(path: Path) -> BinaryIO:
    # a named pipe must not make us wait
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb", _BUFFER)


class _Errors(io.RawIOBase):
    """A decompressing reader whose errors are those of reading a file."""

    def __init__(self, reader: BinaryIO) -> None:
        super().__init__()
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        import zstandard

        try:
            data = self._reader.read(len(buffer))
        except zstandard.ZstdError as error:
            raise OSError(f"damaged compressed file: {error}") from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._reader.close()
        super().close()


def head(path: Path) -> bytes:
    """The first 64 KB of a session file, decompressed. Raises OSError."""
    with open_session(path) as stream:
        return stream.read(HEAD)


@cache
def speed_up() -> None:
    """Have parsers read and write JSON by msgspec: a third of the time, and the same values and
    texts, numbers of any length too."""
    from msgspec.json import Decoder, Encoder

    decode_with(Decoder().decode)
    encode_with(Encoder().encode)
