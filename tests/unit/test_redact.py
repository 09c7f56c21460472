"""Secrets leave text before it is stored. Every secret here is made at run time."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from helpers import share_caches
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import Maker, Planted
from planted_kinds import LETTERS

from funes_git import config, redact
from funes_git.redact import Redactor, ScannerBroken

UNKNOWN = ("password in a sentence",)
"""What no rule can tell from words."""
SEED = 20261130
TOKENS = list(Maker(SEED).tokens())[:20]


@cache
def everything() -> list[Planted]:
    return [each for each in Maker(SEED).everything() if each.kind not in UNKNOWN]


@pytest.fixture(scope="module")
def redactor(tmp_path_factory: pytest.TempPathFactory) -> Redactor:
    home = tmp_path_factory.mktemp("home")
    share_caches(home)
    return Redactor(home / ".cache" / "funes-git" / "rules")


def covered(planted: Planted, spans: tuple[tuple[int, int], ...]) -> float:
    """Which share of the secret's characters was taken out."""
    start = planted.text.index(planted.secret)
    end = start + len(planted.secret)
    return sum(max(0, min(b, end) - max(a, start)) for a, b in spans) / (end - start)


def escaped(planted: Planted) -> Planted:
    """The same inside a string of JSON, as a tool's output stands in a session file."""
    text = json.dumps({"type": "tool_result", "content": planted.text})
    return Planted(planted.kind, json.dumps(planted.secret)[1:-1], text)


@pytest.mark.parametrize("depth", [0, 1, 2], ids=["plain", "in JSON", "in JSON in JSON"])
def test_secrets_of_every_kind_are_taken_out(redactor: Redactor, depth: int) -> None:
    planted = everything()
    for _ in range(depth):
        planted = [escaped(one) for one in planted]
    results = redactor.redact([one.text for one in planted])
    missed = [
        one.kind
        for one, result in zip(planted, results, strict=True)
        if covered(one, result.spans) < 0.95 or one.secret in result.text
    ]
    assert missed == []


def test_other_seeds_fare_no_worse(redactor: Redactor) -> None:
    planted = [one for seed in range(200, 240) for one in Maker(seed).tokens()]
    planted += [one for seed in range(200, 240) for one in Maker(seed).named()]
    results = redactor.redact([one.text for one in planted])
    missed = [
        one.kind
        for one, result in zip(planted, results, strict=True)
        if one.kind not in UNKNOWN
        and (covered(one, result.spans) < 0.95 or one.secret in result.text)
    ]
    # random letters look like words or like a place holder now and then
    assert len(missed) <= len(planted) // 1000, missed


@pytest.mark.parametrize(
    "text",
    [
        "redis-cli -a {} ping",
        "mysql -u root -p{} db",
        "mysql --password={} db",
        "sshpass -p {} ssh ops@10.0.0.4",
        "docker login -u acme -p {} registry.acme.io",
        "curl -u deploy:{} https://artifacts.acme.io",
        "<password>{}</password>",
        "DB_PASSWORD={}",
        '{{"password": "{}"}}',
        "password: {}",
        "password: {}\nuser: a",
    ],
)
def test_a_password_of_words_goes_where_one_is_expected(redactor: Redactor, text: str) -> None:
    maker = Maker(8)
    for word in ("Sunshine", "Quarterly"):
        chosen = word + maker.some(2, "123456789")
        assert chosen not in redactor.redact([text.format(chosen)])[0].text


@pytest.mark.parametrize(
    "text",
    [
        "redis-cli -a {} ping",
        "<password>{}</password>",
        "X-Api-Key: {}",
        "Cookie: theme=dark; sessionid={}",
        'api_key = "{}"',
        "curl -u deploy:{} https://artifacts.acme.io",
    ],
)
def test_a_secret_of_letters_alone_goes(redactor: Redactor, text: str) -> None:
    for seed in range(30):
        secret = Maker(seed).some(26, LETTERS)
        assert secret not in redactor.redact([text.format(secret)])[0].text


