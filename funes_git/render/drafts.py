"""What a release would hold, what was decided about it, and what came of publishing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git.render import leftout, width, withheld, words
from funes_git.render.clean import line
from funes_git.render.json import Object, document
from funes_git.render.page import Page, prose, quote
from funes_git.render.words import plural

if TYPE_CHECKING:
    from funes_git.publish.draft import Candidate, Draft
    from funes_git.publish.part import LeftOut, Part
    from funes_git.publish.release import Outcome, Prepared
    from funes_git.publish.withdraw import Withdrawn


def table(page: Page, draft: Draft) -> Iterator[str]:
    """The sessions behind a range, with what was decided about each."""
    yield page.style.bold(_heading(draft))
    for number, each in enumerate(draft.candidates, 1):
        yield ""
        yield from session(page, each, number)
    if draft.left_out:
        yield ""
        yield from leftout.told(draft.left_out)


def session(page: Page, each: Candidate, number: int | None = None) -> Iterator[str]:
    """One session: what it is, what it was asked, what is withheld of it."""
    part = each.part
    first, last = times(part)
    commits = {link.commit for link in part.links}
    head = f"{number}. " if number else ""
    agent = page.style.agent(words.agent(part.session.harness))
    yield f"{head}{words.short(part.id)}  {agent}  {page.style.bold(each.verdict)}"
    facts = [
        _lasted(first, last),
        plural(len(part.turns), "turn"),
        words.size(part.size),
        f"explains {plural(len(commits), 'commit')}",
    ]
    on = f"; on {branches(part)}" if branches(part) else ""
    yield from prose(page, f"{', '.join(facts)}{on}")
    if each.prompt:
        yield from quote(page, width.cut(each.prompt, 300)[0])
    yield from withheld.told(page, part.withheld)


def _lasted(first: float | None, last: float | None) -> str:
    """From when to when, the date told once if it is one day."""
    start, end = words.when(first), words.when(last)
    if start == end:
        return start
    return f"{start} – {end.removeprefix(f'{words.day(first)} ')}"


def exchange(page: Page, part: Part) -> Iterator[str]:
    """Everything that would leave of some exchanges, as it would."""
    for stored in part.turns:
        turn = stored.turn
        note = "  (taken back)" if stored.retracted else ""
        yield f"{words.when(turn.ts)}  {page.style.bold(turn.role)}{note}"
        for block in turn.blocks:
            if block.text:
                name = f" {line(block.tool)}" if block.tool else ""
                yield f"  {page.style.dim(block.type.replace('_', ' ') + name)}"
                yield from quote(page, block.text)


def for_agents(draft: Draft) -> Iterator[str]:
    """The same, one line a session and one a finding."""
    yield f"range {line(draft.span.range)} commits={len(draft.span.commits)}"
    for each in draft.candidates:
        part = each.part
        commits = {link.commit for link in part.links}
        counts = (
            f"turns={len(part.turns)} exchanges={len(part.exchanges)} chars={part.size}"
            f" commits={len(commits)} withheld={len(part.withheld)} {each.verdict}"
        )
        yield f"session {line(part.id)} {part.session.harness} {counts}"
        if each.prompt:
            yield f"  prompt: {line(width.cut(each.prompt, 200)[0])}"
        yield from withheld.for_agents(part.withheld)
    yield from leftout.for_agents(draft.left_out)


def coming(draft: Draft) -> Iterator[str]:
    """What is to be run next."""
    span = line(draft.span.range)
    if not draft.candidates:
        yield f"next: git funes log {span}   (says of each commit why no session is behind it)"
        return
    if pending := len(draft.pending()):
        them = "it" if pending == 1 else "each"
        yield f"{plural(pending, 'session')} not decided about; decide about {them}:"
        yield f"  git funes review {span} --include SESSION   (or `all`), or --exclude SESSION"
    if not draft.chosen(pending=True):
        yield f"all are excluded; to take one back: git funes review {span} --include SESSION"
        return
    yield f"next: git funes publish {span} ORG/NAME   (with --dry-run it sends nothing)"


def as_json(draft: Draft) -> Object:
    """`review`: what stands behind a range."""
    return document(
        name=draft.span.name,
        range=draft.span.range,
        scope=draft.scope,
        commits=list(draft.span.commits),
        sessions=[_candidate(each) for each in draft.candidates],
        left_out=leftout.as_json(draft.left_out),
    )


def _candidate(each: Candidate) -> Object:
    part = each.part
    first, last = times(part)
    return {
        "session": part.id,
        "agent": part.session.harness,
        "branch": branches(part) or None,
        "first": first,
        "last": last,
        "prompt": each.prompt,
        "turns": len(part.turns),
        "chars": part.size,
        "commits": sorted({link.commit for link in part.links}),
        "verdict": each.verdict,
        "exchanges": each.verdicts,
        "withheld": withheld.as_json(part.withheld),
    }


def times(part: Part) -> tuple[float | None, float | None]:
    """When its first and its last turn were, in seconds since the epoch."""
    known = [stored.turn.ts for stored in part.turns if stored.turn.ts is not None]
    return min(known, default=None), max(known, default=None)


def branches(part: Part) -> str:
    """The branches that its turns ran on."""
    names = dict.fromkeys(s.turn.branch for s in part.turns if s.turn.branch)
    return ", ".join(line(name) for name in names if name)


def _heading(draft: Draft) -> str:
    sessions = plural(len(draft.candidates), "session")
    commits = plural(len(draft.span.commits), "commit")
    them = "it" if len(draft.span.commits) == 1 else "them"
    return f"{line(draft.span.range)}: {commits}, {sessions} behind {them}"


# --- publishing


def prepared(found: Prepared, name: str) -> Iterator[str]:
    """What would leave."""
    counts = found.manifest.counts
    what = [plural(counts[kind], kind[:-1]) for kind in ("sessions", "exchanges", "turns")]
    yield f"{line(found.manifest.name)} for {line(name)}: {words.listed(what)}"
    yield f"tied to {plural(len(found.manifest.commits), 'commit')} of {counts['range_commits']:,}"
    yield f"{plural(counts['withheld'], 'text')} withheld"
    yield f"license in the card: {line(found.license or 'other, unless it names one')}"


def dry_run(
    page: Page, draft: Draft, found: Prepared, files: dict[str, int], name: str
) -> Iterator[str]:
    """What would be sent."""
    yield from table(page, draft)
    yield ""
    yield from prepared(found, name)
    for place, sizes in _together(files).items():
        many = f"  ({plural(len(sizes), 'file')})" if len(sizes) > 1 else ""
        yield f"  {words.size(sum(sizes)):>9}  {line(place)}{many}"
    total = words.size(sum(files.values()))
    yield f"{plural(len(files), 'file')}, {total}; nothing was sent"


def _together(files: dict[str, int]) -> dict[str, list[int]]:
    """The sizes of the files, those of one table under the table's folder."""
    found: dict[str, list[int]] = {}
    for path, size in files.items():
        table, lance, _ = path.partition(".lance/")
        found.setdefault(table + lance if lance else path, []).append(size)
    return found


