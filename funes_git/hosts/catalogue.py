"""The agents that we add ourselves to: where each keeps its settings, and what goes there.

Formats as the programs themselves read them (COMPONENTS.md §3; Cursor's by its documentation,
https://cursor.com/docs/agent/hooks, for its program is on no registry).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from funes_git.hosts import launchers, trust
from funes_git.hosts.githooks import assets
from funes_git.hosts.pieces import Own, Piece, Settings, Told
from funes_git.hosts.text import SHARED, Entry
from funes_git_parsers.base import Places
from funes_git_parsers.dataclass import dataclass

Scope: TypeAlias = Literal["user", "project"]

EDITS = "Edit|Write|MultiEdit|NotebookEdit|apply_patch"
"""The tools of Claude Code and Codex that change files."""


@dataclass(frozen=True, slots=True)
class Where:
    """For whom: the user (`base` is the agent's own folder) or one project (`base` is the top of
    the working tree); and whether hints are asked for."""

    scope: Scope
    base: Path
    home: Path
    hints: bool = False

    @property
    def user(self) -> bool:
        """Whether it is for all projects of the user."""
        return self.scope == "user"

    @property
    def server(self) -> dict[str, Any]:
        """The MCP server: at a fixed place for the user; a project's settings are shared with
        people who have it elsewhere."""
        if self.user:
            return {"command": str(launchers.launcher()), "args": ["mcp"]}
        return {"command": "git", "args": list(SHARED)}


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent. `programs`: any of these on PATH, or its folder, shows that it is installed.
    `review` is what a user has to do before it runs hooks, and `reviewed` whether that was done."""

    name: str
    label: str
    programs: tuple[str, ...]
    folder: Callable[[Places], Path]
    pieces: Callable[[Where], list[Piece]]
    projects: bool = True
    hints: bool = False
    review: str = ""
    reviewed: Callable[[Path], bool] = lambda _: True


def command(agent: str, event: str) -> str:
    """The command line of a hook. One and the same for everybody, always: Codex trusts a hook by
    it, and settings travel between machines. Where we are not installed it does nothing."""
    program = '"${XDG_CONFIG_HOME:-$HOME/.config}/funes-git/bin/funes-git-agent"'
    return f'sh -c \'f={program}; [ -x "$f" ] && exec "$f" {agent} {event}; :\''


def _skill(folder: Path) -> Own:
    path = folder / "funes-git" / "SKILL.md"
    return Own("skill", path, assets("skill", "SKILL.md").read_bytes())


def _group(agent: str, event: str, seconds: int, **more: Any) -> dict[str, Any]:
    """A group of one hook, as Claude Code, Codex and Gemini have them."""
    hook = {"type": "command", "command": command(agent, event), "timeout": seconds}
    return {**more, "hooks": [hook]}


def _hooks(events: dict[str, Any]) -> tuple[Entry, ...]:
    return tuple(Entry(("hooks", event), value, many=True) for event, value in events.items())


# --- one agent each -----------------------------------------------------------------------------


