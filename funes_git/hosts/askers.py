"""Asking an agent one question, with nothing but a prompt: the command line, and what it answers.

Each is run in an empty folder, without tools, MCP servers, hooks or a session that can be resumed,
as far as the program lets one say so; each was tried with the version in COMPONENTS.md §3. Codex
keeps `apply_patch`, in a sandbox that cannot write. Gemini CLI and OpenCode keep a session in their
own files; it names the empty folder, so no repository takes it for its own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from funes_git.errors import UsageError
from funes_git.hosts.text import Unfit, jsons
from funes_git_parsers.base import Places
from funes_git_parsers.dataclass import dataclass

Event: TypeAlias = Mapping[str, Any]
"""One line of what an agent prints, as JSON."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """How to ask. `arguments` follow the program's name; the prompt goes to standard input; `files`
    are written into the empty folder before, and `variables` added to the environment."""

    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asker:
    """One agent. `said` takes the words of its answer out of an event, `failure` what went wrong;
    empty for neither. `provider` tells where the prompt goes."""

    name: str
    label: str
    program: str
    invocation: Callable[[Places], Invocation]
    said: Callable[[Event], str]
    failure: Callable[[Event], str]
    provider: Callable[[Places], str]


def named(name: str) -> Asker:
    """The agent of that name. Raises UsageError."""
    wanted = name.lower().replace("_", "-").removesuffix("-code").removesuffix("-cli")
    if wanted not in ASKERS:
        raise UsageError(f"{name!r} cannot be asked", hint=f"one of: {', '.join(ASKERS)}")
    return ASKERS[wanted]


def _at(event: Any, *path: str) -> Any:
    for key in path:
        event = event.get(key) if isinstance(event, dict) else None
    return event


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


# --- Claude Code --------------------------------------------------------------------------------


def _claude(_: Places) -> Invocation:
    streamed = ("--output-format", "stream-json", "--include-partial-messages", "--verbose")
    without = ("--tools", "", "--strict-mcp-config", "--disable-slash-commands")
    settings = ("--setting-sources", "user", "--settings", '{"disableAllHooks":true}')
    return Invocation(("-p", *without, *settings, "--no-session-persistence", *streamed), {}, {})


def _claude_said(event: Event) -> str:
    return _text(_at(event, "event", "delta", "text")) if event.get("type") != "result" else ""


def _claude_failure(event: Event) -> str:
    return _text(event.get("result")) if event.get("is_error") is True else ""


def _claude_provider(places: Places) -> str:
    for variable, name in (
        ("CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"),
        ("CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"),
    ):
        if places.env.get(variable):
            return name
    return places.env.get("ANTHROPIC_BASE_URL") or "Anthropic, or where its settings say"


# --- Codex --------------------------------------------------------------------------------------

CODEX_OFF = (
    *("shell_tool", "unified_exec", "hooks", "goals", "view_image", "apps", "plugins"),
    *("tool_suggest", "tool_search", "multi_agent", "memories", "image_generation", "sleep_tool"),
)


def _codex(places: Places) -> Invocation:
    servers = _codex_settings(places).get("mcp_servers")
    names = servers if isinstance(servers, dict) else {}
    off = ", ".join(f"{json.dumps(name)} = {{enabled = false}}" for name in names)
    settings = [f"features.{name}=false" for name in CODEX_OFF]
    settings += ['web_search="disabled"', 'approval_policy="never"', "project_doc_max_bytes=0"]
    settings += [f"mcp_servers={{{off}}}"] if off else []
    chosen = tuple(part for each in settings for part in ("-c", each))
    alone = ("--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only")
    return Invocation(("exec", *alone, *chosen, "--json", "-"), {}, {})


def _codex_settings(places: Places) -> dict[str, Any]:
    folder = places.env.get("CODEX_HOME")
    path = (Path(folder) if folder else places.home / ".codex") / "config.toml"
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}  # Codex itself will say what is wrong with it


def _codex_said(event: Event) -> str:
    said = _at(event, "item", "type") == "agent_message" and event.get("type") == "item.completed"
    return _text(_at(event, "item", "text")) + "\n" if said else ""


def _codex_failure(event: Event) -> str:
    if event.get("type") == "turn.failed":
        return _text(_at(event, "error", "message"))
    return _text(event.get("message")) if event.get("type") == "error" else ""


def _codex_provider(places: Places) -> str:
    its = _codex_settings(places)
    name = its.get("model_provider")
    url = _at(its, "model_providers", str(name), "base_url")
    return _text(url) or _text(name) or "OpenAI"


# --- pi -----------------------------------------------------------------------------------------


def _pi(_: Places) -> Invocation:
    without = ("tools", "session", "extensions", "skills", "context-files", "prompt-templates")
    return Invocation(("-p", "--mode", "json", *(f"--no-{each}" for each in without)), {}, {})


def _pi_said(event: Event) -> str:
    made = event.get("assistantMessageEvent")
    return _text(_at(made, "delta")) if _at(made, "type") == "text_delta" else ""


def _pi_failure(event: Event) -> str:
    failed = event.get("type") == "message_end" and _at(event, "message", "stopReason") == "error"
    return _text(_at(event, "message", "errorMessage")) or "the model failed" if failed else ""


# --- Gemini CLI ---------------------------------------------------------------------------------

GEMINI_OFF = {
    "tools": {"core": ["none"]},
    "mcp": {"allowed": ["none"]},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
}


def _gemini(_: Places) -> Invocation:
    """A folder's settings win over the user's where the folder is trusted. (Those of the system
    are left alone: the program takes none that others than root may write.)"""
    return Invocation(
        ("-o", "stream-json", "--skip-trust", "-e", "none"),
        {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        {".gemini/settings.json": json.dumps(GEMINI_OFF)},
    )


def _gemini_said(event: Event) -> str:
    said = event.get("type") == "message" and event.get("role") == "assistant"
    return _text(event.get("content")) if said else ""


def _gemini_failure(event: Event) -> str:
    if event.get("type") == "error" and event.get("severity") != "warning":
        return _text(event.get("message"))
    failed = event.get("type") == "result" and event.get("status") == "error"
    return _text(_at(event, "error", "message")) or "the model failed" if failed else ""


def _gemini_provider(places: Places) -> str:
    return places.env.get("GOOGLE_GEMINI_BASE_URL") or "Google"


# --- OpenCode -----------------------------------------------------------------------------------


def _opencode(places: Places) -> Invocation:
    given = places.env.get("XDG_CONFIG_HOME")
    folder = (Path(given) if given else places.home / ".config") / "opencode"
    names: set[str] = set()
    for name in ("config.json", "opencode.json", "opencode.jsonc"):
        try:
            servers = jsons.read((folder / name).read_text("utf-8")).get("mcp")
        except (OSError, ValueError, Unfit):
            continue
        names |= set(servers) if isinstance(servers, dict) else set()
    settings = {
        "mcp": {name: {"enabled": False} for name in sorted(names)},
        "tools": {"*": False},
        "permission": {"*": "deny"},
        "share": "disabled",
    }
    content = {"OPENCODE_CONFIG_CONTENT": json.dumps(settings)}
    return Invocation(("run", "--format", "json", "--pure"), content, {})


def _opencode_said(event: Event) -> str:
    return _text(_at(event, "part", "text")) if event.get("type") == "text" else ""


def _opencode_failure(event: Event) -> str:
    if event.get("type") != "error":
        return ""
    return _text(_at(event, "error", "data", "message")) or _text(_at(event, "error", "name"))


def _own(label: str) -> Callable[[Places], str]:
    return lambda _: f"the model that {label} is set to"


ASKERS = {
    asker.name: asker
    for asker in (
        Asker(
            "claude",
            "Claude Code",
            "claude",
            _claude,
            _claude_said,
            _claude_failure,
            _claude_provider,
        ),
        Asker("codex", "Codex", "codex", _codex, _codex_said, _codex_failure, _codex_provider),
        Asker("pi", "pi", "pi", _pi, _pi_said, _pi_failure, _own("pi")),
        Asker(
            "gemini",
            "Gemini CLI",
            "gemini",
            _gemini,
            _gemini_said,
            _gemini_failure,
            _gemini_provider,
        ),
        Asker(
            "opencode",
            "OpenCode",
            "opencode",
            _opencode,
            _opencode_said,
            _opencode_failure,
            _own("OpenCode"),
        ),
    )
}
