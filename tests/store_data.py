"""Records for the tests of the stores: small sessions with everything that a parser can say."""

from __future__ import annotations

import hashlib
from pathlib import Path

from funes_git.model import Batch, Chunk, EditRecord, LineKey, SourceState
from funes_git_parsers.base import (
    Block,
    PrintedCommit,
    Retraction,
    Session,
    Source,
    Spawn,
    Turn,
)

T0 = 1_750_000_000.25


def chunk_id(session: str, turn: str, block: int, split: int) -> str:
    return hashlib.sha1(f"{session}:{turn}:{block}:{split}".encode()).hexdigest()[:16]


def turn(session: str, n: int, *texts: str, role: str = "assistant", **more: object) -> Turn:
    blocks = tuple(Block("text", text) for text in texts)
    values: dict[str, object] = {
        "session_id": session,
        "turn_uuid": f"{session}-t{n}",
        "seq": n,
        "ts": T0 + n,
        "role": role,
        "harness": "claude_code",
        "blocks": blocks,
        "exchange": f"{session}-t0",
        "workdir": "/home/ada/widget",
        "branch": "main",
        **more,
    }
    return Turn(**values)  # type: ignore[arg-type]


def chunks_of(t: Turn, files: tuple[str, ...] = ()) -> list[Chunk]:
    return [
        Chunk(
            id=chunk_id(t.session_id, t.turn_uuid, i, 0),
            session_id=t.session_id,
            turn_uuid=t.turn_uuid,
            block_idx=i,
            split_idx=0,
            block_type=block.type,
            tool=block.tool,
            text=block.text
            if block.type in ("text", "thinking")
            else f"[{block.type}] {block.text}",
            prose=block.type in ("text", "thinking"),
            files=files,
        )
        for i, block in enumerate(t.blocks)
    ]


def edit(session: str, turn_n: int, path: str, lines: int = 3, **more: object) -> EditRecord:
    use = f"{session}-call-{turn_n}"
    values: dict[str, object] = {
        "edit_id": hashlib.sha1(f"{use}:{path}".encode()).hexdigest()[:16],
        "session_id": session,
        "turn_uuid": f"{session}-t{turn_n}",
        "tool_use_id": use,
        "n": 0,
        "ts": T0 + turn_n,
        "path": path,
        "operation": "modify",
        "tool": "Edit",
        "origin": "tool",
        "recorded_path": f"/home/ada/widget/{path}",
        "old": "old text",
        "new": "new text\n" * lines,
        "diff": "@@ -1 +1 @@\n-old text\n+new text\n",
        "added": tuple(LineKey(i, -(2**63) + i, 2**63 - 1 - i) for i in range(lines)),
        "removed": (LineKey(0, 7, 8),),
        **more,
    }
    return EditRecord(**values)  # type: ignore[arg-type]


def state(session: str, cursor: str = "end", skipped: int = 0) -> SourceState:
    path = Path(f"/home/ada/.claude/projects/widget/{session}.jsonl")
    return SourceState(Source("claude_code", path, 1000, 5, ""), cursor, skipped, 4)


def rich_batch(session: str = "s1") -> Batch:
    """A prompt, a thinking turn with a call, its result, a sub-agent, an edit, a retraction."""
    prompt = turn(session, 0, "Please cache the parser", role="user", is_prompt=True)
    call = Block("tool_use", '{"command":"git commit -m x"}', tool="Bash", tool_use_id="u1")
    work = turn(session, 1, blocks=(Block("thinking", "An LRU will do. " * 40), call))
    printed = (PrintedCommit("abc1234", "commit", "main", "x"), PrintedCommit("def5678", "amend"))
    result = Block(
        *("tool_result", "[main abc1234] x [REDACTED:github-token]", "Bash", "u1"),
        is_error=False,
        exit_code=0,
        commits=printed,
    )
    answer = turn(session, 2, role="tool", blocks=(result,), parent_uuid=f"{session}-t1")
    reminder = Block("text", "be nice", scaffold="system-reminder")
    said = turn(session, 3, blocks=(Block("text", "Done."), reminder), model="m-1", message_id="m1")
    wrong = turn(session, 4, "A wrong turn")
    task = turn(session, 5, "Look for tests", role="user", thread="a1", exchange=f"{session}-t5")
    found = turn(session, 6, "There are none", thread="a1", exchange=f"{session}-t5", head="0" * 40)
    turns = [prompt, work, answer, said, wrong, task, found]
    return Batch(
        sessions=[Session(session, "claude_code", title="Cache the parser", version="2.0")],
        turns=turns,
        edits=[edit(session, 1, "src/cache.py"), edit(session, 3, "docs/née.md", old=None)],
        spawns=[Spawn(session, f"{session}-t1", "a1")],
        retractions=[Retraction(session, f"{session}-t4")],
        chunks=[c for t in turns for c in chunks_of(t, ("src/cache.py", "docs/née.md"))],
        state=state(session, skipped=2),
    )
