"""Reports: `status`, `init`, `index`, `link`, `models`."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from samples import COVERAGE, HOOKS, NOON, REPORT, SKIPS, STATS

from funes_git.embed import Weights
from funes_git.ingest import IndexReport
from funes_git.models import ModelInfo
from funes_git.render import state
from funes_git.render.page import Page
from funes_git.render.setup import Setup, Vectors, setup
from funes_git.render.words import ago, listed, plural, short, short_turn, size, took
from funes_git.store.records import Stats, Totals
from funes_git.worker import WorkerState

STATE = state.State(
    repository="widget",
    stats=replace(STATS, last_error=(NOON, "disk full\x1b[2J")),
    hooks=HOOKS,
    worker=WorkerState(pid=None, pending=1, set_aside=0),
    model="BAAI/bge-small-en-v1.5",
    model_from=None,
    sizes={"memory": 3_200_000, "text": 900},
)


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hours after the sample session."""
    monkeypatch.setattr(time, "time", lambda: NOON + 3 * 3600)


def test_status() -> None:
    assert "\n".join(state.status(Page(80), STATE)) == snapshot("""\
memory of widget
  sessions  3 sessions (Claude Code 2, Codex 1), 214 turns, 58 edits
  period    2025-08-05 to 2025-11-03
  indexed   from 3 session files
  search    431 passages by words, 120 of 300 by meaning (40%)
  linked    12 of 17 commits of all branches (links: exact 8, lines 30)
            without: no indexed session covers this time (4); a merge that adds
            nothing of its own (1)
  hooks     hooks are installed in /w/.git/hooks
  worker    idle, 1 hook event waiting
            failed 3 hours ago: disk full␛[2J
  model     BAAI/bge-small-en-v1.5, no weights here, words only
  redacted  2 secrets; 1 unreadable record skipped
  size      3.2 MB (memory 3.2 MB, text 900 bytes)\
""")


def test_status_of_an_empty_memory() -> None:
    empty = STATE._replace(stats=Stats(Totals()), hooks=replace(HOOKS, state="stale"))
    text = "\n".join(state.status(Page(80), empty))
    assert "0 sessions, 0 turns, 0 edits" in text
    assert "never, from 0 session files" in text
    assert "hooks stale: hooks are installed" in text
    assert "(`git funes init` installs them)" in " ".join(text.split())


def test_init_reports_and_says_what_is_next() -> None:
    done = Setup("widget", HOOKS, STATS, REPORT, COVERAGE, "coming")
    assert "\n".join(setup(Page(80), done)) == snapshot("""\
widget has a memory

3 sessions of this repository:
  Claude Code  2 sessions, 180 turns
  Codex        1 session, 34 turns
read 3 new sessions, 214 turns, 58 edits and 431 passages in 1.2 s
redacted 2 secrets before storing
skipped 6 unreadable records (each is in .git/funes/log/worker.log):
  5 not valid JSON: /h/u/.claude/projects/w/a.jsonl:2, /h/u/.claude/projects/w/a.jsonl:3, \
/h/u/.claude/projects/w/a.jsonl:4 and 2 more
  1 too long: /h/u/.codex/sessions/b.jsonl:7

12 of 17 commits of all branches tied to turns in 0.3 s
  8  exact  its lines are in the commit, and the session made the commit
  4  lines  its lines are in the commit
without a link:
  4  no-session  no indexed session covers this time
  1  merge       a merge that adds nothing of its own

hooks are installed in /w/.git/hooks
180 vectors being made in the background; words work now

next:
  git funes why FILE:LINE       the turns behind a line
  git funes log -5              the last commits with their sessions
  git funes recall "WORDS"      search everything that was said\
""")


def test_init_names_what_other_tools_recorded() -> None:
    done = Setup("w", HOOKS, STATS, REPORT, COVERAGE, "coming", recorded=("entire",))
    for one in (done, done._replace(stats=replace(STATS, totals=Totals()))):
        rows = list(setup(Page(90), one))
        assert rows[rows.index("next:") + 1] == (
            "  git funes import entire       this repository has what Entire recorded"
        )


def test_init_says_only_what_will_become_of_the_vectors() -> None:
    def told(vectors: Vectors) -> str:
        return "\n".join(setup(Page(80), Setup("w", HOOKS, STATS, REPORT, COVERAGE, vectors)))

    assert "git funes models pull" in told("no-weights")
    for vectors in ("made", "unwanted", "no-weights"):
        assert "background" not in told(vectors)


