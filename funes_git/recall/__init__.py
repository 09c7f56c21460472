"""Answering a question from the memory: words and meaning, narrowed by git, one hit an exchange.

Reads derived files only: the word index, the mapped vectors and the catalog. Never imports
lancedb, pyarrow or (with the default models) fastembed.
"""

from __future__ import annotations

from funes_git.model import Found, Hit
from funes_git.recall.engine import Recall
from funes_git.recall.stages import Stages

__all__ = ["Found", "Hit", "Recall", "Stages"]
