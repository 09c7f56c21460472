"""Reading the best candidates closely: how well each word of a question is met by a word of a
passage, in its context (late interaction, "MaxSim").

A passage's score is the mean, over the question's wordpieces, of the best cosine with a wordpiece
of the passage, by the token vectors of a small sentence model. Computed when asked; nothing is
stored. numpy is imported inside functions.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from funes_git.embed import Weights, loading
from funes_git.encoder import Encoder

if TYPE_CHECKING:
    from funes_git.encoder import Floats

_TOKENS = 256
_KEPT = 128
"""Passages whose vectors are kept for the next question: at most 400 kB each."""


class Reranker:
    """Scores passages against a question. Safe to share by threads."""

    def __init__(self, weights: Weights, *, threads: int | None = None) -> None:
        """Load the model; `threads` limits the cores it uses (None: all). Raises ModelBroken."""
        with loading(weights):
            self._encoder = Encoder(weights.path, weights.tokenizer, _TOKENS, threads)
        self._kept: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def scores(
        self, question: str, passages: Iterable[tuple[str, str]], seconds: float
    ) -> dict[str, float]:
        """Passage → score, 0 to 1, of as many of `passages`, given as (id, text), as can be read in
        `seconds` of this thread's processor time, so that a busy machine answers the same; in their
        order, and at least the first."""
        until = time.thread_time() + seconds
        asked = self._vectors(question)
        found: dict[str, float] = {}
        for name, text in passages:
            if found and time.thread_time() >= until:
                break
            read = self._passage(name, text)
            found[name] = float((asked @ read.T).max(axis=1).mean()) if len(read) else 0.0
        return found

    def _passage(self, name: str, text: str) -> Floats:
        with self._lock:
            kept = self._kept.get(name)
            if kept is not None:
                self._kept.move_to_end(name)
                return kept
        made = self._vectors(text)
        with self._lock:
            self._kept[name] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made

    def _vectors(self, text: str) -> Floats:
        """The tokens' vectors, each of length 1, without those that begin and end a text."""
        import numpy as np

        states = self._encoder.states(text)
        inner = states[1:-1] if len(states) > 2 else states
        lengths = np.linalg.norm(inner, axis=1, keepdims=True)
        made: Floats = inner / np.maximum(lengths, 1e-9)
        return made