def test_indexing_with_nothing_new() -> None:
    assert list(state.indexed(IndexReport(0, 0, 0, 0, (), 0, 0.05))) == ["nothing new (0.1 s)"]
    more = list(state.indexed(IndexReport(0, 7, 1, 9, (), 0, 2.0)))
    assert more == ["read 7 new turns, 1 edit and 9 passages in 2.0 s"]


def test_one_is_not_many() -> None:
    report = IndexReport(1, 1, 1, 1, SKIPS[1:], 1, 2.0)
    assert "\n".join(state.indexed(report)) == snapshot("""\
read 1 new session, 1 turn, 1 edit and 1 passage in 2.0 s
redacted 1 secret before storing
skipped 1 unreadable record (each is in .git/funes/log/worker.log):
  1 too long: /h/u/.codex/sessions/b.jsonl:7\
""")
    assert plural(1204, "turn") == "1,204 turns"


def test_models_say_where_weights_are() -> None:
    weights = Weights("other", "package", Path("/site-packages/x"), "model.onnx", direct=True)
    rows = [
        ModelInfo("BAAI/bge-small-en-v1.5", 384, None, configured=True),
        ModelInfo("other", 768, weights, configured=False, reads=True, vectors=1204),
    ]
    assert "\n".join(state.models(Page(80), rows)) == snapshot("""\
* BAAI/bge-small-en-v1.5  384 dimensions  not on this machine
  other                   768 dimensions  package: /site-packages/x
    made 1,204 vectors of this memory
    reads the best candidates of recall closely
words answer; for answers by meaning: git funes models pull\
""")


def test_the_folder_of_a_model_is_never_cut() -> None:
    folder = Path("/site-packages/" + "x" * 90)
    weights = Weights("other", "package", folder, "model.onnx", direct=True)
    [row] = state.models(Page(40), [ModelInfo("other", 768, weights, configured=False)])
    assert row.endswith(str(folder))


def test_words_for_times_sizes_and_lists() -> None:
    assert ago(NOON, NOON + 30) == "just now"
    assert ago(NOON, NOON + 60) == "1 minute ago"
    assert ago(NOON, NOON + 3 * 86400) == "3 days ago"
    assert ago(NOON, NOON + 400 * 86400) == "1 year ago"
    assert ago(None) == "never"
    assert [size(n) for n in (0, 999, 1500, 3_200_000, 5_000_000_000_000)] == [
        "0 bytes",
        "999 bytes",
        "1.5 kB",
        "3.2 MB",
        "5000.0 GB",
    ]
    assert [took(s) for s in (0.04, 59.9, 125)] == ["0.0 s", "59.9 s", "2 min 5 s"]
    assert [listed(["a", "b", "c"][:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]


def test_short_ids_still_tell_sessions_of_one_minute_apart() -> None:
    assert short("7d1f0c2a-5b1e-4c55-9d43-2f6a11aa0c10") == "7d1f0c2a"
    codex = "019a4b5c-1234-7abc-8def-2f6a11aa0c10"
    assert short(codex) == "019a4b5c-1234"
    assert short_turn(codex, f"{codex}-12") == "12"


def test_of_an_id_only_what_is_random_is_cut() -> None:
    for told in ("20261130_1", "aider-20261130203129", "1796070586123", "ses_4a1b2c3d4ffeAbCdEf"):
        assert short(told) == told, "others of that day begin so too"
    assert short_turn("20261130_1", "chatcmpl-2") == "chatcmpl-2"
    mine = "msg_20261130_1_2d5bab01-c30d-46fe-9ec1-0e543bf47a07"
    assert short_turn("20261130_1", mine) == "msg_20261130_1_2d5bab01"
    assert short("T-0b6dc504-1111-4f3c-8a77-1f2e3d4c5b6a") == "T-0b6dc504"
    assert short("9f2c4a10" * 4) == "9f2c4a10"


def test_a_short_id_acts_on_no_terminal() -> None:
    assert "\x1b" not in short("a\x1b]0;x\x07bc") + short_turn("s", "a\x1b]0;x\x07bc")
    assert "\n" not in short("a\nbc") + short_turn("s", "s-1\n2")
