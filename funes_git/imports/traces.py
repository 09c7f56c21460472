"""Sessions in a dataset of traces on the Hub: agents' own files, or tables of sessions (Parquet).

A dataset holds sessions of many projects. Only those are taken that worked in this repository: that
recorded one of its commits, or edited files of its history and hardly any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from hashlib import sha1
from pathlib import Path, PurePosixPath

from funes_git.adopt import recorded_roots, was_ours
from funes_git.belong import slashed
from funes_git.git import Repo
from funes_git.imports.found import Found, Transcript
from funes_git.imports.turns import file_name
from funes_git.remotes.hub import Dataset, HubFile
from funes_git.sessionfile import open_session
from funes_git_parsers.base import COMMIT, Parser, Source

SOURCE = "traces"
_SUFFIXES = (".jsonl", ".jsonl.zst", ".json", ".md")
_TABLE = ".parquet"


def find(repo: Repo, name: str) -> Found:
    """The sessions of dataset `name` (`ORG/REPO`). Raises UsageError, FunesError."""
    dataset = Dataset(name)
    commit = dataset.head()
    files = dataset.files(commit)
    wanted = [file for file in files if file.path.endswith((*_SUFFIXES, _TABLE))]
    plain = [file for file in wanted if PurePosixPath(file.path).name != "README.md"]
    folder = repo.layout.imported
    return Found(
        f"sessions in the dataset {name}",
        _transcripts(dataset, commit, plain, folder),
        only_ours=Ours(repo),
        empty=not plain,
    )


def _transcripts(
    dataset: Dataset, commit: str, files: list[HubFile], folder: Path
) -> Iterator[Transcript]:
    for file in files:
        name = f"{file_name(f'{dataset.name}/{file.path}')}/{PurePosixPath(file.path).name}"
        if not file.path.endswith(_TABLE):
            yield Transcript(name, file.stamp, partial(_whole, dataset, commit, file, folder))
            continue
        with dataset.opened(file, folder, commit) as path, closing(open_session(path)) as rows:
            for number, row in enumerate(rows):
                stamp = sha1(row, usedforsecurity=False).hexdigest()
                yield Transcript(f"{name}.{number}.jsonl", stamp, partial(bytes, row))


def _whole(dataset: Dataset, commit: str, file: HubFile, folder: Path) -> bytes:
    with dataset.opened(file, folder, commit) as path:
        return path.read_bytes()


class Ours:
    """Tells whether a session worked in the repository, wherever its checkout was."""

    def __init__(self, repo: Repo) -> None:
        self._paths = repo.known_paths()
        self._commits = set(repo.rev_list("--all")) if repo.has_commits() else set()

    def __call__(self, parser: Parser, source: Source) -> bool:
        """Raises OSError where the source cannot be read."""
        found = parser.roots(source, open_session)
        if any(root.removeprefix(COMMIT) in self._commits for root in found):
            return True
        recorded = {slashed(root) for root in found}
        roots = recorded_roots(recorded, self._paths)
        return any(self._is_checkout(root, recorded) for root in roots)

    def _is_checkout(self, root: str, recorded: set[str]) -> bool:
        inside = {path[len(root) + 1 :] for path in recorded if path.startswith(f"{root}/")}
        hits = inside & self._paths
        # every project has a README.md
        is_telling = len(hits) > 1 or any("/" in hit for hit in hits)
        return is_telling and was_ours(root, recorded, self._paths)
