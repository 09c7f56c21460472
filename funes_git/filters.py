"""What a question is narrowed to, and how that becomes a scope of the word index.

Everything that git or links decide is resolved here to turns and exchanges, so that the index holds
only what never changes. Linked turns stand for their exchange: the words that explain a commit are
in the turns around the one that made the edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import get_args

from funes_git.dates import date
from funes_git.errors import UnknownTarget, UsageError
from funes_git.git import Repo
from funes_git.model import State
from funes_git.store.catalog import Catalog
from funes_git.store.scope import Scope, Value, turn_key
from funes_git.store.text import TextIndex
from funes_git_parsers.dataclass import dataclass

_TYPES = ("text", "thinking", "tool_use", "tool_result")
_ROLES = ("user", "assistant", "tool")
LONGEST = 4096
"""Characters of a filter: no path that a system opens is longer."""


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters as the user typed them; all that are set must hold, any value of each will do.

    `files` are git pathspecs from the top of the working tree; `commits` revisions or ranges;
    `session` the start of a session's id; `since` and `until` dates as git reads them; `merged` and
    `unmerged` the revision whose history is meant; `models` the starts of models' names, or globs;
    `ran` globs of shell commands; `standings` what may have become of the lines, which is looked up
    only of what was found.
    """

    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    branch: str | None = None
    agents: tuple[str, ...] = ()
    session: str | None = None
    types: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    merged: str | None = None
    unmerged: str | None = None
    models: tuple[str, ...] = ()
    standings: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()


def resolve(
    filters: Filters, repo: Repo, catalog: Catalog, index: TextIndex, notes: list[str]
) -> Scope:
    """The scope that `filters` mean here and now; a filter that nothing can match is said in
    `notes`. Raises UnknownTarget, UsageError."""
    found = _Resolver(repo, catalog, index, notes)
    scope = Scope(
        since=found.date(filters.since, "since"), until=found.date(filters.until, "until")
    )
    if scope.since is not None and scope.until is not None and scope.since > scope.until:
        raise UsageError("--since is later than --until", hint="git funes recall --help")
    single = [each for each in (filters.session, filters.branch) if each is not None]
    bounded(*filters.files, *filters.models, *filters.ran, *single)
    if filters.session:
        scope = scope.narrowed(("session", (catalog.find_session(filters.session),)))
    if filters.agents:
        scope = scope.narrowed(("harness", found.agents(filters.agents)))
    if filters.types:
        scope = scope.narrowed(("kind", _checked(filters.types, _TYPES, "type")))
    if filters.roles:
        scope = scope.narrowed(("role", _checked(filters.roles, _ROLES, "role")))
    for group in _by_links(filters, found):
        scope = scope.narrowed(*group)
    return scope


def bounded(*values: str) -> None:
    """Raises UsageError where a filter is empty, as of a variable that is not set, or so long that
    reading it as a pattern would take minutes."""
    if not all(values):
        raise UsageError("a filter has an empty value", hint="leave it out to ask for everything")
    if any(len(each) > LONGEST for each in values):
        raise UsageError(
            f"a filter is longer than {LONGEST:,} characters",
            hint="end a pattern earlier, with '*'",
        )


_Group = list[tuple[str, Iterable[Value]]]


