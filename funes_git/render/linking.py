"""`link --coverage` and `link --explain`, for people, for agents and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from funes_git.link.explain import THRESHOLDS, Evidence, Explained, Explanation, Lost, RunnerUp
from funes_git.link.survey import Survey
from funes_git.model import Level, Link, Reason
from funes_git.render import json, words
from funes_git.render.agent import fenced, stamp
from funes_git.render.clean import line
from funes_git.render.page import Page, commit_line
from funes_git.render.words import plural

LISTED: Final = 5
"""Lines of a link that are named with their weights."""

LOST: Final[dict[Lost, str]] = {
    "later": "made after the commit",
    "retracted": "its turn was taken back",
    "older": "an older edit of the same lines",
    "elsewhere": "a newer edit of the same lines at another place",
    "less": "has less of the lines",
    "not-enough": "not enough to be believed where it stands",
}
MEANING: Final = {
    "enough": "lines that stand where the edit put them are believed from here on",
    "sure": "lines are believed wherever they stand",
    "elsewhere": "lines are believed in a file of the same name elsewhere",
    "place": "how far the lines around must agree",
    "import": "the most that an import weighs",
    "boilerplate": "the most that a line weighs that everyone writes",
}
"""What each of the thresholds (link/explain.py) is for."""


def survey(page: Page, found: Survey, of: str = "HEAD") -> Iterator[str]:
    """Commits and lines by level, then by reason, each with the command that would improve it;
    `of` says whose history was looked at."""
    tied, lines = found.linked.total(), found.linked_lines.total()
    yield (
        f"{tied:,} of {plural(found.commits, 'commit')} of {line(of)} and {lines:,} of "
        f"{plural(found.lines, 'added line')} tied to turns"
    )
    levels: list[Level] = [
        name for name in words.LEVELS if found.linked[name] or found.linked_lines[name]
    ]
    if levels:
        told = {name: words.LEVEL_WORDS[name] for name in levels}
        yield from _table(page, "level", found.linked, found.linked_lines, told)
    reasons: list[Reason] = sorted(
        (
            name
            for name in found.unlinked_lines
            if found.unlinked[name] or found.unlinked_lines[name]
        ),
        key=lambda name: (-found.unlinked_lines[name], -found.unlinked[name]),
    )
    if reasons:
        why = {name: words.REASON_OF_COMMIT[name] for name in reasons}
        yield ""
        yield from _table(page, "without", found.unlinked, found.unlinked_lines, why)
    yield from _advice(reasons)


def _advice(reasons: Iterable[Reason]) -> Iterator[str]:
    """The command that would improve each reason."""
    advice = {name: words.REASON_NEXT[name] for name in reasons if name in words.REASON_NEXT}
    if advice:
        yield ""
        yield "to improve it:"
        wide = max(map(len, advice))
        yield from (f"  {name:<{wide}}  {command}" for name, command in advice.items())


def _table(
    page: Page,
    title: str,
    commits: Mapping[Any, int],
    lines: Mapping[Any, int],
    told: Mapping[Any, str],
) -> Iterator[str]:
    wide = max(len(title), *(len(name) for name in told))
    yield page.style.dim(f"  {title:<{wide}}  commits    lines")
    for name, meaning in told.items():
        head = f"  {name:<{wide}}  {commits[name]:>7,}  {lines[name]:>7,}  "
        yield head + page.style.dim(page.fit(meaning, len(head)))


def survey_json(found: Survey) -> json.Object:
    """Every level, and the reasons that occur with the command that would improve them."""
    return json.document(
        commits=found.commits,
        lines=found.lines,
        levels={
            name: {"commits": found.linked[name], "lines": found.linked_lines[name]}
            for name in words.LEVELS
        },
        reasons={
            name: {
                "commits": found.unlinked[name],
                "lines": n,
                "next": words.REASON_NEXT.get(name),
            }
            for name, n in sorted(found.unlinked_lines.items())
            if n or found.unlinked[name]
        },
    )


def explanation(page: Page, found: Explanation) -> Iterator[str]:
    """What the links of a commit rest on, for people."""
    yield commit_line(page, found.commit)
    yield from _body(found)


def explanation_for_agents(found: Explanation) -> Iterator[str]:
    """The same for agents."""
    yield f"explain {found.commit.short} {stamp(found.commit.author_time)}"
    yield from fenced(found.commit.subject)
    yield from _body(found)


def _body(found: Explanation) -> Iterator[str]:
    if found.reason:
        yield f"no link: {words.REASON_OF_COMMIT[found.reason]}"
    path = None
    for part in found.parts:
        if part.path != path:
            path = part.path
            yield line(path)
        yield from _part(part)
    for link in found.other:
        place = f" {line(link.path)}" if link.path else ""
        yield f"{_who(link)}: {link.relation}{place}, by no line of it"
    yield "thresholds:"
    wide = max(len(name) for name in THRESHOLDS)
    yield from (f"  {n:<{wide}}  {value:<4g}  {MEANING[n]}" for n, value in THRESHOLDS.items())


def _who(link: Link | RunnerUp) -> str:
    turn = words.short_turn(link.session_id, link.turn_uuid)
    return f"{words.agent(link.harness)} {words.short(link.session_id)} {turn}"


def _part(part: Explained) -> Iterator[str]:
    link = part.link
    counted = f"{plural(len(part.lines), 'line')} {'weighs' if len(part.lines) == 1 else 'weigh'}"
    if link is None:
        yield f"  no edit explains {counted} {part.weight:.2f}"
    else:
        told = words.ranges(link.lines)
        yield f"  {_who(link)}: {link.level}, {link.relation} {told}, {link.content} match"
        yield f"    {counted} {part.weight:.2f}{_proof(link)}"
        if came := words.origin(link.chain):
            yield f"    the commit was {came}" if link.chain[0].how != "copy" else f"    {came}"
    yield f"    rarest: {', '.join(_line(e) for e in part.lines[:LISTED])}"
    if part.runner_up:
        yield f"    {_next(part.runner_up, 'nearest' if link is None else 'runner-up')}"


def _line(evidence: Evidence) -> str:
    return f"line {evidence.number} ({evidence.weight:.2f})"


def _next(other: RunnerUp, name: str) -> str:
    counted = f"{plural(other.lines, 'line')} of weight {other.weight:.2f}"
    return f"{name}: {_who(other)} with {counted}, {LOST[other.lost]}"


def _proof(link: Link) -> str:
    return f"; proof: {link.proof}" if link.proof != "none" else ""


def explanation_json(found: Explanation) -> json.Object:
    """Every line with its weight."""
    return json.document(
        commit=found.commit.sha,
        subject=found.commit.subject,
        reason=found.reason,
        evidence=[_part_json(part) for part in found.parts],
        other=[json.link(link) for link in found.other],
        thresholds=dict(THRESHOLDS),
    )


def _part_json(part: Explained) -> json.Object:
    other = part.runner_up
    return {
        "path": part.path,
        "link": json.link(part.link) if part.link else None,
        "weight": round(part.weight, 3),
        "lines": [{"line": e.number, "weight": e.weight} for e in part.lines],
        "runner_up": other
        and {
            "session_id": other.session_id,
            "turn_uuid": other.turn_uuid,
            "harness": other.harness,
            "ts": other.ts,
            "lines": other.lines,
            "weight": other.weight,
            "lost": other.lost,
        },
    }
