"""What an import brought: for people and agents, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from funes_git.imports.found import NOT_HERE
from funes_git.origin import label
from funes_git.render import skipped, words
from funes_git.render.clean import line
from funes_git.render.json import Object
from funes_git.render.words import plural

if TYPE_CHECKING:
    from funes_git.imports.run import ImportReport


def told(report: ImportReport, vectors: int) -> Iterator[str]:
    """What was added, then what could not be."""
    tool = label(report.source)
    added = report.added
    if added.turns:
        parts = [plural(added.turns, "turn"), plural(added.edits, "edit")]
        parts[:0] = [plural(added.sessions, "new session")] if added.sessions else []
        yield f"imported {words.listed(parts)} from {tool}"
    elif report.found:
        yield f"nothing new in {plural(report.found, 'session')} of {tool}"
    if report.attributions:
        yield f"{tool} names the sessions of {_statements(report)}"
    yield from _left_out(report)
    if vectors:
        yield f"made {plural(vectors, 'vector')}"


def _left_out(report: ImportReport) -> Iterator[str]:
    counted = (
        (report.unknown, "left out {} on commits that are not in this clone", "statement"),
        (report.added.redactions, "redacted {} before storing", "secret"),
        (report.foreign, "left out {} of other repositories", "session"),
    )
    yield from (words.format(plural(n, what)) for n, words, what in counted if n)
    if report.unclaimed:
        named = skipped.first(report.unclaimed, len(report.unclaimed))
        yield f"no parser reads {plural(len(report.unclaimed), 'session')}: {named}"
    yield from skipped.told(report.skips, f" of {label(report.source)}")
    if any(skip.reason == NOT_HERE for skip in report.skips):
        yield "  to have all of it here: git fetch --refetch --no-filter, then import again"
    for path, reason in report.unreadable:
        yield f"could not read {line(path.name)}: {line(reason)}"


def _statements(report: ImportReport) -> str:
    new = report.new_attributions
    fresh = "all new" if new == report.attributions else f"{new:,} new" if new else "none new"
    return (
        f"{plural(report.commits, 'commit')} ({plural(report.attributions, 'statement')}, {fresh})"
    )


def as_json(report: ImportReport) -> Object:
    """`import`: what was found and what is new of it."""
    return {
        "source": report.source,
        "transcripts": {
            "found": report.found,
            "read": report.read,
            "unclaimed": len(report.unclaimed),
            "unclaimed_names": list(report.unclaimed),
            "foreign": report.foreign,
            "skipped": sum(skip.count for skip in report.skips),
            "skipped_records": skipped.as_json(report.skips),
            "unreadable": [{"name": p.name, "reason": why} for p, why in report.unreadable],
        },
        "attributions": {
            "found": report.attributions,
            "new": report.new_attributions,
            "commits": report.commits,
            "unknown_commits": report.unknown,
        },
        "sessions": report.added.sessions,
        "turns": report.added.turns,
        "edits": report.added.edits,
        "redactions": report.added.redactions,
    }
