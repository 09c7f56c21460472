"""Files of a dataset on the Hugging Face Hub. The only module of imports that knows the Hub; it
imports huggingface_hub late.

Which Hub, and with which token, is for huggingface_hub to say (`HF_ENDPOINT`, `HF_TOKEN`, `hf auth
login`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from funes_git import config
from funes_git.errors import FunesError, UsageError
from funes_git_parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a dataset; `stamp` changes whenever its content does."""

    path: str
    stamp: str


class Dataset:
    """One dataset, at the commit that was the newest when it was asked first."""

    def __init__(self, name: str) -> None:
        """Raises UsageError for a name that is no `ORG/REPO`."""
        if name.count("/") != 1 or not all(name.split("/")) or ".." in name:
            raise UsageError(
                f"not the name of a dataset: {name}", "git funes import traces ORG/REPO"
            )
        config.no_telemetry()
        self.name = name
        self._revision: str | None = None

    def files(self) -> list[HubFile]:
        """Its files by path. Raises FunesError where the Hub does not give them."""
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        with self._errors():
            api = HfApi()
            self._revision = api.dataset_info(self.name).sha
            rows = api.list_repo_tree(
                self.name, repo_type="dataset", revision=self._revision, recursive=True
            )
            found = [row for row in rows if isinstance(row, RepoFile)]
        return sorted(
            (HubFile(row.path, row.lfs.sha256 if row.lfs else row.blob_id) for row in found),
            key=lambda file: file.path,
        )

    @contextmanager
    def opened(self, file: HubFile, folder: Path) -> Iterator[Path]:
        """The file on the disk, below `folder`, as long as it is looked at: not in the Hub's cache,
        where it would stay. Raises FunesError."""
        from huggingface_hub import hf_hub_download

        with tempfile.TemporaryDirectory(dir=folder) as below:
            with self._errors():
                path = hf_hub_download(
                    self.name,
                    file.path,
                    repo_type="dataset",
                    revision=self._revision,
                    local_dir=below,
                )
            yield Path(path)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        from httpx import HTTPError  # huggingface_hub's own; it wraps only answers, not their lack
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

        try:
            yield
        except OfflineModeIsEnabled as error:
            raise FunesError(
                "the Hub may not be asked: HF_HUB_OFFLINE is set", "unset HF_HUB_OFFLINE"
            ) from error
        except HfHubHTTPError as error:
            status = error.response.status_code
            if status in (401, 403, 404):
                raise FunesError(
                    f"no dataset {self.name} that you may read ({status})",
                    "hf auth login   (if it is private)",
                ) from error
            raise FunesError(
                f"the Hub answered {status} for {self.name}", "try again later"
            ) from error
        except (HTTPError, OSError) as error:
            said = type(error).__name__
            raise FunesError(f"the Hub cannot be reached ({said})", "try again later") from error
