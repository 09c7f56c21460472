"""Imports point down, heavy libraries have one owner, and parsers stand alone (DESIGN.md §4)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

LAYERS = (
    # plain data and pure functions
    """errors version layout model lines keyblocks decoded plausible haystack logs spool fusion
    belong adopt chunk once sift parquet sessionfile asking wellformed spans linehash told
    origin skips definitions""",
    # settings
    "config enabled",
    # what reaches outside: git, the stores, models, the scanner, other programs' files
    "git store hosts encoder embed rerank shipped power redact leaks models alone remotes",
    # the work
    """editrecord secretids prepare predecessor progress reading rootcache pool proof ingest
    touching discovery explain foreign agents link why recall worker dates filters prompts targets
    answers shown relaid authors containing standing ran runs forget vectorise doctor demo imports
    notes publish sync""",
    # what people see
    "render output pager crash failures interrupts",
    "commands mcp",
    "cli",
    "__main__",
)
"""The top-level modules of funes_git, lowest first. A module imports from its own layer and those
before it."""

OWNERS: dict[str, frozenset[str]] = {
    "lancedb": frozenset(["store.lance", "store.lanceclient", "store.shared"]),
    "pyarrow": frozenset(
        [
            *("store.arrow", "store.heap", "store.lance", "store.orphans", "store.shared"),
            *("parquet", "remotes.objects"),
        ]
    ),
    "tantivy": frozenset(["store.fields", "store.text"]),
    "numpy": frozenset(["store.vectors", "embed", "encoder", "rerank"]),
    "onnxruntime": frozenset(["encoder"]),
    "fastembed": frozenset(["embed"]),
    "tokenizers": frozenset(["encoder"]),
    "kingfisher_sdk": frozenset(["redact"]),
    "betterleaks": frozenset(["leaks"]),
    "zstandard": frozenset(["sessionfile"]),
    "msgspec": frozenset(["sessionfile"]),
    "isal": frozenset(["store.pack"]),
    "huggingface_hub": frozenset(["models", "remotes.hub", "remotes.huberrors"]),
    "cyclopts": frozenset(["cli", "commands.options", "commands.help"]),
    "pygit2": frozenset(),
}
"""Third-party libraries and the modules that may import them."""

PROGRAMS = ("git", "pager", "pool", "worker", "doctor", "demo", "hosts")
"""The top-level modules that may start another program."""


@dataclass(frozen=True)
class Import:
    """`module` imports `name`, when it is itself imported (`early`) or later."""

    module: str
    name: str
    early: bool
    line: int


def _walk(node: ast.AST, *, early: bool) -> Iterator[tuple[ast.AST, bool]]:
    """All statements, with whether they run on import."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # most nodes are in there, and no import
        yield child, early
        later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
        yield from _walk(child, early=early and not later and not typing)


def imports(package: Path, folder: Path) -> list[Import]:
    """Every import statement under `package`; modules are named relative to it."""
    found: list[Import] = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__") or "__init__"
        here = path.relative_to(folder).parent.parts
        for node, early in _walk(ast.parse(path.read_text()), early=True):
            if isinstance(node, ast.Import):
                found += [Import(module, alias.name, early, node.lineno) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(here[: len(here) - node.level + 1]) if node.level else ""
                full = ".".join(filter(None, [base, node.module or ""]))
                names = [f"{full}.{alias.name}" for alias in node.names]
                found += [Import(module, name, early, node.lineno) for name in names]
    return found


@cache
def ours() -> list[Import]:
    return imports(ROOT / "funes_git", ROOT)


@cache
def of_parsers() -> list[Import]:
    return imports(ROOT / "parsers" / "funes_git_parsers", ROOT / "parsers")


def layer(module: str) -> int:
    """The layer of a module, named relative to funes_git."""
    top = module.partition(".")[0]
    for number, names in enumerate(LAYERS):
        if top in names.split():
            return number
    raise AssertionError(f"funes_git.{top} has no layer: name it in LAYERS")


def test_there_is_something_to_check() -> None:
    assert len(ours()) > 100
    assert len(of_parsers()) > 50


def test_imports_point_down() -> None:
    wrong = [
        f"{found.module}:{found.line} imports {found.name}"
        for found in ours()
        if found.name.startswith("funes_git.")
        and found.module != "__init__"
        and layer(found.name.split(".")[1]) > layer(found.module)
    ]
    assert wrong == []


def test_no_modules_import_each_other() -> None:
    modules = {found.module for found in ours()}
    graph: dict[str, set[str]] = {module: set() for module in modules}
    for found in ours():
        if found.early and found.name.startswith("funes_git."):
            name = found.name.removeprefix("funes_git.")
            target = name if name in modules else name.rpartition(".")[0]
            if target in modules and target != found.module:
                graph[found.module].add(target)
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " → ".join((*path[path.index(module) :], module))
        if module not in done:
            for target in sorted(graph[module]):
                visit(target, (*path, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize("library", sorted(OWNERS))
def test_a_heavy_library_has_one_owner(library: str) -> None:
    users = {found.module for found in ours() if found.name.split(".")[0] == library}
    assert users <= OWNERS[library]


def test_heavy_libraries_are_imported_late() -> None:
    heavy = OWNERS.keys() - {"cyclopts"}
    early = [f"{f.module}: {f.name}" for f in ours() if f.early and f.name.split(".")[0] in heavy]
    assert early == []


def test_only_git_and_a_few_others_start_programs() -> None:
    users = {found.module for found in ours() if found.name.split(".")[0] == "subprocess"}
    assert {module.split(".")[0] for module in users} <= set(PROGRAMS)


def test_parsers_need_nothing_but_python() -> None:
    allowed = sys.stdlib_module_names | {"funes_git_parsers"}
    wrong = [f"{f.module}: {f.name}" for f in of_parsers() if f.name.split(".")[0] not in allowed]
    assert wrong == []
