"""Lines as `git blame --porcelain` prints them. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from funes_git.git.quote import storable, unquote
from funes_git_parsers.dataclass import dataclass

NOT_COMMITTED = "0" * 40
"""What stands for the commit of a line that is in none yet."""


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line of a file and the commit that last changed it. `sha` is NOT_COMMITTED for a line that
    is not committed yet; `original` is its number in that commit's version at `original_path`."""

    number: int
    text: str
    sha: str
    original: int
    original_path: str

    @property
    def committed(self) -> bool:
        """Whether the line stands in a commit."""
        return self.sha != NOT_COMMITTED


def uncommitted_lines(path: str, content: bytes) -> list[BlamedLine]:
    """The lines of a file that git does not know; none of a binary one."""
    if b"\0" in content or not content:
        return []
    lines = enumerate(content.decode("utf-8", "replace").removesuffix("\n").split("\n"), 1)
    return [BlamedLine(n, line, NOT_COMMITTED, n, storable(path)) for n, line in lines]


def parse_blame(out: bytes) -> Iterator[BlamedLine]:
    """https://git-scm.com/docs/git-blame#_the_porcelain_format"""
    paths: dict[str, str] = {}
    sha, original, number = "", 0, 0
    for raw in out.split(b"\n"):
        if raw.startswith(b"\t"):
            text = raw[1:].decode("utf-8", "replace")
            yield BlamedLine(number, text, sha, original, paths.get(sha, ""))
        elif raw.startswith(b"filename "):
            paths[sha] = storable(unquote(raw[9:]))
        else:
            words = raw.split(b" ")
            if len(words) >= 3 and len(words[0]) >= 40 and words[1].isdigit():
                sha = words[0].decode() if words[0].strip(b"0") else NOT_COMMITTED
                original, number = int(words[1]), int(words[2])
