"""`git funes recall`."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from funes_git import output
from funes_git.commands import narrowed, options
from funes_git.commands.gather import gather
from funes_git.commands.opened import here
from funes_git.commands.places import from_here
from funes_git.errors import UsageError
from funes_git.model import Found
from funes_git.render import agent as compact
from funes_git.render import json
from funes_git.render import reading as human

MOST = 8
"""Exchanges that are shown unless a number is asked for."""


def recall(
    *query: str,
    n: options.AtMost = None,
    neighbours: options.Neighbours = 0,
    lexical: bool = False,
    no_rerank: bool = False,
    stream: bool = False,
    memory: str | None = None,
    all_repos: bool = False,
    format: options.Format = None,
    exit_code: bool = False,
    **only: options.Narrow,
) -> int:
    """Search everything that was said and done

    By words and, where the model's weights are there, by meaning. A hit is an exchange: its best
    passage, the prompt that opened it, the agent's closing words and the commits.

    Example: git funes recall "why LRU" --file 'src/cache*' --commit v1.1..v1.2

    Parameters
    ----------
    query
        What to look for: words or a question; of what stands in double quotes every passage has
        just these words.
    n
        Show this many exchanges, if there are as many; -3 is short for -n 3. Without it at most 8,
        and none that is far less likely to answer than the best.
    neighbours
        Show this many turns before and after each hit too.
    lexical
        By words alone; needs no model.
    no_rerank
        Do not read the best candidates closely, which takes most of the time.
    stream
        On a terminal, list at once what the words find, until the whole answer takes its place. A
        pipe gets the answer alone.
    memory
        Ask this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging Face
        Hub, or a path; several with commas between: local,acme/widget-memory.
    all_repos
        Ask the memories of all repositories in which funes-git is enabled.
    format
        Terminals get human, pipes get agent.
    exit_code
        Exit with 1 if nothing relevant was found.
    """
    from funes_git.recall.stages import ALL

    words = " ".join(query).strip()
    if not words:
        raise UsageError("recall needs words to look for", hint='git funes recall "why LRU"')
    if memory and all_repos:
        raise UsageError("--memory and --all-repos exclude each other", hint="git funes recall -h")
    out = output.choose(format)
    filters = narrowed.filters(only, from_here)
    reading = 0.0 if no_rerank else ALL.reading
    stages = replace(ALL, meaning=not lexical, reading=reading, cut=n is None)
    found = gather(
        *(words, filters, MOST if n is None else n),
        memory=memory,
        all_repos=all_repos,
        neighbours=neighbours,
        stages=stages,
        early=partial(_meanwhile, out, words) if stream and not lexical else None,
    )
    hits, relevant = found.hits, found.relevant
    if out.format == "json":
        out.json(json.recall(words, hits, relevant=relevant))
    elif out.format == "agent":
        name = "all repositories" if all_repos else here().name
        out.recorded(name, compact.recall(words, hits, relevant=relevant))
    else:
        out.lines(human.recall(out.page, words, hits, relevant=relevant))
    return int(exit_code and not (hits and relevant))


def _meanwhile(out: output.Output, words: str, found: Found) -> AbstractContextManager[None]:
    from funes_git.render import preview

    return out.meanwhile(preview.lines(out.page, words, found.hits))
