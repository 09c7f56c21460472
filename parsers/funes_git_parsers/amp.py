"""Amp: one JSON document a thread, in `~/.local/share/amp/threads`.

`{"v", "id": "T-…", "created", "title", "env": {"initial": {"trees": [{"uri", "repository": {"url",
"ref", "sha"}}]}}, "messages": [{"role", "messageId", "content", "state", "meta"}]}`, with blocks as
Anthropic's API has them, but results as `run`: `{"status", "result", "progress"}`. Prompts have a
time, answers have theirs in `usageLedger`. Amp keeps threads on its server, too; what is not on the
disk is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from funes_git_parsers import document, media, scaffold, whole
from funes_git_parsers.base import (
    COMMIT,
    Block,
    Capability,
    Item,
    Opener,
    Places,
    Role,
    Session,
    Source,
    regular,
)
from funes_git_parsers.base import whole as whole_file
from funes_git_parsers.conversation import Message, text_block
from funes_git_parsers.values import compact, folder, integer, is_blank, mapping, moment, string

NAME = "amp"
LABEL = "Amp"
GLOBAL_UUIDS = False
READS: frozenset[Capability] = frozenset(("text", "thinking", "edits", "shell", "git"))

_FAILED = ("error", "cancelled", "rejected-by-user", "blocked-on-user")


def folders(places: Places) -> list[Path]:
    """The folder that `discover` looks in."""
    data = places.env.get("XDG_DATA_HOME")
    top = Path(data) if data else places.home / ".local" / "share"
    return [top / "amp" / "threads"]


def discover(places: Places) -> Iterator[Source]:
    """Every thread, by name."""
    for below in folders(places):
        yield from regular(NAME, sorted(below.glob("T-*.json")))


def claim(path: Path, head: bytes) -> bool:
    """Whether the file is called as threads are, and begins as one."""
    is_thread = path.name.startswith("T-") and path.suffix == ".json"
    return is_thread and head.lstrip().startswith(b"{") and b'"messages"' in head


def sessions(path: Path) -> list[Source]:
    """The file is one session."""
    return [whole_file(NAME, path)]


def roots(source: Source, open_file: Opener) -> set[str]:
    """What reading it finds, and the commit that was checked out."""
    found = whole.roots_of(read(source, None, open_file))
    tree = _tree(mapping(document.load(source, open_file)))
    sha = string(mapping(tree.get("repository")).get("sha"))
    return found | ({COMMIT + sha} if sha else set())


def read(source: Source, cursor: str | None, open_file: Opener) -> Iterator[Item]:
    """What of the thread is new or gone since `cursor`."""
    return document.read(source, cursor, open_file, lambda value: _thread(source.path, value))


def _thread(path: Path, value: Any) -> tuple[Session, Iterable[Message]] | None:
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    name = string(value.get("id")) or path.stem
    repository = mapping(_tree(value).get("repository"))
    url = string(repository.get("url"))
    platform = mapping(mapping(mapping(value.get("env")).get("initial")).get("platform"))
    version = string(platform.get("clientVersion"))
    title = string(value.get("title"))
    return Session(name, NAME, title, None, version, url), _messages(name, value)


def _tree(thread: Mapping[str, Any]) -> dict[str, Any]:
    """The working tree in which the thread began; several are possible, the first is the one."""
    trees = mapping(mapping(thread.get("env")).get("initial")).get("trees")
    return mapping(trees[0]) if isinstance(trees, list) and trees else {}


def _messages(name: str, thread: Mapping[str, Any]) -> Iterator[Message]:
    tree = _tree(thread)
    uri = string(tree.get("uri")) or ""
    cwd = folder(uri) if uri.startswith("file://") else None
    repository = mapping(tree.get("repository"))
    ref = string(repository.get("ref"))
    branch = ref.removeprefix("refs/heads/") if ref else None
    ts = _time(thread.get("created"))
    answered = _answered(thread)
    for n, row in enumerate(map(mapping, thread["messages"])):
        role: Role = "assistant" if row.get("role") == "assistant" else "user"
        meta, usage = mapping(row.get("meta")), mapping(row.get("usage"))
        number = row.get("messageId")
        told = answered.get(number) if isinstance(number, int) else None
        ts = _time(meta.get("sentAt")) or told or _time(row.get("timestamp")) or ts
        uuid = f"{name}-{number if isinstance(number, int | str) else n}"
        blocks = tuple(_blocks(row.get("content"), role))
        if blocks:
            model = string(usage.get("model"))
            # what was checked out is known for the thread's beginning only
            head = string(repository.get("sha")) if n == 0 else None
            yield Message(uuid, role, blocks, ts, model, cwd, branch=branch, head=head)


def _answered(thread: Mapping[str, Any]) -> dict[int, float]:
    """When the model had answered, by the message: what was spent is noted with its time."""
    events = mapping(thread.get("usageLedger")).get("events")
    found: dict[int, float] = {}
    for event in map(mapping, events if isinstance(events, list) else ()):
        number, ts = integer(event.get("toMessageId")), moment(event.get("timestamp"))
        if number is not None and ts is not None:
            found.setdefault(number, ts)
    return found


def _time(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value / 1000 if 0 < value < 1e14 else None


def _blocks(content: object, role: Role) -> Iterator[Block]:
    for part in content if isinstance(content, list) else [content]:
        fields = mapping(part)
        kind = fields.get("type")
        text = part if isinstance(part, str) else fields.get("text")
        if kind == "tool_use":
            call = compact(fields.get("input", {}))
            yield Block("tool_use", call, string(fields.get("name")), string(fields.get("id")))
        elif kind == "tool_result":
            yield _result(fields)
        elif kind == "thinking" and (thought := string(fields.get("thinking"))):
            yield Block("thinking", thought)
        elif isinstance(text, str) and not is_blank(text):
            yield text_block(media.elided(text), role)
        elif "source" in fields:
            yield Block("text", media.media(fields))


def _result(fields: Mapping[str, Any]) -> Block:
    run = mapping(fields.get("run"))
    value = run.get("result", run.get("error", fields.get("content")))
    output = mapping(value).get("output")
    exit_code = integer(mapping(value).get("exitCode"))
    text = output if isinstance(output, str) else value
    plain = media.result_text(text) if isinstance(text, str | list) else compact(text)
    failed = run.get("status") in _FAILED or (exit_code is not None and exit_code != 0)
    call = string(fields.get("toolUseID")) or string(fields.get("tool_use_id"))
    mark = scaffold.kind(plain, "tool")
    return Block("tool_result", plain, None, call, failed, exit_code, scaffold=mark)
