"""The meaning of chunks, for reading: int8 vectors in mapped files, keyed by chunk id.

Derived from the vectors in the memory. The only module that knows the file format; it knows models
by name alone. numpy is imported inside functions.

Three parallel files grow together: `ids` (signed 64-bit chunk keys), `scales` (32-bit floats) and
`codes` (`dim` signed bytes a vector). A vector is its codes times its scale and has length 1; the
scale 0 marks a deleted one. `state.json` holds how many are valid and is replaced last, so that a
reader never sees half an append, and a writer cuts off what a crash left behind.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from funes_git.errors import MemoryBusy, ModelMismatch
from funes_git.store.files import read_json, write_json
from funes_git.store.scope import chunk_id, chunk_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]
    Ids: TypeAlias = NDArray[np.int64]

FORMAT = 1
_FILES = ("ids", "scales", "codes")
_MADE_AT_ONCE = 2_048  # what is between floats and codes takes several times their memory
_KEYS_AT_ONCE = 1 << 16  # compared: what is between takes several times their memory
_ROWS_AT_ONCE = 1_024  # decoded to floats while searching: a block must fit the processor's cache


class VectorWriter:
    """The one writer of the vectors in a folder. Use as a context manager."""

    def __init__(self, folder: Path, model: str, dim: int, lock: IO[bytes]) -> None:
        self.model = model
        self.dim = dim
        self._folder = folder
        self._lock = lock
        self._files = {name: (folder / name).open("r+b") for name in _FILES}
        self._count = int(read_json(folder / "state.json").get("count", 0))
        self._keys = self._recovered()

    @classmethod
    def open(cls, folder: Path, model: str, dim: int) -> VectorWriter:
        """Open or create the vectors of `model`; those of another format, or of which a part is
        lost, are thrown away.

        Raises ModelMismatch if another model made them, MemoryBusy if another process is writing.
        """
        folder.mkdir(parents=True, exist_ok=True)
        lock = _locked(folder / "lock")
        try:
            state = read_json(folder / "state.json")
            if state.get("format") != FORMAT or not _is_whole(folder, state):
                _create(folder, model, dim)
            elif state["model"] != model:
                raise ModelMismatch(
                    f"the vectors were made with {state['model']}, not {model}",
                    hint=f"git funes reindex --model {model}",
                )
            return cls(folder, model, dim, lock)
        except BaseException:
            lock.close()
            raise

    @property
    def ids(self) -> frozenset[str]:
        """The chunks that have a vector."""
        import numpy as np

        live = np.fromfile(self._folder / "scales", dtype=np.float32, count=self._count) > 0
        return frozenset(map(chunk_id, self._keys[live].tolist()))

    def add(self, ids: Sequence[str], vectors: Sequence[Floats] | Floats) -> None:
        """Store one vector for each id, in place of the one it had. On disk when this returns."""
        import numpy as np

        if not len(ids):
            return
        keys = _keys_of(ids)
        replaced = self._rows_of(keys)
        portions = (vectors[n : n + _MADE_AT_ONCE] for n in range(0, len(keys), _MADE_AT_ONCE))
        made = [_quantised(np.asarray(some, dtype=np.float32)) for some in portions]
        self._append("ids", keys.tobytes())
        self._append("scales", b"".join(scales.tobytes() for _, scales in made))
        self._append("codes", b"".join(codes.tobytes() for codes, _ in made))
        self._record(self._count + len(keys))
        self._keys = np.concatenate((self._keys, keys))
        self._bury(replaced)
        self._bury(_repeated(keys) + (self._count - len(keys)))

    def close(self) -> None:
        """Close the files and let go of the lock."""
        for file in self._files.values():
            file.close()
        self._lock.close()

    def __enter__(self) -> VectorWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _append(self, name: str, data: bytes) -> None:
        file = self._files[name]
        file.seek(self._count * self._width(name))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

    def _width(self, name: str) -> int:
        return _widths(self.dim)[name]

    def _record(self, count: int) -> None:
        state = {"format": FORMAT, "model": self.model, "dim": self.dim, "count": count}
        write_json(self._folder / "state.json", state)
        self._count = count

    def _bury(self, rows: NDArray[np.intp]) -> None:
        file = self._files["scales"]
        for row in rows.tolist():
            file.seek(row * self._width("scales"))
            file.write(bytes(4))  # the scale 0.0
        file.flush()

    def _rows_of(self, keys: Ids) -> NDArray[np.intp]:
        """Where any of these keys are. No table of them is held: it would take a hundred times as
        much memory as the keys, which are looked through in a few hundredths of a second."""
        import numpy as np

        wanted = np.unique(keys)
        found = []
        for start in range(0, len(self._keys), _KEYS_AT_ONCE):
            some = self._keys[start : start + _KEYS_AT_ONCE]
            place = np.searchsorted(wanted, some)
            place[place == len(wanted)] = 0
            found.append(np.flatnonzero(wanted[place] == some) + start)
        return np.concatenate(found) if found else np.empty(0, dtype=np.intp)

    def _recovered(self) -> Ids:
        """The ids in their order, after cutting off half an append and burying what it replaced."""
        import numpy as np

        for name, file in self._files.items():
            file.truncate(self._count * self._width(name))
        keys = np.fromfile(self._folder / "ids", dtype=np.int64)
        scales = np.fromfile(self._folder / "scales", dtype=np.float32)
        live = np.flatnonzero(scales > 0)
        self._bury(live[_repeated(keys[live])])
        return keys


class VectorIndex:
    """The vectors for reading, as they were when opened. Safe to share by threads."""

    def __init__(self, folder: Path, model: str, dim: int, count: int) -> None:
        import numpy as np

        self.model = model
        self.dim = dim
        self._ids: Ids = np.memmap(folder / "ids", dtype=np.int64, mode="r", shape=count)
        self._scales: Floats = np.memmap(folder / "scales", dtype=np.float32, mode="r", shape=count)
        self._codes = np.memmap(folder / "codes", dtype=np.int8, mode="r", shape=(count, dim))

    @classmethod
    def open(cls, folder: Path) -> VectorIndex | None:
        """The vectors in `folder`; None if there are none that this version can read."""
        state = read_json(folder / "state.json")
        if state.get("format") != FORMAT or not state.get("count") or not _is_whole(folder, state):
            return None
        return cls(folder, state["model"], state["dim"], state["count"])

    @property
    def count(self) -> int:
        """How many chunks have a vector."""
        import numpy as np

        return int(np.count_nonzero(self._scales))

    def search(
        self, vector: Floats, limit: int, allowed: Sequence[int] | None = None
    ) -> list[tuple[str, float]]:
        """The chunks nearest to `vector` (of length 1): ids and cosines, best first.

        `allowed` holds the `chunk_key`s of those that may answer; None allows every one.
        """
        import numpy as np

        live = self._scales > 0
        if allowed is not None:
            live &= np.isin(self._ids, np.array(allowed, dtype=np.int64))
        rows = np.flatnonzero(live)
        cosines = self._cosines(rows, vector)
        if len(rows) > limit:
            best = np.argpartition(cosines, -limit)[-limit:]
            rows, cosines = rows[best], cosines[best]
        order = np.argsort(-cosines, kind="stable")
        found: dict[str, float] = {}
        for row, cosine in zip(rows[order].tolist(), cosines[order].tolist(), strict=True):
            found.setdefault(chunk_id(int(self._ids[row])), cosine)
        return list(found.items())

    def _cosines(self, rows: NDArray[np.intp], vector: Floats) -> Floats:
        import numpy as np

        whole = len(rows) == len(self._ids)
        out = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            codes = self._codes[part] if whole else self._codes[rows[part]]
            out[part] = codes.astype(np.float32) @ vector
        return out * self._scales[rows]


def _keys_of(ids: Sequence[str]) -> Ids:
    import numpy as np

    return np.array([chunk_key(each) for each in ids], dtype=np.int64)


def _repeated(keys: Ids) -> NDArray[np.intp]:
    """The places of keys that come again later."""
    import numpy as np

    _, last = np.unique(keys[::-1], return_index=True)
    return np.setdiff1d(np.arange(len(keys)), len(keys) - 1 - last)


def vectors_state(folder: Path) -> tuple[str | None, int]:
    """The model that made the vectors in `folder`, and how many there are, deleted ones included,
    without reading them."""
    state = read_json(folder / "state.json")
    return (state["model"], state["count"]) if state.get("format") == FORMAT else (None, 0)


def replace_vectors(folder: Path, anew: Path) -> None:
    """Put the vectors in `anew` in place of those in `folder`; who has these open keeps them. The
    caller holds the memory's write lock."""
    old = folder.with_name(f"{folder.name}.old")
    wipe_vectors(old)
    with suppress(FileNotFoundError):
        folder.rename(old)
    anew.rename(folder)
    wipe_vectors(old)


