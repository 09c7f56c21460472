"""What one author took out of one file in one commit is one deletion, in however many hunks and
calls. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from funes_git.model import Answer, Link
from funes_git.spans import merged
from funes_git.told import Stage


def together(stages: Iterable[Stage]) -> list[Stage]:
    """The deletions, those of one turn joined, in the order of their first ones."""
    found: dict[object, Stage] = {}
    for stage in stages:
        sha = stage.commit.sha if stage.commit else None
        by = (stage.kind, stage.reason, _turn(stage.answer.link) if stage.answer else None)
        key = (sha, stage.path, stage.via, by)
        found[key] = _joined(found[key], stage) if key in found else stage
    return list(found.values())


def _turn(link: Link) -> tuple[str, str]:
    return link.session_id, link.turn_uuid


def _joined(first: Stage, second: Stage) -> Stage:
    answer = first.answer
    if answer and second.answer:
        answer = _both(answer, second.answer)
    return replace(first, removed=first.removed + second.removed, answer=answer)


def _both(first: Answer, second: Answer) -> Answer:
    """One answer for two edits: the diffs one after the other, the asked lines of both."""
    diffs = [diff for diff in (first.edit_diff, second.edit_diff) if diff]
    before = sum(row[:1] == "-" for row in (first.edit_diff or "").split("\n"))
    rows = ((row + before, number) for row, number in second.asked_rows)
    lines = tuple(merged((*first.link.lines, *second.link.lines)))
    return replace(
        first,
        link=replace(first.link, lines=lines),
        edit_diff="\n".join(diff.rstrip("\n") for diff in diffs) or None,
        asked=tuple(merged((*first.asked, *second.asked))),
        asked_rows=(*first.asked_rows, *rows),
    )
