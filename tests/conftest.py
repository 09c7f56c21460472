"""Every test runs in a world of its own: no user's home, settings, agents or git configuration."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from helpers import GitRepo, share_caches
from hypothesis import settings

AGENT_VARIABLES = (
    "CLAUDE",
    "CODEX",
    "HERMES",
    "ANTHROPIC",
    "OPENAI",
    "HF_",
    "FUNES_",
    "GIT_",
    "XDG_",
)


settings.register_profile("unhurried", deadline=None)  # a busy machine makes no test fail
settings.load_profile("unhurried")


def pytest_configure() -> None:
    """A job in the background of a script ignores interrupts, and so would all that tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def hermetic(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home, no inherited settings, one fixed identity."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(AGENT_VARIABLES):
            monkeypatch.delenv(name)
    for name in ("COLUMNS", "LINES", "PAGER", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    share_caches(home)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """An empty repository on branch main."""
    return GitRepo(tmp_path / "repo")
