"""Which model a repository uses, and where its weights are. Opens no model and never downloads,
except for `Models.pull`.

Weights come from, in order: the folder that `funes.models` names, an installed package that ships
them, what `git funes models pull` fetched, the Hugging Face cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from funes_git import config, embed, shipped
from funes_git.embed import CatalogueEntry, Weights
from funes_git.errors import FunesError, UnknownTarget
from funes_git_parsers.dataclass import dataclass

DEFAULT = "BAAI/bge-small-en-v1.5"
PULL, OFFLINE = "git funes models pull", "pip install 'funes-git[offline]'"

RERANKER = "sentence-transformers/all-MiniLM-L6-v2"
"""The model that reads the best candidates (rerank.py)."""

_ENTRIES = {
    DEFAULT: CatalogueEntry(
        DEFAULT, 384, 67_000_000, "Qdrant/bge-small-en-v1.5-onnx-Q", "model_optimized.onnx"
    ),
    RERANKER: CatalogueEntry(
        RERANKER, 384, 90_000_000, "qdrant/all-MiniLM-L6-v2-onnx", "model.onnx"
    ),
}
"""Known without importing fastembed, and run without it."""
_SHIPPED = {DEFAULT: shipped.BGE, RERANKER: shipped.MINILM}


class NoModel(FunesError):
    """No weights of the configured model are on this machine."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model for `git funes models`. `weights` is None where none are on this machine; `reads`
    says that it is the one that reads the best candidates; `vectors` counts those of the memory
    that it made."""

    name: str
    dim: int
    weights: Weights | None
    configured: bool
    reads: bool = False
    vectors: int = 0


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

    def find_reranker(self) -> Weights | None:
        """The weights that read the best candidates, or None."""
        return self.find(RERANKER)

    def require(self, name: str | None = None) -> Weights:
        """`find`, or NoModel."""
        found = self.find(name)
        if found is None:
            raise NoModel(f"the weights of {name or self.name} are not on this machine", hint=PULL)
        return found

    def listing(self, held: tuple[str | None, int] = (None, 0)) -> list[ModelInfo]:
        """The default and the configured model, the reranker, and every other one whose weights are
        here or that made the memory's vectors, which `held` tells of as `vectors_state` does."""
        known = dict(_ENTRIES)
        known.update((e.model, e) for e in embed.catalogue() if e.model not in known)
        maker, count = held
        rows = [
            ModelInfo(
                *(name, entry.dim, next(self._places(entry), None), name == self.name),
                reads=name == RERANKER,
                vectors=count if name == maker else 0,
            )
            for name, entry in known.items()
        ]
        wanted = {*_ENTRIES, self.name, maker}
        return [row for row in rows if row.weights or row.name in wanted]

    def pull(self, name: str | None = None) -> Weights:
        """Fetch a model from the Hugging Face Hub, unless it is here. Raises embed.ModelBroken if
        that fails, UnknownTarget for an unknown model."""
        entry = self._entry(name or self.name)
        found = next(self._places(entry), None)
        if found is None:
            embed.download(entry, self._user.models)
            found = self.require(entry.model)
        return found

    def entry(self) -> CatalogueEntry:
        """What is known of the configured model. Raises UnknownTarget."""
        return self._entry(self.name)

    def _entry(self, name: str) -> CatalogueEntry:
        if name in _ENTRIES:
            return _ENTRIES[name]
        for entry in embed.catalogue():
            if entry.model.lower() == name.lower():
                return entry
        raise UnknownTarget(f"no model is called {name}", hint="git funes models")

    def _places(self, entry: CatalogueEntry) -> Iterator[Weights]:
        if self._configured is not None:
            yield from _configured(entry, self._configured, alone=entry.model == self.name)
        if entry.model in _SHIPPED:
            yield from self._packaged(entry.model)
        for cache in (self._user.models, config.hub_cache()):
            yield from _cached(entry, cache)

    def _packaged(self, model: str) -> Iterator[Weights]:
        found = shipped.find(_SHIPPED[model], self._user.cache / "verified.json")
        if found is not None:
            path, tokenizer = found
            words = None if tokenizer.parent == path.parent else tokenizer.parent
            yield Weights(model, "package", path.parent, path.name, direct=True, words=words)


def _configured(entry: CatalogueEntry, root: Path, *, alone: bool) -> Iterator[Weights]:
    """A model in a folder of its name below `root`; `alone`, also in `root` itself."""
    direct = entry.model in _ENTRIES
    own = root / entry.model.rsplit("/", 1)[-1]
    for folder in (own, root) if alone else (own,):
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
            if entry.model not in _ENTRIES:
                yield Weights(entry.model, "cache", cache, entry.file, direct=False)
            elif (folder / "tokenizer.json").is_file():
                yield Weights(entry.model, "cache", folder, entry.file, direct=True)
