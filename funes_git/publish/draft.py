"""What a release would hold: selected, cleaned and scanned, with what was decided about it."""

from __future__ import annotations

import getpass
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from funes_git import config
from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import Repo
from funes_git.prompts import words_of
from funes_git.publish import clean, gate, select, verdicts
from funes_git.publish.clean import Cleaner
from funes_git.publish.outside import Outside
from funes_git.publish.part import LeftOut, Part
from funes_git.publish.shelf import Shelf, Shelved
from funes_git.publish.span import Span
from funes_git.store.catalog import Catalog
from funes_git.store.decisions import Decisions
from funes_git.store.lance import LanceMemory
from funes_git_parsers.dataclass import dataclass

Scope: TypeAlias = Literal["exchanges", "sessions"]
Verdict: TypeAlias = Literal["included", "excluded", "pending"]
Progress: TypeAlias = Callable[[int, int, str], None]
AT_ONCE = 8 << 20
"""About the bytes that are cleaned and scanned at once, unless one session has more."""


@dataclass(slots=True)
class Candidate:
    """A session that stands behind a release. `digests` are of its exchanges as they would leave;
    `verdicts` what was decided about each."""

    shelved: Shelved
    digests: dict[str, str]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    parent: str | None = None
    """The session that it is a sub-agent of."""
    prompt: str | None = None
    """What the first person's prompt in it asks for."""

    @property
    def id(self) -> str:
        """The session's id."""
        return self.shelved.id

    @property
    def part(self) -> Part:
        """The session itself, read from the disk."""
        return self.shelved.part()

    @property
    def verdict(self) -> str:
        """What was decided about the session: `partly` where its exchanges differ."""
        found = set(self.verdicts.values())
        return "pending" if "pending" in found else found.pop() if len(found) == 1 else "partly"

    def chosen(self, wanted: Iterable[Verdict]) -> Chosen | None:
        """What of it has one of these verdicts."""
        verdicts = set(wanted)
        kept = {exchange for exchange, each in self.verdicts.items() if each in verdicts}
        if not kept:
            return None
        return Chosen(self.shelved, None if len(kept) == len(self.verdicts) else frozenset(kept))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A session of which all leaves, or some exchanges."""

    shelved: Shelved
    exchanges: frozenset[str] | None

    @property
    def part(self) -> Part:
        """What leaves, read from the disk."""
        part = self.shelved.part()
        return part if self.exchanges is None else part.of(self.exchanges)


@dataclass(slots=True)
class Draft:
    """Everything that stands behind a span."""

    span: Span
    scope: Scope
    candidates: list[Candidate]
    left_out: list[LeftOut] = field(default_factory=list)
    keep_emails: bool = False

    def find(self, start: str) -> Candidate:
        """The one session whose id begins so. Raises UnknownTarget."""
        found = [c for c in self.candidates if c.id.startswith(start)] if start else []
        if len(found) != 1:
            told = "is no session behind this range" if not found else "could be several sessions"
            raise UnknownTarget(f"{start!r} {told}", f"git funes review {self.span.range}")
        return found[0]

    def pending(self) -> list[Candidate]:
        """The sessions that nobody has decided about as they are now."""
        return [c for c in self.candidates if c.verdict == "pending"]

    def chosen(self, *, pending: bool = False) -> list[Chosen]:
        """What is to leave; with `pending` also what nobody has decided about. A sub-agent goes
        with the session that started it, unless it was decided about itself."""
        wanted: tuple[Verdict, ...] = ("included", "pending") if pending else ("included",)
        found = {c.id: part for c in self.candidates if (part := c.chosen(wanted))}
        known = {c.id for c in self.candidates}
        for each in self.candidates:
            orphan = each.parent in known and each.parent not in found
            if orphan and each.verdict == "pending":
                found.pop(each.id, None)
        return list(found.values())


def make(
    repo: Repo,
    catalog: Catalog,
    memory: LanceMemory,
    span: Span,
    *,
    scope: Scope = "exchanges",
    keep_emails: bool = False,
    progress: Progress | None = None,
) -> Draft:
    """Select, clean and scan what stands behind a span, some sessions at a time. Raises
    ScannerMissing, ScannerBroken."""
    links = select.links_behind(catalog, span.commits)
    wanted = select.exchanges_behind(catalog, links)
    if scope == "sessions":
        wanted = {session_id: {select.WHOLE} for session_id in wanted}
    read = Shelf(repo.layout.root)
    shelved: list[Shelved] = []
    known = _Known(repo, catalog.folders())
    for part in select.parts(memory, wanted, links):
        known.add(part)
        shelved.append(read.put(part))
    draft = Draft(span, scope, [], keep_emails=keep_emails)
    shelf = Shelf(repo.layout.root)
    found: list[tuple[tuple[float, str], Candidate]] = []
    change = known.cleaning(keep_emails)
    with verdicts.opened(repo.layout.verdicts) as before:
        for some in _portions(shelved):
            parts = [change(each.part()) for each in some]
            secrets = gate.findings(parts, _told(progress), before)
            for part in parts:
                passed = gate.passed(part, secrets)
                if isinstance(passed, LeftOut):
                    draft.left_out.append(passed)
                    continue
                parent = known.spawned.get(part.id) or part.session.parent_session_id
                one = Candidate(
                    shelf.put(passed), part.digests(), parent=parent, prompt=_prompt(passed)
                )
                found.append((_by_time(part), one))
    draft.candidates += [one for _, one in sorted(found, key=lambda pair: pair[0])]
    return draft


def _portions(shelved: Iterable[Shelved]) -> Iterator[list[Shelved]]:
    """The sessions in portions that are held at once: the largest alone, or some."""
    some: list[Shelved] = []
    for each in shelved:
        if some and sum(one.length for one in some) + each.length > AT_ONCE:
            yield some
            some = []
        some.append(each)
    if some:
        yield some


def _told(progress: Progress | None) -> Callable[[int], None] | None:
    return (lambda done: progress(done, 0, "characters searched for secrets")) if progress else None


def _prompt(part: Part) -> str | None:
    prompts = (words_of(s.turn) for s in part.turns if s.turn.is_prompt)
    return next((text for text in prompts if text), None)


def _by_time(part: Part) -> tuple[float, str]:
    return min((s.turn.ts for s in part.turns if s.turn.ts is not None), default=0.0), part.id


class _Known:
    """What must be known of all sessions before the first can be cleaned: where the repository
    was, whose accounts they name, and which sessions others started."""

    def __init__(self, repo: Repo, folders: Iterable[str]) -> None:
        """`folders` are those that any session of the memory ran in: a name must not be replaced
        in one release and stand in the next."""
        self._repo = repo
        self._roots = {str(top) for top in repo.worktrees()}
        self._roots |= {str(Path(root).resolve()) for root in self._roots}
        self._names = {config.home().name, _login()} | clean.accounts_in(folders)
        self.spawned: dict[str, str] = {}

    def add(self, part: Part) -> None:
        """Take in a session."""
        self._roots.update(clean.roots_in(part))
        self._names |= clean.names_in(part)
        self.spawned.update((spawn.thread, part.id) for spawn in part.spawns)

    def cleaning(self, keep_emails: bool) -> Callable[[Part], Part]:
        """What makes of a session one without who and where, and without what it shows of other
        folders."""
        names = clean.without(self._names, self._repo.aliases())
        cleaner = Cleaner(self._roots, names, keep_emails=keep_emails)
        outside = Outside(self._roots)
        return lambda part: cleaner.part(outside.part(part))


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""  # a container without accounts


# --- what people decide


def recall(draft: Draft, decisions: Decisions) -> None:
    """Take in what was decided before: what has changed since then is pending again."""
    for each in draft.candidates:
        known = decisions.reviews(each.id)
        each.verdicts = {
            exchange: _verdict(known.get(exchange), digest)
            for exchange, digest in each.digests.items()
        }


def _verdict(known: tuple[str, str] | None, digest: str) -> Verdict:
    if known is None or known[0] != digest:
        return "pending"
    return "excluded" if known[1] == "excluded" else "included"


def decide(
    decisions: Decisions,
    candidate: Candidate,
    verdict: Verdict,
    exchanges: Iterable[str] | None = None,
) -> None:
    """Keep a decision about a session, or about some of its exchanges."""
    wanted = candidate.digests if exchanges is None else exchanges
    digests = {exchange: candidate.digests[exchange] for exchange in wanted}
    decisions.review(candidate.id, digests, verdict, time.time())
    candidate.verdicts.update(dict.fromkeys(digests, verdict))


def apply(
    draft: Draft, decisions: Decisions, include: Sequence[str], exclude: Sequence[str]
) -> None:
    """Decide about sessions named on the command line; `all` are those that are pending. Raises
    UnknownTarget, UsageError where one is named for both."""
    chosen: dict[str, Verdict] = {}
    for verdict, starts in (("included", include), ("excluded", exclude)):
        for start in starts:
            found = draft.pending() if start == "all" else [draft.find(start)]
            for each in found:
                if chosen.get(each.id, verdict) != verdict:
                    raise UsageError(f"{start} is named with --include and --exclude")
                chosen[each.id] = "included" if verdict == "included" else "excluded"
    for session_id, decided in chosen.items():
        decide(decisions, draft.find(session_id), decided)
