"""How commits came of one another, in the catalog: rewrites that git told of (`rewrites`), and
commits that show lines of an edit which an earlier one showed, not an ancestor (`descents`).

Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from funes_git.model import By, How, Link, Step
from funes_git.store.database import Database

MOST = 20
"""Steps of one chain that are given: a commit may have been amended a hundred times."""

SHORTEST = 4
"""Digits of a commit id that name it; as for git."""

REFLOG = "reflog"
"""Stands for the hook in an event that git's reflog told of."""

HOWS: tuple[How, ...] = get_args(How)


class _Origin(NamedTuple):
    """A commit came of `old`: all of it, where a rewrite was told (`edit_id` None), or its lines of
    one edit."""

    old: str
    how: How
    by: By
    edit_id: str | None


class ChainReading(Database):
    """What the catalog knows of where commits came from."""

    def rewrites(self) -> list[tuple[str, str, float]]:
        """(old commit id, new commit id, time) of every rewrite that git told of."""
        return self.rows(
            "SELECT old, new, min(at) FROM rewrites GROUP BY old, new ORDER BY min(at), old, new"
        )

    def with_chains(self, links: Sequence[Link]) -> list[Link]:
        """The links, each with the steps that led to its commit."""
        origins = self._origins({link.commit for link in links})
        if not origins:
            return list(links)
        return [replace(link, chain=_chain(link, origins)) for link in links]

    def rewritten(self, prefix: str) -> list[Step]:
        """The steps from the commit whose id begins with `prefix` to what it has become, oldest
        first. git need not have it any more. Nothing if the prefix names several."""
        if len(prefix) < SHORTEST or not prefix.isalnum():
            return []
        olds: set[str] = set()
        for table in ("rewrites", "descents"):
            sql = f"SELECT DISTINCT old FROM {table} WHERE old >= ? AND old < ?"
            olds.update(row[0] for row in self.rows(sql, (prefix.lower(), prefix.lower() + "g")))
        if len(olds) != 1:
            return []
        steps: dict[Step, None] = {}
        waiting = sorted(olds)
        while waiting and len(steps) < MOST:
            news = self._became(waiting)
            found = [step for step in self._steps(news) if step.old in waiting]
            waiting = sorted({s.new for s in found if s not in steps})
            steps.update(dict.fromkeys(found))
        return list(steps)

    def _became(self, olds: Sequence[str]) -> list[str]:
        found: set[str] = set()
        for sql in (
            "SELECT DISTINCT new FROM rewrites WHERE old IN (?)",
            "SELECT DISTINCT sha FROM descents WHERE old IN (?)",
        ):
            found.update(row[0] for row in self.rows_in(sql, olds))
        return sorted(found)

    def _steps(self, news: Sequence[str]) -> list[Step]:
        found = {
            Step(origin.old, new, origin.how, origin.by): None
            for new, origins in self._origins_of(news).items()
            for origin in _telling(origins)
        }
        return list(found)

    def _origins(self, shas: Iterable[str]) -> dict[str, list[_Origin]]:
        """Where these commits came from, and where those came from, and so on."""
        found: dict[str, list[_Origin]] = {}
        waiting = sorted(shas)
        for _ in range(MOST):
            origins = self._origins_of(waiting) if waiting else {}
            found |= origins
            waiting = sorted({o.old for each in origins.values() for o in each} - found.keys())
        return found

    def _origins_of(self, news: Sequence[str]) -> dict[str, list[_Origin]]:
        found: dict[str, list[_Origin]] = {}
        sql = (
            "SELECT r.new, r.old, e.hook, e.detail FROM rewrites r JOIN events e ON e.id = r.event"
            f" WHERE r.new IN (?) ORDER BY r.new, e.hook = '{REFLOG}', r.at, r.old"
        )
        rows: list[tuple[str, str, str, How]] = [
            (new, old, hook, how_of(detail)) for new, old, hook, detail in self.rows_in(sql, news)
        ]
        # a rebase amends on its way
        for new, old, hook, how in sorted(rows, key=lambda row: row[3] == "amend"):
            by: By = "reflog" if hook == REFLOG else "hook"
            told = found.setdefault(new, [])
            if old not in {new, *(origin.old for origin in told)}:
                told.append(_Origin(old, how, by, None))
        sql = (
            "SELECT d.sha, d.old, e.edit_id FROM descents d JOIN edits e ON e.id = d.edit"
            " WHERE d.sha IN (?) ORDER BY d.sha, d.old, e.edit_id"
        )
        shown = list(self.rows_in(sql, news))
        several: dict[str, set[str]] = {}
        for new, old, _ in shown:
            several.setdefault(new, set()).add(old)
        for new, old, edit_id in shown:
            way: How = "squash" if len(several[new]) > 1 else "copy"
            found.setdefault(new, []).append(_Origin(old, way, "content", edit_id))
        return found


def how_of(detail: str) -> How:
    """How the old commit was rewritten, by what the hook was told of it."""
    try:
        args: Any = json.loads(detail)["args"]
        return args[0] if args[0] in HOWS else "rebase"
    except (ValueError, LookupError, TypeError):
        return "rebase"


def _chain(link: Link, origins: dict[str, list[_Origin]]) -> tuple[Step, ...]:
    steps: dict[Step, None] = {}
    waiting = [link.commit]
    while waiting and len(steps) < MOST:
        new = waiting.pop(0)
        found = [
            Step(origin.old, new, origin.how, origin.by)
            for origin in _of_edit(origins.get(new, ()), link.edit_id)
        ]
        waiting += [step.old for step in found if step not in steps]
        steps.update(dict.fromkeys(found))
    return tuple(steps)


def _of_edit(origins: Sequence[_Origin], edit_id: str | None) -> list[_Origin]:
    """Where the lines of one edit came from: where they themselves say from which of several
    commits, only from those."""
    olds = {o.old for o in origins if o.edit_id is not None and o.edit_id == edit_id}
    if not olds:
        return [o for o in origins if o.edit_id is None]
    return _telling(o for o in origins if o.old in olds and o.edit_id in (None, edit_id))


def _telling(origins: Iterable[_Origin]) -> list[_Origin]:
    """One for each old commit: what git told before what the lines say."""
    found: dict[str, _Origin] = {}
    for origin in sorted(origins, key=lambda o: o.edit_id is not None):
        found.setdefault(origin.old, origin)
    return list(found.values())
