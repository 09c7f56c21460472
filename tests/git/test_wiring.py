"""Adding ourselves to agents: every file is again what it was, nothing else is touched."""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import GitRepo

from funes_git import enabled
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.hosts import launchers, wiring
from funes_git.hosts.catalogue import AGENTS, Agent, Scope, Where, command
from funes_git.hosts.pieces import Own, Settings

Tree = dict[str, tuple[bytes, int] | None]

THEIRS = {
    ".json": """\ufeff{
  // mine
  "theirs": [1, 2,], "version": 1,
  "mcpServers": {
    "x": {"command": "y"}, // keep
  },
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "z"}]}],
    "other": []
  },
}
""".replace("\n", "\r\n"),
    ".toml": '# mine\nmodel = "x" # keep\n\n[mcp_servers.x]   # o\ncommand = "y"\n\n# last\n',
    ".yaml": """\
# mine
model:
  default: x   # keep

hooks:
  on_session_end:
    - command: y
# last
""",
}
SCOPES = [
    pytest.param(agent, scope, id=f"{agent.name}-{scope}")
    for agent in AGENTS
    for scope in ("user", "project")
    if scope == "user" or agent.projects
]


@pytest.fixture(autouse=True)
def no_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine that the tests run on may have some."""
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("PATH", f"{Path(git).parent}{os.pathsep}/usr/bin{os.pathsep}/bin")


def tree(*folders: Path) -> Tree:
    """Every file and folder with its bytes and permissions, but for git's own."""
    found: Tree = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if ".git" not in path.parts and path.name != ".cache" and ".cache" not in path.parts:
                plain = path.is_file()
                found[str(path)] = (path.read_bytes(), path.stat().st_mode) if plain else None
    return found


def place(agent: Agent, scope: Scope, repo: GitRepo, *, hints: bool = False) -> Where:
    return wiring.where(agent, scope, Repo.discover(repo.path), hints)


def settings_of(agent: Agent, where: Where) -> Iterator[Settings]:
    return (piece for piece in agent.pieces(where) if isinstance(piece, Settings))


def fill(agent: Agent, where: Where) -> list[Path]:
    """Settings of the user's own at every place that we write to."""
    paths = []
    for piece in settings_of(agent, where):
        piece.path.parent.mkdir(parents=True, exist_ok=True)
        piece.path.write_bytes(THEIRS[piece.path.suffix].encode())
        piece.path.chmod(0o640)
        paths.append(piece.path)
    return paths


@pytest.mark.parametrize(("agent", "scope"), SCOPES)
@pytest.mark.parametrize("filled", [False, True], ids=["no settings", "settings"])
def test_add_and_remove_leave_no_trace(
    repo: GitRepo, hermetic: Path, agent: Agent, scope: Scope, filled: bool
) -> None:
    where = place(agent, scope, repo)
    if filled:
        fill(agent, where)
    before = tree(hermetic, repo.path)
    for hints in (False, agent.hints, False):
        assert wiring.add(agent, place(agent, scope, repo, hints=hints)).state == "wired"
        after = tree(hermetic, repo.path)
        found = wiring.add(agent, place(agent, scope, repo, hints=hints))
        assert (found.state, found.hints) == ("wired", hints)
        assert tree(hermetic, repo.path) == after
    assert wiring.remove(agent, where)
    assert tree(hermetic, repo.path) == before
    assert not wiring.remove(agent, where)


@pytest.mark.parametrize(("agent", "scope"), SCOPES)
def test_what_changed_meanwhile_stays(
    repo: GitRepo, hermetic: Path, agent: Agent, scope: Scope
) -> None:
    where = place(agent, scope, repo)
    paths = fill(agent, where)
    wiring.add(agent, where)
    for path in paths:
        comment = "// later\n" if path.suffix.startswith(".json") else "# later\n"
        path.write_bytes(path.read_bytes() + comment.encode())
    assert wiring.state(agent, where).state == "wired"
    wiring.remove(agent, where)
    for path in paths:
        comment = "// later\n" if path.suffix.startswith(".json") else "# later\n"
        assert path.read_bytes() == (THEIRS[path.suffix] + comment).encode()
    assert wiring.state(agent, where).state == "absent"


@pytest.mark.parametrize(("agent", "scope"), SCOPES)
def test_what_cannot_be_read_is_left_alone(
    repo: GitRepo, hermetic: Path, agent: Agent, scope: Scope
) -> None:
    where = place(agent, scope, repo)
    for path in fill(agent, where):
        for broken in (b'{"a": [', b"\xff\xfe\x00"):
            whole = path.read_bytes()
            path.write_bytes(broken)
            before = tree(hermetic, repo.path)
            with pytest.raises(FunesError, match="nothing was changed") as caught:
                wiring.add(agent, where)
            assert str(path) in caught.value.message
            assert tree(hermetic, repo.path) == before
            assert wiring.state(agent, where).state == "unreadable"
            path.write_bytes(whole)


def test_linked_settings_stay_linked(repo: GitRepo, hermetic: Path) -> None:
    """Dotfiles are often kept in one folder and linked to."""
    agent = wiring.named("codex")
    where = place(agent, "user", repo)
    (hermetic / "dotfiles").mkdir()
    for path in fill(agent, where):
        path.rename(hermetic / "dotfiles" / path.name)
        path.symlink_to(hermetic / "dotfiles" / path.name)
    before = tree(hermetic)
    wiring.add(agent, where)
    for piece in settings_of(agent, where):
        assert piece.path.is_symlink()
        assert piece.path.resolve().parent == hermetic / "dotfiles"
    wiring.remove(agent, where)
    assert tree(hermetic) == before
    assert (where.base / "config.toml").is_symlink()


