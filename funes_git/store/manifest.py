"""What the files in `memory/` tell without Lance: its format and the versions of its tables.

Standard library only, so that opening the stores costs no import.
"""

from __future__ import annotations

import json
from pathlib import Path

from funes_git.store.columns import TABLES
from funes_git.store.migrate import check

FORMAT = 1


def disk_versions(folder: Path) -> dict[str, int]:
    """The version of every table as its manifests' names tell it, without importing Lance: a
    version is named by 2^64 - 1 less its number, so that the newest sorts first."""
    found = {}
    for name in TABLES:
        manifests = (folder / f"{name}.lance" / "_versions").glob("*.manifest")
        numbers = [int(m.stem) for m in manifests if m.stem.isdigit()]
        if numbers:
            found[name] = max(n if n < 2**63 else 2**64 - 1 - n for n in numbers)
    return found


def check_format(folder: Path) -> None:
    """Raise FormatTooNew if a newer funes-git made the memory in `folder`. Reads one small file."""
    try:
        found = json.loads((folder / "format.json").read_text())["format"]
    except (OSError, ValueError, KeyError):
        return  # none yet, or the file was lost: the tables speak for themselves
    check(int(found), FORMAT, "the memory")


def write_format(folder: Path) -> None:
    """Note the format of the memory in `folder`."""
    path = folder / "format.json"
    if not path.exists():
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps({"format": FORMAT}) + "\n")
        temporary.chmod(0o600)
        temporary.replace(path)


def keep_newest(folder: Path) -> None:
    """Drop from each table what only older versions of it need to be told: their manifests and
    transactions. The data that the newest version names is left alone."""
    for table in folder.glob("*.lance"):
        manifests = sorted((table / "_versions").glob("*.manifest"), key=_age)
        for old in manifests[1:]:
            old.unlink()
        newest = max((_number(p) for p in (table / "_transactions").glob("*.txn")), default=-1)
        for old in (table / "_transactions").glob("*.txn"):
            if _number(old) < newest:
                old.unlink()


def _age(manifest: Path) -> int:
    """Smaller for newer ones: a version is named by 2^64 - 1 less its number, before by itself."""
    number = int(manifest.stem) if manifest.stem.isdigit() else 0
    return number if number >= 2**63 else 2**64 - 1 - number


def _number(transaction: Path) -> int:
    start = transaction.name.partition("-")[0]
    return int(start) if start.isdigit() else -1
