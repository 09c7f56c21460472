"""Writes what docs/concepts/linking.md says of thresholds, of what links survive, and of the cases
of LINKING.md §4, from the code and its tests: `PYTHONPATH=.:tests python tests/linking_gen.py`.
Tests hold the page to it.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "parsers"), str(ROOT / "tests")]

from funes_git.link.explain import THRESHOLDS  # noqa: E402
from funes_git.render.linking import MEANING  # noqa: E402

PAGE = ROOT / "docs" / "concepts" / "linking.md"
TESTS = ROOT / "tests"

CASES = {
    1: "an agent edits, a person commits",
    2: "two commits in one turn, different files",
    3: "a person commits another file first",
    4: "two turns' hunks of a file committed apart",
    5: "two sessions in one commit",
    6: "a person rewrites one of five lines before the commit",
    7: "a person changes an agent's line later",
    8: "boilerplate that an agent wrote elsewhere",
    9: "a file that an agent only read",
    10: "amend, with and without a person's lines",
    11: "a clean rebase that shifts the lines; the old id",
    12: "a rebase with a conflict, six ways out of it",
    13: "rebase -i: reorder, drop, split, fixup, squash, reword",
    14: "a rebase aborted; one with all hooks disabled",
    15: "merge --squash, both messages",
    16: "squash on a server, seen from a fresh clone and a pulled memory",
    17: "the same, and main moved in the same file",
    18: "cherry-pick, also -n and to a release",
    19: "revert, and revert of the revert",
    20: "stash, other work, pop on another branch",
    21: "reset --soft and again; a detached HEAD",
    22: "moved files and folders, also by case alone",
    23: "a turn that deletes",
    24: "what a shell wrote; outside, ignored, generated",
    25: "a formatter, in the commit and after it",
    26: "worktrees, moved; the repository renamed",
    27: "submodules, nested repositories, two in one turn",
    28: "merges, clean and with a conflict",
    29: "other hook managers; hooks that do not run",
    30: "force push, gc, shallow, partial, sha256, bare",
    31: "two machines push a memory at once, then a fork",
    32: "a sub-agent writes, its parent commits",
    33: "the session's file is deleted",
    34: "a secret in a turn; the gate before publishing",
    35: "bots and foreign history, 200 commits",
    36: "what a hook costs a commit",
    37: "binary, big, odd names and encodings",
    38: "killed at any step; two at once; a full disk",
    39: "random work against an independent record",
}
BENCHES = {36: "bench/hooks.py"}
NAMED = re.compile(r"test_case_(\d+)(?:_and_(\d+))?_")
TOLD = re.compile(r"LINKING\.md case\s+(\d+)")


def thresholds() -> str:
    """The thresholds and what each is for."""
    rows = [f"| {name} | {value:g} | {MEANING[name]} |" for name, value in THRESHOLDS.items()]
    return "\n".join(["| name | weight | meaning |", "|---|---|---|", *rows])


def survival_row(name: str, said: tuple[str, str, str]) -> str:
    """One operation."""
    return f"| {name} | {' | '.join(said)} |"


def survival() -> str:
    """Every operation, done now."""
    from helpers import share_caches
    from survival import OPERATIONS, survives

    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"}
    for who in ("AUTHOR", "COMMITTER"):
        os.environ |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.org"}
    rows = []
    for name in OPERATIONS:
        with tempfile.TemporaryDirectory() as folder:
            for place in ("hooks", "none"):
                (Path(folder) / place / "home").mkdir(parents=True)
                share_caches(Path(folder) / place / "home")
            rows.append(survival_row(name, survives(Path(folder), Path(folder), name)))
    head = "| after | without hooks | with hooks | in a fresh clone |"
    return "\n".join([head, "|---|---|---|---|", *rows])


def held() -> dict[int, Counter[str]]:
    """Case → the test files that hold it, with how many tests each."""
    found: dict[int, Counter[str]] = {number: Counter() for number in CASES}
    for path in sorted(TESTS.rglob("test_*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        about = {int(n) for n in TOLD.findall(ast.get_docstring(tree) or "")}
        for numbers in _cases(tree):
            for number in numbers | about:
                found[number][path.relative_to(TESTS).as_posix()] += 1
    return found


def _cases(tree: ast.AST) -> Iterator[set[int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            named = NAMED.match(node.name)
            numbers = [n for n in named.groups() if n] if named else []
            yield {int(n) for n in [*numbers, *TOLD.findall(ast.get_docstring(node) or "")]}


def cases() -> str:
    """Every case with the tests that hold it."""
    rows = []
    for number, files in held().items():
        by = [f"{name} ({n})" if n > 1 else name for name, n in sorted(files.items())]
        by += [BENCHES[number]] if number in BENCHES else []
        rows.append(f"| {number} | {CASES[number]} | {', '.join(by) or 'nothing'} |")
    return "\n".join(["| case | what happens | held by, of tests/ |", "|---|---|---|", *rows])


SECTIONS = {"thresholds": thresholds, "cases": cases}
"""Quick to make, so docs_gen.py does too; `survival` takes a minute."""


def section(name: str, page: str) -> str:
    """What stands between the marks of a section."""
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", page, re.DOTALL)
    assert found, f"no section {name}"
    return found[1]


def put(name: str, text: str, page: str) -> str:
    """The page with another text in a section."""
    mark = f"<!-- {name} -->\n"
    return page.replace(mark + section(name, page), mark + text)


def linking_page() -> str:
    """The page with its quick sections made anew."""
    page = PAGE.read_text("utf-8")
    for name, make in SECTIONS.items():
        page = put(name, make(), page)
    return page


if __name__ == "__main__":
    PAGE.write_text(put("survival", survival(), linking_page()), encoding="utf-8")
