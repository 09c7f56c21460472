"""`git funes add` and `git funes remove`."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.errors import NotARepository, UsageError
from funes_git.git import Repo
from funes_git.hosts import wiring
from funes_git.hosts.catalogue import Agent, Scope
from funes_git.hosts.wiring import Wired
from funes_git.render import wired as render


def add(
    agent: str | None = None,
    memory: str | None = None,
    *,
    user: bool = False,
    project: bool = False,
    hints: bool = False,
    yes: bool = False,
    format: options.Format = None,
) -> int:
    """Let an agent ask the memory by itself

    Registers the MCP server, hooks that have new turns read when a turn or session of the agent
    ends, and a skill that says when to ask. Settings that are there stay as they are, byte for
    byte; `git funes remove` takes ours out again. Without AGENT: which agents are installed, and
    on a terminal whether to add each.

    Example: git funes add claude

    Parameters
    ----------
    agent
        claude, codex, pi, hermes, gemini, opencode, cursor or copilot.
    memory
        Also keep this repository's memory in step with this one, as `git funes push MEMORY` does,
        after a first index where there is none: ORG/NAME on the Hugging Face Hub, or a folder. On
        another machine the same command takes what is there.
    user
        For all your projects (the default).
    project
        Into files of this repository, for everybody who works on it with this agent.
    hints
        Also tell the agent, when a session starts, that there is a memory, and before an edit what
        was decided about those lines. Without --hints they are taken out again.
    yes
        Do not ask: MEMORY may hold nothing but other repositories' sessions.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format)
    repo, scope = _repo(), _scope(user, project)
    if agent is None:
        return _offer(out, repo, scope, hints)
    chosen = wiring.named(agent)
    shared = None if memory is None else _sharing(repo, memory)
    _tell(out, [_add(chosen, scope, repo, hints)])
    if shared is not None:
        return _share(out, shared, memory, yes, format)
    _note_missing_memory(repo)
    return 0


def remove(
    agent: str, *, user: bool = False, project: bool = False, format: options.Format = None
) -> int:
    """Take funes-git out of an agent's settings

    Out of your own and this repository's, unless one of them is named. A file that nobody has
    changed meanwhile is again what it was before.

    Example: git funes remove claude

    Parameters
    ----------
    agent
        claude, codex, pi, hermes, gemini, opencode, cursor or copilot.
    user
        Out of your own settings alone.
    project
        Out of this repository's settings alone.
    format
        Terminals get human, pipes get agent.
    """
    out = output.choose(format)
    chosen, repo = wiring.named(agent), _repo()
    scopes: list[Scope] = [_scope(user, project)] if user or project else ["user"]
    if not (user or project) and chosen.projects and repo is not None and repo.worktree:
        scopes.append("project")
    removed = [s for s in scopes if wiring.remove(chosen, wiring.where(chosen, s, repo))]
    if out.format == "json":
        out.json(render.removed_document(chosen, removed))
    else:
        out.lines(render.removed(chosen, removed))
    return 0


def _offer(out: output.Output, repo: Repo | None, scope: Scope, hints: bool) -> int:
    """Ask about each agent that is installed; in a pipe, say what could be run."""
    found = [
        wiring.state(agent, wiring.where(agent, scope, repo))
        for agent in wiring.installed()
        if scope == "user" or agent.projects
    ]
    if out.format == "human" and output.can_ask():
        done = [
            _add(each.agent, scope, repo, hints and each.agent.hints)
            for each in found
            if each.state != "wired" and output.ask(f"Add funes-git to {each.agent.label}?")
        ]
        found = done or found
    _tell(out, found)
    return 0


def _sharing(repo: Repo | None, memory: str) -> Repo:
    """The repository whose memory is to be shared. Raises UsageError, before anything is done."""
    from funes_git.commands.push import bound

    if repo is None:
        raise UsageError("a memory is a repository's", hint="cd into the repository, then again")
    bound(repo, memory, "push")
    return repo


def _share(
    out: output.Output, repo: Repo, memory: str | None, yes: bool, format: options.Format
) -> int:
    """Index first where nothing is, then bring both memories level: a machine without a session
    only takes. Raises what these do."""
    from funes_git.commands.init import begin
    from funes_git.commands.pull import pull
    from funes_git.commands.push import push
    from funes_git.store.catalog import Catalog

    if not repo.layout.catalog.exists():
        begin(repo, out)
    with Catalog.open(repo.layout.catalog) as catalog:
        sessions = catalog.totals().sessions
    if not sessions and "push" not in repo.settings:
        repo.run(
            "config", "funes.push", "true"
        )  # in step means both ways, from the first session on
    return (push if sessions else pull)(memory, yes=yes, format=format)


def _add(agent: Agent, scope: Scope, repo: Repo | None, hints: bool) -> Wired:
    return wiring.add(agent, wiring.where(agent, scope, repo, hints))


def _tell(out: output.Output, found: Sequence[Wired]) -> None:
    if out.format == "json":
        out.json(render.document(found))
    else:
        out.lines(render.lines(out.page, found))


def _scope(user: bool, project: bool) -> Scope:
    if user and project:
        raise UsageError(
            "--user and --project are two places", hint="run the command once for each"
        )
    return "project" if project else "user"


def _repo() -> Repo | None:
    try:
        return here()
    except NotARepository:
        return None


def _note_missing_memory(repo: Repo | None) -> None:
    if repo is not None and not repo.layout.catalog.exists():
        output.note(f"note: {repo.name} has no memory yet; `git funes init` makes one")
