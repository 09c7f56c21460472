"""What tools of Agent Trace left (https://agent-trace.dev, version 0.1): `.agent-trace/*.jsonl` in
the working trees, one record a change.

A record names files, the conversations that wrote ranges of their lines, and in `vcs.revision` the
commit that was checked out. The tools write it when the file is saved, so the change is in a later
commit: the first one after the revision that changes the file. A record of a revision that is not
here, or of a file that no later commit changes, says nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from funes_git.git import Repo
from funes_git.git.blobs import BlobReader
from funes_git.imports.found import Found
from funes_git.link.graph import Graph
from funes_git.link.level import EVERYTHING
from funes_git.model import Attribution
from funes_git.sessionfile import open_session
from funes_git.spans import span
from funes_git_parsers.harness import named
from funes_git_parsers.values import clean, integer, mapping, seconds, string

SOURCE = "agent-trace"
FOLDER = ".agent-trace"
_SESSION = ("session_id", "conversation_id", "sessionId", "conversationId")


class _Change(NamedTuple):
    """One statement of a record."""

    revision: str
    at: float
    session_id: str
    agent: str
    path: str
    lines: tuple[tuple[int, int], ...]


def find(repo: Repo, blobs: BlobReader) -> Found:
    """What the records say of commits. Raises GitError."""
    found = Found(f"records in {FOLDER}/", empty=True)
    told: list[_Change] = []
    for top in repo.worktrees():
        for path in sorted((top / FOLDER).glob("*.jsonl")):
            found.empty = False
            try:
                with open_session(path) as stream:
                    rows = stream.read().splitlines()
            except OSError as error:
                found.skips.add(error.strerror or str(error), _place(top, path))
                continue
            for number, row in enumerate(rows, 1):
                record = _record(row)
                if record:
                    told += _changes(record)
                elif row.strip():
                    found.skips.add("no record of Agent Trace", f"{_place(top, path)}:{number}")
    history = _History(repo) if told else None
    for change in dict.fromkeys(told):
        if history and (sha := history.commit_of(change)):
            where = (change.path, change.lines)
            found.attributions.append(
                Attribution(sha, change.session_id, change.agent, SOURCE, *where)
            )
    found.attributions = list(_merged(found.attributions))
    return found


def _place(top: Path, path: Path) -> str:
    return path.relative_to(top).as_posix()


def _record(row: bytes) -> dict[str, Any] | None:
    try:
        value = clean(json.loads(row))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("files"), list) else None


def _changes(record: Mapping[str, Any]) -> Iterator[_Change]:
    vcs, about = mapping(record.get("vcs")), mapping(record.get("metadata"))
    revision, at = string(vcs.get("revision")), seconds(record.get("timestamp"))
    if revision is None or at is None or vcs.get("type", "git") != "git":
        return
    agent = named(string(mapping(record.get("tool")).get("name")) or SOURCE)
    session = next((found for key in _SESSION if (found := string(about.get(key)))), None)
    for file in record["files"]:
        path = string(mapping(file).get("path"))
        several = mapping(file).get("conversations")
        for each in several if path and isinstance(several, list) else ():
            talk = mapping(each)
            session_id = session or _named(string(talk.get("url")))
            lines = tuple(_ranges(talk))
            if path and session_id and lines:
                yield _Change(revision, at, session_id, agent, path, lines)


def _named(url: str | None) -> str | None:
    """The conversation that an address names by its last part, as agents name their files."""
    last = (url or "").rstrip("/").rpartition("/")[2]
    return last.partition("?")[0].removesuffix(".jsonl") or None


def _ranges(talk: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """The lines that an agent wrote at least in part."""
    ranges = talk.get("ranges")
    for each in ranges if isinstance(ranges, list) else ():
        part = mapping(each)
        who = mapping(part.get("contributor")) or mapping(talk.get("contributor"))
        if who.get("type") in ("ai", "mixed"):
            yield from span(integer(part.get("start_line")), integer(part.get("end_line")))


def _merged(attributions: Iterable[Attribution]) -> Iterator[Attribution]:
    """One statement for each commit, session and file."""
    lines: defaultdict[tuple[str, str, str, str | None], set[tuple[int, int]]] = defaultdict(set)
    for one in attributions:
        lines[one.commit, one.session_id, one.harness, one.path] |= set(one.lines)
    for (commit, session_id, agent, path), found in lines.items():
        yield Attribution(commit, session_id, agent, SOURCE, path, tuple(sorted(found)))


class _History:
    """Which commits changed which files, read by one process."""

    def __init__(self, repo: Repo) -> None:
        self._graph = Graph()
        self._changed: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        shown = ("--topo-order", "--reverse", "--name-only", "--no-renames", "-z")
        out = repo.run("log", *shown, "--format=%x00%H %ct %P", "--ignore-missing", *EVERYTHING)
        before, sha, time = "x", "", ""
        for part in out.decode("utf-8", "replace").split("\0"):
            if part and not before:  # no path is empty, so a commit begins
                sha, time, *parents = part.split()
                self._graph.add(sha, tuple(parents))
            elif path := part.removeprefix("\n"):
                self._changed[path].append((sha, float(time)))
            before = part

    def commit_of(self, change: _Change) -> str | None:
        """The first commit after the revision and the time of the record that changes its file."""
        for sha, time in self._changed.get(change.path, ()):
            is_after = sha != change.revision and self._graph.is_ancestor(change.revision, sha)
            if is_after and time + 1 >= change.at:
                return sha
        return None
