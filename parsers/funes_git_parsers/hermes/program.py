"""What a program of Hermes' `execute_code` writes: by Python itself, or by calling Hermes' tools.

The program is parsed, never run. The tools stand in a module `hermes_tools` (NousResearch/
hermes-agent, `tools/code_execution_tool.py`); only arguments that are spelled out are read.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TypeAlias

from funes_git_parsers import tools
from funes_git_parsers.shell.python import MAX_PROGRAM, python_writes
from funes_git_parsers.tools import Call, Change
from funes_git_parsers.values import compact

_TOOLS = {
    "write_file": ("path", "content"),
    "patch": ("path", "old_string", "new_string"),
    "terminal": ("command", "timeout", "workdir"),
}
_Names: TypeAlias = dict[str, str]


def writes_of_program(code: str, cwd: str | None) -> Iterator[Change]:
    """What `code`, run in `cwd`, writes to files that it names."""
    for write in python_writes(code):
        whole = write.new is not None and write.old is None and not write.append
        yield Change(write.path, "create" if whole else "modify", write.old, write.new)
    if len(code) > MAX_PROGRAM or not any(f"{name}(" in code for name in _TOOLS):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            calls = list(_calls(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for name, args in calls:
        yield from tools.asked(Call("", name, compact(args), "", None, cwd))


def _calls(tree: ast.Module) -> Iterator[tuple[str, dict[str, str]]]:
    """The calls of Hermes' tools in the order of the text, with the arguments that are known."""
    names: _Names = {}
    nodes = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Assign)),
        key=lambda node: (node.lineno, node.col_offset),
    )
    for node in nodes:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], _text(node.value, names)
            if isinstance(target, ast.Name):
                names.pop(target.id, None)
                names |= {target.id: value} if value is not None else {}
        elif isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in _TOOLS:
                yield name, _arguments(node, _TOOLS[name], names)


def _arguments(node: ast.Call, order: tuple[str, ...], names: _Names) -> dict[str, str]:
    given = [*zip(order, node.args, strict=False)]
    given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    known = ((name, _text(value, names)) for name, value in given)
    return {name: text for name, text in known if text is not None}


def _text(node: ast.expr, names: _Names) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return names.get(node.id) if isinstance(node, ast.Name) else None
