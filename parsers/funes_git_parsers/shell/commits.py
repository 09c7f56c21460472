"""Which commits the git commands of a command line made, by the ids that they printed.

Standard library only. An id that was merely shown (`git log`, `git show`, `git push`) is not a
commit that the session made: an id counts only where the same command line holds the git command
that made it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from funes_git_parsers.base import PrintedCommit
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.shell.lex import Command, Word, lex
from funes_git_parsers.shell.tools import names, unwrap

_MAKING = frozenset(b"commit cherry-pick revert merge rebase am ci cm amend".split())
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MADE = re.compile(
    r"^\[(?P<branch>[^\s~^:?*\[\]\\]+|[^\]\n]{0,40}HEAD[^\]\n]{0,40}?)(?: \([^)\n]{1,40}\))? "
    r"(?P<sha>[0-9a-f]{4,64})\] ?(?P<subject>.*)$"
)
_FULL = re.compile(r"^(?P<sha>[0-9a-f]{40}(?:[0-9a-f]{24})?)(?P<subject>)$")
_SHORT = re.compile(r"^(?P<sha>[0-9a-f]{4,40})(?P<subject>)$")
_ONELINE = re.compile(r"^\*? ?(?P<sha>[0-9a-f]{7,64})\b(?: \([^)]*\))?[ \t:|-]*(?P<subject>.*)$")
_HEADED = re.compile(r"^commit (?P<sha>[0-9a-f]{7,64})(?P<subject>)\b")
_OID = re.compile(r'"oid": ?"(?P<sha>[0-9a-f]{40})"(?P<subject>)')
_RTK = re.compile(r"^ok (?:✓ )?(?P<branch>)(?P<sha>[0-9a-f]{7,40})(?P<subject>)$")
_FAILED = re.compile(
    r"nothing to commit|nothing added to commit|no changes added|^(?:error|fatal): |^CONFLICT "
    r"|Aborting commit|hook declined|exited with code [1-9]|exit code 1",
    re.MULTILINE,
)
_VERBS = {"commit", "cherry-pick", "revert", "merge", "rebase", "am"}
_ALIASES = {"ci": "commit", "cm": "commit", "amend": "amend"}
_SHOWS = {"log", "show", "rev-parse", "reflog", "rev-list", "ls-remote", "show-ref", "describe"}
_VALUES = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}


@dataclass(frozen=True, slots=True)
class _Git:
    """A git command of the line: what it does to history, and whether it ran only if the one
    before it succeeded."""

    kind: Literal["makes", "shows", "other"]
    verb: str
    args: tuple[str, ...]
    sure: bool


def printed_commits(command: str, output: str) -> tuple[PrintedCommit, ...]:
    """The commits that the git commands of `command` made, as far as `output` names them.

    `output` may hold the harness's own header and anything else that was printed.
    """
    has_git = "git" in command or "gh" in command
    if not has_git or _MAKING.isdisjoint(names(command)):  # quick: most commands only look
        return ()
    line = _git_commands(command)
    makers = [git for git in line if git.kind == "makes"]
    if not makers:
        return ()
    lines = _ANSI.sub("", output).replace("\r", "\n").split("\n")
    made = _made(lines, makers, rtk=b"rtk" in names(command))
    return _named(lines, line, made, output)


def _made(lines: list[str], makers: list[_Git], *, rtk: bool) -> list[PrintedCommit]:
    """What the makers printed themselves: `[branch id] subject`, or what rtk makes of it."""
    found_on = (_MADE.match(text) or (_RTK.match(text) if rtk else None) for text in lines)
    matches = [match for match in found_on if match]
    verbs = [git.verb for git in makers]
    if len(verbs) != len(matches):
        verbs = [verbs[0]] * len(matches)
    found = []
    for match, verb in zip(matches, verbs, strict=True):
        branch = None if "HEAD" in match["branch"] else match["branch"] or None
        found.append(PrintedCommit(match["sha"], verb, branch, match["subject"] or None))
    return found


def _named(
    lines: list[str], line: list[_Git], made: list[PrintedCommit], output: str
) -> tuple[PrintedCommit, ...]:
    """`made`, and the commit that a later command named (`git rev-parse HEAD`)."""
    last = max(i for i, git in enumerate(line) if git.kind == "makes")
    shows = [git for git in line[last + 1 :] if git.kind == "shows"]
    form = _form(shows[0]) if shows and _moved_head(line[last], output) else None
    if form is None or not (shows[0].sure or not _FAILED.search(output)):
        return tuple(made)
    matches = [m for m in map(form.search, lines) if m]
    shown_before = any(git.kind == "shows" for git in line[:last])
    if not matches or (shown_before and not _one_line(shows[0])):
        return tuple(made)
    verb = "merge" if shows[0].verb == "gh" else "rev-parse"
    return _with(made, matches[-1] if shown_before else matches[0], verb)


def _moved_head(git: _Git, output: str) -> bool:
    """Whether HEAD was a commit of the command's own after it; a merge or a rebase may have moved
    it to somebody else's."""
    if git.verb == "merge":
        return "--no-ff" in git.args or "Merge made by" in output
    return git.verb in ("commit", "amend", "cherry-pick", "revert", "am", "gh")


