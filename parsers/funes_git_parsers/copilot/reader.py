"""The events of one Copilot CLI session, in order, to turns, edits and sub-agent starts.

Opens no files. Events: github/copilot-sdk `nodejs/src/generated/session-events.ts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Final

from funes_git_parsers import scaffold, tools
from funes_git_parsers.base import Block, Item, Retraction, Role, Session, Spawn, Turn
from funes_git_parsers.copilot import events
from funes_git_parsers.copilot.beside import Beside, Snapshot
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.tools import Call
from funes_git_parsers.values import folder, mapping, parsed, seconds, string

HARNESS: Final = "copilot"
MAX_CALLS: Final = 256
"""So many calls may wait for their results, and so many sub-agents are remembered."""
MAX_TURNS: Final = 512
"""So many turns can be taken back by a rewind."""

_NOT_TAKEN: Final = Snapshot()


@dataclass(slots=True)
class State:
    """What one read hands to the next; all of it JSON values but `calls`."""

    session: str
    told: list[str | None] = field(default_factory=lambda: [None, None, None])
    """The session, version and title that were yielded."""
    place: list[str | None] = field(default_factory=lambda: [None, None, None])
    """The folder, the branch and the commit that the agent recorded last."""
    seq: int = 0
    exchange: str | None = None
    prompt: str | None = None
    """A prompt that had no snapshot yet."""
    tips: dict[str, str] = field(default_factory=dict)
    """The last turn by thread ("" is the main one)."""
    threads: dict[str, str] = field(default_factory=dict)
    """Sub-agents by the call that started them."""
    turns: dict[str, None] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)


class Reader:
    """Give it each event of a file once; it yields what the event brings."""

    def __init__(self, fallback: str, files: Beside, remembered: Any = None) -> None:
        """`fallback` names the session if no event does; `remembered` is what `plain` gave. Raises
        ValueError if what was read before must be read again, as more is known of it now."""
        self._files = files
        self.state = State(fallback) if remembered is None else _revived(remembered)
        if self.state.prompt in files.snapshots:
            raise ValueError("a snapshot came after its prompt")
        self._kinds: dict[str, Callable[[dict[str, Any], dict[str, Any]], Iterator[Item]]] = {
            "session.start": self._context,
            "session.resume": self._context,
            "session.context_changed": self._context,
            "session.compaction_complete": self._compacted,
            "session.snapshot_rewind": self._rewound,
            "session.error": self._error,
            "system.notification": self._notified,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "tool.execution_start": self._started,
            "tool.execution_complete": self._ended,
            "subagent.started": self._spawned,
        }

    def plain(self) -> Any:
        """What it must remember, as JSON values."""
        *rest, turns, calls = (getattr(self.state, name) for name in State.__slots__)
        return [*rest, list(turns), [call.plain() for call in calls.values()]]

    def record(self, record: dict[str, Any]) -> Iterator[Item]:
        """What one event brings. Unknown kinds bring nothing."""
        self.state.seq += 1
        read = self._kinds.get(string(record.get("type")) or "")
        if read is None:
            return
        if self.state.told[0] is None and read != self._context:
            yield from self._session()
        yield from read(record, mapping(record.get("data")))
        self._trim()

    def finish(self) -> Iterator[Item]:
        """The session's name, which lies beside the events and changes."""
        title = self._files.about.get("name")
        if title and title != self.state.told[2] and self.state.told[0]:
            self.state.told[2] = title
            yield Session(self.state.session, HARNESS, title)

    def _trim(self) -> None:
        state = self.state
        values: dict[str, Any]
        for values in (state.calls, state.threads, state.tips):
            while len(values) > MAX_CALLS:
                del values[next(iter(values))]
        while len(state.turns) > MAX_TURNS:
            del state.turns[next(iter(state.turns))]

    # --- the session -----------------------------------------------------------------------------

    def _context(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        state = self.state
        context = mapping(data.get("context"))
        if record.get("type") == "session.context_changed":
            context = data
        told = (folder(context.get("cwd")), string(context.get("branch")), _commit(context))
        if any(told):
            state.place = [told[0] or state.place[0], *told[1:]]
        state.session = string(data.get("sessionId")) or state.session
        version = string(data.get("copilotVersion"))
        yield from self._session(version, _repository(context))

    def _session(self, version: str | None = None, url: str | None = None) -> Iterator[Session]:
        state = self.state
        if url is None and [state.session, version or state.told[1]] == state.told[:2]:
            return
        state.told = [state.session, version or state.told[1], state.told[2]]
        yield Session(state.session, HARNESS, version=version, repository_url=url)

    def _rewound(self, _: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        """Older versions left the events that were taken back in the file."""
        turns = list(self.state.turns)
        target = string(data.get("upToEventId"))
        if target in turns:
            start = turns.index(target)
            for turn in reversed(turns[start:]):
                yield Retraction(self.state.session, turn)
            self.state.turns = dict.fromkeys(turns[:start])
            self.state.tips = {"": turns[start - 1]} if start else {}

    # --- turns -----------------------------------------------------------------------------------

    def _user(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        thread = self._thread(record, data)
        blocks = list(events.said(data, thread))
        typed = thread is None and any(block.scaffold is None for block in blocks)
        found = self._files.snapshots.get(string(record.get("id")) or "")
        for turn in self._turn(record, data, "user", blocks, is_prompt=typed, snapshot=found):
            if turn.is_prompt:
                self.state.prompt = None if found else turn.turn_uuid
            yield turn

    def _assistant(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        blocks = list(events.answered(data))
        yield from self._calling(record, data, blocks)

    def _started(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        """A call that no message asked for: the person's, or of a version that lists none."""
        block = events.called(data)
        if block.tool_use_id and block.tool_use_id not in self.state.calls:
            yield from self._calling(record, data, [block])

    def _calling(
        self, record: dict[str, Any], data: dict[str, Any], blocks: list[Block]
    ) -> Iterator[Item]:
        for turn in self._turn(record, data, "assistant", blocks):
            for block in blocks:
                if block.type == "tool_use" and block.tool and block.tool_use_id:
                    where = (turn.turn_uuid, turn.ts, turn.workdir)
                    call = Call(block.tool_use_id, block.tool, block.text, *where)
                    self.state.calls.setdefault(call.tool_use_id, call)
            yield turn

    def _ended(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        call = self.state.calls.get(string(data.get("toolCallId")) or "")
        block = events.result(data, call)
        yield from self._turn(record, data, "tool", [block])
        if call and call.text and not block.is_error:
            changes = events.changes(call, data)
            yield from tools.edits(self.state.session, call, changes)
        if call:  # its turn is still asked for by sub-agents
            done = Call(call.tool_use_id, call.tool, "", call.turn_uuid, call.ts, call.cwd)
            self.state.calls[call.tool_use_id] = done

    def _spawned(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        call_id = string(data.get("toolCallId"))
        call = self.state.calls.get(call_id or "")
        if call_id and call:
            named = string(record.get("agentId"))
            self.state.threads[call_id] = named or call_id
            yield Spawn(self.state.session, call.turn_uuid, named or call_id)
            if named is None:
                yield from self._task(record, call)

    def _task(self, record: dict[str, Any], call: Call) -> Iterator[Turn]:
        """What a sub-agent of an older version was asked to do, which the call alone tells."""
        task = string(mapping(parsed(call.text)).get("prompt"))
        uuid = f"{string(record.get('id')) or call.tool_use_id}:task"
        inner = {**record, "id": uuid, "agentId": call.tool_use_id}
        yield from self._turn(inner, {}, "user", [Block("text", task)] if task else [])

    def _compacted(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        yield from self._marked(record, data, data.get("summaryContent"), scaffold.COMPACTION)

    def _notified(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        yield from self._marked(record, data, data.get("content"), scaffold.NOTIFICATION)

    def _error(self, record: dict[str, Any], data: dict[str, Any]) -> Iterator[Item]:
        yield from self._marked(record, data, data.get("message"), scaffold.API_ERROR)

    def _marked(
        self, record: dict[str, Any], data: dict[str, Any], text: object, mark: str
    ) -> Iterator[Item]:
        """What the harness wrote by itself."""
        role: Role = "assistant" if mark == scaffold.API_ERROR else "user"
        said = string(text)
        blocks = [Block("text", said, scaffold=mark)] if said else []
        yield from self._turn(record, data, role, blocks)

    def _thread(self, record: dict[str, Any], data: dict[str, Any]) -> str | None:
        call_id = string(data.get("parentToolCallId"))
        agent = string(record.get("agentId"))
        return agent or (self.state.threads.get(call_id, call_id) if call_id else None)

    def _turn(
        self,
        record: dict[str, Any],
        data: dict[str, Any],
        role: Role,
        blocks: list[Block],
        *,
        is_prompt: bool = False,
        snapshot: Snapshot | None = None,
    ) -> Iterator[Turn]:
        state = self.state
        uuid = string(record.get("id")) or f"{state.session}-{state.seq}"
        if not blocks or uuid in state.turns:
            return  # nothing, or a copy
        thread = self._thread(record, data)
        if is_prompt:
            state.exchange = uuid
        cwd, branch, head = state.place
        taken = snapshot or _NOT_TAKEN
        yield Turn(  # by position: names take five times as long
            state.session,
            uuid,
            state.seq,
            seconds(record.get("timestamp")),
            role,
            HARNESS,
            tuple(blocks),
            state.tips.get(thread or ""),
            None if thread else state.exchange,
            string(data.get("messageId")),
            thread,
            cwd or self._files.about.get("cwd"),
            taken.branch or branch or self._files.about.get("branch"),
            taken.head or head,
            string(data.get("model")) if role == "assistant" else None,
            is_prompt,
            taken.blobs,
        )
        state.tips[thread or ""] = uuid
        state.turns[uuid] = None


def _commit(context: dict[str, Any]) -> str | None:
    return string(context.get("headCommit"))


def _repository(context: dict[str, Any]) -> str | None:
    """The repository's address; Copilot writes `owner/name` and the host apart."""
    name, host = string(context.get("repository")), string(context.get("repositoryHost"))
    if name is None or "/" not in name or "://" in name:
        return name
    return f"https://{host or 'github.com'}/{name}"


def _revived(remembered: Any) -> State:
    *rest, turns, calls = remembered
    state = State(*rest)
    state.turns = dict.fromkeys(turns)
    state.calls = {fields[0]: Call(*fields) for fields in calls}
    return state
