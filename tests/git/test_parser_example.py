"""The worked example of parsers/README.md, as the third party's package that it describes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.running import environment, funes
from helpers import GitRepo

README = Path(__file__).parents[2] / "parsers" / "README.md"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder in which the example is installed, with its tests beside."""
    text = README.read_text("utf-8")
    chapter = text[text.index("## Adding a parser") : text.index("## Claude Code")]
    blocks = {}
    for language, body in re.findall(r"^```(\w+)\n(.*?)^```$", chapter, re.DOTALL | re.MULTILINE):
        blocks.setdefault(language, []).append(body)
    (sample,), (parser, tests), (entry,) = blocks["jsonl"], blocks["python"], blocks["toml"]
    site = tmp_path / "site"
    home = site / "home" / ".scribe"
    home.mkdir(parents=True)
    (home / "s1.jsonl").write_text(sample)
    (site / "scribe.py").write_text(parser)
    (site / "test_scribe.py").write_text(tests)
    info = site / "scribe-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scribe\nVersion: 1.0\n")
    entry = entry.replace('[project.entry-points."funes_git.parsers"]', "[funes_git.parsers]")
    (info / "entry_points.txt").write_text(entry.replace('"', ""))
    return site


def environment_of(site: Path) -> str:
    return f"{site}:{environment()['PYTHONPATH']}"


def test_the_example_passes_its_own_tests(site: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_scribe.py"],
        cwd=site,
        env=environment(PYTHONPATH=environment_of(site)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert re.search(r"^2\d passed", done.stdout, re.MULTILINE), done.stdout


def test_the_examples_sessions_are_found_and_indexed(
    site: Path, repo: GitRepo, hermetic: Path
) -> None:
    repo.commit("first")
    sample = (site / "home" / ".scribe" / "s1.jsonl").read_text()
    (hermetic / ".scribe").mkdir()
    (hermetic / ".scribe" / "s1.jsonl").write_text(sample.replace("/work", str(repo.path)))
    path = environment_of(site)
    done = funes("index", "--no-embed", "--format", "json", cwd=repo.path, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["sessions"], report["turns"], report["edits"]) == (1, 3, 1)
    told = funes("status", "--agents", cwd=repo.path, PYTHONPATH=path)
    assert "scribe" in told.stdout.lower()
