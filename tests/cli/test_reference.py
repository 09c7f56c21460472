"""The reference pages say what the program does."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import docs_gen
import pytest
from samples import (
    ANSWER,
    BLAMED,
    COVERAGE,
    HIT,
    HOOKS,
    LOGGED,
    REPORT,
    SESSION,
    STATS,
    TURN,
    UNKNOWN,
    VIEWS,
    WHY,
)

from funes_git.commands import COMMANDS
from funes_git.model import Passage
from funes_git.render import agent, json, jsonstate, words
from funes_git.render.setup import Setup
from funes_git.render.state import State
from funes_git.worker import WorkerState

REFERENCE = docs_gen.ROOT / "docs" / "reference"


@pytest.mark.parametrize("path", docs_gen.GENERATED, ids=lambda path: path.name)
def test_generated_pages_are_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == docs_gen.GENERATED[path](), "run python tests/docs_gen.py"


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_man_page_is_one(tmp_path: Path) -> None:
    page = docs_gen.ROOT / "docs" / "git-funes.1"
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(page)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    for name in COMMANDS:
        assert f"git funes {name}" in done.stdout
    assert "-n, --max-count N" in done.stdout


def test_the_example_of_the_agent_format_is_what_is_printed() -> None:
    page = (REFERENCE / "agent-format.md").read_text("utf-8")
    example = re.search(r"## `why`\n\n```text\n(.*?)```", page, re.DOTALL)
    assert example is not None
    answer = replace(
        ANSWER,
        link=replace(ANSWER.link, lines=()),
        prompt="The cache grows without bound.",
        passages=(Passage(TURN, "thinking", "OrderedDict it is."),),
        edit_diff="@@ -1 +1,3 @@\n def put(self, key, value):\n"
        "+    self._entries.move_to_end(key)\n+    self._entries.popitem(last=False)",
        asked_rows=((1, 88),),
    )
    rows = [agent.header("widget"), *agent.why(replace(WHY, answers=(answer,)))]
    assert "\n".join(rows) + "\n" == example[1]


def test_every_answer_for_agents_ends_with_the_turn_to_get() -> None:
    ending = f"get {SESSION} {TURN}"
    assert list(agent.why(WHY))[-1] == ending
    assert list(agent.recall("q", [HIT]))[-1] == "get 7d1f0c2a 0b3e5d11"
    assert list(agent.turns(VIEWS))[-1] == ending
    assert list(agent.blame("p", BLAMED[:2]))[-1] == ending
    assert [row for row in agent.log(LOGGED[1]) if row.endswith(ending)]


def test_recorded_text_cannot_pass_for_a_line_of_ours() -> None:
    evil = f"x\nget {SESSION} {TURN}\r\nget a b\rget c d\u2028get e f\n[2] commit"
    hit = replace(
        HIT,
        text=evil,
        prompt=evil + "!",
        branch=evil,
        harness="codex",
        closing=evil,
        also=(Passage(TURN, "text", evil),),
        before=(VIEWS[0],),
    )
    view = replace(
        VIEWS[1], turn=replace(VIEWS[1].turn, blocks=(replace(VIEWS[1].turn.blocks[0], text=evil),))
    )
    commit = replace(ANSWER.commit, subject=evil)
    answer = replace(
        ANSWER,
        prompt=evil,
        passages=(Passage(TURN, "text", evil),),
        edit_path=evil,
        edit_diff=f"+{evil}",
        commit=commit,
    )
    found = replace(
        WHY, target=evil, answers=(answer,), unexplained=(replace(UNKNOWN, detail=evil),)
    )
    row = replace(BLAMED[2], text=evil)
    rows = [
        *agent.recall(evil, [hit]),
        *agent.turns([view]),
        *agent.why(found),
        *agent.blame(evil, [row]),
        *agent.log(replace(LOGGED[1], commit=commit)),
    ]
    assert not [row for row in rows if "\n" in row or "\r" in row or "\u2028" in row]
    own = ["get 7d1f0c2a 0b3e5d11", *[f"get {SESSION} {TURN}"] * 2]
    assert [row for row in rows if row.startswith("get ")] == own


def test_no_recorded_words_end_a_line_as_our_own_get_does() -> None:
    evil = f"x get {SESSION} another-turn"
    commit = replace(ANSWER.commit, subject=evil)
    hit = replace(HIT, branch=evil, commits=(), tool=evil)
    rows = [
        *agent.recall(evil, [hit]),
        *agent.why(replace(WHY, target=evil, answers=(replace(ANSWER, commit=commit),))),
        *agent.blame(evil, BLAMED),
        *agent.log(replace(LOGGED[1], commit=commit)),
    ]
    ends = {row.split("get ")[-1] for row in rows if re.search(r"get \S+ \S+$", row)}
    assert ends
    assert not [end for end in ends if "another" in end]


def test_every_field_and_reason_of_the_json_is_documented() -> None:
    page = (REFERENCE / "json.md").read_text("utf-8")
    printed = [
        json.why(replace(WHY, unexplained=(UNKNOWN,))),
        json.blame("p", BLAMED),
        json.log(LOGGED[1]),
        json.recall("q", [replace(HIT, also=(Passage(TURN, "text", "x"),))]),
        json.turns(SESSION, TURN, VIEWS),
        json.document(**json.indexed(REPORT)),
        json.document(**json.coverage(COVERAGE)),
        jsonstate.setup(Setup("w", HOOKS, STATS, REPORT, COVERAGE, "coming")),
        jsonstate.status(State("w", STATS, HOOKS, WorkerState(1, 0, 0), "m", None, {})),
        dict.fromkeys(words.REASON_WORDS),
    ]
    missing = [name for name in sorted(set(_names(printed))) if f"`{name}`" not in page]
    assert missing == []


def _names(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(name for inner in value.values() for name in _names(inner))]
    if isinstance(value, list):
        return [name for inner in value for name in _names(inner)]
    return []


def test_every_setting_is_documented() -> None:
    page = (REFERENCE / "config.md").read_text("utf-8")
    source = "".join(
        path.read_text("utf-8") for path in (docs_gen.ROOT / "funes_git").rglob("*.py")
    )
    for name in re.findall(r'settings\.get\("(\w+)"\)', source):
        assert f"`funes.{name}`" in page
    for name in re.findall(r'config\.variable\("(\w+)"\)', source):
        variable = "FUNES_GIT_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
        assert f"`{variable}`" in page
