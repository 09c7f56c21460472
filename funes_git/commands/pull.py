"""`git funes pull`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.commands.push import bind, bound, level, meet
from funes_git.render import json, sharing


def pull(
    memory: str | None = None,
    *,
    yes: bool = False,
    no_embed: bool = False,
    format: options.Format = None,
) -> int:
    """Take what is new from a private memory elsewhere

    On a new machine this is all that is needed: `why` and `recall` answer at once. What is only
    here stays, and goes there with the next push. The memory is remembered: the next time
    `git funes pull` is enough. Nothing is sent by itself (`git config funes.push true` changes
    that).

    Example: git funes pull acme/widget-memory

    Parameters
    ----------
    memory
        ORG/NAME on the Hugging Face Hub, or a folder: /mnt/team/widget.
    yes
        Do not ask: the memory may hold nothing but other repositories' sessions.
    no_embed
        Make no vectors that are missing.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.remotes.places import place_of

    out = output.choose(format)
    repo = here()
    name = bound(repo, memory, "pull")
    report = meet(repo, place_of(name), out, yes, lambda meeting: meeting.pull())
    level(repo, out, embed=not no_embed)
    bind(repo, name, memory, pushes=False)
    if out.format == "json":
        out.json(json.document(**sharing.as_json(name.text, report)))
    else:
        out.lines(sharing.pulled(name.text, report))
    return 0