def dry_run_json(draft: Draft, found: Prepared, files: dict[str, int], name: str) -> Object:
    """`publish --dry-run`: what would be sent."""
    return as_json(draft) | {
        "memory": name,
        "release": found.manifest.name,
        "digest": found.manifest.digest,
        "counts": dict(found.manifest.counts),
        "files": files,
        "bytes": sum(files.values()),
        "commit": None,
    }


def outcome(found: Outcome, name: str, left_out: Sequence[LeftOut]) -> Iterator[str]:
    """What came of it."""
    release = line(found.manifest.name)
    if found.unchanged:
        yield f"{line(name)} holds {release} as it is; nothing was sent"
        return
    counts = found.manifest.counts
    held = [plural(counts["exchanges"], "exchange"), plural(counts["sessions"], "session")]
    sent = f"{plural(found.files, 'file')}, {words.size(found.size)}"
    yield f"published {release} to {line(name)}: {' of '.join(held)} ({sent})"
    yield f"license in its card: {line(found.license)}"
    if counts["withheld"]:
        told = f"git funes review {line(found.manifest.range)}"
        yield f"{plural(counts['withheld'], 'text')} withheld: {told} names them"
    yield from leftout.told(left_out)
    yield f"ask it: git funes recall --memory {line(name)}@{release} WORDS"


def outcome_json(found: Outcome, name: str, left_out: Sequence[LeftOut]) -> Object:
    """`publish`: what was sent."""
    return document(
        memory=name,
        release=found.manifest.name,
        digest=found.manifest.digest,
        commit=found.commit,
        unchanged=found.unchanged,
        files=found.files,
        bytes=found.size,
        counts=dict(found.manifest.counts),
        license=found.license or None,
        left_out=[] if found.unchanged else leftout.as_json(left_out),
    )


# --- withdrawing


def withdrawn(found: Withdrawn, name: str) -> Iterator[str]:
    """What went, and what cannot be undone."""
    parts = [plural(n, kind[:-1]) for kind, n in found.gone.items() if n]
    if found.gone:
        yield f"withdrew {line(found.name)} from {line(name)}: " + (
            words.listed(parts) if parts else "other releases hold all of it"
        )
    if found.kept:
        yield f"{plural(found.kept, 'block')} of its sessions stay, as other releases hold them"
    if found.purged is None:
        yield "the dataset's history still has it; --purge takes it from there too"
        return
    yield f"the history is one commit now; {plural(found.purged, 'large file')} removed from it"
    if found.moved:
        yield f"moved to that commit: {words.listed([line(tag) for tag in found.moved])}"
    yield "copies that others made, and branches or pull requests of the dataset, stay"


def withdrawn_json(found: Withdrawn, name: str) -> Object:
    """`withdraw`: what went."""
    return document(
        memory=name,
        release=found.name,
        commit=found.commit,
        removed=found.gone,
        kept_blocks=found.kept,
        purged_files=found.purged,
        moved_tags=list(found.moved),
    )
