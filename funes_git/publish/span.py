"""Which commits a release is made of: a tag and those since the release before it, or a range."""

from __future__ import annotations

import re
from typing import TypeAlias

from funes_git.errors import UsageError
from funes_git.git import Repo
from funes_git_parsers.dataclass import dataclass

VERSION = re.compile(
    r"(?P<family>.*?)(?P<numbers>\d+(?:\.\d+)*)(?P<rest>[-._+]?[a-z].*|-\d.*)?", re.I
)
"""`v1.2.0`, `pkg/1.2`, `release-3`; with a rest it is a pre-release: `v2.0.0-rc.1`, `1.3b2`."""

FINAL = re.compile(r"[-._]?(?:post|final|ga|lts|p)[-._]?\d*|\+.*", re.I)
"""What may follow a version's numbers without making it a pre-release."""

_IDS = re.compile(r"[0-9a-f]{12}(-[0-9a-f]{12})?")
"""How `_short` names a range that ends in no tag."""

Version: TypeAlias = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Span:
    """The commits of a release, parents first. `name` is the tag, or for a range that ends in none
    the short ids of both ends; `since` is the revision they come after, None from the beginning."""

    name: str
    since: str | None
    until: str
    commits: tuple[str, ...]

    @property
    def range(self) -> str:
        """As git writes it."""
        return f"{self.since}..{self.until}" if self.since else self.until


def resolve(repo: Repo, text: str, since: str | None = None) -> Span:
    """The span that `text` names: a tag or another revision, with the commits since the release
    before it or since `since`, or a range. Raises UnknownTarget, UsageError."""
    tags = _tags(repo)
    if ".." in text:
        if since is not None:
            raise UsageError("a range has its own beginning", "leave out --since")
        if "..." in text:
            raise UsageError(
                f"{text} has two ends", f"git funes review {text.replace('...', '..')}"
            )
        first, _, last = text.partition("..")
        since, until = first or "HEAD", last or "HEAD"
    else:
        until = text
        since = since if since is not None else previous(repo, text, tags)
    head = repo.resolve(until)
    start = repo.resolve(since) if since is not None else None
    name = until if until in tags else _short(start, head)
    revs = (head, f"^{start}") if start else (head,)
    return Span(name, since, until, tuple(repo.rev_list(*revs)))


def previous(repo: Repo, text: str, tags: list[str]) -> str | None:
    """The release before a revision: of the tags in its history the one with the highest version
    below its own, pre-releases left out; tags of another family (`pkg-a/v1`) are none of its."""
    head = repo.resolve(text)
    own = _parsed(text) if text in tags else None
    merged = repo.run("tag", "--merged", f"{head}^{{commit}}").decode("utf-8", "replace").split()
    best: tuple[Version, str] | None = None
    for tag in merged:
        version = _parsed(tag)
        if tag == text or version is None or version[2] or repo.resolve(tag) == head:
            continue
        if own and (version[0] != own[0] or version[1] > own[1]):
            continue
        if best is None or version[:2] > best[0]:
            best = (version[:2], tag)
    return best[1] if best else None


def order(name: str) -> tuple[str, tuple[int, ...], bool]:
    """By what releases are sorted, the older first: a version after its pre-releases, and all after
    the names that are no version."""
    version = None if _IDS.fullmatch(name) else _parsed(name)
    if version is None:
        return "", (), False
    family, numbers, is_early = version
    return family, numbers, not is_early


def _parsed(tag: str) -> tuple[str, tuple[int, ...], bool] | None:
    """The family, the numbers, and whether it is a pre-release; None for a tag without a number."""
    match = VERSION.fullmatch(tag)
    if match is None:
        return None
    rest = match["rest"] or ""
    numbers = tuple(int(part[:18]) for part in match["numbers"].split("."))
    return match["family"].lower(), numbers, bool(rest and not FINAL.fullmatch(rest))


def _tags(repo: Repo) -> list[str]:
    return repo.run("tag", "--list").decode("utf-8", "replace").split()


def _short(start: str | None, head: str) -> str:
    return f"{start[:12]}-{head[:12]}" if start else head[:12]
