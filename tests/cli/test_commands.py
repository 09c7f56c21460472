"""The commands on a real repository with a real session: init, ask, keep, take away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agents import START, ClaudeSession
from cli.running import environment, funes, started
from helpers import GitRepo, share_caches


@dataclass
class Widget:
    """A repository in which an agent has worked, and its user's home."""

    repo: GitRepo
    home: Path
    session: str
    prompt: str
    edit: str
    commit: str

    def funes(self, *args: str, cwd: Path | None = None, **env: str) -> str:
        """Standard output of a command that must succeed."""
        done = funes(*args, cwd=cwd or self.repo.path, HOME=str(self.home), **env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *args: str) -> dict[str, Any]:
        """The JSON object that a command prints."""
        found: dict[str, Any] = json.loads(self.funes(*args, "--format", "json"))
        assert found["schema_version"] == 1
        return found


def build(folder: Path) -> Widget:
    """A commit by a person, then one by Claude Code."""
    repo, home = GitRepo(folder / "widget"), folder / "home"
    repo.write("src/cache.py", "entries = {}\n\n\ndef put(key, value):\n    entries[key] = value\n")
    repo.commit("Start the cache", date=START - 100_000)
    claude = ClaudeSession(repo, home)
    prompt = claude.prompt("The cache grows without bound. Please evict the oldest entries.")
    claude.says("I'll evict the least recently used entry.")
    edit = claude.edit(
        "src/cache.py",
        "    entries[key] = value\n",
        "    entries[key] = value\n    if len(entries) > LIMIT:\n"
        "        entries.pop(next(iter(entries)))\n",
    )
    claude.bash("git commit -qam 'Bound the cache' && git rev-parse HEAD")
    return Widget(repo, home, claude.id, prompt, edit, repo.git("rev-parse", "HEAD"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Widget:
    """Built and initialised once; tests that change something copy it."""
    keep = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("GIT_")}
    os.environ.update(
        {
            f"GIT_{who}_{what}": "Ada"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
        GIT_CONFIG_GLOBAL=os.devnull,
    )
    try:
        widget = build(tmp_path_factory.mktemp("template"))
        share_caches(widget.home)
        widget.funes("init", "--no-embed", XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
    finally:
        os.environ.update(keep)
    return widget


@pytest.fixture
def widget(template: Widget, tmp_path: Path) -> Widget:
    """A copy of the template to change."""
    shutil.copytree(template.repo.path.parent, tmp_path / "w", symlinks=True)
    found = Widget(**{**template.__dict__, "home": tmp_path / "w" / "home"})
    found.repo = GitRepo.__new__(GitRepo)
    found.repo.path = tmp_path / "w" / "widget"
    enabled = found.home / ".config" / "funes-git" / "repositories"
    enabled.write_text(f"{found.repo.path}/.git\n")
    return found


def test_why_answers_with_the_turn_behind_the_line(template: Widget) -> None:
    found = template.json("why", "src/cache.py:7")
    [answer] = found["answers"]
    assert found["target"] == "src/cache.py:7"
    assert found["reason"] is None
    assert (answer["commit"], answer["level"]) == (template.commit, "exact")
    assert (answer["session_id"], answer["turn_uuid"]) == (template.session, template.edit)
    assert answer["relation"] == "wrote"
    assert answer["prompt"].startswith("The cache grows")
    assert [p["text"] for p in answer["passages"]] == ["I'll evict the least recently used entry."]
    assert set(answer["passages"][0]) == {"turn_uuid", "block_type", "text"}
    assert answer["edit"]["path"] == "src/cache.py"
    assert "+    if len(entries) > LIMIT:" in answer["edit"]["diff"]
    assert template.funes("why", "src/cache.py:7", "--format", "human").count("▶ 7 +") == 1


def test_why_without_an_answer_gives_the_reason(template: Widget) -> None:
    found = template.json("why", "src/cache.py:1")
    assert found["answers"] == []
    assert found["reason"]
    args = ("why", "src/cache.py:1", "--exit-code")
    assert funes(*args, cwd=template.repo.path, HOME=str(template.home)).returncode == 1
    assert template.funes("why", "src/cache.py:1").startswith("funes-git memory · widget · ")


def test_paths_are_those_of_the_current_folder(template: Widget) -> None:
    src = template.repo.path / "src"
    assert "turn_uuid" in template.funes("why", "cache.py:7", "--format", "json", cwd=src)
    outside = template.repo.path.parent
    text = template.funes("-C", "widget/src", "why", "cache.py:7", cwd=outside)
    assert text.endswith(f"get {template.session} {template.edit}\n")
    git_dir = {"GIT_DIR": str(template.repo.path / ".git"), "GIT_WORK_TREE": str(src.parent)}
    assert template.edit in template.funes("why", "cache.py:7", cwd=src, **git_dir)


def test_blame_has_an_author_for_every_line(template: Widget) -> None:
    found = template.json("blame", "src/cache.py")
    assert found["path"] == "src/cache.py"
    kinds = [row["author"]["kind"] for row in found["lines"]]
    assert kinds[5:] == ["agent", "agent"]
    assert "agent" not in kinds[:5]
    assert [row["line"] for row in found["lines"]] == list(range(1, 8))
    assert found["lines"][5]["author"] == {
        "kind": "agent",
        "harness": "claude_code",
        "session_id": template.session,
        "turn_uuid": template.edit,
        "level": "exact",
    }


def test_log_prints_an_object_a_line(template: Widget) -> None:
    rows = [json.loads(row) for row in template.funes("log", "--format", "json").splitlines()]
    assert [row["schema_version"] for row in rows] == [1, 1]
    assert rows[0]["commit"] == template.commit
    [link] = rows[0]["links"]
    assert link["lines"] == [[6, 7]]
    assert set(link) == {
        "session_id",
        "turn_uuid",
        "harness",
        "relation",
        "content",
        "proof",
        "source",
        "level",
        "score",
        "path",
        "lines",
        "chain",
    }
    assert rows[1]["links"] == []
    assert rows[1]["reason"]
    assert len(template.funes("log", "-1", "--format", "json").splitlines()) == 1
    assert template.funes("log", "--format", "json", "--", "nowhere") == ""
    one = template.funes("log", "HEAD~1..", "--format", "human")
    assert one.splitlines()[0] == f"{template.commit[:7]} Bound the cache"


def test_recall_finds_and_get_shows_the_turn(template: Widget) -> None:
    found = template.json("recall", "least recently used")
    hit = found["hits"][0]
    assert set(hit) >= {
        "session_id",
        "turn_uuid",
        "seq",
        "ts",
        "harness",
        "branch",
        "block_type",
        "score",
        "text",
        "prompt",
        "commits",
    }
    assert hit["text"] == "I'll evict the least recently used entry."
    text = template.funes("recall", "least recently used")
    line = next(row for row in text.splitlines() if row.startswith("get "))
    turn = template.funes(*line.split())
    assert "> I'll evict the least recently used entry." in turn
    assert template.json("recall", "zyzzyva")["hits"] == []


@pytest.mark.slow
@pytest.mark.model
def test_another_model_makes_all_vectors_anew(widget: Widget) -> None:
    widget.funes("index", "--wait")
    other = "sentence-transformers/all-MiniLM-L6-v2"

    def made() -> dict[str, int]:
        rows = widget.json("models")["models"]
        return {row["name"]: row["vectors"] for row in rows if row["vectors"]}

    before = made()
    assert list(before) == ["BAAI/bge-small-en-v1.5"]
    done = funes("reindex", "--model", "no/such", cwd=widget.repo.path, HOME=str(widget.home))
    assert done.returncode == 1
    assert "git funes models" in done.stderr
    assert widget.repo.git("config", "--default", "none", "funes.model") == "none"
    widget.repo.git("config", "funes.model", other)
    asked = funes("recall", "least recently used", cwd=widget.repo.path, HOME=str(widget.home))
    assert asked.returncode == 1
    hint = next(row for row in asked.stderr.splitlines() if row.startswith("hint: "))
    widget.repo.git("config", "--unset", "funes.model")
    widget.funes(*hint.removeprefix("hint: git funes ").split(), "--wait")
    assert made() == {other: before["BAAI/bge-small-en-v1.5"]}
    assert widget.repo.git("config", "funes.model") == other
    asked = funes("recall", "the oldest goes first", cwd=widget.repo.path, HOME=str(widget.home))
    assert (asked.returncode, asked.stderr) == (0, "")


def test_all_repositories_are_asked_together(widget: Widget, tmp_path: Path) -> None:
    other = tmp_path / "w" / "gadget"
    shutil.copytree(widget.repo.path, other)
    bare = GitRepo(tmp_path / "w" / "empty")
    enabled = widget.home / ".config" / "funes-git" / "repositories"
    enabled.write_text("".join(f"{p}/.git\n" for p in (widget.repo.path, other, bare.path)))
    found = widget.json("recall", "least recently used", "--all-repos", "-n", "20")["hits"]
    assert {hit["repository"] for hit in found} == {None, str(other)}
    done = funes(
        "recall", "least recently used", "--all-repos", cwd=tmp_path, HOME=str(widget.home)
    )
    assert done.returncode == 0
    assert f"note: {bare.path}: this repository has no memory yet" in done.stderr
    line = next(row for row in done.stdout.splitlines() if row.startswith("git -C"))
    assert f"git -C {widget.repo.path} funes get " in done.stdout
    words = line.split()
    assert words[:2] + words[3:5] == ["git", "-C", "funes", "get"]
    asked = funes(*words[1:3], *words[4:], cwd=tmp_path, HOME=str(widget.home))
    assert asked.returncode == 0, asked.stderr
    both = funes("recall", "x", "--all-repos", "--memory", "local", cwd=other)
    assert both.returncode == 2


def test_a_turn_is_named_by_the_start_of_its_ids(template: Widget) -> None:
    found = template.json("get", template.session[:8], template.edit[:8], "--window", "1")
    assert [turn["turn_uuid"] == template.edit for turn in found["turns"]] == [False, True, False]


def test_status_tells_what_is_there(template: Widget) -> None:
    found = template.json("status")
    assert (found["sessions"], found["edits"]) == (1, 1)
    assert found["agents"] == {"claude_code": {"sessions": 1, "turns": found["turns"]}}
    assert found["hooks"]["state"] == "installed"
    assert found["links"] == {"exact": 1}
    assert found["worker"]["pid"] is None
    text = template.funes("status")
    assert "1 session (Claude Code 1)" in text


def test_init_again_changes_nothing(widget: Widget) -> None:
    before = widget.funes("why", "src/cache.py:7")
    again = widget.json("init", "--no-embed")
    assert again["indexed"]["turns"] == 0
    assert again["links"]["linked"]["exact"] == 1
    assert widget.funes("why", "src/cache.py:7") == before
    enabled = (widget.home / ".config" / "funes-git" / "repositories").read_text().splitlines()
    assert enabled.count(str(widget.repo.path / ".git")) == 1


def test_index_reports_only_what_is_new(widget: Widget) -> None:
    assert widget.json("index", "--no-embed") == {
        "schema_version": 1,
        "sessions": 0,
        "turns": 0,
        "edits": 0,
        "chunks": 0,
        "skipped_records": 0,
        "skipped": [],
        "commits": None,
        "redactions": 0,
        "seconds": pytest.approx(0, abs=60),
    }


def test_the_first_use_says_that_it_prepares_the_secret_scanner(widget: Widget) -> None:
    (widget.home / ".cache" / "funes-git" / "rules").unlink()
    told = [
        started("index", "--no-embed", cwd=widget.repo.path, HOME=str(widget.home)).stderr
        for _ in range(2)
    ]
    said = "preparing the secret scanner (once; it takes some seconds)…"
    assert [said in words for words in told] == [True, False]


def test_without_init_everything_works_and_status_says_how_to_install_hooks(
    tmp_path: Path,
) -> None:
    widget = build(tmp_path)
    share_caches(widget.home)
    widget.funes("index", "--no-embed")
    shown = " ".join(widget.funes("status", "--format", "human").split())
    assert "hooks absent: no hooks in" in shown
    assert "(`git funes init` installs them)" in shown
    assert widget.json("why", "src/cache.py:6")["answers"][0]["turn_uuid"] == widget.edit
    assert widget.json("recall", "oldest entries")["hits"]
    (widget.repo.path / "notes.txt").write_text("by hand\n")
    widget.repo.commit("Notes")
    assert widget.json("log", "-1")["commit"] == widget.repo.git("rev-parse", "HEAD")
    widget.funes("init", "--no-embed")
    assert widget.json("status")["hooks"]["state"] == "installed"


def test_link_reports_coverage(widget: Widget) -> None:
    found = widget.json("link", "--all")
    assert found["commits"] == 2
    levels = {"exact": 1, "lines": 0, "derived": 0, "imported": 0, "ran": 0, "weak": 0}
    assert found["linked"] == levels
    assert sum(found["unlinked"].values()) == 1
    assert found["seconds"] >= 0


def test_link_says_how_much_is_tied_and_on_what_evidence(template: Widget) -> None:
    found = template.json("link", "--coverage")
    assert found["levels"]["exact"]["commits"] == 1
    assert template.json("link", "--coverage", "HEAD~1")["levels"]["exact"]["commits"] == 0
    assert "1 of 2 commits" in template.funes("link", "--coverage", "--format", "human")
    found = template.json("link", "--explain", "HEAD")
    assert found["commit"] == template.commit
    assert [part["link"]["turn_uuid"] for part in found["evidence"]] == [template.edit]
    assert f"explain {template.commit[:7]}" in template.funes("link", "--explain", "HEAD")
    assert "thresholds:" in template.funes("link", "--explain", "HEAD", "--format", "human")
    wrong = funes("link", "--explain", "HEAD", "--all", cwd=template.repo.path)
    assert (wrong.returncode, "--explain takes one commit alone" in wrong.stderr) == (2, True)


def test_a_new_commit_is_linked_by_the_question_about_it(widget: Widget) -> None:
    hooks = widget.repo.path / ".git" / "hooks"
    shutil.rmtree(hooks)
    widget.repo.write("new.py", "print('by a person')\n")
    sha = widget.repo.commit("Add a file", date=START + 10)
    found = json.loads(widget.funes("log", "-1", "--format", "json"))
    assert (found["commit"], found["links"]) == (sha, [])
    assert found["reason"] is not None


def test_reindex_gives_the_same_answers(widget: Widget) -> None:
    asked = ("why", "src/cache.py:7"), ("log",), ("blame", "src/cache.py"), ("recall", "evict")
    before = [widget.funes(*args) for args in asked]
    shutil.rmtree(widget.home / ".claude")
    widget.json("reindex", "--no-embed")
    after = [widget.funes(*args) for args in asked]
    assert after[1:] == before[1:]
    assert template_free(after[0]) == template_free(before[0])


def template_free(text: str) -> str:
    """Without the sentence about the session file, which is gone by now."""
    return text.replace("; the agent's own session file is gone; this is the stored copy", "")


def test_deinit_leaves_the_memory_and_purge_nothing(widget: Widget) -> None:
    git_dir = widget.repo.path / ".git"
    assert (git_dir / "hooks" / "post-commit").exists()
    fetched = widget.home / ".cache/funes-git/memories/acme-widget-12345678"
    fetched.mkdir(parents=True)
    assert widget.json("deinit")["memory"] is True
    assert not fetched.exists()
    assert not (git_dir / "hooks" / "post-commit").exists()
    assert not (widget.home / ".config" / "funes-git").exists()
    assert "Bound the cache" in widget.funes("log", "-1")
    widget.repo.git("config", "funes.memory", "/mnt/team/widget")
    assert widget.json("deinit", "--purge")["memory"] is False
    assert "funes" not in widget.repo.git("config", "--local", "--list")
    assert not (git_dir / "funes").exists()
    assert widget.repo.git("status", "--porcelain") == ""


def test_a_repository_without_sessions_says_where_it_looked(repo: GitRepo, hermetic: Path) -> None:
    repo.commit("Start")
    (hermetic / ".claude" / "projects").mkdir(parents=True)
    done = funes("index", "--no-embed", cwd=repo.path)
    assert done.returncode == 1
    assert str(hermetic / ".claude" / "projects") in done.stderr
    assert "hint: git funes index --adopt PATH" in done.stderr
    begun = funes("init", "--no-embed", cwd=repo.path)
    assert begun.returncode == 0
    assert str(hermetic / ".claude" / "projects") in begun.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("why", "src/cache.py:99"), "has only 7 lines"),
        (("why", "gone.py:1"), "there is no file gone.py"),
        (("why", ""), "'' is no file and no commit"),
        (("blame", " "), "there is no file ' '"),
        (("why", "no-such-thing"), "no-such-thing"),
        (("why", "src/cache.py:1", "--at", "no-rev"), "no-rev"),
        (("blame", "gone.py"), "there is no file gone.py"),
        (("link", "no-rev"), "no-rev"),
        (("recall", "x", "--commit", "no-rev"), "no-rev"),
        (("recall", "x", "--session", "ffff"), "no session starts with"),
        (("recall", "x", "--since", "no-date"), "no-date"),
        (("get", "ffff", "x"), "no session starts with"),
    ],
)
def test_what_does_not_exist_is_named_with_the_next_command(
    template: Widget, args: tuple[str, ...], said: str
) -> None:
    done = funes(*args, cwd=template.repo.path, HOME=str(template.home))
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_question_does_not_wait_for_who_writes(widget: Widget) -> None:
    widget.repo.write("new.py", "print('by a person')\n")
    widget.repo.git("config", "core.hooksPath", "nowhere")
    widget.repo.commit("Add a file", date=START + 10)
    code = (
        "import sys, time; from pathlib import Path; from funes_git.store.lock import FileLock\n"
        "lock = FileLock.take(Path(sys.argv[1])); print('held', flush=True); time.sleep(60)"
    )
    lock = widget.repo.path / ".git" / "funes" / "write.lock"
    command = [sys.executable, "-c", code, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done = funes("log", "-1", cwd=widget.repo.path, HOME=str(widget.home))
        holder.kill()
    assert done.returncode == 0
    assert "Add a file" in done.stdout
    assert done.stderr.startswith("note: new commits are not linked yet (")


def test_a_session_that_went_on_is_named(tmp_path: Path) -> None:
    own = build(tmp_path)
    share_caches(own.home)

    def said() -> str:
        return funes("why", "HEAD", cwd=own.repo.path, HOME=str(own.home)).stderr

    own.funes("init", "--no-embed")
    assert "not read" not in said()
    (file,) = own.home.rglob("*.jsonl")
    with file.open("a") as stream:
        stream.write("\n")
    assert f"not read to the end yet: Claude Code {own.session}" in said()
    own.funes("index", "--no-embed")
    assert "not read" not in said()


def test_a_damaged_history_is_named_and_what_is_linked_still_answers(widget: Widget) -> None:
    repo = widget.repo
    lost = repo.git("rev-parse", "HEAD~1")
    repo.git("config", "core.hooksPath", "nowhere")
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    repo.write("new.py", "print('by a person')\n")
    repo.commit("Add a file", date=START + 10)
    linked = funes("link", "--all", cwd=repo.path, HOME=str(widget.home))
    assert linked.returncode == 1
    assert lost in linked.stderr
    assert linked.stderr.endswith("\nhint: git fsck\n")
    assert widget.edit in widget.funes("why", widget.commit)


def test_before_the_first_commit_a_file_is_not_committed_yet(repo: GitRepo) -> None:
    repo.write("a.py", "print('not committed')\n")
    assert funes("init", "--no-hooks", cwd=repo.path).returncode == 0
    asked = funes("why", "a.py:1", cwd=repo.path)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "line 1: uncommitted · no indexed session wrote it" in asked.stdout


def test_a_memory_that_cannot_be_written_still_answers(widget: Widget) -> None:
    widget.repo.git("config", "core.hooksPath", "nowhere")
    widget.repo.commit("Another commit", date=START + 10)
    lock = widget.repo.path / ".git" / "funes" / "write.lock"
    lock.unlink()
    lock.mkdir()
    asked = funes("why", widget.commit, cwd=widget.repo.path, HOME=str(widget.home))
    assert asked.returncode == 0
    assert widget.edit in asked.stdout
    assert "note: new commits cannot be linked (cannot write " in asked.stderr


def test_a_shallow_history_names_nobody_and_is_linked_once_it_is_there(
    widget: Widget, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    widget.repo.git("clone", "-q", "--depth", "1", f"file://{widget.repo.path}", str(clone))

    def authors() -> set[tuple[str, str | None]]:
        told = widget.funes("blame", "src/cache.py", "--format", "json", cwd=clone)
        return {
            (line["author"]["kind"], line["author"]["turn_uuid"])
            for line in json.loads(told)["lines"]
        }

    widget.funes("index", "--adopt", str(widget.home / ".claude"), "--no-embed", cwd=clone)
    assert authors() == {("unknown", None)}
    assert "the history is cut here" in widget.funes("why", "src/cache.py:6", cwd=clone)
    subprocess.run(("git", "fetch", "-q", "--unshallow"), cwd=clone, check=True)
    assert ("agent", widget.edit) in authors()


def test_names_that_are_not_utf_8_stop_nothing(widget: Widget) -> None:
    old, new = (os.fsdecode(name) for name in (b"caf\xe9.py", b"th\xe9.py"))
    widget.repo.write(old, "print('in a file with an old name')\n")
    widget.repo.commit("Add a file", date=START + 10)
    widget.repo.git("mv", old, new)
    widget.repo.commit("Rename it", date=START + 20)
    sessions = next((widget.home / ".claude" / "projects").iterdir())
    (sessions / os.fsdecode(b"\xe9.jsonl")).write_text("{}\n")
    widget.funes("link", "--all")
    assert "not UTF-8" in widget.funes("index", "--no-embed")
    for name in ("human", "agent", "json"):
        widget.funes("why", f"{new}:1", "--format", name)
        widget.funes("blame", new, "--format", name)
        widget.funes("log", "--format", name)
    missing = funes("get", new, new, cwd=widget.repo.path, HOME=str(widget.home))
    assert missing.returncode == 1


def test_a_limit_of_nought_lists_nothing(widget: Widget) -> None:
    assert widget.funes("log", "-n", "0", "--format", "json") == ""
    assert "Bound the cache" in widget.funes("log", "-n", "1")
    told = json.loads(widget.funes("recall", "cache", "-n", "0", "--format", "json"))
    assert told["hits"] == []


def test_a_partial_clone_without_trees_takes_sessions(widget: Widget, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    widget.repo.git("config", "uploadpack.allowFilter", "true")
    command = ("git", "clone", "-q", "--filter=tree:0", "--no-checkout")
    subprocess.run((*command, f"file://{widget.repo.path}", str(clone)), check=True)
    widget.funes("index", "--adopt", str(widget.home / ".claude"), "--no-embed", cwd=clone)
    told = json.loads(widget.funes("status", "--format", "json", cwd=clone))
    assert told["sessions"] == 1


def test_a_home_that_may_not_be_entered_stops_no_answer(widget: Widget) -> None:
    projects = widget.home / ".claude"
    projects.chmod(0)
    demote = ("--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs")
    command = [sys.executable, "-m", "funes_git", "why", "src/cache.py:6"]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("nothing stops root here")
        command = ["setpriv", *demote, *command]
    done = subprocess.run(
        command,
        cwd=widget.repo.path,
        env=environment(HOME=str(widget.home)),
        capture_output=True,
        text=True,
        check=False,
    )
    projects.chmod(0o700)
    assert done.returncode == 0, done.stderr
    assert "grows without bound" in done.stdout


def test_what_lance_cannot_store_below_is_said(tmp_path: Path) -> None:
    own = build(tmp_path / "odd\x01name")
    share_caches(own.home)
    done = funes("index", "--no-embed", cwd=own.repo.path, HOME=str(own.home))
    assert done.returncode == 1
    assert "Lance stores nothing below a folder with such a name" in done.stderr
    assert "rename the folder" in done.stderr


def test_an_emptied_session_is_not_called_unread_for_ever(tmp_path: Path) -> None:
    own = build(tmp_path)
    share_caches(own.home)
    own.funes("init", "--no-embed")
    (file,) = own.home.rglob("*.jsonl")
    file.write_text("")
    own.funes("index", "--no-embed")
    done = funes("why", "src/cache.py:6", cwd=own.repo.path, HOME=str(own.home))
    assert "grows without bound" in done.stdout
    assert "not read" not in done.stderr


def test_log_takes_paths_from_the_folder_it_is_asked_in(widget: Widget) -> None:
    inside = widget.repo.path / "pkg"
    inside.mkdir()
    widget.repo.write("pkg/here.py", "here = 1\n")
    widget.repo.commit("Only here", date=START + 20)
    asked = funes("log", "--format", "json", "--", "here.py", cwd=inside)
    [row] = map(json.loads, asked.stdout.splitlines())
    assert row["commit"] == widget.repo.git("rev-parse", "HEAD").strip()
    assert funes("log", "--format", "json", "--", "pkg", cwd=inside).stdout == ""
    assert len(funes("log", "--format", "json", "--", ":/", cwd=inside).stdout.splitlines()) == 3


def test_a_revision_that_is_none_is_named_alone(widget: Widget) -> None:
    asked = funes("log", "nosuch", cwd=widget.repo.path)
    assert asked.stderr.startswith("error: no such revision or path: nosuch\n")


def test_help_into_a_closed_pipe_is_no_error() -> None:
    script = 'set -o pipefail; "$0" -m funes_git why -h | head -n 1 >/dev/null'
    for _ in range(5):
        done = subprocess.run(("bash", "-c", script, sys.executable), capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")


def test_where_sessions_were_looked_for_is_short(repo: GitRepo) -> None:
    asked = funes("index", cwd=repo.path)
    assert asked.returncode == 1
    [error, hint] = asked.stderr.splitlines()
    assert "folders that agents keep them in is there" in error
    assert len(error) < 200
    assert hint.startswith("hint: git funes index --adopt PATH")


def test_sessions_of_another_folder_are_named_by_their_path(
    repo: GitRepo, widget: Widget, tmp_path: Path
) -> None:
    sessions = next((tmp_path).rglob("*.jsonl"))
    asked = funes("index", str(sessions), cwd=repo.path)
    [error, hint] = asked.stderr.splitlines()
    told = f"the session at {sessions} does not belong to {repo.path.name}; it ran in /"
    assert error.startswith(f"error: {told}")
    assert error.endswith("/widget")
    assert hint.startswith(f"hint: git funes index --adopt {sessions} ")
    assert f"git funes index --explain {sessions} says" in hint
    kept = ClaudeSession(repo, tmp_path)
    kept.prompt("hello")
    assert funes("index", "--no-embed", str(kept.file), cwd=repo.path).returncode == 0
    asked = funes("index", "--no-embed", str(sessions), cwd=repo.path)
    assert (asked.returncode, asked.stdout.count("\n")) == (0, 1)
    assert asked.stderr == f"{error.replace('error', 'note')}\n{hint}\n"


def test_where_nothing_was_indexed_nothing_is_made_elsewhere(repo: GitRepo) -> None:
    repo.write("a.py", "one = 1\n")
    repo.commit("Start")
    assert funes("init", "--no-hooks", "--no-embed", cwd=repo.path).returncode == 0
    for command in (("export", "../e.funes"), ("push", "../e"), ("review",), ("recall", "words")):
        done = funes(*command, cwd=repo.path)
        assert done.returncode == 1
        [error, hint] = done.stderr.splitlines()
        assert error == "error: nothing of this repository is indexed yet"
        assert hint.startswith("hint: git funes index --adopt PATH")
    assert not list(repo.path.parent.glob("e*"))


def test_a_path_that_is_not_there_is_told(widget: Widget) -> None:
    for command in (("index",), ("index", "--adopt"), ("index", "--explain")):
        done = funes(*command, "../sesions", cwd=widget.repo.path)
        assert done.returncode == 1
        assert done.stderr.startswith("error: there is no file or folder ../sesions\n")
    done = funes("export", "../nosuch/x.funes", cwd=widget.repo.path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: there is no folder {widget.repo.path.parent}/nosuch\n")
