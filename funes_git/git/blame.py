"""`git blame`: who changed each line of a file last, also where the list of commits to look through
is broken, and for a function by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from funes_git.errors import UnknownTarget
from funes_git.git import process
from funes_git.git.blamed import BlamedLine, parse_blame
from funes_git.git.blobs import BlobReader
from funes_git.git.process import GitError
from funes_git.git.repo import Repo

IGNORE_REVS = ".git-blame-ignore-revs"
"""The list of format-only commits that hosts honour without being told; git must be told."""

LANGUAGES = Path(__file__).with_name("attributes")

SCRIPT = "diff.funes-script.xfuncname=!^(import|export[[:space:]]*[{*])\n^[[:alpha:]_$].*"
"""For JavaScript and TypeScript, which git has no rules for: its default, imports left out."""

IMPORT = re.compile(r"\s*(?:(?:import|from|use|using|require)\s+\S|#\s*include\b|export\s*[{*])")
"""A line that names what it does not define."""

BROKEN_LIST = ("could not open object name list", "invalid object name")
"""How git says that the list of commits to look through cannot be read."""

PLAIN = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
"""A name that is no pattern, and so names whole words alone."""

NO_SYMBOL = ("-L parameter", "usage: ")
"""How git says that nothing in the file is called so."""


def blame(
    repo: Repo, path: str, rev: str | None = None, lines: tuple[int, int | None] | None = None
) -> list[BlamedLine]:
    """Who changed each line of `path` (or of `lines`, inclusive) last; `rev` None blames the
    working tree. Looks through the commits of `blame.ignoreRevsFile` and of the repository's
    `.git-blame-ignore-revs`. Raises GitError."""
    asked = ["-L", f"{lines[0]},{lines[1] or ''}"] if lines else []
    return _blame(repo, path, rev, asked, [])


def blame_symbol(repo: Repo, path: str, rev: str | None, symbol: str) -> list[BlamedLine]:
    """The lines of what is called `symbol` in the file, by git's rules for its language (`-L
    :NAME:FILE`), else as its indentation shows, each with who changed it last. Raises
    UnknownTarget, GitError."""
    from funes_git.definitions import UNRULED  # rarely asked for

    ways = (_by_rules, _by_indentation)
    for way in reversed(ways) if PurePosixPath(path).suffix in UNRULED else ways:
        if lines := way(repo, path, rev, symbol):
            return lines
    hint = _instead(repo, path, rev, symbol)
    raise UnknownTarget(f"git finds nothing called {symbol!r} in {path}", hint=hint)


def _instead(repo: Repo, path: str, rev: str | None, symbol: str) -> str:
    """What to ask where nothing is called `symbol`: the first line that names it; how to tell git
    of a language that it has no rules for."""
    from funes_git.definitions import PROSE, UNRULED

    word = re.compile(rf"(?<![\w$]){re.escape(symbol)}(?![\w$])")
    plain = re.fullmatch(r"[\w$](?:.*[\w$])?", symbol)
    named = (n for n, row in enumerate(_rows(repo, path, rev), 1) if plain and word.search(row))
    first = next(named, None)
    hint = f"git funes why {path}:{first or '10-20'}"
    hint += f" (line {first} is the first that names it)" if first else ""
    suffix = PurePosixPath(path).suffix
    known = not suffix or suffix in PROSE | UNRULED or f"\n*{suffix} " in LANGUAGES.read_text()
    if known:
        return hint
    return f"{hint}, or name the diff driver of its language in .gitattributes (`*{suffix} diff=…`)"


def _by_rules(repo: Repo, path: str, rev: str | None, symbol: str) -> list[BlamedLine]:
    from funes_git.definitions import PROSE

    whole = re.sub(r"([][.*^$\\:])", r"\\\1", symbol)
    whole = rf"\b{whole}" if re.match(r"\w", symbol) else whole
    whole = rf"{whole}\b" if re.search(r"\w$", symbol) else whole
    languages = ["-c", f"core.attributesFile={LANGUAGES}", "-c", SCRIPT]
    pattern = re.sub(r"(?<!\\):", r"\:", symbol)
    ways = [(whole, languages)]
    if PurePosixPath(path).suffix not in PROSE:  # where every paragraph would do
        ways.append((whole, []))
    if not PLAIN.fullmatch(symbol):
        ways.append((pattern, languages))
    for name, settings in ways:
        try:
            lines = _blame(repo, path, rev, ["-L", f":{name}"], settings)
        except GitError as error:
            if not any(said in error.message for said in NO_SYMBOL):
                raise
            continue
        if not IMPORT.match(lines[0].text):
            return lines
    return []


def _by_indentation(repo: Repo, path: str, rev: str | None, symbol: str) -> list[BlamedLine]:
    """Nothing where the repository itself names rules for the file."""
    from funes_git.definitions import find

    told = repo.run("check-attr", "-z", "diff", "--", path).split(b"\0")
    if told[2] not in (b"unspecified", b"set", b"unset"):
        return []
    rows = _rows(repo, path, rev)
    found = find(rows, symbol, PurePosixPath(path).suffix)
    return _blame(repo, path, rev, ["-L", "{},{}".format(*found)], []) if found else []


def _rows(repo: Repo, path: str, rev: str | None) -> list[str]:
    """The lines of the file as it is asked about."""
    content = b""
    if rev is None and repo.worktree:
        with suppress(OSError):
            content = (repo.worktree / path).read_bytes()
    else:
        with BlobReader(repo) as blobs:
            content = blobs.read(f"{rev or 'HEAD'}:{path}")
    return content.decode("utf-8", "replace").split("\n")


def looked_through(repo: Repo) -> set[str]:
    """The ids of the commits that are listed to be looked through."""
    names = [IGNORE_REVS]
    setting = ("config", "--null", "--type=path", "--get-all", "blame.ignoreRevsFile")
    code, out, _ = process.attempt(repo.args(*setting), repo.folder)
    if code == 0:
        names += out.decode("utf-8", "surrogateescape").split("\0")
    found: set[str] = set()
    for name in filter(None, names):
        try:
            text = (repo.folder / name).read_text("utf-8", "replace")
        except OSError:
            continue
        found.update(line.partition("#")[0].strip() for line in text.splitlines())
    return found - {""}


def _blame(
    repo: Repo, path: str, rev: str | None, asked: Sequence[str], settings: Sequence[str]
) -> list[BlamedLine]:
    """Blame with the repository's own list of commits to look through, or without it if git cannot
    read it. Where git cannot read one that its settings name, `git blame` itself fails too."""
    rest = ["--porcelain", *asked, *([rev] if rev else []), "--", path]
    listed = repo.worktree is not None and (repo.worktree / IGNORE_REVS).is_file()
    for lists in ([f"--ignore-revs-file={IGNORE_REVS}"], [])[not listed :]:
        args = [*settings, *repo.args("blame", *lists, *rest)]
        try:
            return list(parse_blame(process.run(args, repo.folder)))
        except GitError as error:
            if not any(said in error.message for said in BROKEN_LIST):
                raise
            if not lists:
                hint = "git config --show-origin blame.ignoreRevsFile"
                raise GitError(error.message, hint=hint) from None
    raise AssertionError
