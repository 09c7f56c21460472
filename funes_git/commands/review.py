"""`git funes review`."""

from __future__ import annotations

from itertools import chain

from funes_git import output
from funes_git.commands import options
from funes_git.commands.drafting import decide, drafted, is_conversation


def review(
    range: str = "HEAD",
    *,
    since: str | None = None,
    scope: options.Scope = "exchanges",
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    keep_emails: bool = False,
    format: options.Format = None,
) -> int:
    """Look at what a release would publish, and decide about it

    Shows the sessions behind the commits since the last release, as they would leave: cleaned, and
    without what a scanner takes for a secret. On a terminal each can be read, included, excluded or
    cut to single exchanges. Decisions are kept; what has grown since is asked about again.

    Example: git funes review v1.2.0 --exclude 7d1f0c2a

    Parameters
    ----------
    range
        A tag, another revision, or a range; HEAD if none is given.
    since
        Begin after this revision, not after the release before.
    scope
        exchanges takes those behind the commits; sessions takes whole sessions.
    include
        Include this session (the start of its id will do; `all` for those not decided about).
    exclude
        Exclude this session.
    keep_emails
        Do not replace e-mail addresses.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.render import drafts

    out = output.choose(format)
    repo, _, draft = drafted(out, range, since, scope, keep_emails)
    decide(repo, draft, include, exclude)
    if out.format == "json":
        out.json(drafts.as_json(draft))
    elif out.format == "agent":
        out.recorded(repo.name, chain(drafts.for_agents(draft), drafts.coming(draft)))
    else:
        out.lines(drafts.table(out.page, draft))
        if is_conversation(out) and draft.pending():
            from funes_git.commands import talk

            talk.review(out, repo, draft)
        out.lines(["", *drafts.coming(draft)])
    return 0
