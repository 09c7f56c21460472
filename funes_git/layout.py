"""Where everything of a repository and of a user lives (DESIGN.md §3). Paths only."""

from __future__ import annotations

from pathlib import Path

from funes_git.origin import FOLDER
from funes_git_parsers.dataclass import dataclass

COPY = "copy"
"""The folder, among what is kept of a memory elsewhere, in which its next version is made."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of one repository's memory, under `<git common dir>/funes`."""

    root: Path

    @property
    def memory(self) -> Path:
        """The LanceDB database: the memory itself."""
        return self.root / "memory"

    @property
    def next_memory(self) -> Path:
        """The memory while it is written anew."""
        return self.root / "memory.next"

    @property
    def last_memory(self) -> Path:
        """The memory that was written anew, until everything made of it is gone."""
        return self.root / "memory.last"

    @property
    def decisions(self) -> Path:
        """Reviews, tombstones and settings made by people (SQLite)."""
        return self.root / "decisions.sqlite"

    @property
    def catalog(self) -> Path:
        """Sessions, turns, edits and links for reading (SQLite, derived)."""
        return self.root / "catalog.sqlite"

    @property
    def text(self) -> Path:
        """The tantivy index (derived)."""
        return self.root / "text"

    @property
    def vectors(self) -> Path:
        """The mapped vectors (derived)."""
        return self.root / "vectors"

    @property
    def spool(self) -> Path:
        """One small file per hook event, written by shell."""
        return self.root / "spool"

    @property
    def imported(self) -> Path:
        """Sessions of other tools while they are read."""
        return self.root / FOLDER

    @property
    def drafts(self) -> Path:
        """What is laid out to be published."""
        return self.root / "publish"

    def publishing(self, memory: str) -> Path:
        """What is laid out for a memory until it is sent."""
        return self.drafts / memory.replace("/", "--")

    @property
    def verdicts(self) -> Path:
        """What the scanners said of texts before they were to be published (SQLite, derived)."""
        return self.drafts / "verdicts.sqlite"

    @property
    def remotes(self) -> Path:
        """For each memory elsewhere, what both had when they last met (derived)."""
        return self.root / "remotes"

    @property
    def copies(self) -> list[Path]:
        """Tables that are, or were by a process that was killed, laid out to be pushed."""
        return sorted(self.remotes.glob(f"*/{COPY}"))

    @property
    def log(self) -> Path:
        """The log of background work."""
        return self.root / "log" / "worker.log"

    @property
    def write_lock(self) -> Path:
        """Held by the one process that writes the stores."""
        return self.root / "write.lock"

    @property
    def worker_lock(self) -> Path:
        """Held by the one background worker."""
        return self.root / "worker.lock"


@dataclass(frozen=True, slots=True)
class UserLayout:
    """The files of one user, shared by all repositories."""

    cache: Path
    """`~/.cache/funes-git`"""
    config: Path
    """`~/.config/funes-git`"""

    @property
    def models(self) -> Path:
        """Downloaded model weights."""
        return self.cache / "models"

    @property
    def graphs(self) -> Path:
        """The embedding model as onnxruntime has optimised it."""
        return self.cache / "graphs"

    @property
    def discovery(self) -> Path:
        """Which folders each session file touched (SQLite)."""
        return self.cache / "discovery.sqlite"

    @property
    def memories(self) -> Path:
        """Memories that lie elsewhere: which version was seen, and what is derived of it."""
        return self.cache / "memories"

    @property
    def rules(self) -> Path:
        """The secret scanner's compiled rules."""
        return self.cache / "rules"

    @property
    def shim(self) -> Path:
        """The small program that git hooks call; its content holds the path of the executable."""
        return self.config / "bin" / "funes-git-hook"

    @property
    def repositories(self) -> Path:
        """The list of enabled repositories."""
        return self.config / "repositories"
