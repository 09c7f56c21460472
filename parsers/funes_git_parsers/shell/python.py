"""What a Python program inside a shell command writes, where it spells the texts out.

Standard library only; the program is parsed, never run. It knows constants, `open`, `Path`,
`str.replace`, and names that were given such a value: the ways in which agents edit a file by a
few lines of Python.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import TypeAlias

from funes_git_parsers.dataclass import dataclass

MAX_PROGRAM = 200_000
"""Characters; a longer program is data, and slow to parse."""


@dataclass(frozen=True, slots=True)
class PythonWrite:
    """One write. `new` is the whole text (`append`: the text added) unless `old` is given, which it
    then replaces; None where the text is not known."""

    path: str
    new: str | None
    old: str | None = None
    append: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    """A file that was opened, or a `Path`; `mode` as `open` takes it."""

    path: str
    mode: str = "r"


@dataclass(frozen=True, slots=True)
class _Read:
    """The text of a file, after replacements."""

    path: str
    replaced: tuple[tuple[str, str], ...] = ()


_Value: TypeAlias = str | _File | _Read | None


def python_writes(program: str) -> list[PythonWrite]:
    """What `program` writes to files that it names by constants, in the order of the text."""
    if len(program) > MAX_PROGRAM or "write" not in program:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    try:
        return list(_Program().block(tree.body))
    except RecursionError:
        return []


class _Program:
    def __init__(self) -> None:
        self.names: dict[str, _Value] = {}

    def block(self, body: list[ast.stmt]) -> Iterator[PythonWrite]:
        for statement in body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self.bind(statement.targets[0], self.value(statement.value))
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, self.value(item.context_expr))
            elif isinstance(statement, ast.Expr):
                yield from self.call(statement.value)
            for name in ("body", "orelse", "finalbody"):
                yield from self.block(getattr(statement, name, []))

    def bind(self, target: ast.expr, value: _Value) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value

    def value(self, node: ast.expr) -> _Value:
        """What an expression is, as far as it can be told."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Call):
            return self.result(node)
        return None

    def result(self, node: ast.Call) -> _Value:
        args = [self.value(arg) for arg in node.args]
        if not isinstance(node.func, ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            return self.opened(name, args, node.keywords)
        if node.func.attr == "Path":
            return self.opened("Path", args, [])
        target = self.value(node.func.value)
        if isinstance(target, _File):
            if node.func.attr == "open":
                return self.opened("open", [target.path, *args], node.keywords)
            return _Read(target.path) if node.func.attr in ("read", "read_text") else None
        if isinstance(target, _Read) and node.func.attr == "replace":
            old, new = (*args, None, None)[:2]
            if isinstance(old, str) and isinstance(new, str):
                return _Read(target.path, (*target.replaced, (old, new)))
        return None

    def opened(self, name: str, args: list[_Value], keywords: list[ast.keyword]) -> _Value:
        path = args[0] if args else None
        path = path.path if isinstance(path, _File) else path
        if name not in ("open", "Path") or not isinstance(path, str):
            return None
        modes = [self.value(k.value) for k in keywords if k.arg == "mode"]
        mode = args[1] if len(args) > 1 and name == "open" else (modes or ["r"])[0]
        return _File(path, mode if isinstance(mode, str) else "r")

    def call(self, node: ast.expr) -> Iterator[PythonWrite]:
        """The write that a call is, if it is one."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            return
        file = self.value(node.func.value)
        if not isinstance(file, _File) or not node.args:
            return
        if node.func.attr == "write_text" or (node.func.attr == "write" and file.mode[:1] in "wax"):
            yield from _written(file, self.value(node.args[0]))


def _written(file: _File, text: _Value) -> Iterator[PythonWrite]:
    append = file.mode.startswith("a")
    if isinstance(text, str):
        yield PythonWrite(file.path, text, append=append)
    elif isinstance(text, _Read) and text.path == file.path and text.replaced:
        for old, new in text.replaced:
            yield PythonWrite(file.path, new, old)
    else:
        yield PythonWrite(file.path, None)
