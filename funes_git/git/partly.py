"""Which files of a commit cannot be compared, because the repository lacks their content."""

from __future__ import annotations

import re
from collections.abc import Iterator

from funes_git.git.repo import Repo

RAW = ("-r", "--root", "-m", "--no-renames", "--no-commit-id", "--raw", "--abbrev=64", "-z")
ENTRY = re.compile(rb":(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\0([^\0]+)\0")
SUBMODULE = b"160000"


def lacking(repo: Repo, sha: str) -> list[str]:
    """The paths that commit `sha` changes whose content is missing, before or after. Raises
    GitError where even which files those are is not known."""
    entries = list(_entries(repo, sha))
    asked = b"".join(blob + b"\n" for _, blobs in entries for blob in blobs)
    said = repo.run("cat-file", "--batch-check=%(objectname)", "--buffer", stdin=asked)
    missing = {row.split()[0] for row in said.splitlines() if row.endswith(b" missing")}
    paths = {path for path, blobs in entries if missing.intersection(blobs)}
    return [path.decode("utf-8", "surrogateescape") for path in sorted(paths)]


def _entries(repo: Repo, sha: str) -> Iterator[tuple[bytes, list[bytes]]]:
    """(path, ids of the blobs before and after), for each parent."""
    for match in ENTRY.finditer(repo.run("diff-tree", *RAW, sha)):
        modes, blobs = match.group(1, 2), match.group(3, 4)
        found = zip(modes, blobs, strict=True)
        yield match[5], [b for mode, b in found if mode != SUBMODULE and b.strip(b"0")]
