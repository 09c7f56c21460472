"""Commits as `git log` prints them for us, and the agents that they name. Pure."""

from __future__ import annotations

import re

from funes_git.model import CommitInfo

TRAILERS = "key=Co-authored-by,key=Entire-Checkpoint,separator=%x1e,unfold"
FORMAT = f"%H%x1f%h%x1f%P%x1f%at%x1f%ct%x1f%an%x1f%ae%x1f%(trailers:{TRAILERS})%x1f%s"
"""The fields of `parse_info`, for `git log --format`."""

AGENT = re.compile(
    r"\b(?:claude|anthropic|codex|openai|chatgpt|copilot|cursor(?:agent)?|gemini|aider|devin|"
    r"opencode|amp@|ampcode|goose|jules|windsurf|entire-checkpoint)\b",
    re.IGNORECASE,
)
"""How agents call themselves in the trailers and author names of their commits."""

BOT = r"\[bot\]|^(?:dependabot|renovate|github-actions|greenkeeper|snyk)"
"""How bots are called, or their addresses begin, whatever the case."""


def is_bot(commit: CommitInfo) -> bool:
    """Whether the author of a commit is a bot."""
    return any(re.search(BOT, name, re.IGNORECASE) for name in (commit.author, commit.email))


def parse_info(raw: bytes) -> CommitInfo:
    """A commit from one line in `FORMAT`."""
    fields = raw.decode("utf-8", "replace").split("\x1f", 8)
    sha, short, parents, author_time, commit_time, author, email, trailers, subject = fields
    return CommitInfo(
        sha=sha,
        short=short,
        author=author,
        email=email,
        author_time=float(author_time or 0),
        commit_time=float(commit_time or 0),
        subject=subject,
        parents=tuple(parents.split()),
        agent=_agent(f"{author} <{email}>", *trailers.split("\x1e")),
    )


def _agent(*names: str) -> str | None:
    """The first of the author and the trailers that names an agent."""
    found = next((name for name in names if AGENT.search(name)), None)
    if found is None:
        return None
    if found.startswith("Entire-Checkpoint"):
        return "an agent watched by Entire"
    return found.rpartition(": ")[2].partition(" <")[0].strip()
