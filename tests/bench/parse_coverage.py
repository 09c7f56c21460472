"""What the parsers make of session files: nothing may be lost without a reason.

    python tests/bench/parse_coverage.py [FOLDER]

Reads every session below FOLDER (by default the shared traces). For each agent: records by kind,
with how many brought nothing and why; tool calls by name; editing calls with the edits that they
gave; the counts beside those of the page of formats; and the speed of one core, with that of
decoding alone. At the end, the speed of all formats that are JSON Lines together. Fails if more
than 0.1 % of the records brought nothing without a reason, or fewer than 98 % of the editing calls
that succeeded gave an edit with text.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO

from formats_page import PAGE, compared
from reading_speed import Speed, speed, together

from funes_git import discovery
from funes_git.sessionfile import open_session
from funes_git_parsers.base import Block, Edit, Item, Parser, Session, Skipped, Source, Turn
from funes_git_parsers.kinds import kind_of

TRACES = Path(__file__).parents[3] / "shared" / "data" / "traces"
UNACCOUNTED, WITH_TEXT = 0.001, 0.98
EDITING = """edit write multiedit notebookedit apply_patch create replace write_file patch edit_file
create_file write_to_file apply_diff replace_in_file insert_content search_and_replace str_replace
str_replace_editor str_replace_based_edit_tool text_editor developer__text_editor"""
SHELL = """bash powershell shell shell_command exec_command local_shell container.exec terminal
run_shell_command execute_command"""
COMMITTING = re.compile(r"\bgit\b[^|;&\n]{0,200}?\bcommit\b")
TEXTS = "text thinking content arguments input output summary message result"
PLAIN = re.compile(r"[\w ,.]{12,}")
"""Words that are written alike wherever they stand."""
IDS = ("uuid", "id")


@dataclass
class Tally:
    """What was found of one agent."""

    files: int = 0
    size: int = 0
    speed: Speed | None = None
    turns: int = 0
    edits: int = 0
    of_sessions: Counter[str] = field(default_factory=Counter)
    """Under the names of formats_page.COLUMNS."""
    skipped: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    nothing: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, reason)"""
    lost: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    editing: Counter[str] = field(default_factory=Counter)
    """Outcome of editing calls: `text`, `failed`, `unanswered`, `again` (the same as one before,
    which found its work done), or `without text`."""


class ByLine(io.RawIOBase):
    """A stream that gives one line at a time, so that what is yielded can be told by its line."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self.number = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            return self._stream.read()
        return self.readline()

    def readline(self, size: int | None = -1, /) -> bytes:
        self.number += 1
        return self._stream.readline()

    def close(self) -> None:
        self._stream.close()
        super().close()


def main(folder: Path) -> int:
    every = discovery.parsers()
    found = discovery.at_paths([folder], every)
    tallies: dict[str, Tally] = {}
    for source in found.sources:
        count(tallies.setdefault(source.harness, Tally()), every[source.harness], source)
    by_line: dict[str, Speed] = {}
    for name, tally in sorted(tallies.items()):
        sources = [source for source in found.sources if source.harness == name]
        tally.speed = speed(every[name], sources)
        if tally.speed and all(".jsonl" in source.path.name for source in sources):
            by_line[name] = tally.speed
        report(name, tally)
        compare(name, tally)
    if by_line:
        print(f"JSONL formats together ({', '.join(by_line)}): {together(by_line.values())}")
    for path, reason in found.unreadable:
        print(f"unreadable: {path}: {reason}")
    claimed = {source.path for source in found.sources}
    rest = Counter(p.suffix for p in folder.rglob("*") if p.is_file() and p not in claimed)
    print("files of no agent:", dict(rest))
    failed = [name for name, tally in tallies.items() if not is_good(tally)]
    print("failed:" if failed else "all good" if tallies else "no session found", *failed)
    return bool(failed) or not tallies or bool(found.unreadable)


def count(tally: Tally, parser: Parser, source: Source) -> None:
    """Read one source, and account for its records."""
    told, items = read_by_line(parser, source)
    tally.files += 1
    tally.size += source.path.stat().st_size if not source.key else 0
    for item in items:
        tally.turns += isinstance(item, Turn)
        tally.edits += isinstance(item, Edit)
        if isinstance(item, Skipped):
            tally.skipped[item.reason] += 1
    count_calls(tally, items)
    tally.of_sessions.update(of_session(items))
    explain = Reasons(parser, items)
    for number, record in records_of(source):
        kind = kind_of(record)
        tally.records[kind] += 1
        if number not in told:
            reason = explain(kind, record)
            tally.nothing[kind, reason or "NO REASON"] += 1
            tally.lost[kind] += not reason
        explain.seen(record)


def read_by_line(parser: Parser, source: Source) -> tuple[set[int], list[Item]]:
    """Everything that is read, and the lines (from 1) that brought something; none of them for a
    parser that does not go by lines."""
    streams: list[ByLine] = []

    def open_file(path: Path) -> BinaryIO:
        if path != source.path or path.suffix not in (".jsonl", ".zst"):
            return open_session(path)
        streams[:] = [ByLine(open_session(path))]
        return streams[0]  # type: ignore[return-value]

    told, items = set(), []
    for item in parser.read(source, None, open_file):
        items.append(item)
        told |= {streams[0].number} if streams else set()
    whole = list(parser.read(source, None, open_session))
    return (told, items) if items == whole else (set(), whole)


def records_of(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a file with their lines; of a document, the messages in it (line 0)."""
    if source.key:
        return
    with open_session(source.path) as stream:
        data = stream.read()
    try:
        whole = json.loads(data)
    except ValueError:
        whole = None
    messages = whole.get("messages") if isinstance(whole, dict) else whole
    if isinstance(messages, list):
        yield from ((0, message) for message in messages if isinstance(message, dict))
        return
    for number, line in enumerate(data.split(b"\n"), 1):
        for record in objects(line.decode("utf-8", "replace")):
            yield number, record