class _Resolver:
    def __init__(self, repo: Repo, catalog: Catalog, index: TextIndex, notes: list[str]) -> None:
        self._repo = repo
        self._catalog = catalog
        self._index = index
        self._notes = notes

    def date(self, text: str | None, option: str) -> float | None:
        """Seconds since the epoch of a date as git reads it."""
        return None if text is None else date(self._repo, text, f"git funes recall … --{option}")

    def agents(self, names: Sequence[str]) -> list[str]:
        """The harnesses that `names` (or the starts of names) mean."""
        known = self._index.values("harness")
        found: list[str] = []
        for name in names:
            wanted = name.lower().replace("-", "_").replace(" ", "_")
            meant = [each for each in known if each.startswith(wanted)] if wanted else []
            if not meant:
                from funes_git.discovery import parsers  # every parser, for a name that is wrong

                (agent,) = parsers([name])
                self._notes.append(f"no session of {agent} is indexed here, only {_listed(known)}")
            found += meant
        return found

    def files(self, specs: Sequence[str]) -> _Group:
        """Passages that name the files, and exchanges that edited them."""
        spec = Pathspec(specs)
        edited = [path for path in self._catalog.all_edit_paths() if spec.matches(path)]
        turns = {(e.session_id, e.turn_uuid) for e in self._catalog.edits_at(edited)}
        named = [path for path in self._index.values("files") if spec.matches(path)]
        if not (turns or named):
            nothing = f"no session read or wrote a file that {' or '.join(specs)} names"
            self._notes.append(nothing + self._elsewhere(specs))
        return [("files", named), *self._around(turns)]

    def _elsewhere(self, specs: Sequence[str]) -> str:
        """What would name the files that are called so, in another folder: git's pathspecs begin at
        the top."""
        known = sorted({*self._catalog.all_edit_paths(), *self._index.values("files")})
        for name in (spec.rpartition("/")[2] for spec in specs):
            if found := [path for path in known if name and path.endswith(f"/{name}")]:
                more = f" (the first of {len(found)})" if len(found) > 1 else ""
                return f"; '*{name}' or {found[0]}{more} would"
        return ""

    def commits(self, revisions: Sequence[str]) -> _Group:
        """Exchanges linked to the commits."""
        shas: dict[str, None] = {}
        for revision in revisions:
            walk = re.search(r"\.\.|\^[!@-]", revision) is not None
            each = self._walk(revision) if walk else [self._repo.resolve(revision)]
            shas.update(dict.fromkeys(each))
        turns = self._turns(list(shas))
        if not turns:
            self._notes.append(f"no turn is tied to {' or '.join(revisions)} (git funes link)")
        return self._around(turns)

    def branch(self, name: str) -> _Group:
        """What was recorded on the branch, and exchanges linked to commits it reaches."""
        short = name.removeprefix("refs/heads/")
        recorded = [each for each in self._index.values("branch") if each == short]
        try:
            reached = set(self._walk(self._repo.resolve(name)))
        except UnknownTarget:
            if not recorded:
                raise
            reached = set()  # deleted, but remembered
        turns = self._turns(list(reached & self._catalog.known_commits()))
        if not (recorded or turns):
            self._notes.append(f"no turn was recorded on {name} or is tied to its commits")
        return [("branch", recorded), *self._around(turns)]

    def merged(self, revision: str) -> _Group:
        """Exchanges linked to commits that the revision reaches."""
        inside, _ = self._sides(revision)
        turns = self._turns(inside)
        if not turns:
            self._notes.append(f"no turn is tied to a commit that {revision} contains")
        return self._around(turns)

    def unmerged(self, revision: str) -> _Group:
        """Exchanges with an edit that was committed, but in no commit that the revision reaches:
        what was rebased or squashed into it is linked to both."""
        inside, outside = self._sides(revision)
        edits = self._catalog.edits_of_commits(outside)
        if edits:
            edits -= self._catalog.edits_of_commits(inside)
        if not edits:
            self._notes.append(f"no turn is tied only to commits that {revision} does not contain")
        return self._around({(session, turn) for session, turn, _ in edits})

    def ran(self, globs: Sequence[str]) -> _Group:
        """Exchanges in which a shell command that fits was run."""
        from funes_git.ran import turns as that_ran  # every shell's grammar, for this alone

        turns = that_ran(self._catalog, globs)
        if not turns:
            self._notes.append(f"no turn ran a command that fits {' or '.join(globs)}")
        return self._around(turns)

    def written(self) -> _Group:
        """Exchanges whose lines a commit shows."""
        return self._around(self._catalog.turns_with_lines())

    def models(self, names: Sequence[str]) -> _Group:
        """The turns that the models wrote."""
        known = self._catalog.models()
        meant = [model for model in known if any(_is_model(model, name) for name in names)]
        if not meant:
            self._notes.append(f"no turn by {' or '.join(names)} is here, only by {_listed(known)}")
        turns = self._catalog.turns_by(meant)
        return [("turn", [turn_key(session, turn) for session, turn in turns])]

    def _sides(self, revision: str) -> tuple[list[str], list[str]]:
        """The commits known here that the revision reaches, and those that it does not."""
        reached = set(self._walk(self._repo.resolve(revision)))
        known = self._catalog.known_commits()
        return sorted(known & reached), sorted(known - reached)

    def _walk(self, revision: str) -> list[str]:
        return self._repo.rev_list("--end-of-options", revision)

    def _turns(self, shas: Sequence[str]) -> set[tuple[str, str]]:
        return {(s, t) for s, t, _ in self._catalog.turns_of_commits(shas)}

    def _around(self, turns: Iterable[tuple[str, str]]) -> _Group:
        keys = [turn_key(session, turn) for session, turn in turns]
        return [("turn", keys), ("exchange", self._index.exchanges(keys))]


def _by_links(filters: Filters, found: _Resolver) -> Iterator[_Group]:
    """What each filter that git, links or the catalog decide comes to."""
    if filters.files:
        yield found.files(filters.files)
    if filters.commits:
        yield found.commits(filters.commits)
    if filters.branch:
        yield found.branch(filters.branch)
    if filters.merged is not None:
        yield found.merged(filters.merged)
    if filters.unmerged is not None:
        yield found.unmerged(filters.unmerged)
    if filters.models:
        yield found.models(filters.models)
    if filters.ran:
        yield found.ran(filters.ran)
    if filters.standings:
        _checked(filters.standings, get_args(State), "standing")
        yield found.written()


class Pathspec:
    """Paths as git's pathspecs name them: a file, a folder, a pattern whose `*` crosses `/`, and
    what a leading `:!` or `:^` takes out again. `:/` and `:(top)` change nothing here."""

    def __init__(self, specs: Iterable[str]) -> None:
        stripped = [re.sub(r"^:(/|\(top\))", "", spec) for spec in specs]
        self._out = [_clean(spec[2:]) for spec in stripped if spec.startswith((":!", ":^"))]
        self._in = [_clean(spec) for spec in stripped if not spec.startswith((":!", ":^"))]

    def matches(self, path: str) -> bool:
        """Whether `path`, relative to the top, is meant."""
        taken = not self._in or any(_names(spec, path) for spec in self._in)
        return taken and not any(_names(spec, path) for spec in self._out)


def _clean(spec: str) -> str:
    return spec.removeprefix("./").rstrip("/")


def _names(spec: str, path: str) -> bool:
    if spec in ("", ".") or path == spec or path.startswith(spec + "/"):
        return True
    return fnmatchcase(path, spec) or fnmatchcase(path, spec + "/*")


def _is_model(model: str, name: str) -> bool:
    return bool(name) and fnmatchcase(model.lower(), name.lower().rstrip("*") + "*")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) or "nothing"


def _checked(values: Sequence[str], known: Sequence[str], what: str) -> Sequence[str]:
    for value in values:
        if value not in known:
            raise UsageError(f"no {what} is called {value!r}", hint=f"one of: {', '.join(known)}")
    return values
