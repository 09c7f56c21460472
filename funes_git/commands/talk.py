"""Reviewing sessions on a terminal: each is read, included, excluded, or cut to exchanges."""

from __future__ import annotations

from funes_git import output
from funes_git.commands.drafting import ask, decisions
from funes_git.git import Repo
from funes_git.output import Output
from funes_git.publish import draft as drafts
from funes_git.publish.draft import Candidate, Draft
from funes_git.render import drafts as human

SESSION = "include, exclude, read, cut to single exchanges, skip or quit?"
EXCHANGE = "include, exclude or quit?"


def review(out: Output, repo: Repo, draft: Draft) -> bool:
    """Ask about every session that is pending; False if that was quit. What was answered is kept at
    once."""
    waiting = draft.pending()
    for number, each in enumerate(waiting, 1):
        output.note("")
        output.note(f"session {number} of {len(waiting)}")
        if not _session(out, repo, each):
            return False
    return True


def _session(out: Output, repo: Repo, each: Candidate) -> bool:
    """Ask about one session; False to stop."""
    out.lines(human.session(out.page, each))
    while True:
        answer = ask(SESSION, "ixrcsq")
        if answer == "r":
            out.lines(human.exchange(out.page, each.part))
            continue
        if answer == "c":
            return _exchanges(out, repo, each)
        if answer in "ix":
            with decisions(repo) as stored:
                drafts.decide(stored, each, "included" if answer == "i" else "excluded")
        return answer != "q"


def _exchanges(out: Output, repo: Repo, each: Candidate) -> bool:
    """Ask about each exchange of a session; False to stop."""
    for exchange in each.part.exchanges:
        out.lines(human.exchange(out.page, each.part.of({exchange})))
        answer = ask(EXCHANGE, "ixq")
        if answer == "q":
            return False
        with decisions(repo) as stored:
            verdict: drafts.Verdict = "included" if answer == "i" else "excluded"
            drafts.decide(stored, each, verdict, [exchange])
    return True
