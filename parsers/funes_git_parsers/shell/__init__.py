"""What a shell command line wrote to files, and which commits its git commands made.

Standard library only. A command is read, never run: what the text does not say (a variable, a
glob, a folder that `cd` found by itself) is left out. Time is linear in the length of the command,
and no text makes it raise.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from funes_git_parsers import patch
from funes_git_parsers.base import Hunk, Operation
from funes_git_parsers.dataclass import dataclass
from funes_git_parsers.paths import normal
from funes_git_parsers.shell.commits import printed_commits
from funes_git_parsers.shell.lex import Command, Redirect, Word, lex
from funes_git_parsers.shell.python import python_writes
from funes_git_parsers.shell.sed import edited, whole_lines
from funes_git_parsers.shell.text import UNKNOWN, Text, heredoc, literal, output
from funes_git_parsers.shell.tools import from_objects, may_write, named_files, operands, unwrap

__all__ = ["ShellWrite", "printed_commits", "writes"]

MAX_SHELLS = 3
"""How deep `bash -c '…'` is followed."""

_WINDOWS = re.compile(r"[A-Za-z]:[/\\]")
_NOT_FILES = re.compile(r"/dev/|/proc/|-$|\d*$")
_WRITING = {">", ">|", ">>", "&>", ">&", "<>"}
_SHELLS = {"bash", "sh", "zsh", "dash"}


@dataclass(frozen=True, slots=True)
class ShellWrite:
    """One file that a command wrote, deleted or moved.

    `path` is absolute where the folder is known, else relative to where the command started.
    `new` is the whole text for `create`, the added text for `modify`; `old` the replaced text;
    both None where the command does not hold them. `hunks` hold the lines that are known exactly
    where the whole text is not (a here-document with variables in some of its lines). A `rename`
    or `delete` may name a folder.
    """

    path: str
    operation: Operation
    new: str | None = None
    old: str | None = None
    old_path: str | None = None
    hunks: tuple[Hunk, ...] = ()


def writes(command: str, cwd: str | None) -> list[ShellWrite]:
    """What `command`, run in folder `cwd`, writes to files whose names it spells out."""
    return _Walk(cwd, 0).run(command) if may_write(command) else []


class _Walk:
    """Goes through the commands of one command line, keeping the folder and the piped text."""

    def __init__(self, cwd: str | None, shells: int) -> None:
        self.cwd = cwd
        self.lost = False
        self.shells = shells
        self.saved: list[tuple[str | None, bool]] = []
        self.pushed: list[tuple[str | None, bool]] = []
        self.piped: Text = UNKNOWN
        self.found: list[ShellWrite] = []

    def run(self, command: str) -> list[ShellWrite]:
        for event in lex(command):
            if event == "(":
                self.saved.append((self.cwd, self.lost))
            elif event == ")":
                self.cwd, self.lost = self.saved.pop()
            elif isinstance(event, Command):
                self.command(event)
        return self.found

    def command(self, command: Command) -> None:
        words = unwrap(command.words)
        name = words.pop(0).text.rpartition("/")[2] if words else ""
        if name in ("[[", "(("):
            return
        stdin = self.stdin(command)
        text = UNKNOWN if command.group else output(name, words, stdin)
        self.piped = text if command.after in ("|", "|&") else UNKNOWN
        stored = name == "git" and from_objects(words)
        for redirect in command.redirects:
            if not (stored and redirect.fd in ("", "1")):
                self.redirect(redirect, text)
        if name in ("cd", "pushd", "popd"):
            self.change_folder(name, words, piped=command.after == "|")
        elif name == "tee":
            self.tee(words, stdin)
        elif name in _SHELLS or name.startswith("python"):
            if script := _script(words, stdin):
                self.program(name, script)
        elif name:
            self.found += self.effects(name, words, stdin)

    def stdin(self, command: Command) -> Text:
        """The text that the command reads."""
        text = self.piped if command.before in ("|", "|&") else UNKNOWN
        for redirect in command.redirects:
            if redirect.body is not None:
                text = heredoc(redirect.body, raw=redirect.raw)
            elif redirect.op == "<<<" and redirect.target.literal:
                text = literal(redirect.target.text + "\n")
            elif redirect.op.startswith("<"):
                text = UNKNOWN
        return text

    def redirect(self, redirect: Redirect, text: Text) -> None:
        if redirect.op not in _WRITING:
            return
        if path := self.path(redirect.target):
            known = text if redirect.fd in ("", "1") else UNKNOWN
            self.put(path, known, append=redirect.op == ">>")

    def put(self, path: str, text: Text, *, append: bool) -> None:
        create = not append and text != UNKNOWN
        operation: Operation = "create" if create else "modify"
        self.found.append(ShellWrite(path, operation, new=text.exact, hunks=text.hunks))

    def tee(self, words: list[Word], stdin: Text) -> None:
        append = any(word.text in ("-a", "--append", "-ai", "-ia") for word in words)
        for word in operands(words):
            if path := self.path(word):
                self.put(path, stdin, append=append)

    def program(self, name: str, script: str) -> None:
        """`bash -c '…'`, `python -c '…'`, or a script on standard input."""
        if name in _SHELLS:
            if self.shells < MAX_SHELLS and not self.lost:
                self.found += _Walk(self.cwd, self.shells + 1).run(script)
            return
        for write in python_writes(script):
            if path := self.path(Word(write.path)):
                create = write.new is not None and write.old is None and not write.append
                operation: Operation = "create" if create else "modify"
                self.found.append(ShellWrite(path, operation, new=write.new, old=write.old))

    def change_folder(self, name: str, words: list[Word], *, piped: bool) -> None:
        if piped:  # each part of a pipeline is a shell of its own
            return
        if name == "popd":
            self.cwd, self.lost = self.pushed.pop() if self.pushed else (None, True)
            return
        if name == "pushd":
            self.pushed.append((self.cwd, self.lost))
        targets = [w for w in words if w.text not in ("--", "-P", "-L")]
        folder = self.path(targets[0]) if targets else None
        if folder is None and targets and targets[0].text in (".", "./"):
            return
        self.cwd, self.lost = folder, folder is None

    def path(self, word: Word) -> str | None:
        """The file that a word names, or None if it names none or cannot be told."""
        text = word.text
        if not word.literal or not text or "\0" in text or "\n" in text or _NOT_FILES.match(text):
            return None
        if text.startswith("/") or _WINDOWS.match(text):
            return _normal(text)
        if self.lost:
            return None
        if self.cwd is None:
            return _normal(text)
        folder = self.cwd.replace("\\", "/") if _WINDOWS.match(self.cwd) else self.cwd
        return _normal(posixpath.join(folder, text))

    # --- commands that change files by name -----------------------------------------------------

    def effects(self, name: str, words: list[Word], stdin: Text) -> Iterable[ShellWrite]:
        if name == "git":
            return self.git(words, stdin)
        if name == "patch":
            return self.patched(stdin)
        if name in ("sed", "gsed", "perl"):
            files, scripts = edited(words)
            hunks = whole_lines(scripts) if name != "perl" else ()
            return [ShellWrite(at, "modify", hunks=hunks) for at in map(self.path, files) if at]
        if name in ("mv", "cp"):
            return self.move(words, copy=name == "cp")
        if name in ("rm", "unlink"):
            return self.remove(operands(words))
        paths = map(self.path, named_files(name, words))
        return [ShellWrite(path, "modify") for path in paths if path]

    def git(self, words: list[Word], stdin: Text) -> Iterator[ShellWrite]:
        """`git mv`, `git rm` and `git apply`, also with `-C FOLDER`."""
        at = (self.cwd, self.lost)
        index = 0
        while index < len(words) and words[index].text.startswith("-"):
            option = words[index].text
            if option == "-C" and index + 1 < len(words):
                self.change_folder("cd", [words[index + 1]], piped=False)
            index += 2 if option in ("-C", "-c", "--git-dir", "--work-tree") else 1
        verb = words[index].text if index < len(words) else ""
        if verb == "mv":
            yield from self.move(words[index + 1 :], copy=False)
        elif verb == "rm":
            yield from self.remove(operands(words[index + 1 :]))
        elif verb == "apply":
            yield from self.patched(stdin)
        self.cwd, self.lost = at

    def patched(self, diff: Text) -> Iterator[ShellWrite]:
        """The files of a unified diff on standard input."""
        for part in re.split(r"^--- ", diff.exact or "", flags=re.MULTILINE)[1:]:
            head = re.match(r"([^\t\n]+).*\n\+\+\+ ([^\t\n]+)", part)
            if head is None:
                continue
            created, deleted = head[1] == "/dev/null", head[2] == "/dev/null"
            operation: Operation = "create" if created else "delete" if deleted else "modify"
            name = Word(re.sub(r"^[ab]/", "", head[1] if deleted else head[2]))
            if path := self.path(name):
                yield ShellWrite(path, operation, hunks=patch.hunks_of_unified(part))

    def move(self, words: list[Word], *, copy: bool) -> Iterator[ShellWrite]:
        options = [w.text for w in words]
        names = operands(words, values=("-t", "--target-directory", "-S", "--suffix"))
        if "-t" in options[:-1]:
            names.append(words[options.index("-t") + 1])
            names[-1] = Word(names[-1].text + "/", names[-1].literal)
        if len(names) < 2:
            return
        sources, target = names[:-1], names[-1]
        folder = len(sources) > 1 or _is_folder(target.text, sources[0].text)
        to = self.path(target)
        for source in sources:
            old = self.path(source)
            if to is None or old is None:
                continue
            path = posixpath.join(to, posixpath.basename(old)) if folder else to
            if path == old:
                continue
            yield ShellWrite(path, "create") if copy else ShellWrite(path, "rename", old_path=old)

    def remove(self, words: list[Word]) -> Iterator[ShellWrite]:
        for word in words:
            if path := self.path(word):
                yield ShellWrite(path, "delete")


def _script(words: list[Word], stdin: Text) -> str | None:
    """The program that a shell or Python is given, by `-c` or on standard input."""
    for index, word in enumerate(words):
        if re.fullmatch(r"-\w*c", word.text):
            script = words[index + 1] if index + 1 < len(words) else Word("", literal=False)
            return script.text if script.literal else None
        if not word.text.startswith("-"):
            return None
    return stdin.exact


def _is_folder(target: str, source: str) -> bool:
    """Whether `mv SOURCE TARGET` moves into a folder; a guess where only the file system knows."""
    if target.endswith("/") or posixpath.basename(target) in (".", ".."):
        return True
    stem, suffix = posixpath.splitext(posixpath.basename(source.rstrip("/")))
    name = posixpath.basename(target)
    return bool(suffix) and "." not in name and name != stem


def _normal(path: str) -> str | None:
    path = normal(path)
    if path == ".":
        return None
    return path[1:] if path.startswith("//") else path
