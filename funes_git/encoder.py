"""A BERT-like model on onnxruntime: the only importer of onnxruntime and tokenizers.

One text at a time: an int8 model's vectors then depend on the text alone, and mixed lengths go
fastest (RETRIEVAL.md §3). Safe to share by threads. numpy is imported inside functions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from funes_git import config
from funes_git.once import Once

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]


_TOLD = 100_000  # bytes at the end of a model, which tell it from others
_UNUSED = 30 * 24 * 3600.0  # seconds


class Encoder:
    """Turns a text into the vectors of its tokens."""

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        tokens: int,
        threads: int | None,
        graphs: Path | None = None,
    ) -> None:
        """Load `model`; texts are cut at `tokens`, `threads` limits the cores that a text is given
        (None: all). In the folder `graphs` the model is kept as onnxruntime optimises it, which
        takes longer than to load it. Raises errors of both libraries."""
        _library()
        session = Once(lambda: _session(model, threads or os.cpu_count() or 1, graphs))
        session.start()  # it needs Python no more, the tokenizer does
        self._tokenizer = _tokenizer(tokenizer, tokens)
        self._session: Any = session.get()
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name

    def states(self, text: str) -> Floats:
        """The last hidden state, one row a token, those that begin and end a text included."""
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        wanted = {name: value for name, value in feeds.items() if name in self._inputs}
        found: Floats = self._session.run([self._output], wanted)[0][0]
        return found


def _tokenizer(path: Path, tokens: int) -> Any:
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(path))
    found.no_padding()
    found.enable_truncation(tokens)
    return found


def _library() -> Any:
    config.no_telemetry()
    import onnxruntime

    return onnxruntime


def _session(model: Path, threads: int, graphs: Path | None) -> Any:
    """The model, ready to run."""
    onnxruntime = _library()

    def opened(path: Path, *, optimised: bool = False, keep: Path | None = None) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads sleep rather than spin: others are at work on this machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        if optimised:
            levels = onnxruntime.GraphOptimizationLevel
            options.graph_optimization_level = levels.ORT_DISABLE_ALL
        if keep is not None:
            options.optimized_model_filepath = str(keep)
        # enable_fallback: it prints to standard output before it tries the same once more
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], enable_fallback=0
        )

    if graphs is None:
        return opened(model)
    kept = graphs / _name(model, onnxruntime.__version__)
    # what is broken, or cannot be written, raises one of many kinds; then the model itself will do
    if kept.is_file():
        with suppress(Exception):
            found = opened(kept, optimised=True)
            os.utime(kept)  # it is in use
            return found
    with suppress(Exception), _replacing(kept) as fresh:
        return opened(model, keep=fresh)
    return opened(model)


def _name(model: Path, version: str) -> str:
    """What a model is kept as: by what it is, not where, and another one for another machine or
    onnxruntime."""
    import hashlib
    import platform

    with model.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TOLD))
        facts = (file.read(), size, platform.machine(), version)
    return f"{hashlib.sha256(repr(facts).encode()).hexdigest()[:16]}.onnx"


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A file to write, which is at `path` once it is whole. What nobody has used for long goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}")
    try:
        yield fresh
        fresh.replace(path)
        for other in path.parent.iterdir():
            if other.stat().st_mtime < time.time() - _UNUSED:
                other.unlink()
    finally:
        fresh.unlink(missing_ok=True)
