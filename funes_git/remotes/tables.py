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
FEW, MANY = 24, 400
"""Data files of a table; the Hub wants fewer than 10,000 in a folder."""
_VERSIONS, _TRANSACTIONS = "_versions", "_transactions"


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


def keep_newest(copy: Path) -> None:
    """Drop from each table what only older versions of it need to be told: their manifests and
    transactions. The data that the newest version names is left alone."""
    for table in copy.glob("*.lance"):
        manifests = sorted((table / _VERSIONS).glob("*.manifest"), key=_age)
        for old in manifests[1:]:
            old.unlink()
        newest = max((_number(p) for p in (table / _TRANSACTIONS).glob("*.txn")), default=-1)
        for old in (table / _TRANSACTIONS).glob("*.txn"):
            if _number(old) < newest:
                old.unlink()


def is_scattered(copy: Path) -> bool:
    """Whether a table has more data files than it should. To merge them all is to send all of it
    anew: so of a large table that is put off until what lies beside its largest file is a quarter
    of that, or there are very many."""
    for table in copy.glob("*.lance"):
        sizes = sorted(path.stat().st_size for path in (table / "data").glob("*"))
        if len(sizes) > MANY or (len(sizes) > FEW and 4 * sum(sizes[:-1]) >= sizes[-1]):
            return True
    return False


def _age(manifest: Path) -> int:
    """Smaller for newer ones: a version is named by 2^64 - 1 less its number, before by itself."""
    number = int(manifest.stem) if manifest.stem.isdigit() else 0
    return number if number >= 2**63 else 2**64 - 1 - number


def _number(transaction: Path) -> int:
    start = transaction.name.partition("-")[0]
    return int(start) if start.isdigit() else -1
