"""`--memory`: questions to a memory that lies elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hub import Hub, serving
from machines import Machine
from mcp_client import COMMAND, McpServer

NAME = "ada/widget"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as found:
        yield found


def test_a_fresh_clone_asks_a_memory_on_the_hub(hub: Hub, tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a", hub)
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    first = ada.push(NAME)["version"]
    bob = Machine(tmp_path / "b", hub, ada.repo)
    asked = ("--memory", NAME)
    assert bob.authors("cache.py:1", *asked) == [claude.id]
    assert not (bob.repo.path / ".git/funes").exists()
    before = len(hub.asked)
    (hit,) = bob.json("recall", "cap the cache", *asked)["hits"]
    assert (hit["session_id"], hit["memory"]) == (claude.id, NAME)
    assert "Cap the cache" in bob.run("get", claude.id, *asked).stdout
    _ways_to_turns_lead_there(bob)
    assert claude.id in bob.run("log", *asked, "--format", "json").stdout
    state = bob.json("status", *asked)
    assert (state["sessions"], state["memory"]) == (1, NAME)
    assert (state["hooks"], state["added"], state["worker"]) == (None, [], None)
    told = bob.run("status", *asked, "--format", "human").stdout
    assert told.startswith(f"memory {NAME}\n")
    assert "  hooks " not in told
    assert "  worker " not in told
    assert "  indexed " not in told
    assert "  redacted " not in told
    assert len(hub.asked) == before  # it was fetched, and nothing is asked again
    offline = {"HF_HUB_OFFLINE": "1", "HF_ENDPOINT": "http://127.0.0.1:1"}
    assert bob.json("recall", "cap the cache", *asked, **offline)["hits"]
    # two memories at once; the own one has a session of its own
    own = bob.session("hello.py", "print('hello to everyone')", prompt="Say hello to the cache")
    bob.index()
    both = bob.json("recall", "cache", "--memory", f"local,{NAME}")["hits"]
    assert {(h["session_id"], h["memory"]) for h in both} == {
        (own.id, "local"),
        (claude.id, NAME),
    }
    # a commit is what it was, whatever came after it
    bob.push(NAME)
    pinned = bob.json("recall", "cache", "--memory", f"{NAME}@{first}")["hits"]
    assert {hit["session_id"] for hit in pinned} == {claude.id}


def _ways_to_turns_lead_there(bob: Machine) -> None:
    """What an answer from elsewhere tells one to run next asks the same memory."""
    asked = ("--memory", NAME)
    told = [
        bob.run("why", "cache.py:1", *asked).stdout,
        bob.run("log", *asked).stdout,
        bob.run("why", "--chain", "cache.py:1", *asked).stdout,
        bob.run("why", "cache.py:1", *asked, "--format", "human").stdout,
        bob.run("why", "--chain", "cache.py:1", *asked, "--format", "human").stdout,
        bob.run("recall", "cap the cache", *asked, "--format", "human").stdout,
    ]
    for text in told:
        assert "session file is gone" not in text
        commands = re.findall(r"(?:^|funes |· )get (.*)", text, re.M)
        assert commands, text
        for command in commands:
            assert command.endswith(f" --memory {NAME}"), text
            assert bob.run("get", *command.split()).returncode == 0


def test_offline_says_so_and_answers_from_what_is_here(hub: Hub, tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a", hub)
    ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    ada.push(NAME)
    ada.run("recall", "cache", "--memory", NAME)
    for head in (ada.home / ".cache/funes-git/memories").glob("*/head.json"):
        seen = json.loads(head.read_text())
        head.write_text(json.dumps({**seen, "at": seen["at"] - 7_200}))
    done = ada.run("recall", "cache", "--memory", NAME, HF_HUB_OFFLINE="1")
    assert "note: ada/widget as it was on " in done.stderr
    assert "HF_HUB_OFFLINE is set" in done.stderr
    assert "Cap the cache" in done.stdout
    asked = len(hub.asked)
    again = ada.run("recall", "cache", "--memory", NAME)  # the Hub is back, but not asked at once
    assert "note: ada/widget as it was on " in again.stderr
    assert len(hub.asked) == asked
    for head in (ada.home / ".cache/funes-git/memories").glob("*/head.json"):
        seen = json.loads(head.read_text())
        head.write_text(json.dumps({**seen, "tried": seen["tried"] - 600}))
    later = ada.run("recall", "cache", "--memory", NAME)
    assert later.stderr == (
        "note: words alone: this memory has no vectors; whoever pulls it makes them\n"
    )
    assert len(hub.asked) > asked


def test_an_agent_asks_a_memory_in_a_folder(hub: Hub, tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a", hub)
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    ada.push(str(tmp_path / "share"))
    bob = Machine(tmp_path / "b", hub, ada.repo)
    served = (*COMMAND, "--memory", str(tmp_path / "share"))
    with McpServer(bob.repo.path, *served, HOME=str(bob.home)) as server:
        server.initialize()
        why = server.call("why", target="cache.py:1")
        assert "> Cap the cache" in why
        assert f"get {claude.id} " in why
        assert "> Cap the cache" in server.call("recall", query="cap the cache")
        assert "> Cap the cache" in server.call("get", session=claude.id)
        assert f"memory {tmp_path / 'share'}\n" in server.call("status")


def test_a_folder_and_what_is_no_memory(hub: Hub, tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a", hub)
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    ada.push(str(tmp_path / "share"))
    assert ada.authors("cache.py:1", "--memory", str(tmp_path / "share")) == [claude.id]
    hub.put("ada/none", {"README.md": b"# Nothing\n"})
    done = ada.run("recall", "cache", "--memory", "ada/none", code=1)
    assert "ada/none is no memory" in done.stderr
    assert "no memory can be called" in ada.run("why", "x", "--memory", "none", code=2).stderr


def test_published_memories_are_found(hub: Hub, tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a", hub)
    card = b"---\ntags: [funes]\npretty_name: The memory of acme/widget\n---\n"
    hub.put("ada/widget", {"README.md": card, "releases/v1.0.json": b"{}"})
    hub.put("ada/cats", {"README.md": b"---\ntags: [cats]\n---\n"})
    (found,) = ada.json("find", "widget")["memories"]
    assert (found["memory"], found["repository"]) == ("ada/widget", "acme/widget")
    assert found["releases"] == ["v1.0"]
    shown = ada.run("find").stdout
    assert "ada/widget acme/widget, " in shown
    assert "releases v1.0" in shown
    assert ada.run("find", "none", "--exit-code", code=1).stdout == "no memory was found\n"


def test_a_file_that_could_be_committed_is_refused(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    said = ada.run("export", "all.funes", code=1).stderr
    assert "all.funes is in the work tree, from where sessions could be committed" in said
    assert "name a file outside, or echo /all.funes >> .git/info/exclude" in said
    assert not list(ada.repo.path.glob("*.funes"))
    said = ada.run("export", "--force", "all.funes").stderr
    first = said.splitlines()[0]  # more comes where it takes long
    assert first == "everything is scanned for secrets first, which may take minutes"
    exclude = ada.repo.path / ".git/info/exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("/all.funes\n")
    (ada.repo.path / "all.funes").unlink()
    ada.run("export", "all.funes")


def test_a_file_is_taken_where_the_branches_have_many_roots(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    root = ada.repo.git("rev-list", "--max-parents=0", "HEAD").strip()
    tree = ada.repo.git("rev-parse", "HEAD^{tree}").strip()
    made = (ada.repo.git("commit-tree", tree, "-m", f"{n}").strip() for n in count())
    first = next(each for each in made if each < root)
    ada.repo.git("update-ref", "refs/entire/one", first)  # no clone gets it
    ada.index()
    file = str(tmp_path / "widget.funes")
    ada.run("export", file)
    bob = Machine(tmp_path / "b", None, ada.repo)
    assert bob.json("import", file, "--no-embed")["taken"]["sessions"] == 1


def test_a_file_of_another_repository_is_taken_with_yes(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    file = str(tmp_path / "widget.funes")
    ada.run("export", file)
    other = Machine(tmp_path / "b")
    said = other.run("import", file, "--no-embed", code=1).stderr
    assert "holds sessions, and none of this repository" in said
    assert other.json("import", file, "--yes", "--no-embed")["taken"]["sessions"] == 1
    assert other.hits("cap cache") == {claude.id}


def test_a_memory_in_one_file(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    file = str(tmp_path / "widget.funes")
    said = ada.json("export", file)
    assert (said["pushed"]["turns"] > 2, said["bytes"]) == (True, Path(file).stat().st_size)
    assert "exists" in ada.run("export", file, code=1).stderr
    assert list((ada.repo.path / ".git/funes/remotes").iterdir()) == []
    assert [path.name for path in tmp_path.glob("widget*")] == ["widget.funes"]
    bob = Machine(tmp_path / "b", None, ada.repo)
    assert bob.authors("cache.py:1", "--memory", file) == [claude.id]
    assert bob.json("import", file, "--no-embed")["taken"]["sessions"] == 1
    assert bob.authors("cache.py:1") == [claude.id]
    assert bob.json("import", file, "--no-embed")["taken"]["turns"] == 0
    Path(file).write_bytes(b"no zip")
    assert "is no memory in a file" in bob.run("import", file, code=1).stderr
    assert "there is no file" in bob.run("import", "none.funes", code=1).stderr
