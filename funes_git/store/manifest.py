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
