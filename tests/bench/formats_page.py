"""The counts that the page of formats gives for its sessions, beside those of the sessions read
here. These are another and smaller set, so what is compared is a share: kinds of records of all
records, tools of all tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

PAGE = Path(__file__).parents[3] / "shared" / "FORMATS.md"
ROWS = {"copilot": "copilot_cli", "gemini": "gemini_cli"}
SECTIONS = {"claude_code": 1, "codex": 2, "pi": 3, "hermes": 4, "gemini_cli": 5, "opencode": 6,
            "copilot_cli": 7}  # fmt: skip
COLUMNS = ("sessions", "files", "MB", "records", "user turns", "assistant msgs", "tool calls",
           "edit calls", "shell calls", "git commit commands", "commit ids printed")  # fmt: skip
OF = {
    "assistant msgs": "records",
    "user turns": "assistant msgs",
    "tool calls": "assistant msgs",
    "edit calls": "tool calls",
    "shell calls": "tool calls",
    "git commit commands": "shell calls",
    "commit ids printed": "git commit commands",
}
"""What a figure is a share of."""
COUNTING = re.compile(r"^- (?:\*\*)?(?:Record kinds|Entries|Edit tools|Edits|Shell)\b.*", re.M)
ARGUMENTS = r"\{(?:[^{}]|\{[^{}]*\})*\}"
NUMBER = re.compile(r"\d[\d,]*")
FAR = 3.0
"""A share that is more than so many times the page's, or less than its part, is pointed out: the
sessions are few, or what counts as a record is not the same (the messages of a document here, their
parts there)."""


def totals(page: str, harness: str) -> dict[str, int]:
    """The row of an agent in the table of §0."""
    row = re.search(rf"^\| {ROWS.get(harness, harness)} \|(.*)", page, re.M)
    cells = [NUMBER.search(cell) for cell in row[1].split("|")] if row else []
    told = zip(COLUMNS, cells, strict=False)
    return {column: _number(cell[0]) for column, cell in told if cell}


def counted(page: str, harness: str, name: str) -> int | None:
    """What an agent's section says of a kind of record or a tool, where it counts them:
    `assistant 66,250`, `Edit{…} 6,869`, `apply_patch` (1,215."""
    number = SECTIONS.get(ROWS.get(harness, harness))
    section = re.search(rf"^## {number}\. .*?(?=^## |\Z)", page, re.M | re.S)
    lines = "\n".join(COUNTING.findall(section[0])) if number and section else ""
    form = rf"(?<![\w/.:-]){re.escape(name)}(?:(?:{ARGUMENTS}|`) ?\(?| |\()(\d[\d,]*)(?![.k%]|\d)"
    found = [_number(text) for text in re.findall(form, lines)]
    return sum(found) if found else None


def compared(
    page: str,
    harness: str,
    here: Mapping[str, int],
    kinds: Mapping[str, int],
    tools: Mapping[str, int],
) -> Iterator[str]:
    """A line for each figure that both have. `here` has figures under the names of COLUMNS."""
    there = totals(page, harness)
    for name, of in OF.items():
        if name in there:
            yield _line(name, (here[name], here[of]), (there[name], there[of]), of)
    for names, of in ((kinds, "records"), (tools, "tool calls")):
        for name, number in names.items():
            if (theirs := counted(page, harness, name)) is not None and of in there:
                yield _line(name, (number, here[of]), (theirs, there[of]), of)


def _line(name: str, here: tuple[int, int], there: tuple[int, int], of: str) -> str:
    mine, theirs = (100 * number / max(whole, 1) for number, whole in (here, there))
    is_far = not theirs / FAR <= mine <= theirs * FAR
    return f"{name}: {here[0]:,}, {mine:.1f} % of the {of}; there {there[0]:,}, {theirs:.1f} %" + (
        " (far)" if is_far else ""
    )


def _number(text: str) -> int:
    return int(text.replace(",", ""))
