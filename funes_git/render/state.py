"""What is kept and how complete it is, for people: `status`, reports of `index` and `link`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from funes_git.model import Level
from funes_git.render import width, words
from funes_git.render.clean import line
from funes_git.render.page import Page
from funes_git.render.words import plural

COLUMN = 10


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far commits are tied to turns: by strongest level, and by reason where they are not."""

    commits: int
    linked: Mapping[str, int]
    unlinked: Mapping[str, int]
    seconds: float | None = None
    found: int | None = None
    """Commits with a link, where `linked` counts links and not commits."""

    @property
    def tied(self) -> int:
        """Commits with a link."""
        return sum(self.linked.values()) if self.found is None else self.found


@dataclass(frozen=True, slots=True)
class Indexed:
    """What one run of indexing added."""

    sessions: int
    turns: int
    edits: int
    chunks: int
    skipped_records: int
    redactions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the memory holds. Times in seconds since the epoch; `agents`: harness → (sessions,
    turns); `vectors` of `prose` passages have a vector."""

    sessions: int
    turns: int
    edits: int
    chunks: int
    prose: int
    vectors: int
    redactions: int
    skipped: int
    agents: Mapping[str, tuple[int, int]]
    sources: int
    first_ts: float | None
    last_ts: float | None
    indexed_at: float | None


@dataclass(frozen=True, slots=True)
class Worker:
    """The background work: its process id while it runs, what waits, how it last failed."""

    pid: int | None = None
    pending: int = 0
    set_aside: int = 0
    error: str | None = None
    error_ts: float | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Everything that `status` shows. `sizes` in bytes by what takes them; `model_from` is where
    the weights are, None if they are not there."""

    repository: str
    held: Holdings
    coverage: Coverage
    hooks: str
    hooks_detail: str
    worker: Worker
    model: str
    model_from: str | None
    sizes: Mapping[str, int] = field(default_factory=dict)


def _field(page: Page, name: str, text: str) -> Iterator[str]:
    """A labelled line, folded beneath itself."""
    indent = " " * (COLUMN + 2)
    for number, row in enumerate(width.fold(text, page.measure - len(indent))):
        label = f"  {name:<{COLUMN}}" if number == 0 else indent
        yield (page.style.dim(label) if number == 0 else label) + row


def status(page: Page, state: State) -> Iterator[str]:
    """The whole state, a line for each kind of thing."""
    held = state.held
    yield page.style.bold(f"memory of {line(state.repository)}")
    yield from _field(page, "sessions", sessions(held))
    if held.first_ts is not None:
        days = dict.fromkeys((words.day(held.first_ts), words.day(held.last_ts)))
        yield from _field(page, "period", " to ".join(days))
    files = plural(held.sources, "session file")
    yield from _field(page, "indexed", f"{words.ago(held.indexed_at)}, from {files}")
    yield from _field(page, "search", _search(held))
    yield from _field(page, "linked", _linked(state.coverage))
    if state.coverage.unlinked:
        yield from _field(page, "", "without: " + _unlinked(state.coverage))
    detail = line(state.hooks_detail)
    hooks = detail if state.hooks == "installed" else f"{state.hooks}: {detail}"
    yield from _field(page, "hooks", hooks)
    yield from _field(page, "worker", _worker(state.worker))
    if state.worker.error:
        since = f" {words.ago(state.worker.error_ts)}" if state.worker.error_ts else ""
        failed = f"failed{since}: {line(state.worker.error)}"
        yield page.style.removed(f"  {'':<{COLUMN}}{page.fit(failed, COLUMN + 2)}")
    where = f"from {line(state.model_from)}" if state.model_from else "no weights here, words only"
    yield from _field(page, "model", f"{line(state.model)}, {where}")
    yield from _field(page, "redacted", _redacted(held))
    yield from _field(page, "size", _sizes(state.sizes))


def sessions(held: Holdings) -> str:
    """`3 sessions (Claude Code 2, Codex 1), 214 turns, 58 edits`."""
    agents = ", ".join(f"{words.agent(name)} {n:,}" for name, (n, _) in held.agents.items())
    told = plural(held.sessions, "session") + (f" ({agents})" if agents else "")
    return f"{told}, {plural(held.turns, 'turn')}, {plural(held.edits, 'edit')}"


def agents(held: Holdings) -> Iterator[str]:
    """A line for each agent with its sessions and turns."""
    names = {name: words.agent(name) for name in held.agents}
    wide = max((len(name) for name in names.values()), default=0)
    for name, (count, turns) in held.agents.items():
        yield f"  {names[name]:<{wide}}  {plural(count, 'session')}, {plural(turns, 'turn')}"


