"""Whether an agent runs our hooks: some do only after their user has reviewed them.

We ask and tell, and never approve ourselves. Codex keeps the hash of a trusted hook in its
settings; which hooks it trusts now it says itself (`codex app-server`, `hooks/list`). Hermes keeps
a list of commands beside its settings.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

from funes_git.hosts.text import is_ours

PATIENCE = 15.0
"""Seconds that Codex may take to answer."""


def codex_reviewed(folder: Path) -> bool:
    """Whether Codex has trusted a hook at the end of a turn in `folder`'s hooks.json, as it wrote
    down: not whether that hook has been changed since."""
    wanted = f"{folder / 'hooks.json'}:stop:"
    try:
        state = tomllib.loads((folder / "config.toml").read_text("utf-8"))["hooks"]["state"]
        return any(
            key.startswith(wanted) and value.get("trusted_hash") for key, value in state.items()
        )
    except (OSError, ValueError, KeyError, AttributeError):
        return False


def hermes_reviewed(folder: Path) -> bool:
    """Whether Hermes has written down that our hooks may run."""
    try:
        return "funes-git-agent" in (folder / "shell-hooks-allowlist.json").read_text("utf-8")
    except (OSError, ValueError):
        return False


def codex_hooks(cwd: Path) -> dict[str, str]:
    """Our hooks as Codex sees them from `cwd`: event → `trusted`, `untrusted` or `modified`. Empty
    where Codex is not installed or does not answer."""
    program = shutil.which("codex")
    if program is None:
        return {}
    process = subprocess.Popen(
        (program, "app-server"),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    too_long = Timer(PATIENCE, process.kill)
    too_long.start()
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for question in _questions(cwd):
            process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        return next(filter(None, map(_statuses, process.stdout)), {})
    except OSError:
        return {}
    finally:
        too_long.cancel()
        process.kill()
        process.wait()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()


def _questions(cwd: Path) -> Iterator[dict[str, Any]]:
    client = {"name": "funes-git", "version": "0"}
    yield {"id": 1, "method": "initialize", "params": {"clientInfo": client}}
    yield {"method": "initialized"}
    yield {"id": 2, "method": "hooks/list", "params": {"cwds": [str(cwd)]}}


def _statuses(row: bytes) -> dict[str, str]:
    """What the answer to our question says; empty for any other row."""
    try:
        answer = json.loads(row)
        if answer.get("id") != 2:
            return {}
        hooks = [hook for entry in answer["result"]["data"] for hook in entry["hooks"]]
        return {h["eventName"]: h["trustStatus"] for h in hooks if is_ours(h.get("command"))}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