def _one_line(git: _Git) -> bool:
    return git.verb == "rev-parse" or not {"-1", "-n1"}.isdisjoint(git.args)


def _with(made: list[PrintedCommit], match: re.Match[str], verb: str) -> tuple[PrintedCommit, ...]:
    """`made` with the id of `match`: the full id of one of them, or the only one."""
    sha = match["sha"]
    for index, commit in enumerate(made):
        if sha.startswith(commit.sha) or commit.sha.startswith(sha):
            longer = max(sha, commit.sha, key=len)
            made[index] = PrintedCommit(longer, commit.verb, commit.branch, commit.subject)
            return tuple(made)
    if made:
        return tuple(made)
    return (PrintedCommit(sha, verb, None, match["subject"] or None),)


def _form(git: _Git) -> re.Pattern[str] | None:
    """How command `git` prints the id of HEAD, or None if it shows something else."""
    operands = [arg for arg in git.args if not arg.startswith("-")]
    if git.verb == "gh":
        return _OID if "mergeCommit" in " ".join(git.args) else None
    if git.verb == "rev-parse":
        short = any(arg.startswith("--short") for arg in git.args)
        return (_SHORT if short else _FULL) if operands == ["HEAD"] else None
    if git.verb not in ("log", "show") or [op for op in operands if op not in ("HEAD", "1")]:
        return None
    if any(re.match(r"--(?:all|reverse|skip|author|grep|branches|remotes)", a) for a in git.args):
        return None
    return _log_form([arg for arg in git.args if arg.startswith("-")])


def _log_form(options: list[str]) -> re.Pattern[str] | None:
    for option in options:
        if match := re.match(r"--(?:format|pretty)=(?:t?format:)?(.*)", option, re.DOTALL):
            if match[1] == "oneline" or re.match(r"%[hH]", match[1]):
                return _ONELINE
            return _HEADED if match[1] in ("fuller", "full", "medium", "short") else None
    return _ONELINE if "--oneline" in options else _HEADED


# --- the git commands of a line ----------------------------------------------------------------


def _git_commands(command: str, depth: int = 0) -> list[_Git]:
    found: list[_Git] = []
    sure = True
    for event in lex(command):
        if not isinstance(event, Command):
            continue
        words = unwrap(event.words)
        sure = event.before == "&&" and (sure or not found)
        if git := _git(words, sure=sure):
            sure = sure or git.kind == "makes"
            found.append(git)
        elif depth < 3 and (script := _script(words)):
            found += _git_commands(script, depth + 1)
    return found


def _script(words: list[Word]) -> str | None:
    """The script of `bash -c '…'`."""
    if len(words) > 2 and words[0].text.rpartition("/")[2] in ("bash", "sh", "zsh"):
        for flag, script in pairwise(words):
            if re.fullmatch(r"-\w*c", flag.text):
                return script.text
    return None


def _git(words: list[Word], *, sure: bool) -> _Git | None:
    texts = [word.text for word in words]
    name = texts[0].rpartition("/")[2] if texts else ""
    if name == "gh" and texts[1:3] in (["pr", "merge"], ["pr", "view"]):
        return _Git("makes" if texts[2] == "merge" else "shows", "gh", tuple(texts[3:]), sure)
    if name not in ("git", "hub"):
        return None
    index = 1
    while index < len(texts) and texts[index].startswith("-"):
        index += 2 if texts[index] in _VALUES else 1
    if index >= len(texts):
        return None
    verb, args = _ALIASES.get(texts[index], texts[index]), tuple(texts[index + 1 :])
    if verb in _SHOWS:
        return _Git("shows", verb, args, sure)
    if verb in _VERBS or verb == "amend":
        amends = verb == "commit" and "--amend" in args
        return _Git("makes", "amend" if amends else verb, args, sure)
    return _Git("other", verb, args, sure)
