"""JSON, schema_version 1: docs/reference/json.md. Fields are added freely, never renamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from funes_git.model import (
    Answer,
    BlameLine,
    Hit,
    Link,
    LogEntry,
    Passage,
    Standing,
    Step,
    TurnView,
    Unexplained,
    Why,
)
from funes_git.render import skipped

if TYPE_CHECKING:
    from funes_git.ingest import IndexReport
    from funes_git.link.engine import LinkReport
    from funes_git.told import Context, Overview, Shares, Stage

SCHEMA_VERSION: Final = 1
Object: TypeAlias = dict[str, Any]


def document(**fields: Any) -> Object:
    """An answer with its version first."""
    return {"schema_version": SCHEMA_VERSION, **fields}


def why(found: Why) -> Object:
    """`why`: `reason` is set where there is no answer."""
    gaps = [_unexplained(gap) for gap in found.unexplained]
    missing = next((gap for gap in found.unexplained), None)
    reason = None if found.answers or missing is None else missing.reason or missing.kind
    return document(
        target=found.target,
        path=found.path,
        rev=found.rev,
        lines=list(found.lines) if found.lines else None,
        answers=[_answer(answer) for answer in found.answers],
        unexplained=gaps,
        more=found.more,
        reason=reason,
        chain=[_stage(stage) for stage in found.chain],
        deletions=[_stage(stage) for stage in found.deletions],
        shares=_shares(found.shares) if found.shares else None,
        overview=_overview(found.overview) if found.overview else None,
    )


def _overview(found: Overview) -> Object:
    return {
        "lines": found.lines,
        "portions": [
            {
                "lines": portion.lines,
                "kind": portion.kind,
                "harness": portion.link.harness if portion.link else None,
                "session_id": portion.link.session_id if portion.link else None,
                "title": portion.title,
                "turns": portion.turns,
            }
            for portion in found.portions
        ],
    }


def _shares(shares: Shares) -> Object:
    return {
        "commit": shares.commit.sha,
        "author": shares.commit.author,
        "made_by": link(shares.made) if shares.made else None,
        "became": chain(shares.became),
        "files": [
            {
                "path": file.path,
                "status": file.status,
                "added": file.added,
                "removed": file.removed,
                "parts": [
                    {
                        "lines": part.lines,
                        "share": round(part.lines / file.added, 4) if file.added else None,
                        "kind": part.kind,
                        "reason": part.reason,
                        "link": link(part.link) if part.link else None,
                    }
                    for part in file.parts
                ],
            }
            for file in shares.files
        ],
    }


def _stage(stage: Stage) -> Object:
    return {
        "commit": stage.commit.sha if stage.commit else None,
        "subject": stage.commit.subject if stage.commit else None,
        "path": stage.path,
        "what": stage.what,
        "kind": stage.kind,
        "via": stage.via,
        "added": list(stage.added),
        "removed": list(stage.removed),
        "reason": stage.reason,
        "answer": _answer(stage.answer) if stage.answer else None,
    }


def _answer(answer: Answer) -> Object:
    link = answer.link
    edit = None
    if answer.edit_path is not None or answer.edit_diff is not None:
        edit = {"path": answer.edit_path, "diff": answer.edit_diff}
    return {
        "commit": answer.commit.sha if answer.commit else None,
        "subject": answer.commit.subject if answer.commit else None,
        "level": link.level,
        "relation": link.relation,
        "content": link.content,
        "proof": link.proof,
        "source": link.source,
        "score": link.score,
        "harness": link.harness,
        "model": answer.model,
        "session_id": link.session_id,
        "turn_uuid": link.turn_uuid or None,
        "ts": answer.turn_ts,
        "title": answer.title,
        "prompt": answer.prompt,
        "prompt_uuid": answer.prompt_uuid,
        "task": answer.task,
        "in_answer_to": answer.in_answer_to and _passage(answer.in_answer_to),
        "dispatch": answer.dispatch and _passage(answer.dispatch),
        "passages": [_passage(p) for p in answer.passages],
        "edit": edit,
        "lines": _pairs(link.lines),
        "chain": chain(link.chain),
        "asked": _pairs(answer.asked),
        "retracted": answer.retracted,
        "source_gone": answer.source_gone,
        "context": [_context(item) for item in answer.context],
    }


def _context(item: Context) -> Object:
    return {
        "kind": item.kind,
        "session_id": item.session_id,
        "turn_uuid": item.turn_uuid,
        "harness": item.harness,
        "ts": item.ts,
        "text": item.text,
        "undone": item.undone,
    }


def _passage(passage: Passage) -> Object:
    return {
        "turn_uuid": passage.turn_uuid,
        "block_type": passage.block_type,
        "text": passage.text,
    }


def _unexplained(gap: Unexplained) -> Object:
    return {
        "lines": _pairs(gap.lines),
        "commit": gap.commit.sha if gap.commit else None,
        "kind": gap.kind,
        "reason": gap.reason,
        "detail": gap.detail,
        "context": [_context(item) for item in gap.context],
    }


def _pairs(lines: Sequence[tuple[int, int]]) -> list[list[int]]:
    return [[start, end] for start, end in lines]


def blame(path: str, lines: Sequence[BlameLine]) -> Object:
    """`blame`: every line of the file."""
    return document(path=path, lines=[_blamed(row) for row in lines])


def _blamed(row: BlameLine) -> Object:
    return {
        "line": row.number,
        "text": row.text,
        "commit": row.commit.sha if row.commit else None,
        "author": {
            "kind": row.kind,
            "harness": row.harness,
            "session_id": row.session_id,
            "turn_uuid": row.turn_uuid,
            "level": row.level,
        },
    }


def log(entry: LogEntry) -> Object:
    """`log`: one commit, printed on a line of its own."""
    return document(
        commit=entry.commit.sha,
        subject=entry.commit.subject,
        links=[link(k) for k in entry.links],
        reason=entry.reason,
    )


def link(link: Link) -> Object:
    return {
        "session_id": link.session_id,
        "turn_uuid": link.turn_uuid or None,
        "harness": link.harness,
        "relation": link.relation,
        "content": link.content,
        "proof": link.proof,
        "source": link.source,
        "level": link.level,
        "score": link.score,
        "path": link.path,
        "lines": _pairs(link.lines),
        "chain": chain(link.chain),
    }


def chain(steps: Sequence[Step]) -> list[Object]:
    """How a link's commit came of others, newest step first."""
    return [{"new": s.new, "old": s.old, "how": s.how, "by": s.by} for s in steps]


