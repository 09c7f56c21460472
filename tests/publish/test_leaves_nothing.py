"""Secrets of every kind, as they are and encoded, in everything that a session holds: none of them
is in anything that leaves the process."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest
from helpers import GitRepo
from hub import serving
from planted import Maker, Planted
from publishing import Project
from secret_forms import FORMS

from funes_git import leaks, redact
from funes_git.publish import gate
from funes_git.store.shared import SharedMemory

SENT = ("as it is", "base64", "hex", "percent signs, all", "JSON, three times", "in two strings")
"""The forms that every secret is sent in; what the gate knows it knows in all (test_gate.py)."""


def forms_of(secret: str) -> Iterator[bytes]:
    """How a secret would look in a request: plain, escaped, in hex, in base64 at any place."""
    raw = secret.encode()
    yield raw
    yield json.dumps(secret)[1:-1].encode()
    yield quote(secret, safe="").encode()
    yield raw.hex().encode()
    for skip in range(3):
        whole = base64.b64encode(b"\0" * skip + raw)
        start, end = (0, 2, 3)[skip], len(whole) - (4 if len(raw) % 3 else 0)
        yield whole[start:end][: max(end - start - 4, 12)]


def read(files: dict[str, bytes], folder: Path) -> Iterator[str]:
    """Every text of a dataset, out of whatever form it is kept in."""
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        yield path
        if path.endswith((".md", ".json", ".jsonl")):
            yield data.decode()
    memory = SharedMemory.open(folder)
    rows = [row for name in memory.tables for row in memory.columns(name, _texts(memory, name))]
    rows += zip(*pq.read_table(folder / "data/passages.parquet").to_pydict().values(), strict=True)
    for row in rows:
        yield from (value for value in row if isinstance(value, str))


def plain(body: bytes) -> str | None:
    """The body of a request, if it is text."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _texts(memory: SharedMemory, name: str) -> list[str]:
    return [field.name for field in memory.table(name).schema if str(field.type) == "string"]


@pytest.fixture
def planted() -> list[Planted]:
    """What one of the scanners knows."""
    every = Maker(7).everything()
    texts = [each.text for each in every]
    found = leaks.shared().find(texts).keys() | redact.shared().find(texts).keys()
    return [each for each in every if each.text in found]


def test_case_34_no_secret_leaves_in_any_form(
    repo: GitRepo, hermetic: Path, tmp_path: Path, planted: list[Planted]
) -> None:
    with serving() as hub:
        project = Project(repo, hermetic, hub)
        claude = project.claude
        for form in SENT:
            for each in planted:
                claude.says(FORMS[form](each))
        token = next(each for each in planted if each.kind == "github").secret
        claude.prompt(f"It is {base64.b64encode(token.encode()).decode()}, and eve@acme.io")
        long = "So it went on and on. " * 54  # the cut between two chunks goes through the token
        claude.says(f"{long}{f'T={token}'.encode().hex()} and {long}")
        claude.write("conf.py", f'TOKEN = "{token[:20]}" + \\\n    "{token[20:]}"\nX = 1\n')
        claude.bash("git add -A && git commit -qm 'More' && git rev-parse HEAD")
        project.memory.sync()
        done = project.publish("--public", release="v0.9.0..HEAD")
        # of some forms nothing is left to be withheld: they were redacted before they were stored
        assert done["counts"]["withheld"] >= 2 * len(planted)
        sent = b"\n".join(hub.received)
        texts = list(read(project.files(), tmp_path / "read"))
    told = "\n".join(texts)
    assert "Bound the cache" in told
    assert "[WITHHELD:" in told
    assert "eve@acme.io" not in told
    both = told.encode("utf-8", "replace")
    leaked = {
        each.kind
        for each in planted
        for form in forms_of(each.secret)
        if form in sent or form in both
    }
    assert leaked == set()
    # what is in the tables' files is in `texts`; all else that was sent is text
    bodies = filter(None, map(plain, hub.received))
    assert gate.check([*texts, *bodies]) == {}


def test_case_34_a_finding_is_named_by_its_place_and_never_shown(
    repo: GitRepo, hermetic: Path, tmp_path: Path
) -> None:
    token = Maker(8).checked("ghp_")
    hidden = f"GITHUB_TOKEN={token}".encode().hex()  # the scanner before storing knows no hex
    with serving() as hub:
        project = Project(repo, hermetic, hub)
        turn = project.claude.says(f"The old one was {hidden}, now it is gone")
        project.memory.sync()
        for options in ((), ("--format", "human"), ("--format", "json")):
            shown = project.funes("review", "v1.0.0", *options)
            assert turn[:8] in shown.stdout
            assert "github" in shown.stdout
            assert hidden not in shown.stdout + shown.stderr
            assert token not in shown.stdout + shown.stderr


def test_a_session_with_a_secret_in_an_id_is_named_by_all_that_looks_at_it(
    repo: GitRepo, hermetic: Path
) -> None:
    token = Maker(8).checked("ghp_")
    hidden = f"GITHUB_TOKEN={token}".encode().hex()
    with serving() as hub:
        project = Project(repo, hermetic, hub)
        turn = project.claude.says("It is done.")
        file = project.claude.file
        file.write_text(file.read_text().replace(turn, hidden))
        project.memory.sync()
        project.grow("other.py", "OTHER = 4096\n", tag="v2.0.0")
        named = project.claude.id[:8]
        human = project.funes("review", "v2.0.0", "--since", "v0.9.0", "--format", "human").stdout
        assert f"session {named} (" in human
        assert f"to look at it: git funes get {named} {hidden[:8]}" in human
        agent = project.funes("review", "v2.0.0", "--since", "v0.9.0", "--format", "agent").stdout
        assert f"left_out {project.claude.id} turns=" in agent
        done = project.publish("--public", "--since", "v0.9.0", release="v2.0.0")
        assert [each["session"] for each in done["left_out"]] == [project.claude.id]
        assert hidden not in human + agent + json.dumps(done)