def _search(held: Holdings) -> str:
    told = f"{plural(held.chunks, 'passage')} by words"
    if held.vectors >= held.prose:
        return f"{told}, {held.vectors:,} by meaning" if held.prose else told
    share = 100 * held.vectors // held.prose
    return f"{told}, {held.vectors:,} of {held.prose:,} by meaning ({share}%)"


def _linked(coverage: Coverage) -> str:
    told = f"{coverage.tied:,} of {plural(coverage.commits, 'commit')}"
    counts = ((name, coverage.linked.get(name, 0)) for name in words.LEVELS)
    levels = [f"{name} {n:,}" for name, n in counts if n]
    links = "" if coverage.found is None else "links: "
    return f"{told} ({links}{', '.join(levels)})" if levels else told


def _unlinked(coverage: Coverage) -> str:
    ordered = sorted(coverage.unlinked.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{words.REASON_WORDS.get(why, why)} ({n:,})" for why, n in ordered if n)


def _worker(worker: Worker) -> str:
    told = f"running (process {worker.pid})" if worker.pid else "idle"
    if worker.pending:
        told += f", {plural(worker.pending, 'hook event')} waiting"
    if worker.set_aside:
        told += f", {plural(worker.set_aside, 'unreadable event')} set aside"
    return told


def _redacted(held: Holdings) -> str:
    told = plural(held.redactions, "secret")
    if held.skipped:
        told += f"; {plural(held.skipped, 'unreadable record')} skipped"
    return told


def _sizes(sizes: Mapping[str, int]) -> str:
    parts = [f"{name} {words.size(n)}" for name, n in sizes.items() if n]
    return f"{words.size(sum(sizes.values()))}" + (f" ({', '.join(parts)})" if parts else "")


def indexed(report: Indexed) -> Iterator[str]:
    """What indexing added."""
    if not (report.sessions or report.turns):
        yield f"nothing new ({words.took(report.seconds)})"
    else:
        parts = [plural(report.sessions, "new session"), plural(report.turns, "turn")]
        parts += [plural(report.edits, "edit"), plural(report.chunks, "passage")]
        yield f"read {words.listed(parts)} in {words.took(report.seconds)}"
    if report.redactions:
        yield f"redacted {plural(report.redactions, 'secret')} before storing"
    if report.skipped_records:
        yield f"skipped {plural(report.skipped_records, 'unreadable record')} (see the log)"


def coverage(page: Page, found: Coverage) -> Iterator[str]:
    """Commits by level, then those without a link by reason."""
    took = "" if found.seconds is None else f" in {words.took(found.seconds)}"
    yield f"{found.tied:,} of {plural(found.commits, 'commit')} tied to turns{took}"
    yield from _table(page, [(n, name, words.LEVEL_WORDS[name]) for name, n in _levels(found)])
    reasons = sorted(found.unlinked.items(), key=lambda item: (-item[1], item[0]))
    if any(n for _, n in reasons):
        yield "without a link:"
        yield from _table(page, [(n, why, words.REASON_WORDS.get(why, why)) for why, n in reasons])


def _levels(found: Coverage) -> Iterator[tuple[Level, int]]:
    return ((name, found.linked[name]) for name in words.LEVELS if found.linked.get(name))


def _table(page: Page, rows: Sequence[tuple[int, str, str]]) -> Iterator[str]:
    shown = [row for row in rows if row[0]]
    digits = max((len(f"{n:,}") for n, *_ in shown), default=1)
    wide = max((len(name) for _, name, _ in shown), default=1)
    for n, name, meaning in shown:
        head = f"  {n:>{digits},}  {name:<{wide}}  "
        yield head + page.style.dim(page.fit(meaning, len(head)))


@dataclass(frozen=True, slots=True)
class Model:
    """A model and where its weights are: None where they are not on this machine."""

    name: str
    dim: int
    used: bool
    origin: str | None
    folder: str | None


def models(page: Page, rows: Sequence[Model]) -> Iterator[str]:
    """A line a model, `*` before the one in use; then what to run if its weights are missing."""
    wide = max((len(row.name) for row in rows), default=0)
    for row in rows:
        where = f"{row.origin}: {line(row.folder or '')}" if row.origin else "not on this machine"
        head = f"{'*' if row.used else ' '} {row.name:<{wide}}  {row.dim} dimensions  "
        yield head + page.style.dim(page.fit(where, len(head)))
    if any(row.used and row.origin is None for row in rows):
        yield "words answer; for answers by meaning: git funes models pull"
