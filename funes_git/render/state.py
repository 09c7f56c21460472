"""What is kept and how complete it is, for people: `status`, reports of `index` and `link`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from funes_git.render import skipped, width, wired, words
from funes_git.render.clean import line
from funes_git.render.page import Page
from funes_git.render.words import plural

if TYPE_CHECKING:
    from collections import Counter

    from funes_git.hosts.githooks import HookState
    from funes_git.hosts.wiring import Wired
    from funes_git.ingest import IndexReport
    from funes_git.link.engine import LinkReport
    from funes_git.models import ModelInfo
    from funes_git.store.records import Stats, Totals
    from funes_git.worker import WorkerState

COLUMN = 10
EVERY = " of all branches"
"""Which commits are linked and counted; `link --coverage` counts those of one history."""
MOST_FOLDERS = 8
FEW_FOLDERS = 2
NOT_COMPARED = "its edits are compared with this clone's commits when `why` or `log` is asked"
PULL = "words answer; for answers by meaning: git funes models pull"


class State(NamedTuple):
    """Everything that `status` shows. `sizes` in bytes by what takes them; `model_from` is where
    the weights are, None if they are not there. Of another `memory` than the repository's own,
    hooks and worker are None; `pushed_to` is the one that this repository's is pushed to."""

    repository: str
    stats: Stats
    hooks: HookState | None
    worker: WorkerState | None
    model: str
    model_from: str | None
    sizes: Mapping[str, int]
    wired: Sequence[Wired] = ()
    memory: str | None = None
    pushed_to: str | None = None


def status(page: Page, state: State) -> Iterator[str]:
    """The whole state, a line for each kind of thing."""
    stats = state.stats
    name = f"memory {line(state.memory)}" if state.memory else f"memory of {line(state.repository)}"
    yield page.style.bold(name)
    yield from _field(page, "sessions", sessions(stats))
    if stats.first_ts is not None:
        days = dict.fromkeys((words.day(stats.first_ts), words.day(stats.last_ts)))
        yield from _field(page, "period", " to ".join(days))
    if not state.memory:
        yield from _field(page, "indexed", _indexed(stats))
    yield from _field(page, "search", _search(stats.totals))
    compared = stats.commits or not state.memory
    yield from _field(page, "linked", _linked(stats) if compared else NOT_COMPARED)
    if stats.unlinked:
        yield from _field(page, "", "without: " + _unlinked(stats))
    if state.pushed_to:
        yield from _field(page, "pushed to", line(state.pushed_to))
    yield from _running(page, state)
    if stats.last_error:
        at, said = stats.last_error
        failed = page.fit(f"failed {words.ago(at)}: {line(said)}", COLUMN + 2)
        yield f"  {'':<{COLUMN}}{page.style.removed(failed)}"
    where = f"from {line(state.model_from)}" if state.model_from else "no weights here, words only"
    yield from _field(page, "model", f"{line(state.model)}, {where}")
    if not state.memory:
        yield from _field(page, "redacted", _redacted(stats.totals))
    yield from _field(page, "size", _sizes(state.sizes))


def _indexed(stats: Stats) -> str:
    lost = stats.indexed_at is None and stats.sources  # the catalog was made again
    when = "" if lost else f"{words.ago(stats.indexed_at)}, "
    return f"{when}from {plural(stats.sources, 'session file')}"


def _running(page: Page, state: State) -> Iterator[str]:
    if state.hooks:
        yield from _field(page, "hooks", hooks(state.hooks))
    if state.wired:
        told = "; ".join(f"{each.agent.label} {wired.summary(each)}" for each in state.wired)
        yield from _field(page, "agents", told)
        for said in filter(None, map(wired.trouble, state.wired)):
            yield from _field(page, "", said)
    if state.worker:
        yield from _field(page, "worker", _worker(state.worker))


