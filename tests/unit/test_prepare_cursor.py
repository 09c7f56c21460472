"""Secrets in a parser's cursor, which is kept as it is otherwise."""

from __future__ import annotations

import json

from planted import Maker

from funes_git import redact
from funes_git.adopt import Adopted
from funes_git.prepare import Preparer


def test_quotes_in_a_cursor_change_nothing_and_hide_no_secret() -> None:
    secret = Maker(7).checked("ghp_")
    kept = {"ids": ["0b6dc504", "", "-"], "open": ['x"a', 'git commit -m "ab"', '"', "\\"]}
    text = json.dumps(kept | {"command": f'echo "{secret}"'})
    found = json.loads(Preparer(redact.shared(), Adopted((), ())).cursor(text))
    assert {name: found[name] for name in kept} == kept
    assert secret not in found["command"]
    assert found["command"].startswith('echo "')
