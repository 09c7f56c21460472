"""Private keys in text, whole and broken, are found, and no text takes long."""

from __future__ import annotations

import json
import time

import pytest
from planted import Maker

from funes_git import keyblocks

KEY = Maker(3).block("RSA PRIVATE KEY", "")
FIRST, LAST = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in keyblocks.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(json.dumps(KEY)[1:-1])[1:-1],
        "\n".join("+" + line for line in KEY.splitlines())[1:],
        "\n".join(f"{' ' * 16}{line}" for line in KEY.splitlines()).strip(),
        '"\n  "'.join(KEY.splitlines()),
    ],
    ids=["plain", "in JSON", "in JSON in JSON", "in a diff", "indented", "in strings"],
)
def test_a_whole_key_is_one_finding(text: str) -> None:
    assert found(f"the key is {text} as it was, {text}") == [text, text]


def test_of_a_key_that_is_cut_what_is_left_is_found() -> None:
    lines = KEY.splitlines()
    head, tail = "\n".join(lines[:6]), "\n".join(lines[-5:])
    assert found(f"$ head -6 key\n{head}\n$ ls") == [head]
    assert found(f"$ tail -5 key\n{tail}\n$ ls") == [tail]
    assert found(f"{head} and so on, as far as anybody can see") == [head]


def test_words_after_a_cut_key_stay() -> None:
    head = "\n".join(KEY.splitlines()[:6])
    assert found(f"{head}\nthis is the first half of it") == [head]


@pytest.mark.parametrize(
    "code",
    [
        f'if line == "{FIRST}" or line == "{LAST}":\n    break',
        f'pem = "{FIRST}\\n" + encoded + "\\n{LAST}"',
        f"{FIRST}\n...\n{LAST}",
    ],
)
def test_code_that_names_the_lines_of_a_key_loses_nothing(code: str) -> None:
    assert found(code) == []


LINE = Maker(4).some(64)
HOSTILE = (
    f"{FIRST}\\n" + f"{LINE}\\n" * 3_000,
    f"{FIRST}\\n" + f"{LINE[:9]}\\n{LINE}\\n" * 200 + "-----END PRIVATE",
    f"{LINE}\\n" * 3_000 + f"!{LAST}" * 500,
    f"{FIRST}\n{LINE}\n" * 5_000,
    f"{LINE}\n!{LAST}\n" * 5_000,
    f"{FIRST}" + "\\\\n" * 50_000 + LAST,
    "A" * 200_000 + LAST,
    f"{FIRST}\n" + "A" * 15 + "\n" * 200_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_takes_long(text: str) -> None:
    started = time.process_time()
    keyblocks.find(text)
    assert time.process_time() - started < 1
