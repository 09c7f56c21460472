"""What the dataset's card asks as an example: of a release that has just been made, questions that
its memory answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from funes_git.git import Repo
from funes_git.model import Link
from funes_git.publish import gate

TRIED = 40
"""Files that are looked for in the tree at most."""
LONGEST = 70
"""Characters of a subject."""


class Example:
    """Takes in the links of a release."""

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()

    def add(self, links: Iterable[Link]) -> None:
        """The links of a session."""
        for link in links:
            if link.path and link.relation == "wrote" and link.content != "none":
                self._lines[link.path] += sum(to - start + 1 for start, to in link.lines)

    def file(self, repo: Repo, head: str) -> str:
        """Of the files of commit `head` the one most of whose lines were linked."""
        paths = [path for path, _ in self._lines.most_common(TRIED)]
        if not paths:
            return ""
        listed = repo.run("ls-tree", "-r", "-z", "--name-only", head, "--", *paths)
        there = set(listed.decode("utf-8", "surrogateescape").split("\0"))
        return next((path for path in paths if path in there), "")


def question(repo: Repo, commit: str) -> str:
    """What a commit was for, in the words of its subject; empty where these may not leave."""
    subject = repo.run("log", "-1", "--format=%s", commit).decode("utf-8", "replace").strip()
    if len(subject) > LONGEST:
        subject = subject[:LONGEST].rpartition(" ")[0] or subject[:LONGEST]
    return "" if gate.check([subject]) else subject
