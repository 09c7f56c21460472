"""`git funes import traces ORG/REPO` from a Hub, with huggingface_hub's own client, and of the
records of Agent Trace. The client reads its settings once, so the command runs in a process of its
own."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from agents import ClaudeSession, CodexSession
from cli.running import funes
from helpers import GitRepo
from hub import Hub, serving
from imports import imported
from memory import Memory

from funes_git.errors import UsageError
from funes_git.skips import Skip


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Any:
    with serving() as found:
        monkeypatch.setenv("HF_ENDPOINT", found.url)
        monkeypatch.delenv("HF_HUB_OFFLINE")
        yield found


def run(repo: GitRepo, *args: str) -> dict[str, Any]:
    done = funes("import", "traces", *args, "--no-embed", "--format", "json", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def table(rows: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def row(session_id: str, cwd: str, path: str, text: str) -> dict[str, Any]:
    """A session of a table that wrote one file."""
    write = {"name": "Write", "arguments": json.dumps({"file_path": path, "content": text})}
    messages = [
        {"role": "user", "content": f"Write {path}"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": write}]},
        {"role": "tool", "content": "File created", "tool_call_id": "c1"},
    ]
    return {
        "session_id": session_id,
        "messages": [json.dumps(message) for message in messages],
        "harness": "claude_code",
        "sent_at": "2025-12-29T09:00:00.000Z",
        "metadata": json.dumps({"cwd": cwd}),
    }


def test_sessions_of_this_repository_are_taken_from_a_dataset(
    repo: GitRepo, hermetic: Path, hub: Hub
) -> None:
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Cap the cache")
    claude.write("src/cache.py", "LIMIT_OF_CACHE = 128\n")
    codex = CodexSession(repo, hermetic)
    codex.prompt("Say hello")
    repo.write("src/hello.py", "print('hello to everyone')\n")
    repo.commit("All", date=claude.clock.tick(3600))
    there = row("theirs", "/x/other", "/x/other/README.md", "# Other\n")
    repo.write("README.md", "# This\n")
    ours = row("ours", "/y/app", "/y/app/src/hello.py", "print('hello to everyone')\n")
    hub.put(
        "acme/traces",
        {
            "README.md": b"# Traces\n",
            "sessions/a.jsonl": claude.file.read_bytes().replace(
                str(repo.path).encode(), b"/z/app"
            ),
            "sessions/b.jsonl": codex.file.read_bytes().replace(
                str(repo.path).encode(), b"/z/none"
            ),
            "data/train.parquet": table([ours, there]),
        },
    )
    claude.file.unlink()
    codex.file.unlink()
    found = run(repo, "acme/traces")
    assert found["transcripts"]["found"] == 4
    assert (found["transcripts"]["read"], found["transcripts"]["foreign"]) == (2, 2)
    memory = Memory(repo)
    assert memory.who("src/cache.py") == {"LIMIT_OF_CACHE = 128": claude.id}
    assert memory.who("src/hello.py") == {"print('hello to everyone')": "ours"}
    (answer,) = memory.why("src/hello.py:1").answers
    assert (answer.link.harness, answer.link.source) == ("claude_code", "traces")
    assert run(repo, "acme/traces")["transcripts"]["read"] == 0
    kept = [path for path in hermetic.rglob("*") if path.suffix in (".parquet", ".jsonl")]
    assert kept == []  # nothing stays in the Hub's cache


def test_a_dataset_that_is_not_there_is_told(repo: GitRepo, hub: Hub) -> None:
    repo.commit("first")
    done = funes("import", "traces", "acme/none", cwd=repo.path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: no dataset acme/none that you may read without a token (401)" in done.stderr
    assert "hint: hf auth login" in done.stderr


def test_without_the_network_the_reason_is_told(
    repo: GitRepo, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("first")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE is set" in funes("import", "traces", "a/b", cwd=repo.path).stderr
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    done = funes("import", "traces", "a/b", cwd=repo.path)
    assert (done.returncode, "error: the Hub cannot be reached" in done.stderr) == (1, True)


def test_only_traces_take_a_name(repo: GitRepo) -> None:
    memory = Memory(repo)
    for source, where, said in (
        ("traces", None, "needs the name of a dataset"),
        ("traces", "acme", "not the name of a dataset"),
        ("entire", "acme/traces", "takes no acme/traces"),
    ):
        with pytest.raises(UsageError, match=said):
            imported(memory, source, where)


def record(revision: str, path: str, at: str, **more: Any) -> str:
    talk = {
        "url": "file:///home/me/.claude/projects/x/conv-1.jsonl",
        "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-4-5"},
        "ranges": [{"start_line": 1, "end_line": 2}],
    }
    return json.dumps(
        {
            "version": "0.1.0",
            "id": "550e8400",
            "timestamp": at,
            "vcs": {"type": "git", "revision": revision},
            "tool": {"name": "claude-code"},
            "files": [{"path": path, "conversations": [talk | more]}],
        }
    )


def test_a_record_of_agent_trace_speaks_of_the_next_commit_of_its_file(repo: GitRepo) -> None:
    at = 1_767_000_000.0  # 2025-12-29T09:20:00Z
    first = repo.commit("first", date=at)
    repo.write("other.py", "OTHER = 1\n")
    repo.commit("other", date=at + 120)
    repo.write("a.py", "ALPHA = 1\nBETA = 2\n")
    second = repo.commit("alpha", date=at + 240)
    repo.write("a.py", "ALPHA = 1\nBETA = 3\n")
    third = repo.commit("beta", date=at + 3600)
    lines = [
        record(first, "a.py", "2025-12-29T09:21:00Z"),
        record(first, "a.py", "2025-12-29T09:22:00Z", ranges=[{"start_line": 4, "end_line": 4}]),
        record(second, "a.py", "2025-12-29T09:30:00Z", contributor={"type": "human"}),
        record("f" * 40, "a.py", "2025-12-29T09:21:00Z"),
        record(first, "none.py", "2025-12-29T09:21:00Z"),
        "{half a line",
        "",
    ]
    repo.write(".agent-trace/traces.jsonl", "\n".join(lines))
    memory = Memory(repo)
    report = imported(memory, "agent-trace")
    place = ".agent-trace/traces.jsonl:6"
    assert report.skips == (Skip("no record of Agent Trace", 1, (place,)),)
    assert report.attributions == 1
    (link,) = memory.links(second)
    assert (link.session_id, link.harness, link.source) == ("conv-1", "claude_code", "agent-trace")
    assert (link.level, link.path, link.lines) == ("imported", "a.py", ((1, 2), (4, 4)))
    assert memory.links(third) == []
    assert imported(memory, "agent-trace").new_attributions == 0