def test_markers_tell_the_type(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    assert redactor.redact([f"use {token} now"])[0].text == "use [REDACTED:github-token] now"


def test_spans_are_code_points_of_the_original(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    text = f"é😀 {token} é {token}"
    found = redactor.redact([text])[0]
    assert [text[a:b] for a, b in found.spans] == [token, token]
    assert found.count == 2


def test_a_private_key_goes_whole_with_its_lines(redactor: Redactor) -> None:
    key = Maker(9).key("rsa")
    result = redactor.redact([f"before\n{key}\nafter"])[0].text
    assert result == "before\n[REDACTED:private-key]\nafter"


def test_code_that_looks_for_a_key_loses_nothing(redactor: Redactor) -> None:
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    code = f"if text.startswith('{begin}'):\n" + "    check(text, strictly=True)\n" * 9 + f"'{end}'"
    assert redactor.redact([code])[0].text == code


@pytest.mark.parametrize(
    "text",
    [
        "token = getToken()",
        "apiKey: process.env.OPENAI_API_KEY,",
        "const token: CancellationToken = source.token;",
        "password: string;",
        "t.AccessToken = strings.TrimSpace(t2.AccessToken)",
        "tokenCount: card.tokenCount2,",
        '"apiKey": "ANTHROPIC_API_KEY"',
        '"maxTokensField": "max_tokens_v2"',
        "clientSecret: 'github-client-secret-1'",
        "password=<your-password-here-1>",
        "PASSWORD=$DB_PASSWORD2",
        "api_key = os.environ['API_KEY_2']",
        "secret: ${{ secrets.DEPLOY_KEY_2 }}",
        "case stsTokenTypeRepoAccess:\n\t\ts.handleRepoTokenExchange2(w)",
        "token: 0b8f6d3c-6f0e-4e0b-9f5e-2f9b7c1d4a11",
        "tokenExpiry: 2026-11-30T06:53:00Z",
        "token_url=https://auth.example.org/oauth2/token",
        "private_key_path: ~/.ssh/id_ed25519.pem",
        "AKIAIOSFODNN7EXAMPLE",
        "postgresql://admin:password@db.example.com:5432/app",
        "docker run -p 8080:8080 -a stdout image",
        "git add -p src/file1.py",
        "src/app.py:5432:def:name:something",
        "docker compose -p my-app-2 up",
        "mysql -u root -p mydatabase2",
        "token: HTTPSConnectionPool",
        "password = getpass2",
        "password=password2",
        "idToken: cipherboxJwt",
        "--password PASSWORD1",
        "<token>NextContinuationToken</token>",
        "passwordHash: bcryptHashedPassword2",
        "credential: GoogleServiceCredentials",
        "API_KEY_HEADER: XApiKeyHeaderName",
    ],
)
def test_code_and_place_holders_stay(redactor: Redactor, text: str) -> None:
    assert redactor.redact([text])[0].text == text


def test_a_comment_cannot_turn_the_scan_off(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    for comment in ("kingfisher:ignore", "gitleaks:allow", "betterleaks:allow"):
        assert token not in redactor.redact([f"{token}  # {comment}"])[0].text


def test_texts_are_judged_apart_though_scanned_together(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    texts = [
        "-----BEGIN PRIVATE KEY-----",
        "words " * 20,
        "-----END PRIVATE KEY-----",
        token[:20],
        token[20:],
    ]
    assert [r.text for r in redactor.redact(texts)] == texts
    assert redactor.redact(["password:", "Kx9vB2nM4qWe"])[1].count == 0


def test_images_are_not_scanned(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    image = "data:image/png;base64," + "QUJD" * 100
    result = redactor.redact([f"{image} {token}"])[0].text
    assert result == f"{image} [REDACTED:github-token]"


def test_only_texts_with_secrets_are_found(redactor: Redactor) -> None:
    token = Maker(5).checked("ghp_")
    assert list(redactor.find(["clean", token, "clean too"])) == [token]


def test_redacting_again_changes_nothing(redactor: Redactor) -> None:
    once = [r.text for r in redactor.redact([one.text for one in everything()])]
    assert [r.text for r in redactor.redact(once)] == once


MAKER = Maker(77)
pieces = st.one_of(
    st.sampled_from([*MAKER.tokens(), *MAKER.named()]).map(lambda one: one.text),
    st.sampled_from(
        ["[REDACTED:assignment]", "password=", "--token ", "\\n", '\\"', "\n", "'", "é", "://a:"]
    ),
    st.text(max_size=12),
)


@given(st.lists(pieces, max_size=6).map("".join))
@settings(max_examples=60, deadline=None)
def test_redaction_is_idempotent(redactor: Redactor, text: str) -> None:
    once = redactor.redact([text])[0]
    assert redactor.redact([once.text])[0].text == once.text
    kept = "".join(
        text[a:b]
        for a, b in zip(
            [0, *(end for _, end in once.spans)], [*(s for s, _ in once.spans), None], strict=True
        )
    )
    assert len(kept) <= len(once.text)


@given(st.text(), st.sampled_from(TOKENS), st.text())
@settings(max_examples=60, deadline=None)
def test_a_planted_token_never_stays(
    redactor: Redactor, before: str, one: Planted, after: str
) -> None:
    text = f"{before}\n{one.text}\n{after}"
    assert one.secret not in redactor.redact([text])[0].text


def test_a_missing_scanner_stops_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    with pytest.raises(ScannerBroken, match="does not start"):
        Redactor(tmp_path)


def test_a_scanner_that_finds_nothing_stops_everything(
    hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redact, "is_secret", lambda *_: False)
    with pytest.raises(ScannerBroken, match="finds nothing"):
        Redactor(config.user_layout().rules)


def test_rules_that_cannot_be_kept_stop_everything(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("a file where the folder should be")
    with pytest.raises(ScannerBroken):
        Redactor(tmp_path / "rules")


def test_importing_and_plain_paths_load_no_scanner() -> None:
    code = """
import sys
from funes_git import redact
for path in (
    "/home/ada/projects/widget-factory/src/deeply_nested/module_2.py:17: not valid JSON",
    "/home/ada/.claude/projects/-home-ada/0b8f6d3c-6f0e-4e0b-9f5e-2f9b7c1d4a11.jsonl",
    "/tmp/pytest-of-ada/2026-11-30T06-53-00/da39a3ee5e6b4b0d3255bfef95601890afd80709",
):
    assert redact.clean_path(path) == path
sys.exit('kingfisher_sdk' in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_token_in_a_path_is_taken_out(hermetic: Path) -> None:
    redact.shared.cache_clear()
    for token in (Maker(5).checked("ghp_"), "sk_live_51" + Maker(5).some(97)):
        assert token not in redact.clean_path(f"/tmp/{token}/x")
    redact.shared.cache_clear()
