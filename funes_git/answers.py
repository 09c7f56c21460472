"""Making an answer of a link: the prompt, the agent's words before the edit, the edit itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from funes_git.git import BlamedLine, Repo
from funes_git.model import Answer, CommitInfo, EditRecord, Link, Passage
from funes_git.origin import origin
from funes_git.prompts import part_about, words_of
from funes_git.spans import ranges
from funes_git.store.catalog import Catalog
from funes_git.why.context import around
from funes_git_parsers.base import Turn

LOOK_BACK = 60
"""Turns before the edit in which the agent's own words, and who read the file, are looked for."""

CONSIDERED, PASSAGES = 10, 4
"""Passages nearest to the edit that are considered, and those that an answer quotes of them."""

SHORT, LONG = 60, 500
"""Characters below which a prompt needs the message that it answers, and above which the part that
names the file is quoted too."""

LATER = float("inf")
"""The time of a commit that is not made yet."""

IDENTIFIER = re.compile(r"\b[A-Za-z_]\w{5,}\b")


class AnswerMaker:
    """Builds answers from the catalog."""

    def __init__(self, repo: Repo, catalog: Catalog) -> None:
        self._repo = repo
        self._catalog = catalog

    def answer(self, commit: CommitInfo | None, link: Link, asked: Sequence[BlamedLine]) -> Answer:
        """What `link` says of `commit`, or of the working tree if that is None, for the `asked`
        lines of a file (none for a commit)."""
        view = self._catalog.turn(link.session_id, link.turn_uuid)
        prompt = self._catalog.prompt_of(link.session_id, link.turn_uuid)
        edit = self._catalog.edit(link.edit_id) if link.edit_id else None
        session = self._catalog.session(link.session_id)
        turn = view.turn if view else None
        lines = sorted(asked, key=lambda line: line.number)
        words = words_of(prompt)
        earlier = self._catalog.before(link.session_id, link.turn_uuid, LOOK_BACK)
        until = commit.commit_time + 1 if commit else LATER
        shown = self._catalog.shown_of(link) if link.edit_id and link.lines else []
        link = replace(link, lines=tuple(shown) or link.lines)
        if link.content == "lines" and not _verbatim(edit, lines):
            link = replace(link, content="reformatted")
        passages = _passages(turn, earlier, edit)
        quoted = {prompt.turn_uuid if prompt else None, *(said.turn_uuid for said in passages)}
        context = around(self._repo, self._catalog, link, edit, earlier, until)
        short = 0 < len(words or "") < SHORT
        dispatch = self._dispatch(link, prompt) if short else None
        return Answer(
            commit=commit,
            link=link,
            prompt=words,
            prompt_uuid=prompt.turn_uuid if prompt else None,
            prompt_ts=prompt.ts if prompt else None,
            passages=passages,
            turn_ts=turn.ts if turn else None,
            edit_path=edit.path if edit else None,
            edit_diff=edit.diff if edit else None,
            asked=ranges([line.number for line in lines]),
            asked_rows=_rows(link, edit, lines),
            title=session.session.title if session else None,
            model=turn.model if turn else None,
            task=words_of(self._catalog.task_of(link.session_id, link.turn_uuid)),
            in_answer_to=self._before(prompt) if short and dispatch is None else None,
            dispatch=dispatch,
            prompt_part=part_about(words or "", _names(edit), LONG),
            retracted=view.retracted if view else False,
            source_gone=self._source_gone(link.session_id),
            context=tuple(
                item for item in context if item.kind != "discussed" or item.turn_uuid not in quoted
            ),
        )

    def _before(self, prompt: Turn | None) -> Passage | None:
        """The last thing that the agent said before a prompt."""
        if prompt is None:
            return None
        earlier = self._catalog.words_before(prompt.session_id, prompt.turn_uuid, 10)
        return next(_texts(earlier), None)

    def _dispatch(self, link: Link, prompt: Turn | None) -> Passage | None:
        """The last thing that an agent said, after the prompt, before it gave the sub-agent that
        the turn of a link belongs to its task."""
        turn = self._catalog.dispatch_of(link.session_id, link.turn_uuid)
        if turn is None or prompt is None:
            return None
        earlier = self._catalog.words_before(turn.session_id, turn.turn_uuid, LOOK_BACK)
        since = [said for said in (turn, *earlier) if said.exchange == prompt.turn_uuid]
        return next(_texts(since), None)

    def _source_gone(self, session_id: str) -> bool:
        source = self._catalog.source_of(session_id)
        if source is None or not source.is_absolute():
            return False  # another machine's, of which a published memory tells no more
        try:
            return not origin(str(source)) and not source.exists()
        except OSError:
            return False  # in a folder that we may not look into


