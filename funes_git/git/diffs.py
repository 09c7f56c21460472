"""What commits changed: one `git log -p` process for any number of commits, parsed as it streams.

Merges are compared with all their parents at once (`--diff-merges=combined`), so that only lines
that differ from every parent count as the merge's own.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from funes_git.git import process
from funes_git.git.commits import FORMAT
from funes_git.git.partly import lacking
from funes_git.git.patch import CommitChange, DiffReader, FileChange, Wanted
from funes_git.git.process import GitError
from funes_git.git.quote import storable
from funes_git.git.repo import Repo
from funes_git.model import CommitInfo

# A larger file is named as changed, but not compared line by line.
LARGE = 2 << 20
BIG_FILE = f"core.bigFileThreshold={LARGE}"

COMPARED = (
    "-p",
    "-U0",
    "-M",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    # as `git blame` compares: a line must not be one commit's for blame and another's for us
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "-O/dev/null",  # git fails where diff.orderFile names no file
)
ARGS = (*COMPARED, "--root", "--diff-merges=combined", f"--format=%x00{FORMAT}")

PATIENCE = 20
"""Commits with missing objects after which the rest is not tried any more: a partial clone."""

MANY = 1000
"""Files of a commit whose content is missing up to which the others are read."""


def changes(
    repo: Repo, shas: Sequence[str], *, wanted: Wanted | None = None
) -> Iterator[CommitChange]:
    """What each of these commits changed, in their order.

    Only the lines of files for which `wanted` holds (asked when all but the hunks is known) are
    kept; every changed file is named. A commit of which the repository lacks objects comes as
    `unreadable`, with the files that it has. Raises GitError.
    """
    rest = list(shas)
    if not rest:
        return  # git would take none for HEAD
    for _ in range(PATIENCE):
        done = yield from _some(repo, rest, wanted or (lambda change: True))
        rest = rest[done:]
        if not rest:
            return
    infos = repo.infos(rest)
    yield from (CommitChange(infos[sha], [], unreadable=True) for sha in rest if sha in infos)


def _some(repo: Repo, shas: list[str], wanted: Wanted) -> Generator[CommitChange, None, int]:
    """Yield the changes of `shas` up to the first commit that git cannot read, this one included;
    how many that were."""
    stdin = "".join(f"{sha}\n" for sha in shas).encode()
    args = ["-c", BIG_FILE, *repo.args("log", *ARGS, "--no-walk=unsorted", "--stdin")]
    done = 0
    last: CommitChange | None = None  # held back: it may be cut short
    try:
        # not in the working tree: its .gitattributes call text binary (`*.lock -diff`), for people
        with process.stream(args, repo.common_dir, stdin=stdin) as out:
            for commit in DiffReader(out, wanted).commits():
                if last is not None:
                    yield last
                    done += 1
                last = commit
    except GitError:
        infos = repo.infos(shas[done : done + 1])
        if not infos:
            raise
        last = _partly(repo, infos[shas[done]], wanted)
    if last is None:
        return len(shas)
    yield last
    return done + 1


def _partly(repo: Repo, info: CommitInfo, wanted: Wanted) -> CommitChange:
    """What can be said of a commit of which objects are missing."""
    found = CommitChange(info, [], unreadable=True)
    try:
        without = [f":(top,literal,exclude){path}" for path in lacking(repo, info.sha)]
        if 0 < len(without) <= MANY:
            only = ["--no-walk", info.sha, "--", ":(top)", *without]
            args = ["-c", BIG_FILE, *repo.args("log", *ARGS, *only)]
            with process.stream(args, repo.common_dir) as out:
                read = list(DiffReader(out, wanted).commits())
            found.files = [change for commit in read for change in commit.files]
    except GitError:  # not even the names of the files are there
        pass
    return found


def uncommitted(repo: Repo, path: str) -> FileChange | None:
    """What the working tree changes of `path` since HEAD; None where it changes nothing, and where
    git does not know the file. `new_blob` is no object of the repository. Raises GitError."""
    found = _uncommitted(repo, path, ["--", path])
    if found is not None and found.binary and _is_text(repo, path):
        found = _uncommitted(repo, path, ["--text", "--", path])
    if found is not None and found.status == "added":  # moved here, perhaps: git must see it all
        return _uncommitted(repo, path, []) or found
    return found


def _is_text(repo: Repo, path: str) -> bool:
    """Whether a file of the working tree is text by its content, whatever its attributes say."""
    try:
        file = repo.folder / path
        with file.open("rb") as stream:
            return file.stat().st_size <= LARGE and b"\0" not in stream.read(8000)
    except OSError:
        return False


def _uncommitted(repo: Repo, path: str, only: Sequence[str]) -> FileChange | None:
    args = ["-c", BIG_FILE, "--literal-pathspecs", *repo.args("diff", *COMPARED, "HEAD", *only)]
    name = storable(path)
    with process.stream(args, repo.folder) as out:
        reader = DiffReader(out, lambda change: change.path == name)
        return next((found for found in list(reader.files(1)) if found.path == name), None)
