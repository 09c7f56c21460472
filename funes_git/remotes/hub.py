"""Datasets on the Hugging Face Hub: read by commit, written by one atomic commit. The only module
besides models.py that knows the Hub's client, which it imports late.

Which Hub, and with which token, is for huggingface_hub to say (`HF_ENDPOINT`, `HF_TOKEN`, `hf auth
login`); the token is neither stored nor printed here. What the client does not do is done here:
its commit is not tried again when the Hub is busy, and its upload of a folder is not atomic.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from funes_git import config
from funes_git.errors import UsageError
from funes_git.remotes import busy
from funes_git.remotes.huberrors import demand_token, translated
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from huggingface_hub import HfApi

KIND = "dataset"
_CARD = re.compile(r"The memory of (.+)")
_RELEASE = re.compile(r"releases/(.+)\.json")
"""How publish/card.py and publish/manifest.py write them."""
_PARTS = re.compile(r"\d{1,9}|\D+")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a dataset, of `size` bytes; `stamp` changes whenever its content does."""

    path: str
    stamp: str
    size: int


@dataclass(frozen=True, slots=True)
class Add:
    """Put a file on the disk, or these bytes, at `path` of the dataset."""

    path: str
    content: Path | bytes


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the file at `path` of the dataset."""

    path: str


Operation: TypeAlias = Add | Delete


@dataclass(frozen=True, slots=True)
class About:
    """What the Hub's list says of a memory: the `repository` that its card names and the releases
    that it holds, the newest first; `size` in bytes or None, `changed` in seconds since the epoch
    or None."""

    name: str
    private: bool
    repository: str
    releases: tuple[str, ...]
    changed: float | None
    size: int | None


class Dataset:
    """One dataset by its name `ORG/NAME`. Every method raises a HubError (huberrors.py) where the
    Hub refuses or cannot be reached."""

    def __init__(self, name: str) -> None:
        """Raises UsageError for a name that is no `ORG/NAME`."""
        is_path = name.startswith(("./", "~/")) or ".." in name
        if name.count("/") != 1 or not all(name.split("/")) or is_path:
            raise UsageError(
                f"not the name of a dataset: {name}",
                "ORG/NAME, as on the Hub (git funes push takes folders)",
            )
        self.name = name

    # --- reading

    def head(self, revision: str | None = None) -> str:
        """The id of the commit that a branch, a tag or an id names (`main` if None)."""
        info = self._ask(lambda api: api.dataset_info(self.name, revision=revision), revision)
        return str(info.sha)

    def exists(self) -> bool:
        """Whether there is such a dataset that one may read."""
        return bool(self._ask(lambda api: api.repo_exists(self.name, repo_type=KIND)))

    def is_private(self) -> bool:
        """Whether only its owners may read it."""
        return bool(self._ask(lambda api: api.dataset_info(self.name)).private)

    def license(self, commit: str | None = None) -> str | None:
        """The license that its card names at a commit (the newest if None)."""
        info = self._ask(lambda api: api.dataset_info(self.name, revision=commit), commit)
        found = info.card_data.get("license") if info.card_data else None
        return str(found) if found else None

    def files(self, commit: str | None = None) -> list[HubFile]:
        """Its files at a commit (the newest if None), by path."""
        from huggingface_hub.hf_api import RepoFile

        def listed(api: HfApi) -> list[RepoFile]:
            rows = api.list_repo_tree(self.name, repo_type=KIND, revision=commit, recursive=True)
            return [row for row in rows if isinstance(row, RepoFile)]

        found = self._ask(listed, commit)
        files = (HubFile(f.path, f.lfs.sha256 if f.lfs else f.blob_id, f.size) for f in found)
        return sorted(files, key=lambda file: file.path)

    def download(self, commit: str, paths: Iterable[str]) -> Path:
        """The folder of the Hub's own cache that holds these files of a commit. Files that are
        there are not asked for again; what was cut off goes on where it was."""
        from huggingface_hub import hf_hub_download, try_to_load_from_cache

        folder = config.hub_cache() / f"datasets--{self.name.replace('/', '--')}/snapshots/{commit}"
        for path in paths:
            known = try_to_load_from_cache(self.name, path, revision=commit, repo_type=KIND)
            if not isinstance(known, str):
                fetch = partial(hf_hub_download, self.name, path, repo_type=KIND, revision=commit)
                self._fetch(fetch, commit)
        return folder

    @contextmanager
    def opened(self, file: HubFile, folder: Path, commit: str | None = None) -> Iterator[Path]:
        """The file on the disk, below `folder`, as long as it is looked at: not in the Hub's cache,
        where it would stay."""
        from huggingface_hub import hf_hub_download

        with tempfile.TemporaryDirectory(dir=folder) as below:
            fetch = partial(
                hf_hub_download,
                self.name,
                file.path,
                repo_type=KIND,
                revision=commit,
                local_dir=below,
            )
            yield self._fetch(fetch, commit)

    # --- writing

    def demand_token(self) -> None:
        """Raises NotAllowed where nobody is logged in, who could write to it."""
        demand_token(self.name)

    def create(self, *, private: bool) -> bool:
        """Make the dataset; False if it is there already, whose visibility is then left alone."""
        if self._ask(lambda api: api.repo_exists(self.name, repo_type=KIND)):
            return False
        self.demand_token()
        self._ask(
            lambda api: api.create_repo(self.name, repo_type=KIND, private=private, exist_ok=True)
        )
        return True

    def delete(self) -> None:
        """Remove the dataset with its whole history."""
        self._ask(lambda api: api.delete_repo(self.name, repo_type=KIND))

    def commit(
        self, operations: Sequence[Operation], parent: str, message: str, details: str = ""
    ) -> str:
        """One commit of all operations on top of `parent`, or nothing of it; its id. Where nothing
        changes there is none, and the newest commit's id comes back. What was uploaded before a
        failure is not sent again.

        Raises Conflict where another commit came first: also where the answer to one's own was
        lost, so look at the new head before trying again.
        """
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        self.demand_token()
        made: list[Any] = []
        for each in operations:
            if isinstance(each, Delete):
                made.append(CommitOperationDelete(path_in_repo=each.path, is_folder=False))
            else:
                content = each.content
                data = content if isinstance(content, bytes) else str(content)
                made.append(CommitOperationAdd(each.path, data))
        done = self._ask(
            lambda api: api.create_commit(
                self.name,
                made,
                repo_type=KIND,
                commit_message=message,
                commit_description=details or None,
                parent_commit=parent,
            )
        )
        return str(done.oid)

    def tags(self) -> dict[str, str]:
        """Its tags and the commits that they name."""
        refs = self._ask(lambda api: api.list_repo_refs(self.name, repo_type=KIND))
        return {tag.name: tag.target_commit for tag in refs.tags}

    def tag(self, name: str, commit: str, message: str = "") -> None:
        """Put a tag on a commit, taking it from another one that has it."""
        if self.tags().get(name) == commit:
            return
        self.untag(name)
        self._ask(
            lambda api: api.create_tag(
                self.name, repo_type=KIND, tag=name, tag_message=message or None, revision=commit
            )
        )

    def untag(self, name: str) -> None:
        """Remove a tag, if there is one."""
        if name in self.tags():
            self._ask(lambda api: api.delete_tag(self.name, repo_type=KIND, tag=name))

    def squash(self, message: str) -> str:
        """Make one commit of the whole history of `main`; its id."""
        self._ask(
            lambda api: api.super_squash_history(self.name, repo_type=KIND, commit_message=message)
        )
        return self.head()

    def _fetch(self, fetch: Callable[[], str], commit: str | None) -> Path:
        return Path(self._ask(lambda _: fetch(), commit))

    def titles(self) -> list[str]:
        """The first lines of the commits' messages, the newest first. Raises HubError."""
        return self._ask(
            lambda api: [c.title for c in api.list_repo_commits(self.name, repo_type=KIND)]
        )

    def drop_large(self, keep: Container[str]) -> int:
        """Remove the large files for good whose sha256 is not to be kept; how many those were.
        Commits that still name them are left without."""

        def dropped(api: HfApi) -> int:
            every = api.list_lfs_files(self.name, repo_type=KIND)
            gone = [file for file in every if file.file_oid not in keep]
            api.permanently_delete_lfs_files(self.name, gone, repo_type=KIND, rewrite_history=False)
            return len(gone)

        return self._ask(dropped)

    def _ask(self, call: Callable[[HfApi], T], revision: str | None = None) -> T:
        return asked(call, self.name, revision)


