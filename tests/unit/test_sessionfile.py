"""Files that are named like sessions and are none must neither block nor fill the memory."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from funes_git.sessionfile import open_session
from funes_git_parsers import claude, codex, jsonl
from funes_git_parsers.base import Places, Skipped


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.jsonl", "pipe.jsonl.zst"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(OSError, match="not a regular file"):
            open_session(tmp_path / name)


def test_only_regular_files_are_sessions(tmp_path: Path) -> None:
    ours, theirs = tmp_path / ".claude/projects/p", tmp_path / ".codex/sessions/2026"
    for folder, prefix in ((ours, ""), (theirs, "rollout-")):
        folder.mkdir(parents=True)
        os.mkfifo(folder / f"{prefix}pipe.jsonl")
        (folder / f"{prefix}folder.jsonl").mkdir()
        (folder / f"{prefix}device.jsonl").symlink_to("/dev/zero")
        (folder / f"{prefix}plain.jsonl").write_text("{}\n")
    places = Places(tmp_path, {})
    assert [source.path.name for source in claude.discover(places)] == ["plain.jsonl"]
    assert [source.path.name for source in codex.discover(places)] == ["rollout-plain.jsonl"]


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LONGEST", 100)
    monkeypatch.setattr(jsonl, "_CHUNK", 16)
    data = b'{"n": 1}\n{"n": "' + b"x" * 500 + b'"}\n{"n": 3}\n'
    records = jsonl.read_records(io.BytesIO(data))
    found = [(records.line, each) for each in records]
    assert found == [(1, {"n": 1}), (2, Skipped(2, "too long")), (3, {"n": 3})]
    assert jsonl.resume(io.BytesIO(data), records.position).offset == len(data)
    assert b"\n".join(jsonl.whole_lines(io.BytesIO(data))).split() == b'{"n": 1} {"n": 3}'.split()