def recall(query: str, hits: Sequence[Hit], *, relevant: bool = True) -> Object:
    """`recall`: hits, best first."""
    return document(hits=[_hit(hit) for hit in hits], query=query, relevant=relevant)


def _hit(hit: Hit) -> Object:
    return {
        "session_id": hit.session_id,
        "turn_uuid": hit.turn_uuid,
        "seq": hit.seq,
        "ts": hit.ts,
        "harness": hit.harness,
        "branch": hit.branch,
        "role": hit.role,
        "task": hit.task,
        "block_type": hit.block_type,
        "tool": hit.tool,
        "score": hit.score,
        "text": hit.text,
        "prompt": hit.prompt,
        "exchange": hit.exchange,
        "commits": list(hit.commits),
        "also": [
            {"turn_uuid": p.turn_uuid, "block_type": p.block_type, "text": p.text} for p in hit.also
        ],
        "closing": hit.closing,
        "twins": hit.twins,
        "before": [_turn(view) for view in hit.before],
        "after": [_turn(view) for view in hit.after],
        "memory": hit.memory or "local",
        "repository": hit.repository or None,
        "standing": _standing(hit.standing) if hit.standing else None,
    }


def _standing(standing: Standing) -> Object:
    return {
        "state": standing.state,
        "kept": standing.kept,
        "lines": standing.lines,
        "branch": standing.branch,
    }


def turns(session_id: str, turn_uuid: str | None, views: Sequence[TurnView]) -> Object:
    """`get`: the asked turn and, with a window, its neighbours; without one, the prompts."""
    return document(
        session_id=session_id, turn_uuid=turn_uuid, turns=[_turn(view) for view in views]
    )


def _turn(view: TurnView) -> Object:
    turn = view.turn
    return {
        "session_id": turn.session_id,
        "turn_uuid": turn.turn_uuid,
        "seq": turn.seq,
        "ts": turn.ts,
        "role": turn.role,
        "task": view.task,
        "harness": turn.harness,
        "model": turn.model,
        "branch": turn.branch,
        "workdir": turn.workdir,
        "parent_uuid": turn.parent_uuid,
        "exchange": turn.exchange,
        "thread": turn.thread,
        "is_prompt": turn.is_prompt,
        "retracted": view.retracted,
        "commits": list(view.commits),
        "blocks": [
            {
                "block_type": block.type,
                "text": block.text,
                "tool": block.tool,
                "tool_use_id": block.tool_use_id,
                "is_error": block.is_error,
                "exit_code": block.exit_code,
                "scaffold": block.scaffold,
            }
            for block in turn.blocks
        ],
        "edits": [{"path": e.path, "operation": e.operation, "diff": e.diff} for e in view.edits],
    }


def indexed(report: IndexReport) -> Object:
    """`index`: only what is new."""
    return {
        "sessions": report.sessions,
        "turns": report.turns,
        "edits": report.edits,
        "chunks": report.chunks,
        "skipped_records": report.skipped_records,
        "skipped": skipped.as_json(report.skipped),
        "redactions": report.redactions,
        "seconds": round(report.seconds, 3),
    }


def coverage(found: LinkReport) -> Object:
    """`link`: every level, and the reasons that occur."""
    return {
        "commits": found.commits,
        "linked": dict(found.linked),
        "unlinked": {reason: n for reason, n in found.unlinked.items() if n},
        "seconds": round(found.seconds, 3),
    }
