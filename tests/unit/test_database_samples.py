"""Sessions that Hermes and OpenCode wrote themselves: what is read of them is what happened."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import zstandard
from sources import Sources

from funes_git.sessionfile import open_session
from funes_git_parsers import hermes
from funes_git_parsers.base import (
    Cursor,
    Edit,
    Hunk,
    PrintedCommit,
    Session,
    Skipped,
    Spawn,
    Turn,
)
from funes_git_parsers.opencode import KILO, OPENCODE
from funes_git_parsers.pi import OPENCLAW

DATA = Path(__file__).parents[1] / "data"


def restore(sample: str, path: Path) -> None:
    """Make the database that a sample was taken from, in its own schema."""
    path.parent.mkdir(parents=True)
    tables = json.loads((DATA / sample).read_text())
    with closing(sqlite3.connect(path)) as db:
        for statement in tables.pop("schema"):
            db.execute(statement)
        for table, rows in tables.items():
            for row in rows:
                names, places = ", ".join(row), ", ".join("?" for _ in row)
                values = tuple(row.values())
                db.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", values)
        db.commit()


def test_hermes_0_19(tmp_path: Path) -> None:
    restore("hermes/0.19.json", tmp_path / ".hermes" / "state.db")
    found = Sources(hermes, tmp_path)
    key = "20261130_050111_f7aa33"
    turns = found.turns(key)
    assert [t.turn_uuid for t in turns] == [str(number) for number in range(1, 17)]
    assert [t.turn_uuid for t in turns if t.is_prompt] == ["1"]
    assert {(t.exchange, t.workdir) for t in turns} == {("1", "/home/dev/agents/repo-hermes")}
    hunk = Hunk(1, 1, (" def greet():", '-    return "hi"', '+    return "hello"'))
    # the second call of `patch` found the file as it should be
    assert [(e.turn_uuid, e.path, e.hunks) for e in found.edits(key)] == [
        ("6", "/home/dev/agents/repo-hermes/app.py", (hunk,))
    ]
    commits = [(t.turn_uuid, b.commits) for t in turns for b in t.blocks if b.commits]
    assert commits == [
        ("9", (PrintedCommit("f1d614a", "rev-parse", subject="Make greet say hello"),))
    ]


def test_opencode_1_18(tmp_path: Path) -> None:
    restore("opencode/1.18.33.json", tmp_path / ".local/share/opencode/opencode.db")
    found = Sources(OPENCODE, tmp_path)
    key = "ses_dd52d5f55ffeBttbBr7td5B4fo"
    assert [t.role for t in found.turns(key)] == [
        *("user", "assistant", "tool", "assistant", "tool", "assistant", "tool"),
        *("assistant", "tool", "assistant"),
    ]
    (edit,) = found.edits(key)
    assert (edit.old, edit.new) == ('return "hi"', 'return "hello"')
    # the call begins inside a line: its indentation comes from what was read before
    assert edit.hunks == (Hunk(1, 1, (" def greet():", '-    return "hi"', '+    return "hello"')),)
    commits = [b.commits for b in found.blocks(key) if b.commits]
    assert commits == [(PrintedCommit("0051b59", "rev-parse", subject="Make greet say hello"),)]
    assert found.roots(key) == {
        "/home/dev/agents/repo-oc",
        "/home/dev/agents/repo-oc/app.py",
        "commit:d01f0c7448ae4b05b333db8d189340b866b73e05",
    }


def test_an_export_of_opencode_1_4() -> None:
    path = DATA / "opencode" / "session-bridge.json"
    assert OPENCODE.claim(path, path.read_bytes()[:65536])
    (source,) = OPENCODE.sessions(path)
    items = list(OPENCODE.read(source, None, lambda path: path.open("rb")))
    turns = [item for item in items if isinstance(item, Turn)]
    assert [t.model for t in turns if t.role == "assistant"] == ["claude-sonnet-4.5"] * 3
    changed = [
        [line for hunk in item.hunks for line in hunk.lines if line[0] in "+-"]
        for item in items
        if isinstance(item, Edit)
    ]
    status = "statusBarItem = createStatusBarItem(COMMAND_ID.{}, workspaceState);"
    # the diffs that OpenCode kept of the third and the fourth have lost one tab and two
    assert changed[1:4] == [
        ['+\tFOCUS_VIEW = "session.bridge.entire.focusView",'],
        ["+\t[COMMAND_ID.FOCUS_VIEW]: 'Focus View',"],
        [
            "-\tconst " + status.format("SHOW_STATUS"),
            "+\tconst " + status.format("FOCUS_VIEW"),
        ],
    ]
    assert changed[4] == [
        "-\t\tupdateStatusBarItem(statusBarItem, COMMAND_ID.SHOW_STATUS, workspaceState);",
        "+\t\tupdateStatusBarItem(statusBarItem, COMMAND_ID.FOCUS_VIEW, workspaceState);",
    ]


def test_kilo_7_7(tmp_path: Path) -> None:
    """Kilo Code's command line is made from OpenCode."""
    restore("kilo/7.7.9.json", tmp_path / ".local/share/kilo/kilo.db")
    found = Sources(KILO, tmp_path)
    key, child = "ses_dd1b16b6dffeZDbQL5vooSfIxm", "ses_dd1b0987fffeswuVd0m4O0IYlC"
    assert {source.harness for source in found.found()} == {"kilo"}
    assert [source.key for source in KILO.sessions(tmp_path / ".local/share/kilo/kilo.db")] == [
        child,
        key,
    ]
    assert [t.blocks[0].text for t in found.turns(key) if t.is_prompt] == [
        '"Make greet return hello and commit."'  # it quotes what it is given on its command line
    ]
    assert {t.harness for t in found.turns(key)} == {"kilo"}
    assert [(e.path, e.new) for e in found.edits(key)] == [
        ("/w/app/app.py", '    return "hello"'),
        ("/w/app/new.txt", "one line of mine\n"),
    ]
    assert [(e.path, e.new) for e in found.edits(child)] == [
        ("/w/app/three.txt", "three by the sub\n")
    ]
    (spawn,) = found.items(key, Spawn)
    assert spawn.thread == child
    assert [c.sha[:7] for b in found.blocks(key) for c in b.commits] == ["2f3bd89"]
    assert "commit:e649f0ca629c417bdce407cf00b720a3c3246879" in found.roots(key)


