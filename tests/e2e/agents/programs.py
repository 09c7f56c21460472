"""The agents that are driven here: where they come from, how they are told of the fake model, how
they are run without a terminal, and what they call their tools.

The settings are those of COMPONENTS.md §3 of the project's notes; each was seen to work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.agents.dialects import Call

OLD, NEW = 'return "hi"', 'return "hello"'
PATCH = f"""\
*** Begin Patch
*** Update File: app.py
@@
 def greet():
-    {OLD}
+    {NEW}
*** End Patch"""


@dataclass(frozen=True)
class Tools:
    """How an agent's model calls its tools, for the repository in a folder."""

    read: Callable[[Path], Call]
    edit: Callable[[Path], Call]
    shell: Callable[[str], Call]
    ours: Callable[[str, dict[str, Any]], Call]
    """One of our tools, by its own name."""


@dataclass(frozen=True)
class Program:
    """An agent. `name` is as `git funes add` takes it; `harness` as its sessions are marked.

    `settings` writes what the program needs into a home folder, for a model at a URL; `command`
    makes the command line of one prompt; `variables` adds to its environment.
    """

    name: str
    harness: str
    package: str
    version: str
    executable: str
    tools: Tools
    command: Callable[[Path, str], Sequence[str]]
    settings: Callable[[Path, str], None] = lambda home, url: None
    variables: Callable[[str], Mapping[str, str]] = lambda url: {}
    npm: bool = True
    required: bool = False
    """Must run wherever its registry can be reached."""
    added: bool = True
    """`git funes add` knows it; otherwise its settings name our server."""
    alone: bool = True
    """Runs behind a proxy that leads nowhere. OpenCode does not where it finds a plugin: then it
    fetches a package for plugins, again and again. Qwen sends what is local through it too."""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _shell(name: str, argument: str = "command", **more: object) -> Callable[[str], Call]:
    return lambda command: Call(name, {argument: command, **more})


def _named(pattern: str) -> Callable[[str, dict[str, Any]], Call]:
    return lambda tool, arguments: Call(pattern.format(tool), arguments)


CLAUDE = Program(
    name="claude",
    harness="claude_code",
    package="@anthropic-ai/claude-code",
    version="2.1.332",
    executable="claude",
    required=True,
    tools=Tools(
        read=lambda repo: Call("Read", {"file_path": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "Edit", {"file_path": str(repo / "app.py"), "old_string": OLD, "new_string": NEW}
        ),
        shell=_shell("Bash", description="Run"),
        ours=_named("mcp__funes__{}"),
    ),
    command=lambda program, prompt: (
        *(str(program), "-p", prompt, "--model", "claude-sonnet-4-5"),
        *("--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"),
        *("--allowedTools", "Bash Edit Write Read mcp__funes__recall mcp__funes__why"),
    ),
    variables=lambda url: {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
    },
)

_CODEX = """\
model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

[features]
enable_request_compression = false
"""
CODEX = Program(
    name="codex",
    harness="codex",
    package="@openai/codex",
    version="0.171.0",
    executable="codex",
    required=True,
    tools=Tools(
        read=lambda repo: Call("exec_command", {"cmd": "cat app.py"}),
        edit=lambda repo: Call("apply_patch", PATCH),
        shell=_shell("exec_command", "cmd"),
        ours=lambda tool, arguments: Call(tool, arguments, namespace="mcp__funes"),
    ),
    settings=lambda home, url: _write(home / ".codex/config.toml", _CODEX.format(url=url)),
    command=lambda program, prompt: (
        *(str(program), "exec", "--json", "--dangerously-bypass-hook-trust", prompt),
    ),
    variables=lambda url: {"FAKE_API_KEY": "sk-none"},
)


def _pi(home: Path, url: str) -> None:
    model = {"id": "fake-model", "reasoning": True, "contextWindow": 100_000, "maxTokens": 4_000}
    provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [model]}
    _write(home / ".pi/agent/models.json", json.dumps({"providers": {"fake": provider}}))


