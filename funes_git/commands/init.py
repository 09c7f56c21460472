"""`git funes init`."""

from __future__ import annotations

from funes_git import enabled, output
from funes_git.commands import options
from funes_git.commands.making import link_everything, make_vectors, read_new
from funes_git.commands.opened import here, no_sessions
from funes_git.git import Repo
from funes_git.hosts import githooks, launchers, wiring
from funes_git.render import jsonstate
from funes_git.render import setup as human
from funes_git.store.stores import Stores


def init(
    *,
    no_hooks: bool = False,
    no_embed: bool = False,
    wait: bool = False,
    format: options.Format = None,
) -> int:
    """Enable this repository: hooks, first index, links

    Finds the agents' sessions that touched this repository, reads them, ties them to the whole
    history, and installs git hooks that keep it up to date. Safe to run again; repairs hooks.

    Example: git funes init

    Parameters
    ----------
    no_hooks
        Install no git hooks; `git funes index` then reads new turns.
    no_embed
        Make no vectors.
    wait
        Stay until the vectors are made.
    format
        Terminals get human, pipes get agent.
    """
    out, repo = output.choose(format), here()
    done = _enable(repo, out, no_hooks=no_hooks, no_embed=no_embed, wait=wait)
    if done.stats.totals.sessions == 0:
        output.note(f"note: {no_sessions(repo).message}")
    if out.format == "json":
        out.json(jsonstate.setup(done))
    else:
        out.lines(human.setup(out.page, done))
    return 0


def begin(repo: Repo, out: output.Output) -> None:
    """The same for a repository whose memory is then brought level with another one."""
    done = _enable(repo, out)
    if out.format == "json":
        out.json(jsonstate.setup(done))
    else:
        out.lines(human.begun(out.page, done))


def _enable(
    repo: Repo,
    out: output.Output,
    *,
    no_hooks: bool = False,
    no_embed: bool = False,
    wait: bool = False,
) -> human.Setup:
    from funes_git import redact
    from funes_git.imports.recorded import recorded

    with Stores.open(repo.layout, write=True) as stores:
        hooks = githooks.state(repo)
        if not no_hooks:
            githooks.write_shim()
            hooks = githooks.install(repo)
        launchers.refresh()
        enabled.add(repo.common_dir)
        report = read_new(repo, stores, out)
        redact.shared()  # a user's first start compiles the rules: not after the first commit
        linked = link_everything(repo, stores, out)
        stats = stores.catalog.stats()
        imported = stores.catalog.imported_from()
    left = [tool for tool in recorded(repo) if tool not in imported]
    vectors: human.Vectors = "unwanted" if no_embed else "coming"
    if stats.totals.sessions and not no_embed:
        vectors = _vectors(repo, out, wait)
    return human.Setup(repo.name, hooks, stats, report, linked, vectors, wiring.unwired(repo), left)


def _vectors(repo: Repo, out: output.Output, wait: bool) -> human.Vectors:
    """Make them, or leave them to the background. Raises NoModel where one cannot wait for them."""
    from funes_git import worker
    from funes_git.models import Models

    if wait:
        make_vectors(repo, out)
        return "made"
    worker.start_detached(repo)
    return "coming" if Models(repo.settings).find() else "no-weights"
