"""From an agent's database to the line of a real repository."""

from __future__ import annotations

import os
from pathlib import Path

import cursor_records
import goose_records
from helpers import GitRepo
from hermes_records import Hermes, patched
from memory import Memory
from opencode_records import SHARE, Story, diff, text


def test_hermes(tmp_path: Path) -> None:
    home = Path(os.environ["HOME"])
    repo = GitRepo(tmp_path / "repo")
    repo.write("app.py", '    return "hi"\n')
    database = Hermes(home / ".hermes")
    repo.commit("init", date=database.now - 3600)
    database.session(cwd=str(repo.path))
    prompt = database.message("user", "Make greet return hello and commit.")
    path = str(repo.path / "app.py")
    args = {"path": path, "old_string": '"hi"', "new_string": '"hello there, friend"'}
    old, new = '    return "hi"', '    return "hello there, friend"'
    edit = database.call("patch", {"mode": "replace", **args}, patched(path, old, new))
    repo.write("app.py", new + "\n")
    sha = repo.commit("Say hello", date=database.now + 1)
    output = {"output": f"[main {sha[:7]}] Say hello\n", "exit_code": 0, "error": None}
    database.call("terminal", {"command": "git commit -qam 'Say hello'"}, output, "c2")
    other = database.session("other", cwd="/somewhere/else")
    database.message("user", "Something else.", other)

    memory = Memory(repo)
    report = memory.sync()
    assert report.turns == 5
    answer = memory.why("app.py:1")
    (found,) = answer.answers
    assert (found.link.session_id, found.link.turn_uuid) == ("s1", edit)
    assert found.link.level == "exact"
    assert found.prompt_uuid == prompt

    before = {path: path.read_bytes() for path in database.path.parent.iterdir()}
    assert memory.sync().sources_read == 0
    assert {path: path.read_bytes() for path in database.path.parent.iterdir()} == before
    database.message("user", "More.")
    report = memory.sync()
    assert (report.sources_read, report.turns) == (1, 1)


def test_opencode(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.write("app.py", '    return "hi"\n')
    path = str(repo.path / "app.py")
    story = Story(directory=str(repo.path))
    story.info["projectID"] = repo.commit("init", date=story.now / 1000 - 3600)
    where = {"path": {"cwd": str(repo.path), "root": str(repo.path)}}
    prompt = story.message("user", text("Make greet return hello and commit."))
    args = {"filePath": path, "oldString": '"hi"', "newString": '"hello, friend"'}
    kept = diff(path, '-    return "hi"', '+    return "hello, friend"')
    story.message("assistant", story.tool("read", args, '1:     return "hi"\n'), **where)
    edit = story.message("assistant", story.tool("edit", args, metadata=kept), **where)
    repo.write("app.py", '    return "hello, friend"\n')
    sha = repo.commit("Say hello", date=story.now / 1000 + 1)
    printed = f"[main {sha[:7]}] Say hello\n"
    command = {"command": "git commit -qam 'Say hello'"}
    bash = story.tool("bash", command, printed, metadata={"exit": 0})
    story.message("assistant", bash, **where)
    story.database(Path(os.environ["HOME"]) / SHARE / "opencode.db")

    memory = Memory(repo)
    memory.sync()
    (found,) = memory.why("app.py:1").answers
    assert (found.link.session_id, found.link.turn_uuid) == ("ses_1", edit)
    assert (found.link.level, found.prompt_uuid) == ("exact", prompt)


def test_goose(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.write("app.py", '    return "hi"\n')
    db = goose_records.Goose(Path(os.environ["HOME"]) / goose_records.SESSIONS)
    repo.commit("init", date=db.now - 3600)
    session = db.session(working_dir=str(repo.path))
    db.message("user", goose_records.text("Make greet return hello."), message_id="msg_1")
    path, new = str(repo.path / "app.py"), '    return "hello there, friend"\n'
    args = {"command": "write", "path": path, "file_text": new}
    asked = goose_records.request("developer__text_editor", args)
    db.message("assistant", asked, message_id="msg_2")
    done = {"status": "success", "value": [goose_records.text("Written.")]}
    db.message("user", {"type": "toolResponse", "id": "c1", "toolResult": done})
    repo.write("app.py", new)
    sha = repo.commit("Say hello", date=db.now + 1)
    printed = goose_records.text(f"[main {sha[:7]}] Say hello\n")
    db.call("developer__shell", {"command": "git commit -qam 'Say hello'"}, printed, call_id="c2")

    memory = Memory(repo)
    memory.sync()
    (found,) = memory.why("app.py:1").answers
    assert (found.link.session_id, found.link.turn_uuid) == (session, "msg_2")
    assert (found.link.level, found.prompt_uuid) == ("exact", "msg_1")


def test_cursor(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "repo")
    repo.write("app.py", '    return "hi"\n')
    editor = cursor_records.Editor(Path(os.environ["HOME"]) / cursor_records.EDITOR)
    repo.commit("init", date=editor.now / 1000 - 3600)
    old, new = '    return "hi"', '    return "hello there, friend"'
    args = {"target_file": "app.py", "code_edit": new}
    chunk = {"diffString": f"-{old}\n+{new}", "oldStart": 1, "newStart": 1}
    edited = cursor_records.tool("edit_file", args, {"diff": {"chunks": [chunk]}})
    repo.write("app.py", new + "\n")
    sha = repo.commit("Say hello", date=editor.now / 1000 + 3)
    printed = {"output": f"[main {sha[:7]}] Say hello\n", "exitCode": 0}
    command = {"command": "git commit -qam 'Say hello'"}
    committed = cursor_records.tool("run_terminal_cmd", command, printed)
    editor.composer("c1", cursor_records.asked("Say hello."), edited, committed)
    editor.workspace(str(repo.path), "c1")

    memory = Memory(repo)
    memory.sync()
    (found,) = memory.why("app.py:1").answers
    assert (found.link.session_id, found.link.turn_uuid) == ("c1", "c1-b1")
    assert (found.link.level, found.prompt_uuid) == ("exact", "c1-b0")


def test_opencode_in_a_checkout_that_was_moved(tmp_path: Path) -> None:
    """The session names a folder that is no more; its project is the repository's first commit."""
    repo = GitRepo(tmp_path / "repo")
    repo.write("app.py", '    return "hi"\n')
    path, where = "/gone/repo/app.py", {"path": {"cwd": "/gone/repo", "root": "/gone/repo"}}
    story = Story(directory="/gone/repo")
    story.info["projectID"] = repo.commit("init", date=story.now / 1000 - 3600)
    story.message("user", text("Make greet return hello."))
    args = {"filePath": path, "content": '    return "hello there, friend"\n'}
    edit = story.message("assistant", story.tool("write", args, metadata={"exists": True}), **where)
    story.message("assistant", text("Done."), **where)
    story.database(Path(os.environ["HOME"]) / SHARE / "opencode.db")
    repo.write("app.py", args["content"])
    repo.commit("Say hello", date=story.now / 1000 + 1)

    memory = Memory(repo)
    memory.sync()
    (found,) = memory.why("app.py:1").answers
    assert (found.link.session_id, found.link.turn_uuid) == ("ses_1", edit)
