"""`git funes publish`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.drafting import alone, ask, decide, drafted, is_conversation, standing
from funes_git.errors import FunesError, UsageError
from funes_git.git import Repo
from funes_git.output import Output
from funes_git.version import version_of

if TYPE_CHECKING:
    from funes_git.publish.draft import Chosen, Draft
    from funes_git.publish.part import LeftOut
    from funes_git.publish.release import Outcome, Prepared, Publisher
    from funes_git.remotes.hub import Dataset
    from funes_git.store.lance import LanceMemory


def publish(
    release: str,
    memory: str,
    /,
    *,
    since: str | None = None,
    scope: options.Scope = "exchanges",
    public: bool = False,
    private: bool = False,
    license: str | None = None,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    keep_emails: bool = False,
    dry_run: bool = False,
    yes: bool = False,
    format: options.Format = None,
) -> int:
    """Publish the memory behind a release as a dataset

    On the Hugging Face Hub. It holds what stands behind the commits since the last release:
    prompts, reasoning, edits and what was tried. It is reviewed first, cleaned of paths, names and
    addresses, and searched for secrets by two scanners; what they find stays here. Publishing the
    same again changes nothing.

    Example: git funes publish v1.2.0 acme/widget-memory --public

    Parameters
    ----------
    release
        The release's tag, another revision, or a range.
    memory
        The dataset on the Hub, as ORG/NAME.
    since
        Begin after this revision, not after the release before.
    scope
        exchanges takes those behind the commits; sessions takes whole sessions.
    public
        Make a new dataset public.
    private
        Make a new dataset private.
    license
        The license to name in the dataset's card, as the Hub writes it: apache-2.0, cc-by-4.0, ….
        Where nobody names one the card says `other`, and you are told; a terminal offers that of
        the repository's LICENSE.
    include
        Include this session (the start of its id will do; `all` for those not decided about).
    exclude
        Exclude this session.
    keep_emails
        Do not replace e-mail addresses.
    dry_run
        Show what would be sent, and send nothing.
    yes
        Ask nothing, and take sessions that nobody decided about.
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.publish import before, manifest
    from funes_git.publish import release as releases
    from funes_git.remotes import names
    from funes_git.remotes.hub import Dataset

    if public and private:
        raise UsageError("--public and --private exclude each other", "git funes publish -h")
    out = output.choose(format)
    memory = names.dataset(memory)
    dataset = Dataset(memory)
    if not dry_run:
        dataset.demand_token()
    now = ""
    if not (dry_run or include or exclude):
        repo, name, now = standing(release, since, [scope, keep_emails, yes])
        if done := _as_before(repo, dataset, name, now, license):
            return _told(out, done, memory, ())
    repo, lance, draft = drafted(out, release, since, scope, keep_emails)
    manifest.checked(draft.span.name)
    decide(repo, draft, include, exclude, keep=not dry_run)
    chosen = _reviewed(out, repo, draft, yes=yes or dry_run)
    tool = f"funes-git {version_of('funes-git')}"
    prepared = releases.prepare(repo, lance, draft, chosen, tool, license)
    if dry_run:
        return _dry_run(out, repo, lance, draft, prepared, memory)
    folder = repo.layout.publishing(memory)
    with alone(folder):
        publisher = releases.Publisher(dataset, lance, folder)
        done = publisher.unchanged(draft.span.name, prepared.manifest.digest, license)
        if done is None:
            _demand_dataset(out, repo, dataset, public, private, yes)
            prepared.license = license or _license(out, repo, publisher, prepared, yes)
            done = publisher.publish(prepared, lambda step: out.progress(0, 0, step))
        if now:
            before.keep(folder, now, done.manifest)
    out.progress_done()
    return _told(out, done, memory, draft.left_out)


def _as_before(
    repo: Repo, dataset: Dataset, name: str, now: str, license: str | None
) -> Outcome | None:
    """The release, if nothing that it comes from has changed and the dataset holds it, under this
    license where one is named."""
    from funes_git.publish import before
    from funes_git.publish.release import Publisher
    from funes_git.store.lance import LanceMemory

    folder = repo.layout.publishing(dataset.name)
    digest = before.digest_of(folder, now)
    if digest is None:
        return None
    memory = LanceMemory.open(repo.layout.memory)
    return Publisher(dataset, memory, folder).unchanged(name, digest, license)


def _told(out: Output, done: Outcome, memory: str, left_out: Sequence[LeftOut]) -> int:
    """Say what came of it."""
    from funes_git.render import drafts

    if out.format == "json":
        out.json(drafts.outcome_json(done, memory, left_out))
    else:
        out.lines(drafts.outcome(done, memory, left_out))
    return 0


