"""What a Hub of the tests keeps: datasets with their commits, named as git itself would."""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import yaml


class Refusal(Exception):
    """What the Hub answers with instead of doing what was asked."""

    def __init__(self, status: int, message: str, code: str | None = None, **headers: str) -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.headers = status, message, code, headers


def git_id(kind: str, data: bytes) -> str:
    """The id that git gives to an object."""
    head = f"{kind} {len(data)}\0".encode()
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


@dataclass
class File:
    """A file of a commit: its content, or the sha256 of the large file that it points to."""

    oid: str
    size: int
    data: bytes | None = None
    lfs: str | None = None
    xet: str | None = None

    @classmethod
    def small(cls, data: bytes) -> File:
        """A file that is kept in the commit."""
        return cls(git_id("blob", data), len(data), data)

    @classmethod
    def large(cls, sha256: str, size: int, xet: str | None = None) -> File:
        """A pointer to a large file."""
        return cls(git_id("blob", pointer(sha256, size)), size, None, sha256, xet)

    def row(self, path: str) -> dict[str, Any]:
        """As the list of a folder shows it."""
        row: dict[str, Any] = {"type": "file", "oid": self.oid, "size": self.size, "path": path}
        if self.lfs:
            size = len(pointer(self.lfs, self.size))
            row["lfs"] = {"oid": self.lfs, "size": self.size, "pointerSize": size}
        if self.xet:
            row["xetHash"] = self.xet
        return row


def pointer(sha256: str, size: int) -> bytes:
    """The text of a pointer to a large file (docs/spec.md of git-lfs)."""
    version = "https://git-lfs.github.com/spec/v1"
    return f"version {version}\noid sha256:{sha256}\nsize {size}\n".encode()


@dataclass
class Commit:
    """A commit: its whole tree by path."""

    oid: str
    tree: dict[str, File]
    parents: list[str]
    title: str
    message: str
    author: str
    date: str


@dataclass
class Repository:
    """A dataset."""

    name: str
    private: bool
    owner: str
    gated: bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    created: str = ""

    def resolve(self, revision: str) -> Commit:
        """The commit that a branch, a tag, or the start of an id names."""
        name = unquote(revision)
        oid = self.branches.get(name.removeprefix("refs/heads/"))
        oid = oid or self.tags.get(name.removeprefix("refs/tags/"))
        if oid is None and re.fullmatch(r"[0-9a-f]{7,40}", name):
            oid = next((each for each in self.commits if each.startswith(name)), None)
        if oid is None:
            raise Refusal(404, f"Invalid rev id: {name}", "RevisionNotFound")
        return self.commits[oid]

    @property
    def head(self) -> Commit:
        """The newest commit of main."""
        return self.commits[self.branches["main"]]

    def commit(
        self, tree: dict[str, File], title: str, message: str, author: str, parents: list[str]
    ) -> Commit:
        """A new commit of main."""
        said = "".join(f"parent {each}\n" for each in parents)
        body = (
            f"tree {tree_id(tree)}\n{said}author {author} {time.time_ns()}\n\n{title}\n\n{message}"
        )
        oid = git_id("commit", body.encode())
        made = Commit(oid, tree, parents, title, message, author, now())
        self.commits[oid] = made
        self.branches["main"] = oid
        return made

    def history(self, revision: str) -> list[Commit]:
        """A commit and those before it."""
        found = [self.resolve(revision)]
        while found[-1].parents:
            found.append(self.commits[found[-1].parents[0]])
        return found

    def about(self, commit: Commit, *, blobs: bool = False) -> dict[str, Any]:
        """What the Hub says of it at a commit."""
        card = card_of(commit.tree)
        siblings = []
        for path, file in sorted(commit.tree.items()):
            sizes = {"size": file.size, "blobId": file.oid} if blobs else {}
            siblings.append({"rfilename": path, **sizes})
        return {
            "_id": hashlib.md5(self.name.encode(), usedforsecurity=False).hexdigest()[:24],
            "id": self.name,
            "author": self.owner,
            "private": self.private,
            "gated": "manual" if self.gated else False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": _tags(card),
            "cardData": card,
            "createdAt": self.created,
            "lastModified": commit.date,
            "usedStorage": sum(file.size for file in commit.tree.values()),
            "sha": commit.oid,
            "siblings": siblings,
        }


def _tags(card: dict[str, Any]) -> list[str]:
    found = [str(tag) for tag in card.get("tags") or []]
    for name in ("license", "language", "size_categories"):
        values = card.get(name) or []
        found += [f"{name}:{value}" for value in ([values] if isinstance(values, str) else values)]
    return found


def now() -> str:
    """This moment as the Hub writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tree_id(tree: dict[str, File], prefix: str = "") -> str:
    """The id that git gives to the tree of these files."""
    below: dict[str, str] = {}
    for path, file in tree.items():
        if path.startswith(prefix):
            head, _, rest = path[len(prefix) :].partition("/")
            below.setdefault(head + ("/" if rest else ""), file.oid)
    out = b""
    for name in sorted(below):
        oid = tree_id(tree, prefix + name) if name.endswith("/") else below[name]
        mode = b"40000" if name.endswith("/") else b"100644"
        out += mode + b" " + name.rstrip("/").encode() + b"\0" + bytes.fromhex(oid)
    return git_id("tree", out)


def card_of(tree: dict[str, File]) -> dict[str, Any]:
    """The metadata of the dataset card; empty without one. Raises Refusal where it is no YAML."""
    file = tree.get("README.md")
    text = (file.data or b"").decode("utf-8", "replace") if file else ""
    return metadata(text)


def metadata(text: str) -> dict[str, Any]:
    """The metadata at the top of a dataset card."""
    match = re.match(r"---\r?\n(.*?)\r?\n---", text, re.DOTALL)
    if not match:
        return {}
    try:
        found = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        raise Refusal(400, f"Invalid metadata in README.md: {error}") from error
    if not isinstance(found, dict):
        raise Refusal(400, "Invalid metadata in README.md: no mapping")
    return found
