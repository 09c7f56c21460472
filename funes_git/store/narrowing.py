"""What a search asks the catalog of turns besides their words. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from funes_git.store.database import Database
from funes_git.store.pack import blocks_from_json, expand
from funes_git_parsers.base import Block, Turn

_WROTE = "relation = 'wrote' AND level != 'weak' AND path IS NOT NULL"

_PRINTED = ',[["'
"""What stands in the packed blocks of a turn of which one printed a commit (see pack.py)."""


class Shown(NamedTuple):
    """Lines of a turn that a commit showed: inclusive ranges in its version of the file."""

    sha: str
    path: str
    lines: tuple[tuple[int, int], ...]


class Narrowing(Database):
    """Turns by what is known of them besides their words."""

    def models(self) -> list[str]:
        """The names of all models that wrote a turn, sorted."""
        used = "SELECT DISTINCT model FROM named_turns"
        rows = self.rows(f"SELECT name FROM names WHERE id IN ({used}) ORDER BY name")
        return [model for (model,) in rows]

    def turns_by(self, models: Sequence[str]) -> list[tuple[str, str]]:
        """(session id, turn) of every turn that one of these models wrote."""
        sql = (
            "SELECT s.session_id, t.turn_uuid FROM turns t JOIN sessions s ON s.id = t.session"
            " WHERE t.model IN (?)"
        )
        return list(self.rows_in(sql, models))

    def edits_of_commits(self, shas: Sequence[str]) -> set[tuple[str, str, str | None]]:
        """(session id, turn, edit id) of every link of these commits, weak links left out; the id
        is None where a link names no edit."""
        sql = (
            "SELECT DISTINCT session_id, turn_uuid, edit_id FROM links"
            " WHERE sha IN (?) AND level != 'weak'"
        )
        return set(self.rows_in(sql, shas))

    def turns_with_lines(self) -> list[tuple[str, str]]:
        """(session id, turn) of every turn whose lines a commit shows, weak links left out."""
        return self.rows(f"SELECT DISTINCT session_id, turn_uuid FROM links WHERE {_WROTE}")

    def lines_shown(self, session_id: str, turn_uuid: str) -> list[Shown]:
        """The lines of a turn, or if no commit shows any, of its exchange; weak links left out."""
        rows = self.rows(
            f"SELECT turn_uuid, sha, path, lines FROM links WHERE session_id = ? AND {_WROTE}"
            " AND turn_uuid IN (SELECT ? UNION SELECT o.turn_uuid FROM sessions s"
            " JOIN turns t ON t.session = s.id AND t.turn_uuid = ?"
            " JOIN turns o ON o.session = s.id AND o.exchange = t.exchange"
            " WHERE s.session_id = ?) ORDER BY sha, path, lines",
            (session_id, turn_uuid, turn_uuid, session_id),
        )
        own = [row for row in rows if row[0] == turn_uuid]
        return [
            Shown(sha, path, tuple((first, last) for first, last in json.loads(lines)))
            for _, sha, path, lines in own or rows
        ]

    def later_names(self, path: str) -> set[str]:
        """`path` with all paths to which commits moved the file from there."""
        names, waiting = {path}, [path]
        while waiting:
            rows = self.rows("SELECT path FROM moves WHERE old_path = ?", (waiting.pop(),))
            waiting += sorted({new for (new,) in rows} - names)
            names.update(waiting)
        return names

    def calls(
        self, literal: Sequence[Sequence[str]], *, retracted: bool = False
    ) -> Iterator[tuple[str, str, tuple[Block, ...]]]:
        """(session id, turn, blocks) of every turn with a tool call, of those alone in whose text
        all words of one of `literal` stand. Turns that were taken back are left out, unless
        `retracted`."""
        called = "t.id IN (SELECT turn FROM chunks WHERE block_type = 'tool_use' AND NOT gone)"
        sql = (
            "SELECT s.session_id, t.turn_uuid, b.data FROM turns t JOIN bodies b ON b.turn = t.id"
            f" JOIN sessions s ON s.id = t.session WHERE {'t' if retracted else 'NOT t'}.retracted"
            f" {'OR' if retracted else 'AND'} {called}"
        )
        with self.errors():
            for session_id, turn_uuid, data in self.db.execute(sql):
                text = expand(data)
                if any(all(word in text for word in words) for words in literal):
                    yield session_id, turn_uuid, tuple(blocks_from_json(text))

    def results(self, session_id: str, calls: Sequence[str]) -> Iterator[tuple[Turn, Block]]:
        """The results of these tool calls of a session, by the ids of the calls, and every other
        one that printed a commit; in order, each with its turn, whose blocks are left out."""
        sql = (
            "SELECT t.turn_uuid, t.seq, t.ts, t.role, s.harness, b.data, t.branch, t.thread"
            " FROM turns t JOIN bodies b ON b.turn = t.id JOIN sessions s ON s.id = t.session"
            " WHERE s.session_id = ? ORDER BY t.seq, t.id"
        )
        for uuid, seq, ts, role, harness, data, branch, thread in self.rows(sql, (session_id,)):
            text = expand(data)
            if _PRINTED in text or any(call in text for call in calls):
                who = (session_id, uuid, seq, ts, role, harness)
                turn = Turn(*who, (), branch=branch, thread=thread)
                for block in blocks_from_json(text):
                    if block.type == "tool_result" and (
                        block.commits or block.tool_use_id in calls
                    ):
                        yield turn, block