def objects(line: str) -> Iterator[dict[str, Any]]:
    """The JSON objects on a line."""
    at = 0
    while (at := line.find("{", at)) >= 0:
        try:
            value, at = json.JSONDecoder(strict=False).raw_decode(line, at)
        except ValueError:
            return
        if isinstance(value, dict):
            yield value


class Reasons:
    """Says why a record brought nothing; empty if nothing explains it."""

    def __init__(self, parser: Parser, items: list[Item]) -> None:
        self._passes: Mapping[str, str] = getattr(parser, "PASSES", {})
        turns = [item for item in items if isinstance(item, Turn)]
        blocks = [block for turn in turns for block in turn.blocks]
        self._texts = "\0".join(text for block in blocks for text in texts_of(block))
        self._ids = {turn.turn_uuid for turn in turns} | {turn.message_id for turn in turns} - {
            None
        }
        sessions = [item for item in items if isinstance(item, Session)]
        self._has_parent = any(session.parent_session_id for session in sessions)
        self._seen: set[str] = set()

    def __call__(self, kind: str, record: dict[str, Any]) -> str:
        for pattern, reason in self._passes.items():
            if fnmatchcase(kind, pattern):
                return reason
        texts = [text for text in told_by(record) if text.strip()]
        if not texts:
            return "nothing to read in it"
        if any(record.get(name) in self._seen for name in IDS):
            return "a copy of a record before it"
        if any(record.get(name) in self._ids for name in IDS):
            return "told with others"
        # the longest line, as a parser may take a text apart (calls in tags)
        if max(re.split(r"\n|</?\w+>", "\n".join(texts)), key=len).strip() in self._texts:
            return "told with others"
        if (words := max(PLAIN.findall(max(texts, key=len)), key=len, default="")) and (
            words in self._texts
        ):
            return "told in parts"  # calls that are written in the text
        return "copied from the session that it was forked from" if self._has_parent else ""

    def seen(self, record: dict[str, Any]) -> None:
        """Remember that the record was there."""
        self._seen.update(record[name] for name in IDS if isinstance(record.get(name), str))


