"""`git funes forget` and `git funes scrub`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.drafting import ask, is_conversation
from funes_git.commands.making import link_everything
from funes_git.commands.opened import from_top, here
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.output import Output
from funes_git.render import json
from funes_git.render.words import listed, plural, short, when
from funes_git.store.stores import Stores

if TYPE_CHECKING:
    from funes_git.forget import Held
    from funes_git.store.catalog import Catalog
    from funes_git.store.forgotten import Forgotten, Kind

NAMED = 5
"""Sessions that the question names."""


def forget(
    *sessions: str,
    before: str | None = None,
    file: tuple[str, ...] = (),
    dry_run: bool = False,
    yes: bool = False,
    format: options.Format = None,
) -> int:
    """Take sessions, old turns or files out of the memory, for good

    Nothing of them stays in this repository's memory, and they do not come back when the agents'
    sessions are read again. The next `git funes push` takes it out of the memory that was pushed
    to, and out of the other machines that use it. The agents' own files, and what was published,
    are not touched.

    Example: git funes forget --file 'secrets/*'

    Parameters
    ----------
    sessions
        The sessions; the start of an id will do.
    before
        Every turn from before this date, as git reads dates; a day alone means its midnight, in
        the local zone.
    file
        Every turn that read or wrote a file that matches this path or pattern.
    dry_run
        Show what would go, and forget nothing.
    yes
        Ask nothing.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import forget as forgetting
    from funes_git import worker
    from funes_git.store.decisions import forgotten_in
    from funes_git.store.forgotten import Forgotten

    out = output.choose(format)
    repo = here()
    known = forgotten_in(repo.layout.decisions)
    until = None if before is None else _moment(repo, before)
    with Stores.open(repo.layout, write=not dry_run) as stores:
        what = _what(repo, stores.catalog, known, sessions, until, file)
        found = forgetting.held(stores.catalog, Forgotten.of(what))
        doing = bool(found) and not dry_run
        if doing:
            _confirm(out, found, yes, _again(sessions, before, file), until)
            forgetting.forget(
                repo, stores, what, lambda done, total: out.progress(done, total, "records kept")
            )
            out.progress_done()
            link_everything(repo, stores, out)
    if doing:
        worker.start_detached(repo)  # the mapped vectors are made again
    gone = {value for kind, value in what if kind == "session"} & known.sessions
    _tell(out, found, sorted(gone - {each.session_id for each in found}), dry_run, until)
    return 0


def _moment(repo: Repo, before: str) -> float:
    from funes_git.dates import date

    return date(repo, before, "git funes forget --before")


def _what(
    repo: Repo,
    catalog: Catalog,
    known: Forgotten,
    sessions: Sequence[str],
    before: float | None,
    file: Sequence[str],
) -> list[tuple[Kind, str]]:
    from funes_git.forget import session

    found: list[tuple[Kind, str]] = []
    found.extend(("session", session(catalog, known, start)) for start in sessions)
    if before is not None:
        found.append(("before", repr(before)))
    found.extend(("file", from_top(repo, pattern)) for pattern in file)
    if not found:
        raise UsageError("nothing was named that is to be forgotten", "git funes forget -h")
    return found


def _again(sessions: Sequence[str], before: str | None, file: Sequence[str]) -> str:
    """The command that shows what the same arguments name."""
    dated = [] if before is None else ["--before", before]
    named = [word for pattern in file for word in ("--file", pattern)]
    return shlex.join(["git", "funes", "forget", *sessions, *dated, *named, "--dry-run"])


def _confirm(
    out: Output, found: Sequence[Held], yes: bool, again: str, before: float | None
) -> None:
    if yes:
        return
    if not is_conversation(out):
        raise UsageError("nobody can be asked whether this is meant", hint=f"--yes, or {again}")
    names = [short(each.session_id) for each in found[:NAMED]]
    names += [f"{len(found) - NAMED} more"] if len(found) > NAMED else []
    if ask(f"forget {_size(found)}{_dated(before)} for good: {listed(names)}?", "yn") != "y":
        raise FunesError("nothing was forgotten", hint=again)


def _size(found: Sequence[Held]) -> str:
    turns = plural(sum(each.turns for each in found), "turn")
    return f"{turns} of {plural(len(found), 'session')}"


def _dated(before: float | None) -> str:
    """As which moment `--before` was read."""
    return "" if before is None else f" (--before is {when(before)})"


def _tell(
    out: Output, found: Sequence[Held], gone: Sequence[str], dry_run: bool, before: float | None
) -> None:
    """`gone` are the named sessions of which nothing was left to forget."""
    if out.format == "json":
        rows = [{"session_id": h.session_id, "turns": h.turns, "whole": h.whole} for h in found]
        done = bool(found) and not dry_run
        out.json(
            json.document(forgotten=done, sessions=rows, forgotten_before=list(gone), before=before)
        )
        return
    lines = [f"{short(each)} was forgotten before" for each in gone]
    if found:
        lines.append(f"{'would forget' if dry_run else 'forgot'} {_size(found)}{_dated(before)}")
    elif not gone:
        lines.append(f"no turn matches{_dated(before)}, so nothing is forgotten")
    for each in found:
        part = "the whole session" if each.whole else "a part"
        lines.append(f"  {each.session_id}  {plural(each.turns, 'turn')}, {part}")
    if found and not dry_run:
        lines.append(
            "the agents' own files still hold it; git funes push takes it out of what was pushed"
        )
    out.lines(lines)


def scrub(*, format: options.Format = None) -> int:
    """Take out of the memory what is taken for a secret today

    Looks at everything stored with the rules of this version, puts a marker in the place of each
    secret, and leaves no older copy on the disk.

    Example: git funes scrub

    Parameters
    ----------
    format
        Terminals get human, pipes get agent.
    """
    from funes_git import redact, worker
    from funes_git.forget import scrub

    out = output.choose(format)
    repo = here()
    with Stores.open(repo.layout, write=True) as stores:
        done = scrub(
            repo,
            stores,
            redact.shared(),
            lambda n, total: out.progress(n, total, "records scanned"),
        )
        out.progress_done()
        link_everything(repo, stores, out)
    worker.start_detached(repo)
    if out.format == "json":
        out.json(json.document(secrets=done.secrets, turns=done.turns, edits=done.edits))
    else:
        where = f"{plural(done.turns, 'turn')} and {plural(done.edits, 'edit')}"
        found = plural(done.secrets, "secret")
        out.lines([f"{found} taken out of {where}" if done.secrets else "no secret was found"])
    return 0