def wipe_vectors(folder: Path) -> None:
    """Throw all vectors away, as for another model. The caller holds the memory's write lock."""
    shutil.rmtree(folder, ignore_errors=True)


def _widths(dim: int) -> dict[str, int]:
    """Bytes a vector in each file."""
    return {"ids": 8, "scales": 4, "codes": dim}


def _is_whole(folder: Path, state: dict[str, Any]) -> bool:
    """Whether the files hold as many vectors as `state` says."""
    try:
        sizes = {name: (folder / name).stat().st_size for name in _FILES}
    except OSError:
        return False
    return all(sizes[name] >= state["count"] * n for name, n in _widths(state["dim"]).items())


def _quantised(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.maximum(lengths, 1e-12)
    scales = np.maximum(np.abs(unit).max(axis=1) / 127, 1e-9).astype(np.float32)
    return np.rint(unit / scales[:, None]).astype(np.int8), scales


def _create(folder: Path, model: str, dim: int) -> None:
    (folder / "state.json").unlink(missing_ok=True)
    for name in _FILES:
        (folder / name).write_bytes(b"")
    write_json(folder / "state.json", {"format": FORMAT, "model": model, "dim": dim, "count": 0})


def _locked(path: Path) -> IO[bytes]:
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise MemoryBusy(
            "another process is writing the vectors", "try again when it is done"
        ) from error
    return lock