def _field(page: Page, name: str, text: str) -> Iterator[str]:
    """A labelled line, folded beneath itself."""
    indent = " " * (COLUMN + 2)
    for number, row in enumerate(width.fold(text, page.measure - len(indent))):
        label = f"  {name:<{COLUMN}}" if number == 0 else indent
        yield (page.style.dim(label) if number == 0 else label) + row


def sessions(stats: Stats) -> str:
    """`3 sessions (Claude Code 2, Codex 1), 214 turns, 58 edits`."""
    totals = stats.totals
    agents = ", ".join(f"{words.agent(name)} {n:,}" for name, (n, _) in stats.agents.items())
    told = plural(totals.sessions, "session") + (f" ({agents})" if agents else "")
    return f"{told}, {plural(totals.turns, 'turn')}, {plural(totals.edits, 'edit')}"


def agents(stats: Stats) -> Iterator[str]:
    """A line for each agent with its sessions and turns."""
    names = {name: words.agent(name) for name in stats.agents}
    wide = max((len(name) for name in names.values()), default=0)
    for name, (count, turns) in stats.agents.items():
        yield f"  {names[name]:<{wide}}  {plural(count, 'session')}, {plural(turns, 'turn')}"


def hooks(found: HookState) -> str:
    """How it stands with the hooks, in one sentence, and what puts them right."""
    detail = line(found.detail)
    if found.state == "installed":
        return detail
    told = f"hooks {found.state}: {detail}"
    return told if found.state == "refused" else f"{told} (`git funes init` installs them)"


def _search(totals: Totals) -> str:
    told = f"{plural(totals.chunks, 'passage')} by words"
    if totals.vectors >= totals.prose:
        return f"{told}, {totals.vectors:,} by meaning" if totals.prose else told
    share = 100 * totals.vectors // totals.prose
    return f"{told}, {totals.vectors:,} of {totals.prose:,} by meaning ({share}%)"


def _linked(stats: Stats) -> str:
    told = f"{stats.linked_commits:,} of {plural(stats.commits, 'commit')}{EVERY}"
    counts = ((name, stats.links.get(name, 0)) for name in words.LEVELS)
    levels = [f"{name} {n:,}" for name, n in counts if n]
    return f"{told} (links: {', '.join(levels)})" if levels else told


def _unlinked(stats: Stats) -> str:
    reasons = _most_first(stats.unlinked)
    return "; ".join(f"{words.REASON_OF_COMMIT.get(why, why)} ({n:,})" for why, n in reasons)


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(((name, n) for name, n in counts.items() if n), key=lambda i: (-i[1], i[0]))


def _worker(worker: WorkerState) -> str:
    told = f"running (process {worker.pid})" if worker.pid else "idle"
    if worker.pending:
        told += f", {plural(worker.pending, 'hook event')} waiting"
    if worker.set_aside:
        told += f", {plural(worker.set_aside, 'unreadable event')} set aside"
    return told


def _redacted(totals: Totals) -> str:
    told = plural(totals.redactions, "secret")
    if totals.skipped:
        told += f"; {plural(totals.skipped, 'unreadable record')} skipped"
    return told


def _sizes(sizes: Mapping[str, int]) -> str:
    parts = [f"{name} {words.size(n)}" for name, n in sizes.items() if n]
    return f"{words.size(sum(sizes.values()))}" + (f" ({', '.join(parts)})" if parts else "")


def indexed(report: IndexReport) -> Iterator[str]:
    """What indexing added."""
    if not (report.sessions or report.turns):
        yield f"nothing new ({words.took(report.seconds)})"
    else:
        parts = [plural(report.turns, "turn" if report.sessions else "new turn")]
        parts[:0] = [plural(report.sessions, "new session")] if report.sessions else []
        parts += [plural(report.edits, "edit"), plural(report.chunks, "passage")]
        yield f"read {words.listed(parts)} in {words.took(report.seconds)}"
    if report.redactions:
        yield f"redacted {plural(report.redactions, 'secret')} before storing"
    yield from skipped.told(report.skipped, " (each is in .git/funes/log/worker.log)")
    for path, reason in report.unreadable:
        yield f"could not read {line(str(path))}: {line(reason)}"


