"""Command lines: the quick reader understands what cyclopts understands, and refuses the rest."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docs_gen import help_text

from funes_git.cli import _spelled_out, build_app
from funes_git.commands import COMMANDS, quick
from funes_git.commands.narrowed import OPTIONS, taken
from funes_git.filters import Filters

PLAIN = [
    "why a.py:3",
    "why a.py --at v1 -n 3",
    "why a.py -3 --format json --exit-code",
    "why --max-count=7 --at=HEAD~1 a.py",
    "why -- -odd-name",
    "blame a.py --at v1",
    "blame -L 3,5 a.py",
    "log",
    "log -1",
    "log --all -n 20 v1..v2 main",
    "log v1..v2 -- src -odd",
    "log --since=2.weeks --author Ada --no-merges --first-parent",
    "recall why an LRU",
    "recall why --file a --file b --agent codex --type text --type thinking -4",
    "recall why --merged --unmerged=main --model opus --model *mini*",
    "recall why --ran make* --standing gone --role user --since=1.week --until now --session 7d",
    "ask claude why is it so --by codex --merged --ran *deploy* --commit v1..v2 -3 --yes",
    "get abc",
    "get abc def --window 3 --format agent",
    "status",
    "status --format human",
    "models",
    "models pull",
    "index",
    "index a b --agent codex --agent claude_code --adopt --no-embed --wait",
    "import entire --no-embed --format json",
    "link --all",
    "link v1..v2 main",
    "init --no-hooks",
    "deinit --purge",
    "reindex --wait",
    "completion bash",
]
NOT_PLAIN = [
    "why",
    "why a b",
    "why a --bogus",
    "why a --format yaml",
    "why a -n x",
    "why a -n",
    "why a --exit-code=1",
    "why -h",
    "get",
    "get a b --window -1",
    "get a b --window=99999999999999999999",
    "why a -n=-1",
    "log --max-count=-1",
    "log -n 99999999999999999999",
    "demo --speed=-1",
    "completion tcsh",
    "status extra",
]


def split(command_line: str) -> tuple[str, list[str]]:
    name, *rest = command_line.split()
    return name, _spelled_out(COMMANDS[name], rest)


def by_cyclopts(name: str, rest: list[str]) -> dict[str, Any]:
    function, bound, _ = build_app().parse_args(
        [name, *rest], print_error=False, exit_on_error=False
    )
    assert function is COMMANDS[name].load()
    bound.apply_defaults()
    return dict(bound.arguments)


@pytest.mark.parametrize("command_line", PLAIN)
def test_both_readers_understand_the_same(command_line: str) -> None:
    name, rest = split(command_line)
    function = COMMANDS[name].load()
    read = quick.bind(function, rest)
    assert read is not None
    mine = inspect.signature(function).bind(*read.args, **read.kwargs)
    mine.apply_defaults()
    assert dict(mine.arguments) == by_cyclopts(name, rest)


@pytest.mark.parametrize("command_line", NOT_PLAIN)
def test_what_is_not_plainly_right_is_left_to_cyclopts(command_line: str) -> None:
    name, rest = split(command_line)
    assert quick.bind(COMMANDS[name].load(), rest) is None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_read_quickly(name: str) -> None:
    assert quick.spec(COMMANDS[name].load()) is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_each_command_with_an_example(name: str) -> None:
    text = COMMANDS[name].load().__doc__ or ""
    assert text.splitlines()[0] == COMMANDS[name].help
    assert f"Example: git funes {name}" in text
    for option in _parameters(COMMANDS[name].load()):
        assert f"\n    {option}\n        " in text, option


def _parameters(function: Callable[..., int]) -> list[str]:
    taken = inspect.signature(function).parameters.values()
    return [each.name for each in taken if each.kind is not each.VAR_KEYWORD]


@pytest.mark.parametrize("name", ["recall", "ask"])
def test_every_filter_is_an_option_and_is_explained(name: str) -> None:
    known = quick.spec(COMMANDS[name].load())
    assert known is not None
    text = help_text(name)
    fields = {field.name for field in dataclasses.fields(Filters)}
    assert {option.field for option in OPTIONS.values()} == fields
    for option, narrowing in taken(by=name == "ask").items():
        assert known.options[f"--{option}"] == (option, narrowing.kind)
        assert f"  --{option}" in text
        assert " ".join(narrowing.said.split()) in " ".join(text.split())


def test_cyclopts_is_imported_by_the_command_line_only() -> None:
    root = Path(__file__).parents[2] / "funes_git"
    allowed = {root / "cli.py", *(root / "commands").glob("*.py")}
    for path in sorted(root.rglob("*.py")):
        if path in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "cyclopts"], path
