"""Commands that people type all day import nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.running import environment
from helpers import share_caches

from funes_git.demo import story
from funes_git.demo.stage import Stage

HEAVY = (
    "lancedb",
    "pyarrow",
    "numpy",
    "onnxruntime",
    "fastembed",
    "tantivy",
    "tokenizers",
    "kingfisher_sdk",
    "huggingface_hub",
    "zstandard",
    "msgspec",
)
LINE = "src/pocket/cache.py:21"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The demo's repository, with a memory."""
    stage = Stage(tmp_path_factory.mktemp("startup") / "demo")
    stage.build()
    share_caches(stage.home)
    story.tell(stage)
    paths = environment()["PYTHONPATH"]
    stage.shell(f"PYTHONPATH={paths} git-funes init --no-hooks --no-embed")
    return stage


def imported(program: str, stage: Stage) -> tuple[int, set[str]]:
    """The exit code of a program, and the names of the modules that it imported."""
    last = "import sys; sys.stderr.write('\\n' + ' '.join(sys.modules)); sys.exit(code)"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{last}"],
        cwd=stage.repo,
        env={**environment(), **stage.settings()},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, set(done.stderr.splitlines()[-1].split())


def run(*args: str) -> str:
    """A program that runs a command line."""
    return f"from funes_git.cli import main; code = main({list(args)!r})"


@pytest.mark.parametrize(
    "program",
    [
        "code = 0; import funes_git.cli",
        "code = 0; import funes_git.worker",
        "code = 0; import funes_git_parsers; funes_git_parsers.load()",
        run("-h"),
        run("why", "-h"),
        run("--version"),
        run("status"),
        run("why", LINE),
        run("why", LINE, "--format", "json"),
        run("why", "HEAD"),
        run("why", LINE, "--chain"),
        run("why", "src/pocket/cache.py:get"),
        run("why", "--deleted", "time.monotonic()"),
        run("blame", "src/pocket/cache.py"),
        run("log", "-3"),
        run("completion", "bash"),
    ],
)
def test_nothing_heavy_is_imported(program: str, stage: Stage) -> None:
    code, modules = imported(program, stage)
    assert code == 0
    assert modules & {"funes_git", "funes_git_parsers"}
    assert modules.isdisjoint(HEAVY)


@pytest.mark.parametrize("args", [("status",), ("why", LINE), ("log", "-1"), ("--version",)])
def test_plain_command_lines_need_no_parser_of_arguments(
    args: tuple[str, ...], stage: Stage
) -> None:
    assert imported(run(*args), stage)[1].isdisjoint({"cyclopts", "rich", "attrs"})


def test_the_check_sees_what_is_imported(stage: Stage) -> None:
    assert "numpy" in imported("code = 0; import numpy", stage)[1]