def texts_of(block: Block) -> Iterator[str]:
    """A block's text, and those in a call's arguments."""
    yield block.text
    if block.type == "tool_use":
        with suppress(ValueError):
            yield from strings(json.loads(block.text))


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def told_by(value: Any, name: str = "") -> Iterator[str]:
    """The texts in a record that a person or an agent could have written."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from told_by(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from told_by(inner, name)
    elif isinstance(value, str) and name in TEXTS.split():
        yield value


def count_calls(tally: Tally, items: list[Item]) -> None:
    """Tool calls by name, and what became of those that edit."""
    turns = [item for item in items if isinstance(item, Turn)]
    results = {b.tool_use_id: b for t in turns for b in t.blocks if b.type == "tool_result"}
    edits = [item for item in items if isinstance(item, Edit) and has_text(item)]
    # a format without ids of calls has one call a turn
    edited = {e.tool_use_id for e in edits} | {e.turn_uuid for e in edits}
    done: set[tuple[str | None, str]] = set()
    for turn, block in [(t, b) for t in turns for b in t.blocks]:
        if block.type == "tool_use":
            tally.tools[block.tool or "?"] += 1
            if (block.tool or "").lower() in EDITING.split():
                name = block.tool_use_id or turn.turn_uuid
                became = outcome(name, results.get(block.tool_use_id), edited)
                is_again = became == "without text" and (block.tool, block.text) in done
                tally.editing["again" if is_again else became] += 1
                done |= {(block.tool, block.text)} if became == "text" else set()


def has_text(edit: Edit) -> bool:
    is_gone = edit.operation in ("delete", "rename")  # of which there need be no text
    return bool(is_gone or edit.hunks or edit.new is not None or edit.old is not None)


def outcome(call: str, result: Block | None, edited: set[str]) -> str:
    if call in edited:
        return "text"
    if result is None:
        return "unanswered"
    return "failed" if result.is_error or result.exit_code else "without text"


def of_session(items: list[Item]) -> Counter[str]:
    """Counts under the names of the page of formats."""
    turns = [item for item in items if isinstance(item, Turn)]
    blocks = [block for turn in turns for block in turn.blocks]
    calls = [block for block in blocks if block.type == "tool_use"]
    shell = [call for call in calls if (call.tool or "").lower() in SHELL.split()]
    answers = {turn.message_id or turn.turn_uuid for turn in turns if is_message(turn)}
    return Counter({
        "sessions": len({turn.session_id for turn in turns}),
        "user turns": sum(turn.is_prompt for turn in turns),
        "assistant msgs": len(answers),
        "tool calls": len(calls),
        "edit calls": sum((call.tool or "").lower() in EDITING.split() for call in calls),
        "shell calls": len(shell),
        "git commit commands": sum(COMMITTING.search(call.text) is not None for call in shell),
        "commit ids printed": sum(len(block.commits) for block in blocks),
    })  # fmt: skip


def is_message(turn: Turn) -> bool:
    """Whether a turn is an assistant's message: Codex has records of their own for its calls."""
    is_own = turn.harness != "codex" or any(block.type == "text" for block in turn.blocks)
    return turn.role == "assistant" and is_own


def compare(name: str, tally: Tally) -> None:
    """Print what the page of formats counts too, of the sessions that it was written from."""
    if not PAGE.exists():
        return
    kinds: Counter[str] = Counter()
    for kind, number in tally.records.items():
        kinds[kind.partition("/")[0]] += number
    here = {**tally.of_sessions, "records": sum(tally.records.values())}
    for line in compared(PAGE.read_text(), name, here, kinds, tally.tools):
        print("  page of formats:", line)


def is_good(tally: Tally) -> bool:
    done = tally.editing["text"] + tally.editing["without text"]
    return (
        sum(tally.lost.values()) <= UNACCOUNTED * sum(tally.records.values())
        and tally.editing["text"] >= WITH_TEXT * done
    )


def report(name: str, tally: Tally) -> None:
    print(f"{name}: {tally.files} sessions, {tally.size / 1e6:.1f} MB")
    if tally.speed:
        print(f"  {tally.speed}")
    print(f"  {tally.turns} turns, {tally.edits} edits; skipped: {dict(tally.skipped)}")
    for kind, number in sorted(tally.records.items()):
        why = ", ".join(f"{n} {reason}" for (k, reason), n in tally.nothing.items() if k == kind)
        print(f"  {number:7,} {kind}" + (f": {why}" if why else ""))
    print("  calls:", ", ".join(f"{tool} {n}" for tool, n in tally.tools.most_common()))
    print("  editing calls:", dict(tally.editing))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else TRACES))
