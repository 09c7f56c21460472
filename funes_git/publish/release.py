"""Make a release of a draft and bring it to the Hub."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.publish import card, gate, removal, rows, send, stage
from funes_git.publish.draft import Chosen, Draft
from funes_git.publish.example import Example, question
from funes_git.publish.manifest import Manifest, load, path_of
from funes_git.publish.part import Part
from funes_git.publish.stage import Stage
from funes_git.remotes.hub import Add, Dataset
from funes_git.remotes.huberrors import Conflict, NotOnHub
from funes_git.remotes.places import EMPTY_DATASET
from funes_git.store.lance import LanceMemory
from funes_git_parsers.dataclass import dataclass

TRIES = 5
LICENSE = "other"


@dataclass(slots=True)
class Prepared:
    """A release that is ready to be laid out: its sessions, and its manifest. `identity` is the
    repository's name and id; of `file` and with `question` its memory can be asked."""

    chosen: Sequence[Chosen]
    identity: tuple[str, str]
    manifest: Manifest
    repository: str
    license: str | None
    file: str
    question: str


@dataclass(slots=True)
class Outcome:
    """What came of publishing: `commit` is None where nothing was sent; `license` is what the card
    names, empty where nothing was sent."""

    manifest: Manifest
    commit: str | None
    files: int = 0
    size: int = 0
    unchanged: bool = False
    license: str = ""


def prepare(
    repo: Repo,
    memory: LanceMemory,
    draft: Draft,
    chosen: Sequence[Chosen],
    tool: str,
    license: str | None,
) -> Prepared:
    """What leaves and its manifest, which names the `tool` with its version."""
    identity = repo.identity()
    span = draft.span
    about = [span.name, draft.scope, list(span.commits), draft.keep_emails]
    digest = rows.Digest(about)
    counts: Counter[str] = Counter()
    linked: set[str] = set()
    sessions: dict[str, tuple[str, ...]] = {}
    example = Example()
    for each in chosen:
        part = each.part
        tables = rows.of(part, identity)
        digest.add(tables)
        counts.update({name: len(tables[name]) for name in tables})
        counts.update(
            exchanges=len(part.exchanges), turns=len(part.turns), withheld=len(part.withheld)
        )
        linked.update(link.commit for link in part.links)
        sessions[part.id] = _exchanges(part)
        example.add(part.links)
    head = span.commits[-1] if span.commits else repo.resolve(span.until)
    commits = tuple(sha for sha in span.commits if sha in linked)
    manifest = Manifest(
        name=span.name,
        range=span.range,
        scope=draft.scope,
        digest=digest.hex(),
        tool=tool,
        model=memory.model,
        published=datetime.now(UTC).isoformat(timespec="seconds"),
        head=head,
        keep_emails=draft.keep_emails,
        repository=tuple(repo.aliases()),
        commits=commits,
        sessions=sessions,
        counts={**counts, "sessions": len(sessions), "range_commits": len(span.commits)},
    )
    names = identity[0].split()
    repository = names[0] if names else repo.name
    asked = question(repo, commits[-1]) if commits else ""
    file = example.file(repo, head)
    return Prepared(chosen, identity, manifest, repository, license, file, asked)


