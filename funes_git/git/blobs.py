"""Reading many blobs from one `git cat-file --batch` process."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from types import TracebackType

from funes_git.git import process
from funes_git.git.repo import Repo

REMEMBERED, SMALL = 256, 100_000
"""Blobs that are kept, and up to how many bytes each."""


class BlobReader:
    """A context in which blobs are read one after the other; starts git at the first one."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._process: subprocess.Popen[bytes] | None = None
        self._last: dict[str, bytes] = {}
        """What was read last: a commit's new version of a file is the next one's old version."""

    def __enter__(self) -> BlobReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._process and self._process.stdin:
            self._process.stdin.close()
            self._process.wait()
            if self._process.stdout:
                self._process.stdout.close()

    def read(self, sha: str) -> bytes:
        """The content of a blob, named by its id or as `commit:path`; empty for the id of all zeros
        and for what is missing."""
        if not sha.strip("0"):
            return b""
        if sha not in self._last:
            content = self._ask(sha)
            if len(content) > SMALL:
                return content
            if len(self._last) >= REMEMBERED:
                self._last.clear()
            self._last[sha] = content
        return self._last[sha]

    def remember(self, sha: str, content: bytes) -> None:
        """Give this for the content of a blob that the repository does not have."""
        self._last[sha] = content

    def _ask(self, sha: str) -> bytes:
        if self._process is None:
            self._process = process.open_pipe(
                self._repo.args("cat-file", "--batch"), self._repo.folder
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        if "\n" in sha:  # the protocol cannot name it
            return b""
        stdin.write(os.fsencode(sha) + b"\n")
        stdin.flush()
        header = stdout.readline().split()
        if len(header) != 3 or not header[2].isdigit():
            return b""
        return stdout.read(int(header[2]) + 1)[:-1]

    def lines(self, sha: str) -> list[str]:
        """The blob's lines; the last one is empty if the file ends with a newline."""
        return self.read(sha).decode("utf-8", "replace").split("\n")

    def count_lines(self, sha: str, wanted: set[str]) -> Counter[str]:
        """How often each of the `wanted` lines stands there: as it is but for trailing white space,
        and, where that is another, without any."""
        counts: Counter[str] = Counter()
        for line in self.lines(sha):
            for text in {line.rstrip(), "".join(line.split())} & wanted:
                counts[text] += 1
        return counts