CLAW = ".openclaw/agents/main/agent/openclaw-agent.sqlite"


def test_openclaw_2026_9(tmp_path: Path) -> None:
    """Its lines are rows of a database."""
    restore("openclaw/2026.9.6.json", tmp_path / CLAW)
    found = Sources(OPENCLAW, tmp_path)
    (source,) = found.found()
    assert found.items(source.key, Session) == [Session(source.key, "openclaw", version="format 4")]
    turns = found.turns(source.key)
    assert [t.blocks[0].text for t in turns if t.is_prompt] == [
        "Make greet return hello and commit."
    ]
    assert [(e.path, e.operation) for e in found.edits(source.key)] == [
        ("/w/app/app.py", "modify"),
        ("/w/app/new.txt", "create"),
    ]
    ended = [b for t in turns for b in t.blocks if b.tool == "exec" and b.type == "tool_result"]
    assert [b.exit_code for b in ended] == [0, 1]
    assert [c.sha[:7] for b in ended for c in b.commits] == ["cea9304"]
    assert "/w/app" in found.roots(source.key)


def test_older_lines_of_openclaw_are_compressed(tmp_path: Path) -> None:
    restore("openclaw/2026.9.6.json", tmp_path / CLAW)
    (source,) = Sources(OPENCLAW, tmp_path).found()
    whole = list(OPENCLAW.read(source, None, open_session))
    with closing(sqlite3.connect(tmp_path / CLAW)) as db:
        rows = db.execute("SELECT seq, event_json FROM transcript_events WHERE seq < 9").fetchall()
        for seq, text in rows:
            packed = zstandard.compress(text.encode()), len(text.encode()), "{}", seq
            db.execute(
                "UPDATE transcript_events SET event_json = NULL, event_zstd = ?,"
                " event_utf8_bytes = ?, navigation_json = ? WHERE seq = ?",
                packed,
            )
        db.commit()
    assert list(OPENCLAW.read(source, None, open_session)) == whole
    cursor = whole[-1]
    assert isinstance(cursor, Cursor)
    assert list(OPENCLAW.read(source, cursor.text, open_session)) == [cursor]
    with closing(sqlite3.connect(tmp_path / CLAW)) as db:
        db.execute("UPDATE transcript_events SET event_zstd = x'00' WHERE seq = 0")
        db.commit()
    skipped = [i for i in OPENCLAW.read(source, None, open_session) if isinstance(i, Skipped)]
    assert len(skipped) == len(rows)
