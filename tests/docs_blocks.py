"""The console blocks of the documentation that can be run: finds, runs and rewrites them.

A block is runnable if the line before it is `<!-- runnable -->`. Its commands start with `$ `; what
follows each is what it prints, where a line `…` stands for any lines. They run in the repository of
`git funes demo`, in which everything has the same names and ids each time.

`FUNES_UPDATE_DOCS=1 pytest tests/test_docs.py` writes what they print now.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cli.running import environment

from funes_git.demo.stage import Stage

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"<!-- runnable -->\n```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANY = "…"

UPDATE = bool(os.environ.get("FUNES_UPDATE_DOCS"))
"""Whether the pages are to be rewritten; read before a test hides the variable."""


@dataclass(frozen=True)
class Block:
    """A runnable block: its page and its text."""

    page: Path
    text: str

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """Each command with the lines that the page says it prints."""
        found: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                assert found, f"{self.page.name}: a runnable block starts with a command"
                found[-1][1].append(line)
        return found


def blocks(page: Path) -> list[Block]:
    """The runnable blocks of a page."""
    return [Block(page, match[1]) for match in BLOCK.finditer(page.read_text("utf-8"))]


def run(command: str, stage: Stage) -> list[str]:
    """The lines that a command prints in the demo's repository, as people see them."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=stage.repo,
        env={
            **environment(),
            **stage.settings(),
            "GIT_PAGER": "cat",
            "GIT_PAGER_IN_USE": "true",
            "NO_COLOR": "1",
            "COLUMNS": "80",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}"
    return [line.rstrip() for line in done.stdout.splitlines()]


def agree(said: list[str], printed: list[str]) -> bool:
    """Whether the page's lines are what was printed; `…` stands for any lines."""
    pattern = "".join(r"(?:.*\n)*" if line == ANY else re.escape(line) + r"\n" for line in said)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def rewrite(block: Block, outputs: list[list[str]]) -> None:
    """Put what the commands printed into the page, in place of what differed."""
    lines: list[str] = []
    for (command, said), printed in zip(block.commands, outputs, strict=True):
        lines += [f"$ {command}", *(said if agree(said, printed) else printed)]
    text = block.page.read_text("utf-8")
    block.page.write_text(text.replace(block.text, "".join(f"{line}\n" for line in lines)))