def _claude(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".claude"
    servers = where.base / ".mcp.json"
    if where.user:  # beside the folder, unless CLAUDE_CONFIG_DIR names one
        standard = where.base == where.home / ".claude"
        servers = (where.home if standard else where.base) / ".claude.json"
    events = {
        "Stop": _group("claude", "turn-end", 5),
        "SessionEnd": _group("claude", "session-end", 5),
    }
    if where.hints:
        events["SessionStart"] = _group("claude", "hint", 5)
        events["PreToolUse"] = _group("claude", "hint", 5, matcher=EDITS)
    server = {"type": "stdio", **where.server}
    tools = Settings("tools", servers, (Entry(("mcpServers", "funes"), server),))
    if where.user:
        named = ("claude", "mcp", "add", "--scope", "user", "funes", "--")
        told = (*named, server["command"], *server["args"])
        entry = Entry(("mcpServers", "funes"), {**server, "env": {}})  # as that command writes it
        tools = Told("tools", servers, (entry,), told, (*named[:2], "remove", *named[3:6]))
    return [
        tools,
        Settings("hooks", folder / "settings.json", _hooks(events)),
        _skill(folder / "skills"),
    ]


def _codex(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".codex"
    events = {
        "Stop": _group("codex", "turn-end", 3),
        "SessionEnd": _group("codex", "session-end", 3),
    }
    if where.hints:
        events["SessionStart"] = _group("codex", "hint", 3)
        events["PreToolUse"] = _group("codex", "hint", 3, matcher=EDITS)
    return [
        Settings("tools", folder / "config.toml", (Entry(("mcp_servers", "funes"), where.server),)),
        Settings("hooks", folder / "hooks.json", _hooks(events)),
        _skill(folder / "skills" if where.user else where.base / ".agents" / "skills"),
    ]


def _pi(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".pi"
    body = assets("pi", "funes-git.ts").read_bytes()
    if where.hints:
        body = body.replace(b"const HINTS = false;", b"const HINTS = true;")
    return [
        Own("extension", folder / "extensions" / "funes-git.ts", body),
        _skill(folder / "skills"),
    ]


def _hermes(where: Where) -> list[Piece]:
    events = {
        "post_llm_call": {"command": command("hermes", "turn-end"), "timeout": 5},
        "on_session_end": {"command": command("hermes", "session-end"), "timeout": 5},
    }
    server = Entry(("mcp_servers", "funes"), where.server)
    return [
        Settings("tools and hooks", where.base / "config.yaml", (server, *_hooks(events))),
        _skill(where.base / "skills"),
    ]


def _gemini(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".gemini"
    events = {  # its time limits are in milliseconds
        "AfterAgent": _group("gemini", "turn-end", 5000),
        "SessionEnd": _group("gemini", "session-end", 5000),
    }
    server = Entry(("mcpServers", "funes"), where.server)
    return [
        Settings("tools and hooks", folder / "settings.json", (server, *_hooks(events))),
        _skill(folder / "skills"),
    ]


def _opencode(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".opencode"
    names = (where.base / name for name in ("opencode.jsonc", "opencode.json"))
    settings = next(filter(Path.exists, names), where.base / "opencode.json")
    server = where.server
    value = {"type": "local", "command": [server["command"], *server["args"]], "enabled": True}
    plugin = assets("opencode", "funes-git.js").read_bytes()
    return [
        Settings("tools", settings, (Entry(("mcp", "funes"), value),)),
        Own("plugin", folder / "plugins" / "funes-git.js", plugin),
        _skill(folder / "skills"),
    ]


def _cursor(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".cursor"
    events = {
        "stop": {"command": command("cursor", "turn-end")},
        "sessionEnd": {"command": command("cursor", "session-end")},
    }
    version = Entry(("version",), 1, needed=True)
    return [
        Settings("tools", folder / "mcp.json", (Entry(("mcpServers", "funes"), where.server),)),
        Settings("hooks", folder / "hooks.json", (version, *_hooks(events))),
        _skill(folder / "skills"),
    ]


def _copilot(where: Where) -> list[Piece]:
    folder = where.base if where.user else where.base / ".github"
    servers = where.base / ("mcp-config.json" if where.user else ".mcp.json")
    kinds = {"agentStop": "turn-end", "sessionEnd": "session-end"}
    hooks = {
        event: [{"type": "command", "bash": command("copilot", kind), "timeoutSec": 5}]
        for event, kind in kinds.items()
    }
    said = "Written by `git funes add copilot`; `git funes remove copilot` deletes it."
    body = json.dumps({"version": 1, "description": said, "hooks": hooks}, indent=2) + "\n"
    server = {"type": "stdio", **where.server}  # in a project Claude Code's as well
    if where.user:
        server = {"type": "local", **where.server, "tools": ["*"]}
    return [
        Settings("tools", servers, (Entry(("mcpServers", "funes"), server),)),
        Own("hooks", folder / "hooks" / "funes-git.json", body.encode()),
        _skill(folder / "skills"),
    ]


# --- all of them --------------------------------------------------------------------------------


def _under(variable: str, *names: str) -> Callable[[Places], Path]:
    """The folder that a variable names, else one in the home folder."""

    def folder(places: Places) -> Path:
        given = places.env.get(variable)
        return Path(given).expanduser() if given else places.home.joinpath(*names)

    return folder


def _opencode_folder(places: Places) -> Path:
    given = places.env.get("XDG_CONFIG_HOME")
    return (Path(given) if given else places.home / ".config") / "opencode"


AGENTS: Sequence[Agent] = (
    Agent(
        "claude",
        "Claude Code",
        ("claude",),
        _under("CLAUDE_CONFIG_DIR", ".claude"),
        _claude,
        hints=True,
    ),
    Agent(
        "codex",
        "Codex",
        ("codex",),
        _under("CODEX_HOME", ".codex"),
        _codex,
        hints=True,
        review="Codex runs new hooks only after you have reviewed them: start `codex`, open /hooks "
        "and trust the ones of funes-git",
        reviewed=trust.codex_reviewed,
    ),
    Agent("pi", "pi", ("pi",), _under("PI_CODING_AGENT_DIR", ".pi", "agent"), _pi, hints=True),
    Agent(
        "hermes",
        "Hermes",
        ("hermes",),
        _under("HERMES_HOME", ".hermes"),
        _hermes,
        projects=False,
        review="Hermes asks once whether the new hooks may run: start `hermes` and answer yes",
        reviewed=trust.hermes_reviewed,
    ),
    Agent("gemini", "Gemini CLI", ("gemini",), _under("", ".gemini"), _gemini),
    Agent("opencode", "OpenCode", ("opencode",), _opencode_folder, _opencode),
    Agent("cursor", "Cursor", ("cursor-agent", "cursor"), _under("", ".cursor"), _cursor),
    Agent("copilot", "Copilot CLI", ("copilot",), _under("COPILOT_HOME", ".copilot"), _copilot),
)
