"""`git funes find`."""

from __future__ import annotations

from funes_git import output
from funes_git.commands import options
from funes_git.render import found as human
from funes_git.render import json

TAG = "funes"


def find(
    *text: str,
    n: options.Count = 30,
    format: options.Format = None,
    exit_code: bool = False,
) -> int:
    """List the memories that were published on the Hub

    The datasets of the Hugging Face Hub that have the tag `funes` on their card. Ask one with
    `--memory`, as in `git funes recall WORDS --memory ORG/NAME`.

    Example: git funes find widget

    Parameters
    ----------
    text
        Only those with this in their name.
    n
        List at most this many (30); -3 is short for -n 3.
    format
        Terminals get human, pipes get agent.
    exit_code
        Exit with 1 if none was found.
    """
    from funes_git.remotes import hub

    out = output.choose(format)
    found = hub.search(TAG, " ".join(text), n)
    if out.format == "json":
        out.json(json.document(memories=[human.as_json(each) for each in found]))
    else:
        out.lines(human.lines(out.page, found))
    return int(exit_code and not found)