def tied(commits: Sequence[str]) -> Iterator[str]:
    """To which commits the sessions are tied that were named, the newest first; what is next."""
    if commits:
        told = f"these sessions are tied to {plural(len(commits), 'commit')}"
        yield f"{told}; the newest: git funes why {commits[0][:7]}"
    else:
        yield "these sessions are tied to no commit; to see why: git funes index --explain SESSION"


def foreign(ran: Counter[str]) -> Iterator[str]:
    """The folders that sessions ran in, those of most sessions first."""
    for folder, count in ran.most_common(MOST_FOLDERS):
        yield f"  {plural(count, 'session')} in {line(folder) or 'a folder that they do not name'}"
    if len(ran) > MOST_FOLDERS:
        yield f"  … and {plural(len(ran) - MOST_FOLDERS, 'more folder', 'more folders')}"


def strangers(repository: str, named: str, sessions: int, ran: Counter[str]) -> str:
    """Why no session of those at `named` belongs: in which folders they ran."""
    one = sessions == 1
    told = f"the session at {line(named)} does not belong"
    if not one:
        told = f"none of the {sessions:,} sessions at {line(named)} belongs"
    first = [(line(folder), n) for folder, n in ran.most_common(FEW_FOLDERS) if folder]
    where = [folder if one else f"{folder} ({n:,})" for folder, n in first]
    if where and len(ran) > len(where):
        where.append(plural(len(ran) - len(where), "other folder"))
    ran_in = f"; {'it' if one else 'they'} ran in {words.listed(where)}" if where else ""
    return f"{told} to {line(repository)}{ran_in}"


def tables_lost(tables: list[str], restored: bool) -> str:
    """What became of tables that were deleted from the memory."""
    what = f"the memory had lost {words.listed(tables)}"
    if restored:
        return f"{what}; filled again from the catalog"
    return f"{what}; `git funes index` fills them from the agents' own files, as far as they exist"


def coverage(page: Page, found: LinkReport, of: str = EVERY) -> Iterator[str]:
    """Commits by their strongest level, then those without a link by reason; `of` follows their
    number."""
    tied = sum(found.linked.values())
    took = words.took(found.seconds)
    yield f"{tied:,} of {plural(found.commits, 'commit')}{of} tied to turns in {took}"
    levels = [(n, name, words.LEVEL_WORDS[name]) for name, n in found.linked.items() if n]
    yield from _table(page, levels)
    reasons = _most_first({str(why): n for why, n in found.unlinked.items()})
    if reasons:
        yield "without a link:"
        told = words.REASON_OF_COMMIT
        yield from _table(page, [(n, why, told.get(why, why)) for why, n in reasons])


def _table(page: Page, rows: Sequence[tuple[int, str, str]]) -> Iterator[str]:
    digits = max((len(f"{n:,}") for n, *_ in rows), default=1)
    wide = max((len(name) for _, name, _ in rows), default=1)
    for n, name, meaning in rows:
        head = f"  {n:>{digits},}  {name:<{wide}}  "
        yield head + page.style.dim(page.fit(meaning, len(head)))


def models(page: Page, rows: Sequence[ModelInfo]) -> Iterator[str]:
    """A line a model, `*` before the one in use; then what to run if its weights are missing."""
    wide = max((len(row.name) for row in rows), default=0)
    for row in rows:
        there = row.weights
        where = f"{there.origin}: {line(str(there.folder))}" if there else "not on this machine"
        head = f"{'*' if row.configured else ' '} {row.name:<{wide}}  {row.dim} dimensions  "
        yield head + page.style.dim(where)  # never cut: a path is there to be copied
        if row.vectors:
            yield f"    made {plural(row.vectors, 'vector')} of this memory"
        if row.reads:
            yield "    reads the best candidates of recall closely"
    if any(row.configured and row.weights is None for row in rows):
        yield PULL
