"""The only reader of the environment.

Settings are git config keys `funes.<name>`; a variable `FUNES_GIT_<NAME>` wins over them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from funes_git.layout import UserLayout
from funes_git_parsers.base import Places

NO = ("false", "no", "off", "0")
"""How git writes that a setting is off."""


def environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ


def home() -> Path:
    """The user's home folder."""
    return Path(os.environ.get("HOME") or Path.home())


def places() -> Places:
    """Where agents may keep files."""
    return Places(home=home(), env=os.environ)


def user_layout() -> UserLayout:
    """The user's cache and configuration folders, per the XDG base directory specification."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home() / ".cache")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home() / ".config")
    return UserLayout(cache=cache / "funes-git", config=config / "funes-git")


def hub_cache() -> Path:
    """Where huggingface_hub keeps what it downloaded, by the variables that it reads."""
    if found := os.environ.get("HF_HUB_CACHE"):
        return Path(found).expanduser()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or home() / ".cache")
    return Path(os.environ.get("HF_HOME") or cache / "huggingface").expanduser() / "hub"


def variable(name: str) -> str | None:
    """The override `FUNES_GIT_<NAME>` of setting `name`, or None."""
    key = "FUNES_GIT_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    return os.environ.get(key) or None


def pushed_to(settings: Mapping[str, str]) -> str | None:
    """The memory elsewhere to which the sessions of agents push when they end."""
    return None if settings.get("push", "").lower() in NO else settings.get("memory")


def quiet_lance() -> None:
    """Keep Lance's warnings off stderr, and what it reads ahead of its work to 32 MB (2 GB by
    default) and one fragment, with which merging a table holds a third less and takes no longer,
    unless the user set these; before it is imported."""
    os.environ.setdefault("LANCE_LOG", "error")
    os.environ.setdefault("LANCE_DEFAULT_IO_BUFFER_SIZE", str(32 << 20))
    os.environ.setdefault("LANCE_DEFAULT_FRAGMENT_READAHEAD", "1")


def no_telemetry() -> None:
    """Keep libraries from reporting about this machine: onnxruntime 1.32 writes a device id and
    sends events to Microsoft, huggingface_hub names the agent that runs it; before they are
    imported."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


def no_color() -> bool:
    """Whether the user asked for output without colour (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
