"""How turns and edits are packed into the catalog's rows and out again. The only importer of isal.

The blocks of a turn are one compressed JSON list; short ones are left as text, since SQLite keeps
both apart. What isal writes is zlib's own format (RFC 1950), in a third of the time; reading needs
Python's zlib alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from functools import lru_cache

from funes_git_parsers.base import Block, PrintedCommit

SHORT = 400
"""Characters below which compressing does not pay."""
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def squeeze(text: str) -> str | bytes:
    """`text`, compressed where that pays."""
    if len(text) < SHORT:
        return text
    from isal import isal_zlib  # only who writes needs it

    return isal_zlib.compress(text.encode(), 3)


def expand(data: str | bytes) -> str:
    """The text that `squeeze` was given."""
    return data if isinstance(data, str) else zlib.decompress(data).decode()


def blocks_to_json(blocks: Iterable[Block]) -> str:
    """The blocks of a turn as JSON: a list of eight values for each, trailing nulls left out."""
    return _encode([_values(b) for b in blocks])


def _values(block: Block) -> list[object]:
    values: list[object] = [
        block.type,
        block.text,
        block.tool,
        block.tool_use_id,
        block.is_error,
        block.exit_code,
        block.scaffold,
        commit_values(block.commits) or None,
    ]
    while values[-1] is None:
        values.pop()
    return values


def commit_values(commits: Iterable[PrintedCommit]) -> list[list[str | None]]:
    """Printed commits as plain values for JSON."""
    return [[c.sha, c.verb, c.branch, c.subject] for c in commits]


def commits_from(values: Iterable[list[str]]) -> tuple[PrintedCommit, ...]:
    """The printed commits of `commit_values`."""
    return tuple(PrintedCommit(*v) for v in values)


def blocks_from_json(text: str) -> tuple[Block, ...]:
    """The blocks of `blocks_to_json`."""
    blocks = []
    for values in json.loads(text):
        kind, body, tool, use, error, code, scaffold, commits = values + [None] * (8 - len(values))
        printed = commits_from(commits or ())
        blocks.append(Block(kind, body, tool, use, error, code, printed, scaffold))
    return tuple(blocks)


def block_texts(text: str) -> list[str]:
    """The texts alone of the blocks of `blocks_to_json`."""
    return [values[1] for values in json.loads(text)]


def texts_to_json(*texts: str | None) -> str:
    """A few texts as JSON."""
    return _encode(texts)


@lru_cache(256)  # a turn's chunks share them
def files_to_text(files: tuple[str, ...]) -> str | None:
    """Paths as JSON, or None for no paths."""
    return _encode(files) if files else None


@lru_cache(256)
def files_from_text(text: str | None) -> tuple[str, ...]:
    """The paths of `files_to_text`."""
    return tuple(json.loads(text)) if text else ()