def _passages(
    turn: Turn | None, earlier: Sequence[Turn], edit: EditRecord | None
) -> tuple[Passage, ...]:
    """The agent's text and thinking before the edit in its exchange, oldest first: of the nearest
    ones, those that name the file or what the edit changed come before the others."""
    turns = [*([turn] if turn else [])]
    turns += [before for before in earlier if turn and before.exchange == turn.exchange]
    near = [passage for before in turns for passage in _said(before)][:CONSIDERED]
    names = [*_names(edit), *_identifiers(edit)]
    telling = [p for p in near if any(name in p.text for name in names)]
    chosen = [*telling, *(p for p in near if p not in telling)][:PASSAGES]
    return tuple(passage for passage in reversed(near) if passage in chosen)


def _rows(
    link: Link, edit: EditRecord | None, lines: Sequence[BlamedLine]
) -> tuple[tuple[int, int], ...]:
    """Which of the edit's changed lines the asked ones are. Of several equal ones it is, of those
    that no line before it took, the one that has as many matched lines before it as the asked line
    has in the commit."""
    sign = "-" if link.relation == "removed" else "+"
    diff = (edit.diff if edit else "").split("\n")
    equal: dict[str, list[int]] = {}
    for index, row in enumerate(row for row in diff if row[:1] == sign):
        equal.setdefault("".join(row[1:].split()), []).append(index)
    numbers = [n for first, last in link.lines for n in range(first, last + 1)]
    place = {number: index for index, number in enumerate(numbers)}
    found = []
    for line in lines:
        text = "".join(line.text.split())
        at = place.get(line.original)
        if text and at is not None and (indexes := equal.get(text)):
            after = bisect_left(indexes, at)
            near = [(abs(index - at), index) for index in indexes[max(after - 1, 0) : after + 1]]
            index = min(near)[1]
            indexes.remove(index)
            found.append((index, line.number))
    return tuple(found)


def _verbatim(edit: EditRecord | None, lines: Sequence[BlamedLine]) -> bool:
    """Whether a line, looked at through format-only commits, stands as the edit wrote it; True
    where that cannot be told."""
    rows = (edit.diff if edit else "").split("\n")
    texts = {row[1:].rstrip() for row in rows if row[:1] == "+"}
    bare = {"".join(text.split()) for text in texts}
    asked = {line.text.rstrip() for line in lines if "".join(line.text.split()) in bare}
    return not asked or bool(asked & texts)


def _said(turn: Turn) -> list[Passage]:
    """The agent's own words in a turn, last first."""
    if turn.role != "assistant":
        return []
    return [
        Passage(turn.turn_uuid, block.type, block.text)
        for block in reversed(turn.blocks)
        if block.type in ("text", "thinking") and not block.scaffold and block.text.strip()
    ]


def _texts(turns: Iterable[Turn]) -> Iterator[Passage]:
    """What the agent said in turns, last first, thinking left out."""
    return (said for turn in turns for said in _said(turn) if said.block_type == "text")


def _names(edit: EditRecord | None) -> list[str]:
    """What the edited file is called, the longest name first."""
    if edit is None:
        return []
    base = edit.path.rpartition("/")[2]
    stem = base.partition(".")[0]
    return [edit.path, base, *([stem] if len(stem) > 4 else [])]


def _identifiers(edit: EditRecord | None) -> set[str]:
    """Names that the edit itself brings in."""
    added = (line[1:] for line in (edit.diff if edit else "").split("\n") if line[:1] == "+")
    return {name for line in added for name in IDENTIFIER.findall(line)}
