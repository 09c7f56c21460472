"""Take a release out of a memory again: what no other release holds of it goes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from funes_git.errors import FunesError, UnknownTarget
from funes_git.publish import card, removal, send
from funes_git.publish.manifest import Manifest
from funes_git.publish.stage import Stage
from funes_git.remotes.hub import Dataset, Delete
from funes_git.remotes.huberrors import Conflict
from funes_git_parsers.dataclass import dataclass

TRIES = 5


@dataclass(slots=True)
class Withdrawn:
    """What came of it: rows that went and stay by table; of a purge, the large files that went and
    the tags that were moved."""

    name: str
    commit: str
    gone: dict[str, int]
    kept: int
    purged: int | None = None
    moved: tuple[str, ...] = ()


class Withdrawal:
    """Takes releases out of one dataset; `folder` is where it is laid out meanwhile."""

    def __init__(self, dataset: Dataset, folder: Path) -> None:
        self.dataset = dataset
        self._folder = folder

    def is_gone(self, name: str) -> bool:
        """Whether a release was withdrawn before, so that only the history can have it, or its tag
        where that was cut off. Raises UnknownTarget where there was none of that name, HubError."""
        head = self.dataset.head()
        every = send.releases(self.dataset, head, self.dataset.files(head))
        titles = {_title(name), _squashed(name)}
        if all(each.name != name for each in every) and titles & set(self.dataset.titles()):
            return True
        _named(every, name, self.dataset.name)
        return False

    def withdraw(self, name: str, at: Callable[[str], None] = lambda _: None) -> Withdrawn:
        """Remove a release's rows that no other holds, its manifest, its traces and its tag, in one
        commit. Raises UnknownTarget, HubError."""
        for _ in range(TRIES):
            head = self.dataset.head()
            files = self.dataset.files(head)
            every = send.releases(self.dataset, head, files)
            mine = _named(every, name, self.dataset.name)
            others = [each for each in every if each.name != name]
            at("laying out")
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True, mode=0o700)
            send.fetch_tables(self.dataset, head, files, self._folder)
            done = Withdrawn(name, "", *removal.remove(self._folder, mine, others))
            old = send.card(self.dataset, head)
            self._lay_out(mine, others, old)
            made = [*send.operations(self._folder, files, mine.sessions), Delete(mine.path)]
            at("sending")
            try:
                done.commit = self.dataset.commit(made, head, _title(name))
            except Conflict:
                continue
            self.dataset.untag(name)
            shutil.rmtree(self._folder, ignore_errors=True)
            return done
        raise FunesError(
            f"{self.dataset.name} is changed all the time by others", "try again later"
        )

    def untag(self, name: str) -> bool:
        """Remove the tag of a release that is gone; whether there was one. Raises HubError."""
        there = name in self.dataset.tags()
        self.dataset.untag(name)
        return there

    def purge(self, done: Withdrawn) -> None:
        """Make one commit of the dataset's history, move its tags there, and remove the large files
        that it no longer names. Cannot be undone. Raises HubError."""
        tags = self.dataset.tags().keys() - {done.name}
        done.commit = self.dataset.squash(_squashed(done.name))
        files = self.dataset.files(done.commit)
        # a purge that was killed while it moved the tag of another release left that without
        tags |= {each.name for each in send.releases(self.dataset, done.commit, files)}
        done.moved = tuple(sorted(tags))
        for name in done.moved:
            self.dataset.tag(name, done.commit)
        done.purged = self.dataset.drop_large({file.stamp for file in files})

    def _lay_out(self, mine: Manifest, others: Sequence[Manifest], old: str | None) -> None:
        """Write what is made of the tables."""
        stage = Stage(self._folder)
        stage.finish(mine.sessions)
        facts = card.Facts(
            memory=self.dataset.name,
            repository=card.repository_of(old) or self.dataset.name,
            license=card.license_of(old) or "other",
            rows=stage.memory.table("chunks").count_rows(),
            agents=stage.agents(),
            models=stage.models(),
            releases=others,
        )
        (self._folder / send.CARD).write_text(card.render(facts, old), "utf-8")


def _title(name: str) -> str:
    return f"Withdraw {name}"


def _squashed(name: str) -> str:
    return f"Without {name}"


def _named(every: Iterable[Manifest], name: str, memory: str) -> Manifest:
    known = {each.name: each for each in every}
    if name not in known:
        names = ", ".join(known) or "none"
        raise UnknownTarget(
            f"{memory} has no release {name}; it has {names}", hint="git funes withdraw -h"
        )
    return known[name]
