"""What ties a session to a commit besides content: an id that its own git printed, a hook that saw
it, and which sessions were at work at the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from funes_git.link.coverage import Coverage
from funes_git.link.findings import Proofs, level_of
from funes_git.model import Link, Proof
from funes_git.store.catalog import Catalog

LEAST_PREFIX = 7
"""Hex digits from which a printed id is taken for a commit's; git prints no fewer by default."""


class Witnesses:
    """The sessions' and the hooks' own word on who made which commit."""

    def __init__(self, catalog: Catalog) -> None:
        self._parents = catalog.families()
        spans = catalog.session_spans()
        self.coverage = Coverage(spans)
        self.forgotten = Coverage.of_forgotten(catalog.setting("forgotten"))
        self._harness = {session_id: harness for session_id, harness, _, _ in spans}
        self._catalog = catalog
        self._origins = catalog.imported_sessions()

    def of(self, sha: str) -> Proofs:
        """The sessions tied to commit `sha`, with all sub-agents of theirs."""
        roots: dict[str, Proof] = {self._root(s): "hook" for s in self._catalog.hook_sessions(sha)}
        roots.update({self._root(s): "printed" for s, _ in self.printers(sha)})
        return Proofs(
            {s: roots[self._root(s)] for s in self._harness if self._root(s) in roots}
            if roots
            else {}
        )

    def printers(self, sha: str) -> list[tuple[str, str]]:
        """(session, turn) of each git command that printed the id of commit `sha`."""
        return [
            (session_id, turn_uuid)
            for printed, session_id, turn_uuid, *_ in self._catalog.printed(sha[:LEAST_PREFIX])
            if sha.startswith(printed)
        ]

    def _root(self, session_id: str) -> str:
        seen = {session_id}
        while (parent := self._parents.get(session_id)) and parent not in seen:
            seen.add(parent)
            session_id = parent
        return session_id

    def sourced(self, link: Link) -> Link:
        """A link with the tool that its session was imported from."""
        tool = self._origins.get(link.session_id)
        return replace(link, source=tool) if tool else link

    def attributed(self, sha: str, at: float, links: Iterable[Link]) -> Iterator[Link]:
        """What other tools said of the commit, made at the time `at`, as far as the content of no
        session says more: of a session that wrote none of it there is nothing to add, and of a
        commit or file that others wrote only they are believed."""
        writers = {self._root(link.session_id) for link in links}
        written = {link.path for link in links if link.content != "none"}
        for one in self._catalog.attributions(sha):
            is_written = one.path in written if one.path else bool(written)
            if is_written or self._root(one.session_id) in writers:
                continue
            yield Link(
                commit=sha,
                session_id=one.session_id,
                turn_uuid=one.turn_uuid or self._catalog.prompt_at(one.session_id, at) or "",
                harness=self._harness.get(one.session_id, one.harness),
                relation="wrote",
                content="none",
                proof="none",
                level="imported",
                score=0.0,
                path=one.path,
                lines=one.lines,
                source=one.source,
            )

    def committed(self, sha: str, links: Iterable[Link]) -> list[Link]:
        """Links of the sessions that made the commit without having written what it shows."""
        writers = {self._root(link.session_id) for link in links}
        found: dict[str, Link] = {}
        for session_id, turn_uuid in self.printers(sha):
            root = self._root(session_id)
            if root not in writers and root not in found and session_id in self._harness:
                found[root] = Link(
                    commit=sha,
                    session_id=session_id,
                    turn_uuid=turn_uuid,
                    harness=self._harness[session_id],
                    relation="committed",
                    content="none",
                    proof="printed",
                    level=level_of("none", "printed"),
                    score=0.0,
                )
        return list(found.values())
