"""Which license a repository names, by the title of its file, as the Hub calls it."""

from __future__ import annotations

import re

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader

FILES = tuple(
    f"{name}{ending}"
    for name in ("LICENSE", "LICENCE", "COPYING", "License", "license")
    for ending in ("", ".md", ".txt")
)
TITLES = {
    "apache-2.0": r"apache license\|version 2\.0, january 2004",
    "mit": r"(?:the )?mit license(?: \(mit\))?",
    "bsd-3-clause": r"(?:the )?bsd 3-clause license",
    "bsd-2-clause": r"(?:the )?bsd 2-clause license",
    "gpl-3.0": r"gnu general public license\|version 3, 29 june 2007",
    "gpl-2.0": r"gnu general public license\|version 2, june 1991",
    "lgpl-3.0": r"gnu lesser general public license\|version 3, 29 june 2007",
    "agpl-3.0": r"gnu affero general public license\|version 3, 19 november 2007",
    "mpl-2.0": r"mozilla public license,? version 2\.0",
}
"""The Hub's id → the license's first line, or its first two with a bar between, in small letters.
The ids are of https://huggingface.co/docs/hub/repositories-licenses, the titles those of
https://spdx.org/licenses."""


def of(repo: Repo, commit: str) -> str | None:
    """The license that the repository names at a commit; None where its title is not one that is
    plainly known."""
    with BlobReader(repo) as blobs:
        texts = (blobs.read(f"{commit}:{name}") for name in FILES)
        return next((named(text.decode("utf-8", "replace")) for text in texts if text), None)


def named(text: str) -> str | None:
    """The license that a text is, by its title."""
    lines = (" ".join(line.strip("#*=_- \t").split()).lower() for line in text.splitlines()[:20])
    first = [line for line in lines if line][:2]
    titles = {"|".join(first), *first[:1]}
    for name, title in TITLES.items():
        if any(re.fullmatch(title, each) for each in titles):
            return name
    return None
