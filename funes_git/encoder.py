"""A BERT-like model on onnxruntime: the only importer of onnxruntime and tokenizers.

One text at a time: an int8 model's vectors then depend on the text alone, and mixed lengths go
fastest (RETRIEVAL.md §3). Safe to share by threads. numpy is imported inside functions.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from funes_git import config

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]


class Encoder:
    """Turns a text into the vectors of its tokens."""

    def __init__(self, model: Path, tokenizer: Path, tokens: int, threads: int | None) -> None:
        """Load `model`; texts are cut at `tokens`, `threads` limits the cores that are used (None:
        all). Raises errors of both libraries."""
        config.no_telemetry()
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or os.cpu_count() or 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads sleep rather than spin: others are at work on this machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0].name
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(tokens)

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