def search(tag: str, text: str = "", limit: int = 100) -> list[About]:
    """The datasets of the Hub with this tag whose name holds `text`, most used first. Raises
    HubError."""

    def found(api: HfApi) -> list[Any]:
        return list(
            api.list_datasets(
                filter=tag,
                search=text or None,
                sort="downloads",
                limit=limit,
                expand=["private", "cardData", "lastModified", "siblings", "usedStorage"],
            )
        )

    return [_about(info) for info in asked(found, tag)]


def _about(info: Any) -> About:
    card = info.card_data.to_dict() if info.card_data else {}
    about = _CARD.search(str(card.get("pretty_name") or ""))
    names = (_RELEASE.fullmatch(file.rfilename) for file in info.siblings or ())
    releases = sorted((match[1] for match in names if match), key=_by_number, reverse=True)
    changed = info.last_modified.timestamp() if info.last_modified else None
    size = getattr(info, "used_storage", None)
    repository = about[1] if about else ""
    return About(info.id, bool(info.private), repository, tuple(releases), changed, size)


def _by_number(release: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _PARTS.findall(release)]


def asked(call: Callable[[HfApi], T], name: str, revision: str | None = None) -> T:
    """What the Hub answers to `call`, which is made again while the Hub is busy. Raises
    HubError."""
    api = _api()
    return busy.patiently(lambda: translated(lambda: call(api), name, revision))


def _api() -> HfApi:
    config.no_telemetry()
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    # it warns before each of its own tries
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    disable_progress_bars()
    return HfApi()
