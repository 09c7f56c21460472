"""`git funes ask`."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from funes_git import config, output
from funes_git.commands import narrowed, options
from funes_git.commands.gather import gather
from funes_git.commands.opened import here
from funes_git.commands.places import from_here
from funes_git.errors import FunesError, UsageError
from funes_git.hosts import asked, askers
from funes_git.hosts.askers import Asker
from funes_git.render import asked as render
from funes_git.render import json

if TYPE_CHECKING:
    from funes_git.filters import Filters
    from funes_git.model import Found


def ask(
    agent: str,
    *question: str,
    n: options.Count = 8,
    memory: str | None = None,
    yes: bool = False,
    format: options.Format = None,
    **only: options.NarrowBy,
) -> int:
    """Borrow an agent for one answer from the memory

    Recalls passages, hands them to the agent in one prompt, and prints its answer, which names the
    session and commit behind each claim. The agent runs in an empty folder, without tools, MCP
    servers and hooks; nothing is installed or changed. What is sent, and where, is shown before
    the first time.

    Example: git funes ask claude "Why does the cache evict the oldest entry?"

    Parameters
    ----------
    agent
        claude, codex, pi, gemini or opencode.
    question
        The question.
    n
        Hand over at most this many exchanges (8); -3 is short for -n 3.
    memory
        Ask from this memory instead of the repository's own: ORG/NAME[@REVISION] on the Hugging
        Face Hub, or a path; several with commas between.
    yes
        Send without asking; scripts need it.
    format
        Terminals get human, pipes get agent.
    """
    words = " ".join(question).strip()
    if not words:
        raise UsageError("ask needs a question", hint=f'git funes ask {agent} "why LRU"')
    out, asker = output.choose(format), askers.named(agent)
    program = asked.find(asker)
    repo = here()
    filters = narrowed.filters(only, from_here)
    found = _recalled(words, filters, n, memory)
    prompt = render.prompt(repo.name, words, found)
    _confirm(asker, repo.name, found, prompt, yes)
    said = _answered(out, asker, program, prompt)
    if out.format == "json":
        out.json(_document(asker, words, said, found))
        return 0
    if not render.is_answer(said):
        _nearest(out, words, found)
        return 0
    for doubt in render.doubts(said, found.hits):
        output.warn(doubt)
    return 0


def _recalled(words: str, filters: Filters, n: int, memory: str | None) -> Found:
    """The passages. Raises FunesError where there are none."""
    found = gather(words, filters, n, memory=memory)
    if not (found.hits and found.relevant):
        raise FunesError(
            "nothing relevant was found for this question, so no agent was started",
            hint=f'git funes recall "{words}"   (the nearest; or other words, or fewer filters)',
        )
    return found


def _confirm(asker: Asker, repository: str, found: Found, prompt: str, yes: bool) -> None:
    """Say what is sent where, until the user has agreed once. Raises FunesError if not."""
    provider = asker.provider(config.places())
    key = f"{asker.name} {provider}"
    agreed = config.user_layout().config / "asked"
    known = agreed.read_text("utf-8").splitlines() if agreed.is_file() else []
    if key in known:
        return
    output.note(render.sends(asker.label, provider, repository, found.hits, prompt))
    if yes:
        return
    again = "git funes ask … --yes"
    if not output.can_ask():
        raise FunesError("nothing was sent: nobody is here to agree", hint=again)
    if not output.ask(f"Send it, now and whenever you ask {asker.label}?"):
        raise FunesError("nothing was sent", hint="git funes recall WORDS")
    agreed.parent.mkdir(parents=True, exist_ok=True)
    agreed.write_text("".join(f"{each}\n" for each in (*known, key)), "utf-8")


def _answered(out: output.Output, asker: Asker, program: str, prompt: str) -> str:
    """The whole answer; where people or agents read, printed as it comes."""
    said = []
    with closing(asked.answer(asker, program, prompt)) as words:
        for each in words:
            said.append(each)
            if out.format != "json":
                output.stream(each)
    text = "".join(said)
    if out.format != "json" and not text.endswith("\n"):
        output.stream("\n")
    return text


def _nearest(out: output.Output, words: str, found: Found) -> None:
    """The passages that came nearest, as `recall` shows them."""
    from funes_git.render import agent as compact
    from funes_git.render import reading as human

    output.stream("\nThe nearest in the memory:\n\n")
    if out.format == "agent":
        out.lines(compact.recall(words, found.hits, relevant=found.relevant))
    else:
        out.lines(human.recall(out.page, words, found.hits, relevant=found.relevant))


def _document(asker: Asker, words: str, said: str, found: Found) -> json.Object:
    answered = render.is_answer(said)
    return {
        **json.recall(words, found.hits, relevant=found.relevant),
        "agent": asker.name,
        "answer": said.strip(),
        "answered": answered,
        "doubts": list(render.doubts(said, found.hits)) if answered else [],
    }
