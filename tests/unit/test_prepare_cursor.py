"""Secrets in a parser's cursor and in its records, which are kept as they are otherwise."""

from __future__ import annotations

import json

from planted import Maker

from funes_git import redact
from funes_git.adopt import Adopted
from funes_git.prepare import Preparer
from funes_git_parsers.base import Block, Session, Turn


def test_quotes_in_a_cursor_change_nothing_and_hide_no_secret() -> None:
    secret = Maker(7).checked("ghp_")
    kept = {"ids": ["0b6dc504", "", "-"], "open": ['x"a', 'git commit -m "ab"', '"', "\\"]}
    text = json.dumps(kept | {"command": f'echo "{secret}"'})
    found = json.loads(Preparer(redact.shared(), Adopted((), ())).cursor(text))
    assert {name: found[name] for name in kept} == kept
    assert secret not in found["command"]
    assert found["command"].startswith('echo "')


def test_half_a_character_beside_a_secret_hides_it_not() -> None:
    secret = Maker(8).checked("ghp_")
    text = json.dumps({"command": f"echo {secret} \ud83d"})
    found = Preparer(redact.shared(), Adopted((), ())).cursor(text)
    assert secret not in found
    assert "[REDACTED" in found


def test_only_records_with_a_secret_are_made_anew() -> None:
    secret = Maker(9).checked("ghp_")

    def turn(name: str, text: str, branch: str) -> Turn:
        blocks = (Block("text", text),)
        return Turn("s", name, 1, 1.0, "user", "test", blocks, parent_uuid=secret, branch=branch)

    def plain(name: str, text: str) -> Turn:
        return Turn("s", name, 1, 1.0, "user", "test", (Block("text", text),), branch="main")

    parts = [
        Session("s", "test", title=f"About {secret}"),
        plain("1", "nothing here"),
        plain("2", f"echo {secret}"),
        turn("3", "only an id", "main"),
        turn("4", "nothing here", f"fix-{secret}"),
    ]
    batch = Preparer(redact.shared(), Adopted((), ())).batch(parts)
    assert batch.turns[0] is parts[1]
    assert all(turn is not part for turn, part in zip(batch.turns[1:], parts[2:], strict=True))
    assert secret not in repr(batch)
    assert batch.turns[2].parent_uuid == batch.turns[3].parent_uuid
