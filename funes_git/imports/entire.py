"""What Entire left (https://github.com/entireio/cli): checkpoints on a branch of their own.

A checkpoint `<12 hex>` lies at `<2>/<10>/` with a folder `<n>/` for each session of it, which holds
`metadata.json` (session id, agent) and the transcript: `full.jsonl`, on `entire/checkpoints/v1`, or
`raw_transcript` under `refs/entire/checkpoints/v2`. A commit names its checkpoints in trailers
`Entire-Checkpoint`. A transcript holds its session from the start, so of several of one session
those that another begins with are left out.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import partial

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports import objects
from funes_git.imports.found import NOT_HERE, Found, Transcript
from funes_git.imports.objects import TreeFile
from funes_git.imports.turns import file_name
from funes_git.model import Attribution
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.harness import named
from funes_git_parsers.values import clean, mapping, string

SOURCE = "entire"
TRAILER = "Entire-Checkpoint"
REFS = (
    "refs/heads/entire/checkpoints/v1",
    "refs/remotes/*/entire/checkpoints/v1",
    "refs/entire/checkpoints/**",
)
_FILE = re.compile(
    r"(?P<id>[0-9a-f]{2}/[0-9a-f]{6,62})/(?P<n>\d+)/"
    r"(?P<name>metadata\.json|full\.jsonl|raw_transcript)(?P<part>\.\d{3})?"
)
_DATED = re.compile(r"\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)")
_PLAIN = re.compile(r"[0-9a-f-]{8,64}")
_NAMES = {"copilot": "events.jsonl", "copilot_cli": "events.jsonl"}
"""What a parser wants a session's file to be called."""


@dataclass(slots=True)
class _Kept:
    """One session of one checkpoint: its parts in order, and what its metadata says."""

    checkpoint: str
    n: str
    metadata: TreeFile | None = None
    parts: list[TreeFile] = field(default_factory=list)
    session_id: str = ""
    agent: str = ""

    @property
    def name(self) -> str:
        """One checkpoint may hold the same session more than once."""
        return self.checkpoint if self.n == "0" else f"{self.checkpoint}-{self.n}"

    @property
    def unread(self) -> str | None:
        """Why its transcript cannot be read."""
        if any(part.size < 0 for part in (*self.parts, *filter(None, [self.metadata]))):
            return NOT_HERE
        return None if self.session_id else "no session id in its metadata"

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def stamp(self) -> str:
        return " ".join(part.blob for part in self.parts)


def find(repo: Repo, blobs: BlobReader) -> Found:
    """All sessions of all checkpoints, and the commits that name them. Raises GitError."""
    refs = objects.refs(repo, *REFS)
    found = Found(looked_in="the branch entire/checkpoints/v1 and refs/entire", empty=not refs)
    found.fetch = "entire/checkpoints/v1:entire/checkpoints/v1"
    kept = _sessions(file for ref in refs for file in objects.files(repo, ref))
    for one in kept:
        about = _about(blobs.read(one.metadata.blob)) if one.metadata else {}
        one.session_id = _DATED.sub("", string(about.get("session_id")) or "")
        one.agent = named(string(about.get("agent")) or "")
        if reason := one.unread:
            found.skips.add(reason, f"checkpoint {one.name}")
    found.attributions = _attributions(repo, [one for one in kept if one.session_id])
    found.transcripts = _transcripts([one for one in kept if not one.unread], blobs)
    return found


def _sessions(files: Iterable[TreeFile]) -> list[_Kept]:
    found: dict[tuple[str, str], _Kept] = {}
    for file in files:
        match = _FILE.fullmatch(file.path)
        if match is None:
            continue
        checkpoint = match["id"].replace("/", "")
        one = found.setdefault((checkpoint, match["n"]), _Kept(checkpoint, match["n"]))
        if match["name"] == "metadata.json":
            one.metadata = file
        elif all((part.path, part.blob) != (file.path, file.blob) for part in one.parts):
            one.parts.append(file)
    for one in found.values():
        first = one.parts[0].path.rpartition("/")[2][:4] if one.parts else ""
        # the same text lies on the old branch and the new refs
        same = (part for part in one.parts if part.path.rpartition("/")[2].startswith(first))
        one.parts = sorted({part.path: part for part in same}.values(), key=lambda p: p.path)
    return list(found.values())


def _about(data: bytes) -> dict[str, object]:
    try:
        return mapping(clean(json.loads(data)))
    except (ValueError, RecursionError):
        return {}


def _attributions(repo: Repo, kept: list[_Kept]) -> list[Attribution]:
    sessions: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for one in kept:
        sessions[one.checkpoint][one.session_id] = one.agent
    return [
        Attribution(sha, session_id, agent, SOURCE)
        for sha, _, checkpoints in objects.trailers(repo, TRAILER)
        for checkpoint in dict.fromkeys(checkpoints)
        for session_id, agent in sessions.get(checkpoint, {}).items()
    ]


def _transcripts(kept: list[_Kept], blobs: BlobReader) -> Iterator[Transcript]:
    """The longest transcript of each session, and those that say something else."""
    by_session: defaultdict[str, list[_Kept]] = defaultdict(list)
    for one in kept:
        if one.parts:
            by_session[one.session_id].append(one)
    for session_id, several in by_session.items():
        several.sort(key=lambda one: (-one.size, one.stamp))
        taken: dict[str, _Kept] = {}
        for one in several:
            taken.setdefault(one.stamp, one)
        for one in _distinct(list(taken.values()), blobs):
            name = _NAMES.get(one.agent)
            alone = len(taken) == 1 or name is None
            folder = _folder(session_id) if alone else one.name
            path = f"{folder}/{name or f'{one.name}.jsonl'}"
            yield Transcript(path, one.stamp, partial(_text, one, blobs))


def _folder(session_id: str) -> str:
    """The id where it can stand for a folder: anyone may have written anything in its place."""
    return session_id if _PLAIN.fullmatch(session_id) else file_name(session_id)


def _distinct(several: list[_Kept], blobs: BlobReader) -> Iterator[_Kept]:
    """The longest first; those that one before them begins with are left out."""
    longest = b""
    for one in several:
        text = _text(one, blobs) if len(several) > 1 else b""
        if longest and longest.startswith(text.rstrip(b"\n")):
            continue
        longest = longest or text
        yield one


def _text(one: _Kept, blobs: BlobReader) -> bytes:
    return b"\n".join(blobs.read(part.blob).removesuffix(b"\n") for part in one.parts) + b"\n"