PI = Program(
    name="pi",
    harness="pi",
    package="@earendil-works/pi-coding-agent",
    version="0.74.2",
    executable="pi",
    required=True,
    tools=Tools(
        read=lambda repo: Call("read", {"path": "app.py"}),
        edit=lambda repo: Call(
            "edit", {"path": "app.py", "edits": [{"oldText": OLD, "newText": NEW}]}
        ),
        shell=_shell("bash"),
        ours=_named("funes_{}"),
    ),
    settings=_pi,
    command=lambda program, prompt: (
        *(str(program), "-p", "--mode", "json", "--provider", "fake"),
        *("--model", "fake-model", prompt),
    ),
    variables=lambda url: {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"},
)

_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
}
GEMINI = Program(
    name="gemini",
    harness="gemini",
    package="@google/gemini-cli",
    version="0.61.0",
    executable="gemini",
    tools=Tools(
        read=lambda repo: Call("read_file", {"file_path": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "replace",
            {
                "file_path": str(repo / "app.py"),
                "instruction": "Say hello",
                "old_string": OLD,
                "new_string": NEW,
            },
        ),
        shell=_shell("run_shell_command", description="Run"),
        ours=_named("mcp_funes_{}"),
    ),
    settings=lambda home, url: _write(home / ".gemini/settings.json", json.dumps(_GEMINI)),
    command=lambda program, prompt: (
        *(str(program), "-p", prompt, "-y", "--skip-trust", "-m", "gemini-2.5-pro", "-o", "json"),
    ),
    variables=lambda url: {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_TELEMETRY_ENABLED": "false",
    },
)
COPILOT = Program(
    name="copilot",
    harness="copilot",
    package="@github/copilot",
    version="1.0.102",
    executable="copilot",
    tools=Tools(
        read=lambda repo: Call("view", {"path": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "edit", {"path": str(repo / "app.py"), "old_str": OLD, "new_str": NEW}
        ),
        shell=_shell("bash", description="Run"),
        ours=_named("funes-{}"),
    ),
    command=lambda program, prompt: (str(program), "-p", prompt, "--allow-all-tools"),
    variables=lambda url: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "fake-model",
    },
)


def _opencode(home: Path, url: str) -> None:
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    models = {"fake-model": {"name": "fake"}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": models}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
        "provider": {"fake": provider},
        "model": "fake/fake-model",
        "small_model": "fake/fake-model",
    }
    _write(home / ".config/opencode/opencode.json", json.dumps(settings))


OPENCODE = Program(
    name="opencode",
    harness="opencode",
    package="opencode-ai",
    version="1.18.33",
    executable="opencode",
    alone=False,
    tools=Tools(
        read=lambda repo: Call("read", {"filePath": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "edit", {"filePath": str(repo / "app.py"), "oldString": OLD, "newString": NEW}
        ),
        shell=_shell("bash", description="Run"),
        ours=_named("funes_{}"),
    ),
    settings=_opencode,
    command=lambda program, prompt: (
        *(str(program), "run", "--format", "json", "-m", "fake/fake-model", prompt),
    ),
    variables=lambda url: {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    },
)
_HERMES = """\
model:
  default: fake-model
  provider: custom
  base_url: {url}/v1
  api_key: none
hooks_auto_accept: true
"""
HERMES = Program(
    name="hermes",
    harness="hermes",
    package="hermes-agent[mcp]",
    version="0.19.0",
    executable="hermes",
    npm=False,
    tools=Tools(
        read=lambda repo: Call("read_file", {"path": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "patch",
            {
                "mode": "replace",
                "path": str(repo / "app.py"),
                "old_string": OLD,
                "new_string": NEW,
            },
        ),
        shell=_shell("terminal"),
        ours=_named("mcp__funes__{}"),
    ),
    settings=lambda home, url: _write(home / ".hermes/config.yaml", _HERMES.format(url=url)),
    command=lambda program, prompt: (str(program), "chat", "-q", prompt, "--yolo", "-Q"),
    variables=lambda url: {"HERMES_ACCEPT_HOOKS": "1"},
)
_QWEN = {
    "mcpServers": {"funes": {"command": "git", "args": ["funes", "mcp"], "trust": True}},
    "security": {"auth": {"selectedType": "openai"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}
QWEN = Program(
    name="qwen",
    harness="qwen",
    package="@qwen-code/qwen-code",
    version="0.15.10",
    executable="qwen",
    added=False,
    alone=False,
    tools=Tools(
        read=lambda repo: Call("read_file", {"file_path": str(repo / "app.py")}),
        edit=lambda repo: Call(
            "edit", {"file_path": str(repo / "app.py"), "old_string": OLD, "new_string": NEW}
        ),
        shell=_shell("run_shell_command", description="Run", is_background=False),
        ours=_named("mcp__funes__{}"),
    ),
    settings=lambda home, url: _write(home / ".qwen/settings.json", json.dumps(_QWEN)),
    command=lambda program, prompt: (str(program), "-p", prompt, "-y", "-o", "json"),
    variables=lambda url: {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "fake-model",
    },
)
PROGRAMS = {
    program.name: program
    for program in (CLAUDE, CODEX, PI, GEMINI, COPILOT, OPENCODE, HERMES, QWEN)
}