def _reviewed(out: Output, repo: Repo, draft: Draft, *, yes: bool) -> list[Chosen]:
    """What is to leave, after a person was asked about what is not decided yet."""
    from funes_git.render import drafts
    from funes_git.render.words import plural

    if draft.pending() and not yes:
        if not is_conversation(out):
            raise FunesError(
                f"nobody has decided about {plural(len(draft.pending()), 'session')} behind"
                f" {draft.span.range} as they are now",
                hint=f"git funes review {draft.span.range}"
                "   (in a script: --include SESSION, --exclude SESSION, or --yes for all)",
            )
        from funes_git.commands import talk

        out.lines(drafts.table(out.page, draft))
        if not talk.review(out, repo, draft):
            raise FunesError(
                "nothing was published; what you decided is kept",
                hint=f"git funes review {draft.span.range}   (goes on with the others)",
            )
    chosen = draft.chosen(pending=yes)
    if not (draft.candidates or draft.left_out):
        raise FunesError(
            f"no indexed session is behind {draft.span.range}",
            hint=f"git funes log {draft.span.range}   (says of each commit why)",
        )
    if not chosen:
        lost = plural(len(draft.left_out), "session")
        why = f"; {lost} left out whole, as an id looks like a secret" if draft.left_out else ""
        raise FunesError(
            f"nothing of {draft.span.range} is to be published{why}",
            hint=f"git funes review {draft.span.range}",
        )
    return chosen


def _dry_run(
    out: Output, repo: Repo, lance: LanceMemory, draft: Draft, prepared: Prepared, memory: str
) -> int:
    """Lay the release out as for a new dataset, and tell what it would be."""
    from tempfile import TemporaryDirectory

    from funes_git.publish import release as releases
    from funes_git.render import drafts
    from funes_git.store.database import private_folder

    private_folder(repo.layout.drafts)  # which is deleted when something is forgotten
    with TemporaryDirectory(dir=repo.layout.drafts) as below:
        files = releases.tried(prepared, lance, Path(below) / "files", memory)
    if out.format == "json":
        out.json(drafts.dry_run_json(draft, prepared, files, memory))
    else:
        out.lines(drafts.dry_run(out.page, draft, prepared, files, memory))
    return 0


def _demand_dataset(
    out: Output, repo: Repo, dataset: Dataset, public: bool, private: bool, yes: bool
) -> None:
    """Make the dataset, or see that it is one to publish to. Raises UsageError, FunesError."""
    from funes_git.publish import release as releases
    from funes_git.remotes.places import some_of

    if not dataset.exists():
        dataset.create(private=_is_private(out, dataset, public, private))
        return
    if (public or private) and dataset.is_private() != private:
        raise FunesError(
            f"{dataset.name} is there already, and is {'public' if private else 'private'}",
            hint=f"leave out {'--private' if private else '--public'}, or change it on its page",
        )
    if yes or not (held := releases.strange(dataset, repo)):
        return
    told = f"{dataset.name} holds {some_of(held)}, and nothing of {repo.name} yet"
    if not is_conversation(out):
        raise FunesError(told, hint="name a dataset of its own; or --yes, if it is the right one")
    if ask(f"{told}; publish to it?", "yn") != "y":
        raise FunesError("nothing was published", hint="git funes publish -h")


def _license(
    out: Output, repo: Repo, publisher: Publisher, prepared: Prepared, yes: bool
) -> str | None:
    """The license that a person takes for a card that names none; who cannot be asked is told."""
    from funes_git.publish import licenses, release

    if publisher.license() is not None:
        return None
    known = licenses.of(repo, prepared.manifest.head)
    told = f"the dataset's card names no license (`{release.LICENSE}`)"
    if known and not yes and is_conversation(out):
        if ask(f"{told}; the repository has {known}: name that?", "yn") == "y":
            return known
        return None
    given = f"--license {known} names the repository's" if known else "--license ID names one"
    output.note(f"note: {told}; {given}")
    return None


def _is_private(out: Output, dataset: Dataset, public: bool, private: bool) -> bool:
    """Whether a new dataset is to be private. Raises UsageError where nobody says."""
    if public or private:
        return private
    if not is_conversation(out):
        raise UsageError(
            f"there is no dataset {dataset.name} yet: say who may read it",
            hint="--public or --private",
        )
    return ask(f"make {dataset.name} public (everybody may read it) or private?", "up") == "p"
