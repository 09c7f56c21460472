"""What a memory may be called, in one place.

local                         this repository's own
ORG/NAME[@REVISION]           a dataset on the Hugging Face Hub
hf://datasets/ORG/NAME[@REVISION]
https://huggingface.co/datasets/ORG/NAME
./folder, /folder, ~/folder   a folder that holds a memory's tables
FILE.funes                    a memory in one file (`git funes export`)
s3://BUCKET/…, gs://BUCKET/…  an object store
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git.errors import UsageError
from funes_git_parsers.dataclass import dataclass

Kind: TypeAlias = Literal["local", "hub", "folder", "file", "store"]
LOCAL = "local"
FORMS = "local, ORG/NAME[@REVISION], hf://datasets/ORG/NAME, a path, FILE.funes, s3://… or gs://…"
_HUB = re.compile(
    r"(?:hf://datasets/|https://(?:huggingface\.co|hf\.co)/datasets/)?"
    r"([\w.-]+/[\w.-]+)(?:@([^@\s]+))?/?"
)
_STORES = ("s3://", "gs://", "gcs://")


@dataclass(frozen=True, slots=True)
class Name:
    """A memory's name as `text`; `where` is the dataset, the absolute path or the address."""

    text: str
    kind: Kind
    where: str = ""
    revision: str | None = None

    @property
    def slug(self) -> str:
        """A file's name for it: readable, and of no other memory."""
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", self.where).strip("-.")[-60:]
        whole = f"{self.kind}:{self.where}@{self.revision or ''}"
        return f"{readable}-{sha256(whole.encode()).hexdigest()[:8]}"


def parse(text: str, cwd: Path | None = None) -> Name:
    """The memory called `text`, relative paths from `cwd`. Raises UsageError."""
    found = _parsed(text.strip(), cwd or Path.cwd())
    if found is None:
        raise UsageError(f"no memory can be called {text!r}", FORMS)
    return found


def dataset(text: str) -> str:
    """The `ORG/NAME` of a dataset that is named in one of the Hub's ways; other text as it is."""
    match = _HUB.fullmatch(text)
    return match[1] if match and match[2] is None else text


def parse_many(text: str, cwd: Path | None = None) -> list[Name]:
    """Several names with commas between, none twice. Raises UsageError."""
    return list(dict.fromkeys(parse(each, cwd) for each in text.split(",")))


def _parsed(text: str, cwd: Path) -> Name | None:
    if text == LOCAL:
        return Name(text, "local")
    if text.startswith(_STORES):
        bucket = text.partition("://")[2].strip("/")
        return Name(text, "store", text.rstrip("/")) if bucket else None
    if text.startswith("file://"):
        return _path(text, Path(text.removeprefix("file://")), cwd)
    match = _HUB.fullmatch(text)
    if match and not text.startswith((".", "~")) and not text.endswith(".funes"):
        return None if ".." in text else Name(text, "hub", match[1], match[2])
    if "://" in text or not text or "\0" in text:
        return None
    if "/" in text or text.startswith((".", "~")) or text.endswith(".funes"):
        return _path(text, Path(text).expanduser(), cwd)
    return None


def _path(text: str, path: Path, cwd: Path) -> Name:
    whole = (cwd / path).resolve()
    return Name(text, "file" if whole.suffix == ".funes" else "folder", str(whole))
