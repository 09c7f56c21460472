"""`git funes withdraw`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.drafting import alone, ask, is_conversation
from funes_git.commands.opened import here
from funes_git.errors import FunesError, UsageError


def withdraw(
    release: str,
    memory: str,
    /,
    *,
    purge: bool = False,
    yes: bool = False,
    format: options.Format = None,
) -> int:
    """Take a release out of a published memory

    Removes what no other release of the memory holds, and the release's tag. The dataset's history
    still has it, unless --purge makes one commit of that and removes the large files behind it.
    Copies that others made stay.

    Example: git funes withdraw v1.2.0 acme/widget-memory --purge

    Parameters
    ----------
    release
        The release's name, as `git funes publish` was given it.
    memory
        The dataset on the Hub, as ORG/NAME.
    purge
        Also from the dataset's history. Cannot be undone.
    yes
        Ask nothing.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.publish.withdraw import Withdrawal, Withdrawn
    from funes_git.remotes import names
    from funes_git.remotes.hub import Dataset
    from funes_git.render import drafts

    out = output.choose(format)
    memory = names.dataset(memory)
    repo = here()
    folder = repo.layout.publishing(memory)
    work = Withdrawal(Dataset(memory), folder)
    is_gone = work.is_gone(release)
    if is_gone and not (work.untag(release) or purge):
        raise FunesError(
            f"{release} is withdrawn from {memory} already; its history still has it",
            hint=f"git funes withdraw {release} {memory} --purge",
        )
    if not yes:
        _demand_yes(out, f"withdraw {release} from {memory}{' for good' if purge else ''}?")
    with alone(folder):
        if is_gone:
            done = Withdrawn(release, "", {}, 0)
        else:
            done = work.withdraw(release, lambda step: out.progress(0, 0, step))
        if purge:
            work.purge(done)
    out.progress_done()
    if out.format == "json":
        out.json(drafts.withdrawn_json(done, memory))
    else:
        out.lines(drafts.withdrawn(done, memory))
    return 0


def _demand_yes(out: output.Output, question: str) -> None:
    if not is_conversation(out):
        raise UsageError("nobody can be asked whether this is meant", hint="--yes")
    if ask(question, "yn") != "y":
        raise FunesError("nothing was withdrawn", hint="git funes withdraw -h")
