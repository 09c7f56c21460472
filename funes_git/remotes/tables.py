"""A memory's tables as files: a copy that can be written, and what was changed in it.

Lance never changes a data file, so that a copy need not copy anything: it links to the files of the
version it is made of, and what is written to it lies beside the links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from funes_git.store.columns import SHARED
from funes_git.store.database import private_folder
from funes_git_parsers.dataclass import dataclass

FORMAT = "format.json"
PART = ".part"
"""How the name of a file ends that is being written."""
FORGOTTEN = "forgotten"
"""The folder that tells what was taken out (sync/tombstones.py)."""
FEW, MANY, LARGE = 24, 400, 8 << 20
"""Small data files of a table (the Hub wants fewer than 10,000 in a folder), and the bytes from
which one is not small."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What must be done to the files of a version: `added` (path → file; also for what replaces a
    file) and `gone`."""

    added: dict[str, Path]
    gone: list[str]

    def __bool__(self) -> bool:
        return bool(self.added or self.gone)


def is_table(path: str) -> bool:
    """Whether a file, by its path with `/`, belongs to a memory's tables, or lies beside
    them."""
    top, _, rest = path.partition("/")
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return False
    if top == FORGOTTEN:
        return rest.endswith(".json") and "/" not in rest
    return path == FORMAT or (bool(rest) and top.removesuffix(".lance") in SHARED)


def is_memory(paths: Iterable[str]) -> bool:
    """Whether these are a memory's files: every one has passages."""
    return any(path.startswith("chunks.lance/") for path in paths)


def is_own(name: str) -> bool:
    """Whether what has this name in a folder may belong to a memory there."""
    return name == FORMAT or is_table(f"{name}/0.json")


def files_below(folder: Path) -> Iterator[str]:
    """The paths, with `/`, of the tables' files in a folder, sorted."""
    # what is somebody's own is not walked through: a folder may have been named by mistake
    tops = [top for top in folder.iterdir() if is_own(top.name)]
    found = (p for top in tops for p in (top, *top.rglob("*")) if p.is_file())
    paths = (p.relative_to(folder).as_posix() for p in found)
    return iter(sorted(path for path in paths if is_table(path)))


def parts_below(folder: Path) -> list[Path]:
    """What a process that was killed left of files of the tables, below a folder."""
    found = folder.rglob(f"*{PART}")
    return [p for p in found if is_table(p.relative_to(folder).as_posix().removesuffix(PART))]


def linked_copy(source: Path, paths: Iterable[str], target: Path) -> None:
    """Link these files of `source` into the folder `target`, which is made for the user alone."""
    private_folder(target)
    for path in paths:
        link = target / path
        link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        link.symlink_to((source / path).resolve())


def difference(copy: Path, paths: Iterable[str]) -> Difference:
    """What is other in a linked copy than in the version with these `paths`."""
    before, now = set(paths), set(files_below(copy))
    own = sorted(path for path in now if not (copy / path).is_symlink())
    return Difference({path: copy / path for path in own}, sorted(before - now))


def is_scattered(copy: Path) -> bool:
    """Whether a table has more small data files than it should. To merge them is to send all of the
    table anew: so that is put off until they are a fifth of it, or there are very many."""
    for table in copy.glob("*.lance"):
        sizes = [path.stat().st_size for path in (table / "data").glob("*")]
        small = [size for size in sizes if size < LARGE]
        if len(small) > MANY or (len(small) > FEW and 5 * sum(small) >= sum(sizes)):
            return True
    return False
