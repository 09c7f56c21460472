"""What a release would hold, what was decided about it, and what came of publishing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from funes_git.render import leftout, width, words
from funes_git.render.clean import line
from funes_git.render.json import Object, document
from funes_git.render.page import Page, prose, quote
from funes_git.render.words import plural

if TYPE_CHECKING:
    from funes_git.publish.draft import Candidate, Draft
    from funes_git.publish.part import LeftOut, Part, Withheld
    from funes_git.publish.release import Outcome, Prepared
    from funes_git.publish.withdraw import Withdrawn

SHOWN = 12
"""Turns of a session that are listed for one kind of finding."""


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
    yield from findings(page, part.withheld)


def _lasted(first: float | None, last: float | None) -> str:
    """From when to when, the date told once if it is one day."""
    start, end = words.when(first), words.when(last)
    if start == end:
        return start
    return f"{start} – {end.removeprefix(f'{words.day(first)} ')}"


def findings(page: Page, withheld: Iterable[Withheld]) -> Iterator[str]:
    """What may not leave, by its place and the rules that say so; never what it is."""
    places: dict[str, list[str]] = {}
    for each in withheld:
        where = words.short_turn(each.session_id, each.turn_uuid) or "title"
        kind = f"{each.what.replace('_', ' ')} ({', '.join(each.rules)})"
        places.setdefault(kind, []).append(where)
    for kind, turns in places.items():
        shown = turns[:SHOWN]
        more = [f"{len(turns) - SHOWN:,} more"] if len(turns) > SHOWN else []
        word = "turn" if len(turns) == 1 else "turns"
        told = f"withheld: {kind}, {word} {words.listed([*shown, *more])}"
        yield from prose(page, told, hanging="    ")


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
        for found in part.withheld:
            rules = ",".join(found.rules)
            yield f"  withheld: {line(found.turn_uuid) or '-'} {found.what} {rules}"
    yield from leftout.for_agents(draft.left_out)


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
        "withheld": [_withheld(found) for found in part.withheld],
    }


def _withheld(found: Withheld) -> Object:
    return {"turn": found.turn_uuid, "what": found.what, "rules": list(found.rules)}


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
    for path, size in files.items():
        yield f"  {words.size(size):>9}  {line(path)}"
    total = words.size(sum(files.values()))
    yield f"{plural(len(files), 'file')}, {total}; nothing was sent"


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
