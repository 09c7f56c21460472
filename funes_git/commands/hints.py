"""What an agent is told without asking, where its user wants hints (`git funes add AGENT --hints`).

Run by the agent's hook (hooks/agent) as `git-funes hint AGENT`, with the agent's event as JSON on
standard input. When a session starts: that there is a memory. Before an edit: what was decided in
the turn that wrote the lines. Whatever goes wrong, or takes longer than `LIMIT`, nothing is said.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from funes_git.git import Repo
from funes_git.render.clean import line
from funes_git.render.words import agent, short
from funes_git.store.catalog import Catalog

if TYPE_CHECKING:
    from funes_git.model import Answer
    from funes_git_parsers.base import Hunk

LIMIT = 0.150
"""Seconds that a look-up before an edit may take."""
LONGEST = 300
"""Characters of a decision."""
MOST = 1 << 20
"""Bytes of an event that are read, and of a file that is looked at."""

Event: TypeAlias = Mapping[str, Any]
Lines: TypeAlias = tuple[str, int, int]
"""A file and the first and last line of it that an edit replaces."""


def main(argv: Sequence[str]) -> int:
    """Read the event and say what there is to say to the agent `argv` names; never fails."""
    try:
        event = json.loads(sys.stdin.buffer.read(MOST))
        _limit(LIMIT)
        said = hint(event, Path.cwd())
        if said:
            sys.stdout.write(_form(said, event, argv[:1] == ["pi"]))
            sys.stdout.flush()
    except Exception:  # noqa: BLE001  # a hint is not worth an error in front of the user
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)  # or it would end the interpreter while that ends
    return 0


def hint(event: Event, cwd: Path) -> str:
    """The words for one event; empty for none. May raise anything."""
    kind = event.get("hook_event_name")
    folder = Path(event.get("cwd") or cwd)
    if kind == "SessionStart":
        return _start(Repo.discover(folder))
    if kind == "PreToolUse":
        edits = list(replaced(event.get("tool_input"), folder))
        return _decision(Repo.discover(folder), edits, folder) if edits else ""
    return ""


def replaced(arguments: Any, folder: Path) -> Iterator[Lines]:
    """The lines that a call of an edit tool is about to replace, where the file has them now: by
    Claude Code's arguments, or in a patch by Codex's."""
    if not isinstance(arguments, dict):
        return
    path = arguments.get("file_path")
    if isinstance(path, str):
        edits = arguments.get("edits") or [arguments]
        for old in (edit.get("old_string") for edit in edits if isinstance(edit, dict)):
            if isinstance(old, str) and old.strip():
                yield from _place(folder, path, old)
    patch = arguments.get("command")
    if isinstance(patch, str):
        from funes_git_parsers import patch as patches

        for file in patches.parse(patch):
            for hunk in file.hunks:
                yield from _place(folder, file.path, _before(hunk))


def _before(hunk: Hunk) -> str:
    """What a hunk's lines were."""
    return "\n".join(line[1:] for line in hunk.lines if line[:1] in (" ", "-"))


def _place(folder: Path, path: str, old: str) -> Iterator[Lines]:
    file = folder / path
    if not old.strip() or not file.is_file() or file.stat().st_size > MOST:
        return
    text = file.read_text("utf-8", "replace")
    at = text.find(old)
    if at >= 0:
        first = text.count("\n", 0, at) + 1
        yield str(file), first, first + old.rstrip("\n").count("\n")


def _start(repo: Repo) -> str:
    with Catalog.open(repo.layout.catalog) as catalog:
        count = catalog.totals().sessions
    if not count:
        return ""
    sessions = "1 earlier agent session" if count == 1 else f"{count:,} earlier agent sessions"
    return (
        f"The memory of this repository holds {sessions}. Before you change code that looks odd, "
        "ask the funes tool `why` (or `git funes why FILE:LINE`); before a decision, `recall`."
    )


def _decision(repo: Repo, edits: Sequence[Lines], folder: Path) -> str:
    """The decision behind the first of the edits that has one."""
    from funes_git.why.target import why

    with Catalog.open(repo.layout.catalog) as catalog:
        for path, first, last in edits:
            named = repo.relative(path, folder)
            found = why(repo, catalog, f"{named}:{first}-{last}", n=1, cwd=repo.folder)
            for answer in found.answers:
                if answer.link.level in ("exact", "lines", "derived") and answer.passages:
                    return _told(named, answer)
    return ""


def _told(path: str, answer: Answer) -> str:
    """At most `LONGEST` characters, of which the decision is a quotation."""
    spans = ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in answer.asked[:3])
    who = f"{agent(answer.link.harness)} session {short(answer.link.session_id)}"
    commit = f" in {answer.commit.sha[:7]}" if answer.commit else ""
    head = f"{line(path)}:{spans} is by {who}{commit}; recorded then: “"
    tail = "” (funes `why` tells more)"
    words = line(answer.passages[-1].text)
    room = max(LONGEST - len(head) - len(tail), 0)
    return head + (words if len(words) <= room else words[: room - 1] + "…") + tail


def _form(said: str, event: Event, plain: bool) -> str:
    """As Claude Code and Codex take it from a hook; pi's extension takes the words."""
    if plain:
        return said
    name = str(event.get("hook_event_name"))
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": said}})


def _limit(seconds: float) -> None:
    """End the process, with nothing said, when the time is up."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, seconds)
