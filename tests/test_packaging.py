"""What the wheel and the sdist hold, and that an installed wheel works."""

from __future__ import annotations

import configparser
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = {"funes_git": ROOT / "funes_git", "funes_git_parsers": ROOT / "parsers/funes_git_parsers"}

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist of the checkout, and the wheel made from that sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Iterator[zipfile.ZipFile]:
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as opened:
        yield opened


def code(folder: Path) -> set[str]:
    """The files of a package, relative to it."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    extra = {top for top in tops if not top.endswith((".dist-info", ".data"))}
    assert extra == {"funes_git", "funes_git_parsers"}


@pytest.mark.parametrize("package", CODE)
def test_every_file_of_a_package_is_in_the_wheel(wheel: zipfile.ZipFile, package: str) -> None:
    names = {n.removeprefix(f"{package}/") for n in wheel.namelist() if n.startswith(f"{package}/")}
    assert {name for name in names if not name.startswith("_hooks/")} == code(CODE[package])
    assert "py.typed" in names


def test_hooks_keep_their_executable_bit(wheel: zipfile.ZipFile) -> None:
    hooks = ROOT / "hooks"
    assert code(hooks)
    for name in code(hooks):
        mode = wheel.getinfo(f"funes_git/_hooks/{name}").external_attr >> 16
        assert bool(mode & 0o111) == bool((hooks / name).stat().st_mode & 0o111), name
    assert wheel.getinfo("funes_git/_hooks/git/funes-hook").external_attr >> 16 & 0o111 == 0o111


def test_the_man_page_goes_where_man_looks(wheel: zipfile.ZipFile) -> None:
    (page,) = [name for name in wheel.namelist() if name.endswith("git-funes.1")]
    assert page.endswith(".data/data/share/man/man1/git-funes.1")
    assert wheel.read(page) == (ROOT / "docs/git-funes.1").read_bytes()


def test_entry_points_can_be_loaded(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    points = configparser.ConfigParser()
    points.read_string(wheel.read(name).decode())
    assert set(points["console_scripts"]) == {"git-funes", "funes-git"}
    assert {"claude_code", "codex"} <= set(points["funes_git.parsers"])
    for section in points.sections():
        for value in points[section].values():
            module, _, attribute = value.partition(":")
            loaded = import_module(module)
            assert getattr(loaded, attribute) if attribute else loaded


def test_the_sdist_can_be_tested_and_holds_no_rubbish(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"README.md", "LICENSE", "pyproject.toml", "tests/conftest.py"} <= names
    assert {"hooks/git/funes-hook", "docs/git-funes.1"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".git/")]


def test_an_installed_wheel_runs_by_itself(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True, capture_output=True)
    program = (
        f"import sys; sys.path.insert(0, {str(target)!r})\n"
        "import funes_git, funes_git_parsers, funes_git.cli\n"
        "from funes_git.hosts import githooks\n"
        f"assert funes_git.__file__.startswith({str(target)!r}), funes_git.__file__\n"
        f"assert funes_git_parsers.__file__.startswith({str(target)!r})\n"
        "sys.exit(funes_git.cli.main(['-h']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "git funes" in done.stdout
    hook = target / "funes_git/_hooks/git/funes-hook"
    assert hook.stat().st_mode & 0o111
