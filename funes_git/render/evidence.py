"""Why a link is believed, in words."""

from __future__ import annotations

from typing import Final

from funes_git.model import Answer, Content, Link, Proof
from funes_git.origin import label
from funes_git.render.words import plural, ranges

_CONTENT: Final[dict[Content, str]] = {
    "lines": "its lines match this commit",
    "span": "the text that it replaced is what this commit replaced",
    "reformatted": "its lines match this commit but for white space",
    "none": "nothing it wrote is in this commit",
}
_UNCOMMITTED: Final[dict[Content, str]] = {
    "lines": "its lines stand in the file, and no commit has them yet",
    "span": "its edit shows this, and no commit does",
    "reformatted": "its lines stand in the file but for white space, and no commit has them yet",
    "none": "a command of this turn wrote the file, and no commit has that yet",
}
_PROOF: Final[dict[Proof, str]] = {
    "printed": "the session's own git command printed this commit's id",
    "hook": "the git hook saw this commit made while the session ran",
    "rewrite": "git told that this commit was made of an earlier one",
    "patch-id": "an earlier commit, not its ancestor, shows lines of the same edit",
    "none": "",
}


def evidence(answer: Answer) -> tuple[str, ...]:
    """The sentences of evidence behind one answer, without full stops."""
    link = answer.link
    parts = [_claim(link) if answer.commit else _UNCOMMITTED[link.content]]
    if (counted := _counted(answer)) is not None:
        parts.append(counted)
    if link.source != "own" and link.level != "imported":
        parts.append(f"the session was imported from {label(link.source)}")
    if answer.retracted:
        parts.append("the session took this turn back later")
    if answer.source_gone:
        parts.append("the agent's own session file is gone; this is the stored copy")
    return tuple(parts)


def _claim(link: Link) -> str:
    if link.level == "imported":
        return f"recorded by {label(link.source)}, not by funes-git"
    if link.relation == "ran":
        return "a command of this turn wrote the file; the text it wrote is not recorded"
    if link.relation == "committed":
        return _PROOF[link.proof] or "the session made this commit"
    if link.relation == "read":
        return "the turn only read the file"
    words = _CONTENT[link.content]
    if link.relation == "removed" and link.content == "lines":
        words = "the lines that it removed are gone with this commit"
    proof = _PROOF[link.proof]
    return f"{words}, and {proof}" if proof else words


def _counted(answer: Answer) -> str | None:
    """How much of the edit stands in the commit: `5 of the edit's 7 lines are in it`."""
    link = answer.link
    if link.content == "none" or not link.lines:
        return None
    matched = sum(to - start + 1 for start, to in link.lines)
    sign = "-" if link.relation == "removed" else "+"
    total = sum(row.startswith(sign) for row in (answer.edit_diff or "").splitlines())
    where = ranges(link.lines)
    if len(link.lines) > 3:
        first, last = link.lines[0][0], link.lines[-1][1]
        where = f"{len(link.lines)} places between lines {first} and {last}"
    where += " in that commit" if answer.commit else ""
    if not 0 < matched <= total:
        return f"{plural(matched, 'matching line')} ({where})"
    state = "gone" if sign == "-" else "in it"
    if total == 1:
        told = "its one line is"
    elif matched == total:
        told = "both of its lines are" if total == 2 else f"all {total} of its lines are"
    else:
        told = f"{matched} of the edit's {total} lines {'is' if matched == 1 else 'are'}"
    return f"{told} {state} ({where})"
