"""The agents' names, as other tools write them. Standard library only."""

from __future__ import annotations

import re

_OTHERS = {
    "claude": "claude_code",
    "claude_cli": "claude_code",
    "openai_codex": "codex",
    "codex_cli": "codex",
    "codex_cli_rs": "codex",
    "pi_agent": "pi",
    "pi_coding_agent": "pi",
    "hermes_agent": "hermes",
    "open_code": "opencode",
    "factory": "droid",
    "factory_droid": "droid",
    "factoryai_droid": "droid",
    "cursor_cli": "cursor",
    "cursor_ide": "cursor",
    "sourcegraph_amp": "amp",
    "roo_code": "roo",
    "kilo_code": "kilo",
}


_LONGEST, _DIGITS = 30, 2
"""Characters and digits of an agent's name."""


def named(name: str) -> str:
    """The name that our own parsers use: `Claude Code`, `claude-code` and `claude` are
    `claude_code`. One that is not known stays, in small letters, if it looks like a name: in these
    letters no scanner would know a token."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if len(plain) > _LONGEST or len(re.findall(r"\d", plain)) > _DIGITS:
        return "unknown"
    return _OTHERS.get(plain, plain)