def test_a_file_of_somebody_else_in_our_place_is_left_alone(repo: GitRepo, hermetic: Path) -> None:
    agent = wiring.named("pi")
    where = place(agent, "user", repo)
    (theirs,) = (p for p in agent.pieces(where) if isinstance(p, Own) and p.what == "extension")
    theirs.path.parent.mkdir(parents=True)
    theirs.path.write_text("// mine\n")
    with pytest.raises(FunesError, match="not ours"):
        wiring.add(agent, where)
    assert not wiring.remove(agent, where)
    assert theirs.path.read_text() == "// mine\n"


def test_a_server_named_funes_that_is_not_ours_is_left_alone(repo: GitRepo, hermetic: Path) -> None:
    agent = wiring.named("cursor")
    where = place(agent, "user", repo)
    where.base.mkdir()
    text = '{"mcpServers": {"funes": {"command": "other-funes"}}}'
    (where.base / "mcp.json").write_text(text)
    with pytest.raises(FunesError, match=r"`mcpServers\.funes` is there already"):
        wiring.add(agent, where)
    assert not wiring.remove(agent, where)
    assert (where.base / "mcp.json").read_text() == text


def test_agents_that_share_a_file_do_not_take_it_from_each_other(
    repo: GitRepo, hermetic: Path
) -> None:
    """Claude Code and Copilot both read a project's `.mcp.json`."""
    claude, copilot = wiring.named("claude"), wiring.named("copilot")
    before = tree(repo.path)
    for first, second in ((claude, copilot), (copilot, claude)):
        for agent in (claude, copilot):
            wiring.add(agent, place(agent, "project", repo))
        wiring.remove(first, place(first, "project", repo))
        assert wiring.state(second, place(second, "project", repo)).state == "wired"
        wiring.remove(second, place(second, "project", repo))
        assert tree(repo.path) == before


def test_what_another_version_wrote_is_renewed(repo: GitRepo, hermetic: Path) -> None:
    agent = wiring.named("claude")
    where = place(agent, "user", repo)
    wiring.add(agent, where)
    path = where.base / "settings.json"
    path.write_text(path.read_text().replace("turn-end", "turn-ended"))
    assert wiring.state(agent, where).state == "other"
    wiring.add(agent, where)
    assert wiring.state(agent, where).state == "wired"
    assert "turn-ended" not in path.read_text()
    (where.base / "skills" / "funes-git" / "SKILL.md").unlink()
    assert wiring.state(agent, where).state == "partly"


def test_the_command_of_a_hook_never_changes() -> None:
    """Codex trusts a hook by its command line: another one is a new hook to be reviewed."""
    assert command("codex", "turn-end") == (
        'sh -c \'f="${XDG_CONFIG_HOME:-$HOME/.config}/funes-git/bin/funes-git-agent"; '
        '[ -x "$f" ] && exec "$f" codex turn-end; :\''
    )


def test_a_shared_project_names_no_place_of_this_machine(repo: GitRepo, hermetic: Path) -> None:
    for agent in AGENTS:
        if agent.projects:
            wiring.add(agent, place(agent, "project", repo))
    for path, content in tree(repo.path).items():
        assert content is None or str(hermetic).encode() not in content[0], path
    codex = tomllib.loads((repo.path / ".codex" / "config.toml").read_text())
    assert codex["mcp_servers"]["funes"] == {"command": "git", "args": ["funes", "mcp"]}


def test_programs_stay_as_long_as_somebody_calls_them(repo: GitRepo, hermetic: Path) -> None:
    pi, claude = wiring.named("pi"), wiring.named("claude")
    for agent in (pi, claude):
        wiring.add(agent, place(agent, "user", repo))
    wiring.remove(pi, place(pi, "user", repo))
    assert launchers.ready()
    enabled.add(repo.path / ".git")
    wiring.remove(claude, place(claude, "user", repo))
    assert launchers.ready()  # git hooks of an enabled repository
    wiring.add(pi, place(pi, "user", repo))
    enabled.remove(repo.path / ".git")
    wiring.remove(pi, place(pi, "user", repo))
    assert not launchers.launcher().parent.exists()


def test_folders_that_variables_name(
    repo: GitRepo, hermetic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(hermetic / "c"))
    monkeypatch.setenv("CODEX_HOME", str(hermetic / "x"))
    for name in ("claude", "codex"):
        wiring.add(wiring.named(name), place(wiring.named(name), "user", repo))
    servers = json.loads((hermetic / "c" / ".claude.json").read_text())["mcpServers"]
    assert servers["funes"]["command"] == str(launchers.launcher())
    assert (hermetic / "x" / "config.toml").exists()
    assert not (hermetic / ".claude.json").exists()


def test_what_an_agent_does_not_have(repo: GitRepo, hermetic: Path) -> None:
    with pytest.raises(UsageError, match="of the user alone"):
        place(wiring.named("hermes"), "project", repo)
    with pytest.raises(UsageError, match="takes no hints"):
        place(wiring.named("gemini"), "user", repo, hints=True)
    with pytest.raises(UsageError, match="needs a working tree"):
        wiring.where(wiring.named("claude"), "project", None)
    with pytest.raises(UsageError, match="no agent is called 'emacs'"):
        wiring.named("emacs")
    assert wiring.named("claude_code").name == wiring.named("Claude-Code").name == "claude"


def test_installed_is_what_is_on_path_or_has_a_folder(
    hermetic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wiring.installed() == []
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    (hermetic / ".gemini").mkdir()
    assert [agent.name for agent in wiring.installed()] == ["codex", "gemini"]
    assert os.environ["PATH"] == str(tmp_path)
