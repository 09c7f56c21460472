"""The demo: what it prints can be done again, and it leaves the user's own things alone."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.running import ROOT, funes

from funes_git.demo import story, walk
from funes_git.demo.stage import Stage
from funes_git_parsers import PARSERS
from funes_git_parsers.base import Edit, Places, Session, Skipped, Spawn

FIRST_LINES = "A sample repository: pocket-cache, 10 commits"
CHANGING = ("init", "link")
"""Commands whose second run says something else than the first."""


@dataclass(frozen=True)
class Shown:
    """What a run printed: the kept folder, and each command with its output."""

    text: str
    root: Path
    home: Path
    commands: tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One run of `git funes demo --keep` by a user with settings of their own."""
    home = tmp_path_factory.mktemp("user")
    (home / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n[core]\n\tpager = false\n")
    (home / ".claude").mkdir()
    folder = tmp_path_factory.mktemp("tmp")
    done = funes(
        "demo",
        "--keep",
        cwd=folder,
        HOME=str(home),
        TMPDIR=str(folder),
        CODEX_HOME=str(home / "codex"),
        GIT_DIR="/nowhere",
        COLUMNS="80",
        HF_HUB_OFFLINE="1",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (root,) = folder.glob("funes-demo-*")
    parts = re.split(r"^\$ (git funes .*)$", done.stdout, flags=re.MULTILINE)
    outputs = [_answer(text) for text in parts[2::2]]
    return Shown(done.stdout, root, home, tuple(zip(parts[1::2], outputs, strict=True)))


def _answer(text: str) -> str:
    """A command's output, without the guidance for the next one or the closing lines."""
    return text.strip("\n").split("\n\nKept in ")[0].rpartition("\n\n")[0] or text


def test_the_walk_shows_the_main_commands(shown: Shown) -> None:
    assert shown.text.startswith(FIRST_LINES)
    verbs = [command.split()[2] for command, _ in shown.commands]
    assert {"init", "why", "blame", "recall", "log", "link"} <= set(verbs)
    assert shown.text.splitlines()[-2].startswith("In a repository of your own: `git funes init`")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("why src/pocket/cache.py:", "A TTL does not help"),
        ("why src/pocket/cache.py:", "a person wrote this"),
        ("why src/pocket/store.py:", "I'd rather not use pickle"),
        ("blame", "Ada Park, human"),
        ("recall", "A TTL does not help"),
        ("log", "Codex"),
    ],
)
def test_the_answers_are_those_that_the_story_tells(shown: Shown, command: str, words: str) -> None:
    answers = [out for line, out in shown.commands if line.startswith(f"git funes {command}")]
    assert any(words in re.sub(r"\s*│?\s+", " ", answer) for answer in answers)


def test_every_command_can_be_run_again_in_the_kept_folder(shown: Shown) -> None:
    for command, answer in shown.commands:
        script = f". {shown.root}/env.sh; {command}"
        done = subprocess.run(
            ["sh", "-c", script],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "parsers"))),
                "GIT_PAGER_IN_USE": "true",
                "GIT_PAGER": "cat",
                "COLUMNS": "80",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if command.split()[2] not in CHANGING:
            assert done.stdout.strip("\n") == answer.strip("\n"), command


def test_nothing_of_the_users_own_is_changed(shown: Shown) -> None:
    left = {path.relative_to(shown.home).as_posix() for path in shown.home.rglob("*")}
    assert left == {".gitconfig", ".claude"}


def test_the_folder_goes_away(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "demo")
    stage.build()
    walk.remove(stage.root, stage.repo)
    assert not stage.root.exists()


# --- the story ------------------------------------------------------------------------------------


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A folder in which the story has been told."""
    stage = Stage(tmp_path / "demo")
    stage.build()
    story.tell(stage)
    return stage


def test_the_story_is_the_same_each_time(stage: Stage, tmp_path: Path) -> None:
    again = Stage(tmp_path / "again")
    again.build()
    story.tell(again)
    assert again.shell("git rev-parse HEAD") == stage.shell("git rev-parse HEAD")
    files = [sorted(p.name for p in s.home.rglob("*.jsonl")) for s in (stage, again)]
    assert files[0] == files[1]
    assert len(files[0]) == 6


def test_parsers_read_every_record_of_the_sessions(stage: Stage) -> None:
    items = []
    for parser in PARSERS.values():
        for source in parser.discover(Places(home=stage.home, env={})):
            items += parser.read(source, None, lambda path: path.open("rb"))
    assert not [item for item in items if isinstance(item, Skipped)]
    assert {item.harness for item in items if isinstance(item, Session)} == {"claude_code", "codex"}
    assert len([item for item in items if isinstance(item, Spawn)]) == 1
    written = {Path(item.path).name for item in items if isinstance(item, Edit)}
    assert {"cache.py", "store.py", "test_store.py", "__init__.py"} <= written


def test_the_guidance_fits_a_narrow_terminal(stage: Stage) -> None:
    assert all(len(step.guidance) <= 80 for step in walk.steps(stage))


def test_without_weights_the_walk_waits_for_no_vectors(stage: Stage) -> None:
    assert next(walk.steps(stage)).command == "git funes init --wait"
    stage.shell("git config funes.model BAAI/bge-base-en-v1.5")
    assert next(walk.steps(stage)).command == "git funes init"


def test_the_sample_library_passes_its_own_tests(stage: Stage) -> None:
    out = stage.shell("cd tests && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=../src python3 -m unittest")
    assert "Ran 4 tests" in out