def _counted(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _exchanges(part: Part) -> tuple[str, ...]:
    """The exchanges of a session as its turns name them."""
    return tuple(dict.fromkeys(stored.turn.exchange or "" for stored in part.turns))


@dataclass(frozen=True, slots=True)
class Staged:
    """A release that is laid out in a folder: its name, and the sessions whose traces are made."""

    folder: Path
    name: str
    sessions: Sequence[str]


class Publisher:
    """Publishes to one dataset. What it lays out is kept in `folder` until it is sent, so that a
    publish that was cut off goes on with the very same files."""

    def __init__(self, dataset: Dataset, memory: LanceMemory, folder: Path) -> None:
        self.dataset = dataset
        self._memory = memory
        self._folder = folder

    def unchanged(self, name: str, digest: str, license: str | None = None) -> Outcome | None:
        """The release of a name, if the dataset holds the one of a digest, under this license where
        one is given. Raises HubError."""
        try:
            head = self.dataset.head()
        except NotOnHub:
            return None
        return self._already(name, digest, license, head)

    def license(self, head: str | None = None) -> str | None:
        """The license that the dataset's card names. Raises HubError."""
        return self.dataset.license(head)

    def publish(self, prepared: Prepared, at: Callable[[str], None] = lambda _: None) -> Outcome:
        """Send a release, or nothing where the dataset holds the same. `at` is told each step.
        Raises HubError, SecretFound."""
        release = prepared.manifest
        for _ in range(TRIES):
            head = self.dataset.head()
            if done := self._already(release.name, release.digest, prepared.license, head):
                return done
            staged = self._staged(prepared, head, at)
            try:
                return self._send(staged, head, at)
            except Conflict:
                continue  # somebody else was first: lay it out again, on top of theirs
        raise FunesError(
            f"{self.dataset.name} is changed all the time by others", hint="try again later"
        )

    def _already(self, name: str, digest: str, license: str | None, head: str) -> Outcome | None:
        known = send.published(self.dataset, head, name)
        if known is None or known.digest != digest:
            return None
        if license and license != self.license(head):
            return None
        if known.name not in self.dataset.tags():  # cut off between the commit and its tag
            self.dataset.tag(known.name, head)
        shutil.rmtree(self._folder, ignore_errors=True)
        return Outcome(known, None, unchanged=True)

    def _send(self, staged: Staged, head: str, at: Callable[[str], None]) -> Outcome:
        made = send.operations(staged.folder, self.dataset.files(head), staged.sessions)
        manifest = load((staged.folder / path_of(staged.name)).read_bytes())
        added = [each.content for each in made if isinstance(each, Add)]
        size = stage.size_of(path for path in added if isinstance(path, Path))
        at("sending")
        counts = manifest.counts
        held = (_counted(counts[f"{kind}s"], kind) for kind in ("exchange", "session"))
        message = f"Publish {manifest.name}: {' of '.join(held)}"
        gate.demand_clean("the commit", (message, *(each.path for each in made)))
        names = card.license_of((staged.folder / send.CARD).read_text("utf-8")) or LICENSE
        commit = self.dataset.commit(made, head, message)
        self.dataset.tag(manifest.name, commit)
        shutil.rmtree(self._folder, ignore_errors=True)
        return Outcome(manifest, commit, len(made), size, license=names)

    def _staged(self, prepared: Prepared, head: str, at: Callable[[str], None]) -> Staged:
        """Everything as it will stand in the dataset on top of commit `head`."""
        folder, stamp = self._folder / "files", self._folder / "stamp.json"
        name, now = prepared.manifest.name, [prepared.manifest.digest, head, prepared.license]
        known = json.loads(stamp.read_text()) if stamp.is_file() else None
        if known and known[:-1] == now:
            return Staged(folder, name, known[-1])
        at("laying out")
        shutil.rmtree(self._folder, ignore_errors=True)
        folder.mkdir(parents=True, mode=0o700)
        files = self.dataset.files(head)
        send.fetch_tables(self.dataset, head, files, folder)
        old = send.card(self.dataset, head)
        every = send.releases(self.dataset, head, files)
        others = [each for each in every if each.name != name]
        sessions = {each.shelved.id for each in prepared.chosen}
        for before in every:
            if before.name == name:
                sessions |= self._take_out(prepared, before, others, folder)
        lay_out(prepared, self._memory, folder, self.dataset.name, others, old, sessions)
        stamp.write_text(json.dumps([*now, sorted(sessions)]))
        return Staged(folder, name, sorted(sessions))

    def _take_out(
        self, prepared: Prepared, before: Manifest, others: Sequence[Manifest], folder: Path
    ) -> set[str]:
        """Take out what the release held before of sessions that are known here, and which these
        are: what is to stay is put there again. Those that only somebody else has stay."""
        known = set(self._memory.ids("sessions"))
        mine = {key: each for key, each in before.sessions.items() if key in known}
        theirs = {key: each for key, each in before.sessions.items() if key not in known}
        removal.remove(folder, replace(before, sessions=mine, commits=()), others)
        now = prepared.manifest
        prepared.manifest = replace(now, sessions={**theirs, **now.sessions})
        return set(mine)


def lay_out(
    prepared: Prepared,
    memory: LanceMemory,
    folder: Path,
    name: str,
    others: Sequence[Manifest],
    old_card: str | None,
    sessions: Iterable[str],
) -> None:
    """Lay a release out in a folder that may hold the tables of others, with the traces of these
    sessions. Raises SecretFound."""
    made = Stage(folder, memory)
    for each in prepared.chosen:
        part = each.part
        made.add(part, rows.of(part, prepared.identity))
    made.finish(sessions)
    manifest = prepared.manifest
    facts = card.Facts(
        memory=name,
        repository=prepared.repository,
        license=prepared.license or card.license_of(old_card) or LICENSE,
        rows=made.memory.table("chunks").count_rows(),
        agents=made.agents(),
        models=made.models(),
        releases=[manifest, *others],
        file=prepared.file or card.FILE,
        question=prepared.question or card.QUESTION,
    )
    text = card.render(facts, old_card)
    gate.demand_clean("the dataset's card", [text])
    gate.demand_clean("the release's manifest", _strings(manifest))
    (folder / send.CARD).write_text(text, "utf-8")
    target = folder / manifest.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(manifest.dump())


def tried(prepared: Prepared, memory: LanceMemory, folder: Path, name: str) -> dict[str, int]:
    """The files that a release would be in a new dataset, with their sizes in bytes. Raises
    SecretFound."""
    folder.mkdir(parents=True, mode=0o700)
    sessions = [each.shelved.id for each in prepared.chosen]
    lay_out(prepared, memory, folder, name, [], None, sessions)
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def strange(dataset: Dataset, repo: Repo) -> list[str]:
    """What lies at the top of a dataset that holds something, and nothing of this repository.
    Raises HubError."""
    head = dataset.head()
    files = dataset.files(head)
    tops = sorted({file.path.partition("/")[0] for file in files} - EMPTY_DATASET)
    mine = set(repo.aliases())
    if any(mine & set(each.repository) for each in send.releases(dataset, head, files)):
        return []
    return tops


def _strings(manifest: Manifest) -> list[str]:
    fields = (manifest.name, manifest.range, manifest.scope, manifest.tool, manifest.model)
    return [*fields, *manifest.repository, *manifest.sessions]
