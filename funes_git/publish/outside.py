"""What a session shows of other folders: results of calls that look outside of the repository.

A turn belongs to the repository, and yet its call may read a neighbour's file. Whose that is cannot
be known from here, so the result is left out and the call is kept; likewise the edits of files in
other checkouts, which are never stored. What the harness put there by itself is left out too: it
holds the user's own instructions for all projects.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath

from funes_git.publish.clean import DRIVE, HOME, SLASH, spelled
from funes_git.publish.part import Part, Withheld
from funes_git.store.changes import StoredTurn
from funes_git_parsers import scaffold
from funes_git_parsers.base import Block, Turn

ELSEWHERE = "outside-repository"
_PATH = re.compile(
    r"(?:(?<![\w:/.~$}-])|(?<=\\[nrt]))(~|\.\.)?/[^\s\"'`;|&<>(){}*?\\,]+"
    r"|(?:(?<![\w./])|(?<=\\[nrt]))\.\.(?=[\s\"'])"
)
_DRIVE = re.compile(rf"{DRIVE}[^\s\"'`;|&<>(){{}}*?,]+")


class Outside:
    """Knows which paths are the repository's own."""

    def __init__(
        self, roots: Iterable[str], is_checkout: Callable[[str], bool] | None = None
    ) -> None:
        """`roots` are the folders where the repository was; `is_checkout` whether a path lies in
        another repository of this machine."""
        own = spelled({root.rstrip("/\\") for root in roots} - {""})
        self._own = re.compile(rf"{own}(?:{SLASH}|$)") if own else None
        self._is_checkout = is_checkout or in_checkout

    def part(self, part: Part) -> Part:
        """The session without what it shows of other folders. An editing tool that wrote a file of
        the repository shows that file, whatever paths stand in what it wrote."""
        calls: set[str] = set()
        wrote = {edit.tool_use_id for edit in part.edits if edit.origin == "tool"}
        found: list[Withheld] = []
        turns = []
        for stored in part.turns:
            turn = self._turn(stored.turn, calls, wrote, found)
            new = StoredTurn(turn, "", retracted=stored.retracted)
            new.chunks = stored.chunks
            turns.append(new)
        return replace(part, turns=turns, withheld=[*part.withheld, *found])

    def _turn(
        self, turn: Turn, calls: set[str], wrote: Container[str], found: list[Withheld]
    ) -> Turn:
        """`calls` are those so far that look elsewhere, `wrote` those that wrote a file here."""
        blocks = []
        for block in turn.blocks:
            call = block.tool_use_id or ""
            if block.type == "tool_use" and call not in wrote:
                calls |= {call} if self.looks_elsewhere(block.text, turn.workdir) else set()
            if block.type == "tool_result" and block.text and block.tool_use_id in calls:
                found.append(Withheld(turn.session_id, turn.turn_uuid, "tool_result", (ELSEWHERE,)))
                block = replace(block, text=f"[WITHHELD:{ELSEWHERE}]", commits=())
            blocks.append(_spoken(block))
        return replace(turn, blocks=tuple(blocks))

    def looks_elsewhere(self, text: str, workdir: str | None) -> bool:
        """Whether a call names a path in a home folder or a checkout that is not the
        repository's."""
        for match in (*_PATH.finditer(text), *_DRIVE.finditer(text)):
            path = match[0]
            if path.startswith("..") and workdir:
                path = os.path.normpath(f"{workdir}/{path}")
            if not self._is_own(path) and self._is_private(path):
                return True
        return False

    def _is_own(self, path: str) -> bool:
        return self._own is not None and self._own.match(path) is not None

    def _is_private(self, path: str) -> bool:
        at_home = path.startswith(("~/", "/root/")) or bool(HOME.match(path))
        return at_home or (path.startswith("/") and self._is_checkout(path))


def _spoken(block: Block) -> Block:
    """The block without what the harness wrote into it."""
    if block.scaffold is not None:
        return replace(block, text="") if block.text else block
    text = scaffold.visible(block.text)
    return block if text == block.text else replace(block, text=text)


@cache
def in_checkout(path: str) -> bool:
    """Whether a path lies in a git repository of this machine."""
    for folder in (PurePosixPath(path), *PurePosixPath(path).parents):
        if os.path.lexists(Path(folder) / ".git"):
            return True
    return False
