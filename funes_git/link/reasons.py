"""Why a commit has no link: the most telling reason first."""

from __future__ import annotations

from funes_git.git.commits import is_bot
from funes_git.git.patch import CommitChange
from funes_git.link.findings import Findings
from funes_git.link.proofs import Witnesses
from funes_git.model import Reason


def reason_of(commit: CommitChange, found: Findings, witnesses: Witnesses, shallow: bool) -> Reason:
    """The reason for a commit that no session explains; `shallow` if its parents were cut off."""
    if commit.unreadable:
        return "shallow" if shallow else "missing-objects"
    if not commit.files:
        return "merge" if len(commit.info.parents) > 1 else "empty"
    if is_bot(commit.info):
        return "bot"
    if witnesses.forgotten.covers(commit.info.commit_time):
        return "forgotten"
    if not witnesses.coverage.covers(commit.info.commit_time):
        return "no-session"
    if found.doubtful:
        return "not-distinctive"
    if commit.info.agent:
        return "agent-not-indexed"
    return "not-matched" if found.edited else "no-edit"
