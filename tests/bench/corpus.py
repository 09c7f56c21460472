"""A generated repository with sessions: as many commits and sessions as asked, the same each time.

Some commits hold what sessions wrote, the others are a person's. Files grow and are edited in the
middle, so that blame and linking have real work.
"""

from __future__ import annotations

import json
import random
import subprocess
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

START = 1_740_000_000
STEP = 600
WORDS = [
    *("cache", "entry", "limit", "evict", "oldest", "newest", "reader", "writer", "stream"),
    *("buffer", "parse", "token", "session", "commit", "branch", "merge", "index", "vector"),
    *("chunk", "query", "filter", "score", "weight", "rank", "batch", "cursor", "offset"),
    *("retry", "timeout", "backoff", "socket", "handle", "config", "option", "value"),
    *("default", "header", "footer", "render", "layout"),
]


@dataclass
class Corpus:
    """Where a generated corpus lies."""

    repo: Path
    home: Path
    files: dict[str, list[str]] = field(default_factory=dict)


class _Builder:
    def __init__(self, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.corpus = Corpus(folder / "repo", folder / "home")
        self.number = 0
        self.corpus.repo.mkdir(parents=True)
        git = ["git", "-C", str(self.corpus.repo)]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        self.importer = subprocess.Popen([*git, "fast-import", "--quiet"], stdin=subprocess.PIPE)

    def identifier(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def line(self) -> str:
        words = self.random.sample(WORDS, 4)
        self.number += 1
        return f"    {words[0]}_{words[1]} = {words[2]}({words[3]}, {self.number})"

    def change(self, path: str) -> tuple[str, str, list[dict[str, Any]]]:
        """Put a few new lines somewhere into `path`: old text, new text, structuredPatch."""
        lines = self.corpus.files.setdefault(path, [f'"""{path}"""'])
        at = self.random.randint(1, len(lines))
        gone = lines[at : at + self.random.choice((0, 0, 1, 2))]
        new = [self.line() for _ in range(self.random.randint(2, 12))]
        context = lines[at - 1 : at]
        hunk = {
            "oldStart": at,
            "oldLines": 1 + len(gone),
            "newStart": at,
            "newLines": 1 + len(new),
            "lines": [
                *(" " + line for line in context),
                *("-" + line for line in gone),
                *("+" + line for line in new),
            ],
        }
        lines[at : at + len(gone)] = new
        return "\n".join(context + gone), "\n".join(context + new), [hunk]

    def commit(self, author: str, message: str, when: int, paths: list[str]) -> None:
        data = [
            "commit refs/heads/main",
            f"author {author} {when} +0000",
            f"committer {author} {when} +0000",
            f"data {len(message.encode())}\n{message}",
        ]
        for path in dict.fromkeys(paths):
            text = "\n".join(self.corpus.files[path]) + "\n"
            data.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}")
        assert self.importer.stdin is not None
        self.importer.stdin.write(("\n".join(data) + "\n").encode())

    def finish(self) -> None:
        """Let git take in what is left, and check out the last commit."""
        assert self.importer.stdin is not None
        self.importer.stdin.close()
        assert self.importer.wait() == 0
        subprocess.run(["git", "-C", str(self.corpus.repo), "reset", "-q", "--hard"], check=True)


class _Session:
    def __init__(self, builder: _Builder, when: int) -> None:
        self.builder = builder
        self.id = builder.identifier()
        self.now = float(when)
        self.last: str | None = None
        self.lines: list[str] = []

    def record(self, kind: str, message: dict[str, Any], **more: Any) -> None:
        self.now += 0.5
        name = self.builder.identifier()
        stamp = datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")
        record = {
            "parentUuid": self.last,
            "isSidechain": False,
            "cwd": str(self.builder.corpus.repo),
            "sessionId": self.id,
            "version": "2.1.332",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": name,
            "timestamp": stamp.replace("+00:00", "Z"),
            **more,
        }
        self.last = name
        self.lines.append(json.dumps(record, separators=(",", ":")))

    def says(self, block: dict[str, Any]) -> None:
        self.record(
            "assistant",
            {
                "id": "msg_" + self.builder.identifier()[:8],
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [block],
            },
        )

    def edit(self, path: str) -> None:
        old, new, patch = self.builder.change(path)
        call = "toolu_" + self.builder.identifier()[:12]
        file = str(self.builder.corpus.repo / path)
        words = " ".join(self.builder.random.sample(WORDS, 12))
        self.says({"type": "text", "text": f"Now {path}: {words}."})
        arguments = {"file_path": file, "old_string": old, "new_string": new}
        self.says({"type": "tool_use", "id": call, "name": "Edit", "input": arguments})
        result = {"tool_use_id": call, "type": "tool_result", "content": f"{file} was updated."}
        self.record(
            "user",
            {"role": "user", "content": [result]},
            toolUseResult={
                "filePath": file,
                "oldString": old,
                "newString": new,
                "structuredPatch": patch,
                "userModified": False,
            },
        )

    def save(self) -> None:
        folder = self.builder.corpus.home / ".claude" / "projects" / "generated"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.id}.jsonl").write_text("\n".join(self.lines) + "\n")


def generate(
    folder: Path, *, commits: int, sessions: int, seed: int = 1, share: float = 0.8
) -> Corpus:
    """Build the corpus under `folder`; `share` of the commits are of what sessions wrote."""
    builder = _Builder(folder, seed)
    per_session = max(1, int(commits * share) // max(1, sessions))
    session: _Session | None = None
    left = 0
    for n in range(commits):
        when = START + n * STEP
        parts = [builder.random.randrange(1 + commits // 12) for _ in range(2)]
        paths = [f"src/{part // 64}/part{part}.py" for part in parts]
        if int((n + 1) * share) == int(n * share):
            for path in paths:
                builder.change(path)
            builder.commit("Ada <ada@example.org>", f"by hand {n}", when, paths)
            continue
        if left == 0:
            if session:
                session.save()
            session, left = _Session(builder, when - 300), per_session
        assert session is not None
        session.now = float(when - 300)
        words = " ".join(builder.random.sample(WORDS, 8))
        session.record("user", {"role": "user", "content": f"Please change the {words}"})
        for path in paths:
            session.edit(path)
        builder.commit("Ada <ada@example.org>", f"agent's work {n}", when, paths)
        left -= 1
    if session:
        session.save()
    builder.finish()
    return builder.corpus
