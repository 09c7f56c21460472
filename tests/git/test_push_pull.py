"""`git funes push` and `pull`: machines of a team keep one memory, on a Hub or in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agents import ClaudeSession
from hub import Hub, serving
from machines import Machine
from memory import Memory
from planted import Maker

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.remotes.names import parse
from funes_git.remotes.places import FolderPlace
from funes_git.remotes.tables import Difference
from funes_git.store.stores import Stores
from funes_git.sync.meeting import Meeting

NAME = "ada/widget"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as found:
        yield found


@pytest.fixture
def ada(hub: Hub, tmp_path: Path) -> Machine:
    return Machine(tmp_path / "a", hub)


def test_a_new_machine_knows_everything(hub: Hub, ada: Machine, tmp_path: Path) -> None:
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    said = ada.push(NAME)
    assert (said["created"], said["taken"]["turns"]) == (True, 0)
    assert said["pushed"]["turns"] > 2
    assert hub.repositories[NAME].private
    assert ada.repo.git("config", "funes.memory").strip() == NAME
    tops = {path.split("/")[0] for path in hub.content(NAME)}
    tables = {f"{t}.lance" for t in ("blocks", "chunks", "edits", "links", "sessions", "spawns")}
    assert tops == tables | {"format.json", ".gitattributes"}
    bob = Machine(tmp_path / "b", hub, ada.repo)
    assert bob.pull(NAME)["taken"]["sessions"] == 1
    assert bob.authors("cache.py:1") == [claude.id]
    assert bob.hits("cap cache") == {claude.id}
    assert bob.pull()["taken"]["turns"] == 0  # it is bound, and there is nothing new


def test_a_pull_has_nothing_sent_by_itself(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    share = tmp_path / "share"
    assert f"push to {share} when they end" in ada.run("push", str(share)).stderr
    bob = Machine(tmp_path / "b", origin=ada.repo)
    assert "nothing is sent there by itself" in bob.run("pull", str(share)).stderr
    assert (ada.json("status")["pushed_to"], bob.json("status")["pushed_to"]) == (str(share), None)
    bob.repo.git("config", "funes.push", "true")
    assert bob.json("status")["pushed_to"] == str(share)
    bob.run("deinit", "--purge", "--yes")
    assert "funes" not in bob.repo.git("config", "--local", "--list")


def test_nothing_new_costs_one_request(hub: Hub, ada: Machine) -> None:
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    ada.push(NAME)
    before = len(hub.asked)
    assert ada.push()["pushed"]["turns"] == 0
    asked = [each for each in hub.asked[before:] if "HEAD" not in each]
    assert len(asked) <= 3  # is it there, is it private, its newest commit


def test_what_is_new_goes_both_ways(hub: Hub, ada: Machine, tmp_path: Path) -> None:
    first = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    ada.push(NAME)
    bob = Machine(tmp_path / "b", hub, ada.repo)
    bob.pull(NAME)
    second = bob.session("hello.py", "print('hello to everyone')", prompt="Say hello")
    bob.index()
    assert bob.push()["taken"]["turns"] == 0
    first.prompt("And now say why")
    first.says("Since a bounded cache keeps the hot keys.")
    ada.index()
    said = ada.push()
    assert (said["taken"]["sessions"], said["pushed"]["turns"]) == (1, 2)
    bob.pull()
    for machine in (ada, bob):
        assert machine.hits("bounded cache keeps hot keys") >= {first.id}
        assert machine.hits("say hello") >= {second.id}
    assert ada.push()["pushed"]["turns"] == bob.push()["pushed"]["turns"] == 0


@pytest.mark.slow
def test_case_31_two_that_push_at_once_and_a_fork_are_one_memory(
    hub: Hub, ada: Machine, tmp_path: Path
) -> None:
    first = ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    ada.push(NAME)
    team = [Machine(tmp_path / name, hub, ada.repo) for name in ("b", "c")]
    sessions = [first]
    for number, machine in enumerate(team):
        machine.pull(NAME)
        sessions.append(machine.session(f"part{number}.py", f"PART_OF_IT = {number}000"))
        machine.index()
    with ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda machine: machine.push(), team))
    assert all(each["pushed"]["turns"] for each in said)

    fork = Machine(tmp_path / "fork", hub, ada.repo)
    fork.pull(NAME)
    sessions.append(fork.session("fork.py", "PART_OF_THE_FORK = 3000"))
    fork.index()
    fork.push("ada/fork")
    ada.repo.git("pull", "-q", str(fork.repo.path), "main")
    for machine in team:
        ada.repo.git("fetch", "-q", str(machine.repo.path), "main")
        ada.repo.git("merge", "-q", "--no-edit", "FETCH_HEAD")
    assert ada.pull("ada/fork")["taken"]["sessions"] >= 1
    ada.pull(NAME)
    names = ("cache.py", "part0.py", "part1.py", "fork.py")
    memory = Memory(ada.repo)
    who = [author for name in names for author in memory.who(name).values()]
    assert who == [each.id for each in sessions]
    assert ada.pull("ada/fork")["taken"]["turns"] == 0


def test_case_16_a_squash_on_a_server_is_found_from_a_pulled_memory(
    ada: Machine, tmp_path: Path
) -> None:
    """The branch is gone, and so is the commit that the session saw."""
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    git = ada.repo.git
    git("checkout", "-q", "-b", "topic")
    claude = ada.claude()
    claude.prompt("Say when it is full")
    claude.edit("cache.py", "128\n", "128\nSAY_WHEN_IT_IS_FULL = True\n")
    ada.repo.commit("Say it", date=ada.clock.tick(60))
    ada.index()
    ada.push(str(tmp_path / "memory"))
    git("checkout", "-q", "main")
    git("merge", "-q", "--squash", "topic")
    ada.repo.commit("Say it (#7)", date=ada.clock.tick(60))
    git("branch", "-q", "-D", "topic")
    bob = Machine(tmp_path / "b", None, ada.repo)
    bob.pull(str(tmp_path / "memory"))
    (answer,) = bob.json("why", "cache.py:2")["answers"]
    assert (answer["session_id"], answer["level"]) == (claude.id, "lines")


def test_a_push_that_was_cut_off_goes_on(hub: Hub, ada: Machine, tmp_path: Path) -> None:
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    hub.cut("POST", "/commit/")
    done = ada.run("push", NAME, "--no-embed", code=1)
    assert "error: the Hub cannot be reached" in done.stderr
    ada.push(NAME)
    bob = Machine(tmp_path / "b", hub, ada.repo)
    bob.pull(NAME)
    assert bob.authors("cache.py:1") == [claude.id]
    hub.fail("POST", "/commit/", 503, retry_after="1")
    hub.fail("POST", "/commit/", 429, retry_after="1")
    bob.session("hello.py", "print('hello to everyone')")
    bob.index()
    assert bob.push()["pushed"]["turns"]


def test_case_34_a_secret_that_only_the_second_scanner_knows_stays(hub: Hub, ada: Machine) -> None:
    planted = Maker(7)
    claude = ada.claude()
    claude.prompt("Cap the cache")
    secret = planted.some(36)
    claude.says(f"I set vault_approle_secret_id={secret} and go on.")
    claude.write("cache.py", "LIMIT_OF_CACHE = 128\n")
    ada.repo.commit("Cap")
    ada.index()
    said = ada.push(NAME)
    sent = b"\n".join([*hub.received, *hub.files.values()])
    assert secret.encode() not in sent
    assert b"LIMIT_OF_CACHE" in sent  # so the search sees what left
    assert {each["session"] for each in said["withheld"]} == {claude.id}
    assert secret not in json.dumps(said)
    assert ada.hits("vault approle") == {claude.id}  # here it stays
    assert (
        "WITHHELD"
        in ada.run("get", claude.id, said["withheld"][0]["turn"], "--memory", NAME).stdout
    )


def test_case_34_a_session_with_a_secret_in_an_id_stays_and_is_named(
    ada: Machine, tmp_path: Path
) -> None:
    folder = str(tmp_path / "memory")
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    token = Maker(8).checked("ghp_")
    hidden = f"GITHUB_TOKEN={token}".encode().hex()  # the scanner before storing knows no hex
    turn = claude.says("It is done.")
    claude.file.write_text(claude.file.read_text().replace(turn, hidden))
    ada.index()
    said = ada.run("push", folder, "--no-embed", "--format", "human").stdout
    turns = len(claude.file.read_text().splitlines())
    assert f"session {claude.id[:8]} ({turns} turns) was left out whole: an id of it looks" in said
    assert f"git funes get {claude.id[:8]} {hidden[:8]}" in said
    assert "pushed" not in said
    assert "nothing new" not in said
    other = ada.session("hello.py", "print('hello to everyone')")
    ada.index()
    told = ada.push()  # it is not taken for sent
    (left_out,) = told["left_out"]
    assert (left_out["session"], left_out["turn"]) == (claude.id, hidden[:8])
    assert "github" in left_out["rules"][0]
    assert (left_out["turns"], told["withheld"]) == (turns, [])
    exported = ada.json("export", str(tmp_path / "all.funes"))
    sent = len(other.file.read_text().splitlines())
    assert told["pushed"] == exported["pushed"] == {"turns": sent}
    assert hidden not in said + json.dumps([told, exported])


def test_a_public_memory_is_refused(hub: Hub, ada: Machine) -> None:
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    hub.put(NAME, {"README.md": b"# Public\n"})
    done = ada.run("push", NAME, code=1)
    assert "ada/widget is public" in done.stderr
    assert hub.content(NAME).keys() == {".gitattributes", "README.md"}


@pytest.mark.slow
def test_a_memory_of_another_repository_is_asked_about(
    hub: Hub, ada: Machine, tmp_path: Path
) -> None:
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    ada.push(NAME)
    other = Machine(tmp_path / "b", hub)
    other.session("other.py", "SOMETHING_ELSE = 1")
    other.index()
    for command in ("push", "pull"):
        done = other.run(command, NAME, code=1)
        assert "ada/widget holds sessions, and none of this repository" in done.stderr
    assert other.push(NAME, "--yes")["pushed"]["turns"]


def test_a_folder_is_a_memory_too(ada: Machine, tmp_path: Path) -> None:
    folder = str(tmp_path / "share")
    claude = ada.session("cache.py", "LIMIT_OF_CACHE = 128", prompt="Cap the cache")
    ada.index()
    ada.push(folder)
    bob = Machine(tmp_path / "b", None, ada.repo)
    bob.pull(folder)
    assert bob.authors("cache.py:1") == [claude.id]
    bob.session("hello.py", "print('hello to everyone')")
    bob.index()
    bob.push()
    assert ada.pull()["taken"]["sessions"] == 1
    left = [p for p in Path(folder).rglob("*") if p.is_symlink() or p.name.endswith(".part")]
    assert left == []


@pytest.mark.slow
def test_what_one_forgets_all_forget(ada: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "share"
    kept = ada.session("hello.py", "print('hello to everyone')", prompt="Say hello")
    gone = ada.session("cache.py", "QUETZALCOATLUS = 128", prompt="Mind the quetzalcoatlus")
    ada.index()
    ada.push(str(folder))
    team = bob, cyd = [Machine(tmp_path / name, None, ada.repo) for name in ("b", "c")]
    for machine in team:
        machine.pull(str(folder))
    with Stores.open(Repo.discover(bob.repo.path).layout, write=True) as stores:
        ids = stores.lance().ids("chunks")  # its turns are other than when it met the memory
        stores.set_vectors(ids, [[0.5] * 384 for _ in ids], stores.lance().model)
    for place in (folder, bob.repo.path / ".git/funes", cyd.repo.path / ".git/funes"):
        assert holds(place, b"uetzalcoatlus")
    (forgot,) = ada.json("forget", gone.id, "--yes")["sessions"]
    turns = forgot["turns"]
    done = ada.run("push", "--no-embed")
    assert f"took out {turns} turns that were forgotten here" in done.stdout
    said = bob.push()
    assert said["forgotten"]["turns"] == turns
    assert said["pushed"]["turns"]  # the vectors of what is left
    done = cyd.run("pull", "--no-embed")
    assert f"forgot {turns} turns that were forgotten on another machine" in done.stdout
    assert ada.push()["taken_out"]["turns"] == 0
    for place in (folder, bob.repo.path / ".git/funes", cyd.repo.path / ".git/funes"):
        assert not holds(place, b"uetzalcoatlus")
    for machine in (ada, *team):
        assert machine.authors("hello.py:1") == [kept.id]
        assert machine.push()["pushed"]["turns"] == 0


def shared_by_two(
    ada: Machine, tmp_path: Path, text: str, prompt: str
) -> tuple[ClaudeSession, Machine]:
    """The session that wrote `text` to cache.py, in the folder `share`, and who pulled it."""
    folder = str(tmp_path / "share")
    session = ada.session("cache.py", text, prompt=prompt)
    ada.session("hello.py", "print('hello to everyone')", prompt="Say hello")
    ada.index()
    ada.push(folder)
    bob = Machine(tmp_path / "b", None, ada.repo)
    bob.pull(folder)
    return session, bob


@pytest.mark.slow
def test_what_is_kept_of_a_memory_elsewhere_does_not_outlive_the_forgetting(
    ada: Machine, tmp_path: Path
) -> None:
    """As often as that memory is asked in between, here and on another machine."""
    gone, bob = shared_by_two(ada, tmp_path, "QUETZALCOATLUS = 128", "Mind the quetzalcoatlus")
    folder = str(tmp_path / "share")
    asked = ("why", "cache.py:1", "--memory", folder)
    for machine in (ada, bob):
        machine.run(*asked)
        assert holds(machine.home / ".cache", b"uetzalcoatlus")
    ada.run("forget", gone.id, "--yes")
    assert not holds(ada.home / ".cache", b"uetzalcoatlus")
    ada.run(*asked)
    ada.push()
    bob.pull()
    for machine in (ada, bob):
        assert not holds(machine.home / ".cache", b"uetzalcoatlus")


@pytest.mark.slow
def test_who_wrote_it_forgets_it_too_and_reads_it_no_more(ada: Machine, tmp_path: Path) -> None:
    claude, bob = shared_by_two(ada, tmp_path, "LIMIT_OF_CACHE = 128", "Cap the cache")
    bob.run("forget", "--file", "cache.py", "--yes")  # single turns, not the session
    turns = bob.push()["taken_out"]["turns"]
    assert turns
    claude.says("And one thing more.")
    ada.index()
    assert ada.push()["forgotten"]["turns"] == turns
    ada.index()
    assert ada.push()["pushed"]["turns"] == 0
    assert claude.id in ada.hits("one thing more")
    assert "LIMIT_OF_CACHE" not in ada.run("get", claude.id).stdout
    (note,) = (tmp_path / "share/forgotten").iterdir()
    assert {kind for kind, _ in json.loads(note.read_bytes())} == {"turn"}
    broken = ("nothing", '["session"]', '[["session", "\\ud800"], ["file", "*"], 3]')
    for number, text in enumerate(broken):
        note.with_name(f"{number}.json").write_text(text)
    assert bob.pull()["forgotten"]["turns"] == 0


def holds(folder: Path, word: bytes) -> bool:
    """Whether a file below the folder has these bytes."""
    return any(word in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_what_is_no_memory_is_told(ada: Machine) -> None:
    ada.repo.commit("first")
    done = ada.run("push", code=2)
    assert "this repository has no memory elsewhere yet" in done.stderr
    done = ada.run("pull", code=2)
    assert "hint: git funes pull ORG/NAME, or git funes pull FOLDER" in done.stderr
    assert "names a revision" in ada.run("push", "ada/widget@v1", code=2).stderr
    assert "no memory can be called 'word'" in ada.run("push", "word", code=2).stderr
    assert "git funes init" in ada.run("push", NAME, code=1).stderr
    done = ada.run("pull", "ada/none", code=1)
    assert "no dataset ada/none that you may read (404)" in done.stderr


@pytest.mark.parametrize("what", ["photos", "empty", "checkout"])
def test_a_folder_that_is_no_memory_is_neither_pulled_nor_written_to(
    tmp_path: Path, what: str
) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    folder = tmp_path / what
    folder.mkdir()
    if what == "photos":
        (folder / "sea.jpg").write_bytes(b"blue")
    if what == "checkout":
        ada.repo.git("clone", "-q", ".", str(folder))
    before = sorted(folder.iterdir())
    done = ada.run("pull", str(folder), code=1)
    assert f"{folder} is no memory" in done.stderr
    assert "nobody has pushed there yet" in done.stderr
    if before:
        done = ada.run("push", str(folder), code=1)
        held = {"photos": "sea.jpg", "checkout": ".git, cache.py"}[what]
        assert f"{folder} holds {held}, and no memory" in done.stderr
        assert f"git funes push {folder}/memory" in done.stderr
        assert sorted(folder.iterdir()) == before
    assert ada.repo.git("config", "--default", "", "funes.memory").strip() == ""
    assert ada.push(f"{folder}/memory" if before else str(folder))["pushed"]["turns"]


def test_a_bound_folder_that_is_in_use_is_not_written_to(tmp_path: Path) -> None:
    """What the end of a session pushes to was not named to a command."""
    place = FolderPlace(parse(str(tmp_path)))
    (tmp_path / "sea.jpg").write_bytes(b"blue")
    with pytest.raises(FunesError, match=r"holds sea\.jpg, and no memory"):
        place.commit(Difference({}, []), place.head(), "push")
    assert [path.name for path in tmp_path.iterdir()] == ["sea.jpg"]


def test_a_dataset_that_holds_something_else_is_not_written_to(hub: Hub, ada: Machine) -> None:
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    files = {f"{name}.csv": b"1,2" for name in "abcde"} | {"README.md": b"# Numbers"}
    hub.put(NAME, files, private=True)
    done = ada.run("push", NAME, code=1)
    assert f"{NAME} holds a.csv, b.csv, c.csv and 2 more, and no memory" in done.stderr
    assert f"git funes push {NAME}-memory, a dataset of its own" in done.stderr
    assert hub.content(NAME).keys() - {".gitattributes"} == files.keys()
    hub.put("ada/new", {"README.md": b"# To be filled"}, private=True)
    assert ada.push("ada/new")["pushed"]["turns"]


def test_a_pull_that_brought_nothing_leaves_nothing(hub: Hub, ada: Machine, tmp_path: Path) -> None:
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    ada.push(str(tmp_path / "share"))
    ada.push(NAME)
    hub.put("ada/cards", {"README.md": b"# No memory\n"})
    bob = Machine(tmp_path / "b", hub)
    bob.repo.write("other.py", "SOMETHING_ELSE = 1\n")
    bob.repo.commit("first")
    missing = bob.run("pull", str(tmp_path / "missing"), code=1).stderr
    assert "nobody has pushed there yet" in missing
    assert "git funes push" not in missing
    assert "is no memory" in bob.run("pull", "ada/cards", code=1).stderr
    bob.run("pull", str(tmp_path / "share"), code=1)  # of another repository
    bob.run("pull", NAME, code=1, HF_ENDPOINT="http://127.0.0.1:9")
    assert not (bob.repo.path / ".git/funes").exists()
    assert bob.repo.git("config", "--default", "", "funes.memory").strip() == ""
    assert "no memory yet" in bob.run("why", "other.py:1", code=1).stderr


def test_only_the_last_folder_is_made_and_none_in_the_work_tree(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    done = ada.run("push", str(tmp_path / "nofolder/x/y"), code=1)
    assert f"there is no folder {tmp_path}/nofolder/x, in which y would be" in done.stderr
    assert not (tmp_path / "nofolder").exists()
    done = ada.run("push", "./team-memory", code=1)
    assert "./team-memory is in the work tree" in done.stderr
    assert "echo /team-memory/ >> .git/info/exclude" in done.stderr
    assert not (ada.repo.path / "team-memory").exists()
    (ada.repo.path / ".git/info/exclude").write_text("/team-memory/\n")
    assert ada.push("./team-memory")["pushed"]["turns"]
    assert ada.repo.git("status", "--porcelain") == ""


def test_status_says_where_it_is_pushed_to_and_deinit_that_it_stays(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    share = tmp_path / "share"
    assert "pushed to" not in ada.run("status").stdout
    assert ada.json("status")["pushed_to"] is None
    ada.push(str(share))
    told = "".join(ada.run("status").stdout.split())  # a long path is folded
    assert f"pushedto{share}" in told
    assert ada.json("status")["pushed_to"] == str(share)
    assert f"pushed to {share} stays where it is" in ada.run("deinit", "--purge").stderr
    assert (share / "chunks.lance").is_dir()


def test_the_steps_of_a_push_that_may_take_long_are_told(tmp_path: Path) -> None:
    ada = Machine(tmp_path / "a")
    ada.session("cache.py", "LIMIT_OF_CACHE = 128")
    ada.index()
    (share := tmp_path / "share").mkdir()
    told: list[str] = []
    place = FolderPlace(parse(str(share)))
    Meeting(Repo.discover(ada.repo.path), place, lambda _, __, what: told.append(what)).push()
    assert told[:2] == ["files fetched", "sessions scanned"]
    assert told[-1] == "files sent"
