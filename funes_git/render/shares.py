"""`why COMMIT`: who made it, and who wrote what share of each file, for people and for agents."""

from __future__ import annotations

from collections.abc import Iterator

from funes_git.model import Step
from funes_git.render import width, words
from funes_git.render.clean import line
from funes_git.render.page import Page, prose
from funes_git.told import FileShare, Part, Shares

MOST = 30
"""Files that are listed."""


def human(page: Page, shares: Shares) -> Iterator[str]:
    """Who made the commit, then each file with its parts."""
    style = page.style
    yield ""
    for told in (*_became(shares), _made(shares)):
        yield from prose(page, told, "")
    for file in shares.files[:MOST]:
        counts = f"  +{file.added} -{file.removed}"
        room = max(page.width - len(counts) - 2, 8)
        yield f"  {width.squeeze(line(file.path), room)}{style.dim(counts)}"
        for part in file.parts:
            paint = style.agent if part.link else style.dim
            amount = f"{part.lines:>7} {_percent(part, file):>6}  " if file.added else " " * 16
            yield amount + paint(page.fit(_whose(part), len(amount)))
    if len(shares.files) > MOST:
        yield style.dim(f"  and {words.plural(len(shares.files) - MOST, 'more file')}")


def agent(shares: Shares) -> Iterator[str]:
    """The same in fewer lines."""
    yield from _became(shares)
    yield _made(shares)
    for file in shares.files[:MOST]:
        parts = "; ".join(
            f"{words.plural(part.lines, 'line')} {_percent(part, file)} {_whose(part)}"
            if file.added
            else _whose(part)
            for part in file.parts
        )
        yield f"{line(file.path)} · +{file.added} -{file.removed}" + (
            f" · {parts}" if parts else ""
        )
    if len(shares.files) > MOST:
        yield f"and {words.plural(len(shares.files) - MOST, 'more file')}"


def _percent(part: Part, file: FileShare) -> str:
    return f"{100 * part.lines / file.added:.0f} %" if file.added else ""


def _became(shares: Shares) -> Iterator[str]:
    steps = shares.became
    if steps:
        old, new = steps[0].old[:7], _last(steps)[:7]
        how = words.listed(list(dict.fromkeys(step.how for step in steps)))
        yield f"commit {old} has become {new} ({how})"


def _last(steps: tuple[Step, ...]) -> str:
    olds = {step.old for step in steps}
    return next(step.new for step in reversed(steps) if step.new not in olds)


def _made(shares: Shares) -> str:
    link = shares.made
    if link is None:
        return f"committed by {line(shares.commit.author)}; no session is known to have made it"
    how = {
        "printed": "its own git command printed the id",
        "hook": "the git hook saw it made while the session ran",
    }
    session = f"{words.agent(link.harness)} {words.short(link.session_id)}"
    return f"committed by {session}: {how[link.proof]}"


def _whose(part: Part) -> str:
    if part.link is not None:
        link = part.link
        turn = words.short_turn(link.session_id, link.turn_uuid)
        session = f"{words.agent(link.harness)} {words.short(link.session_id)} {turn}"
        told = "ran: a command of it wrote the file" if link.relation == "ran" else link.level
        return f"{session}, {told}"
    if part.kind == "human":
        return "a person"
    if part.kind == "bot":
        return "a bot"
    return "not known" + (f": {words.REASON_WORDS[part.reason]}" if part.reason else "")
