"""A repository's memory in a test: index, link, ask."""

from __future__ import annotations

from pathlib import Path

from helpers import GitRepo

from funes_git.git import Repo
from funes_git.ingest import IndexReport, index
from funes_git.link.engine import LinkReport, catch_up, link
from funes_git.model import BlameLine, Link, LogEntry, Why
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores
from funes_git.why.blame import blame
from funes_git.why.chain import why_chain
from funes_git.why.deleted import why_deleted
from funes_git.why.log import log
from funes_git.why.target import why
from funes_git.worker import drain


class Memory:
    """Everything a test asks of the memory of `repo`, in this process."""

    def __init__(self, repo: GitRepo) -> None:
        self.path = repo.path
        self.repo = Repo.discover(repo.path)

    def sync(self) -> IndexReport:
        """Take in what git hooks left, index what the agents wrote and link what is new."""
        with Stores.open(self.repo.layout, write=True) as stores:
            drain(self.repo, stores)
            report = index(self.repo, stores)
            catch_up(self.repo, stores.writer)
        return report

    def relink(self) -> LinkReport:
        """Link everything anew."""
        with Stores.open(self.repo.layout, write=True) as stores:
            return link(self.repo, stores.writer, everything=True)

    def catalog(self) -> Catalog:
        """The catalog, for reading."""
        return Catalog.open(self.repo.layout.catalog)

    def blame(self, path: str, at: str | None = None) -> list[BlameLine]:
        """The file's lines with their authors."""
        with self.catalog() as catalog:
            return blame(self.repo, catalog, path, at=at, cwd=self.path)

    def who(self, path: str, at: str | None = None) -> dict[str, str]:
        """Line of the file → the session that wrote it, or `human`, or `unknown`."""
        return {
            line.text.strip(): line.session_id or line.kind
            for line in self.blame(path, at)
            if line.text.strip()
        }

    def why(self, target: str, at: str | None = None, cwd: Path | None = None) -> Why:
        """`git funes why TARGET`."""
        with self.catalog() as catalog:
            return why(self.repo, catalog, target, at=at, cwd=cwd or self.path)

    def chain(self, target: str, at: str | None = None) -> Why:
        """`git funes why --chain TARGET`."""
        with self.catalog() as catalog:
            return why_chain(self.repo, catalog, target, at=at, cwd=self.path)

    def deleted(self, target: str, at: str | None = None) -> Why:
        """`git funes why --deleted TARGET`."""
        with self.catalog() as catalog:
            return why_deleted(self.repo, catalog, target, at=at, cwd=self.path)

    def log(self, *args: str) -> list[LogEntry]:
        """`git funes log ARGS`."""
        with self.catalog() as catalog:
            return list(log(self.repo, catalog, args))

    def links(self, rev: str) -> list[Link]:
        """The links of one commit."""
        sha = self.repo.resolve(rev)
        with self.catalog() as catalog:
            return catalog.links_of([sha]).get(sha, [])
