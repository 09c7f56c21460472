"""Commands that rewrite the files they are given: formatters, fixers, in-place editors.

Standard library only. Says which words of a command name the files; the text that the tools
write is in no command line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from funes_git_parsers.shell.lex import Word

_KEYWORDS = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "exec"}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_NUMBER = re.compile(r"[\d.]+[smhd]?")

_RUNNERS: dict[str, tuple[str, ...]] = {
    "npx": (),
    "bunx": (),
    "uvx": (),
    "pipx": ("run",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx", "run"),
    "bun": ("x",),
    "npm": ("exec",),
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "rye": ("run",),
    "pipenv": ("run",),
    "bundle": ("exec",),
    "sudo": (),
    "env": (),
    "nice": (),
    "nohup": (),
    "command": (),
    "builtin": (),
    "timeout": (),
    "rtk": (),
}
"""Programs that run another one, with the sub-commands by which they do."""

_WRITE_FLAGS: dict[str, tuple[str, ...]] = {
    "prettier": ("--write", "-w"),
    "gofmt": ("-w",),
    "gofumpt": ("-w",),
    "goimports": ("-w",),
    "shfmt": ("-w",),
    "eslint": ("--fix",),
    "stylelint": ("--fix",),
    "standard": ("--fix",),
    "markdownlint": ("--fix", "-f"),
    "markdownlint-cli2": ("--fix",),
    "clang-format": ("-i",),
    "autopep8": ("-i", "--in-place"),
    "yapf": ("-i", "--in-place"),
    "rubocop": ("-a", "-A", "--autocorrect", "--autocorrect-all"),
    "ktlint": ("-F", "--format"),
    "xmllint": ("--output", "-o"),
}
"""Tools that write only when told to."""

_CHECK_FLAGS: dict[str, tuple[str, ...]] = {
    "black": ("--check", "--diff"),
    "isort": ("--check", "--check-only", "-c", "--diff", "--stdout"),
    "rustfmt": ("--check",),
    "stylua": ("--check",),
    "swiftformat": ("--lint",),
}
"""Tools that write unless told not to."""

_SUBCOMMANDS: dict[str, dict[str, tuple[str, ...]]] = {
    "ruff": {"format": (), "check": ("--fix", "--fix-only")},
    "biome": {"format": ("--write", "--fix"), "check": ("--write", "--fix", "--apply")},
    "deno": {"fmt": ()},
    "dart": {"format": ()},
    "terraform": {"fmt": ()},
    "zig": {"fmt": ()},
    "go": {"fmt": ()},
    "mix": {"format": ()},
    "dprint": {"fmt": ()},
}
"""Tools with sub-commands, each with the flags of which it needs one to write (none: always)."""

_OUTPUTS = {"curl", "wget", "pandoc", "dot", "sort", "openapi-typescript", "quicktype", "json2ts"}
_OUTPUT_FLAGS = {"-o", "--output", "-O", "--output-document", "--out"}
_VALUES: tuple[str, ...] = (
    "--config",
    "--ignore-path",
    "--plugin",
    "--parser",
    "--target-version",
    "--select",
    "--ignore",
    "--line-length",
    "-l",
    "--rulesdir",
    "--style",
)
"""Options whose next word is their value."""


_SCRIPTED = r"-\w*c|[<|]"  # a script as an argument, or on standard input
_WRITERS: dict[bytes, str] = {
    name.encode(): pattern
    for name, pattern in (
        *dict.fromkeys(("tee", "apply", "mv", "cp", "rm", "unlink", *_CHECK_FLAGS), "").items(),
        *dict.fromkeys(("sed", "gsed", "perl"), "-[a-zA-Z]*i").items(),
        *dict.fromkeys(("bash", "sh", "zsh", "dash"), _SCRIPTED).items(),
        *dict.fromkeys(_OUTPUTS, "-[oO]").items(),
        *((name, "|".join(flags)) for name, flags in _WRITE_FLAGS.items()),
        *(
            (name, "|".join("|".join(flags or (command,)) for command, flags in commands.items()))
            for name, commands in _SUBCOMMANDS.items()
        ),
        ("dd", "of="),
        ("patch", "[<|]"),
    )
}
"""Programs that may write, each with the pattern of what they need for it in the command line;
compiled when first needed, as most never are."""
_WRITER_NAMES = frozenset(_WRITERS)
_TO_FILE = re.compile(r">(?![ &]*(?:[12]|/dev/null)(?![\w./-]))")
_SEPARATED = bytes(n if re.match(rb"[\w.-]", bytes([n])) else 32 for n in range(256))


@lru_cache(maxsize=4)  # a command is asked what it wrote and what it committed
def names(command: str) -> Sequence[bytes]:
    """What in a command line may be the name of a program or of its sub-command. Quick, and more
    than `lex` would find."""
    return command.encode("utf-8", "replace").translate(_SEPARATED).split()


def may_write(command: str) -> bool:
    """Whether a command line holds a redirection, or the name of a program and what it needs to
    write. Quick: most commands only look."""
    if ">" in command and _TO_FILE.search(command):
        return True
    if "python" in command and re.search(_SCRIPTED, command):
        return True
    named = names(command)
    if _WRITER_NAMES.isdisjoint(named):
        return False
    return any(re.search(_WRITERS[name], command) for name in _WRITER_NAMES.intersection(named))


def unwrap(words: Sequence[Word]) -> list[Word]:
    """The words of a command without the keywords, assignments and runners before its name."""
    index = 0
    while index < len(words):
        text = words[index].text
        if text in _KEYWORDS or _ASSIGNMENT.match(text):
            index += 1
        elif (after := _runner(words, index)) is not None:
            index = after
        else:
            break
    return list(words[index:])


def _runner(words: Sequence[Word], index: int) -> int | None:
    """Where the command starts that the program at `index` runs, or None if it runs none."""
    name = words[index].text
    following = words[index + 1].text if index + 1 < len(words) else ""
    if following == "-m" and _PYTHON.fullmatch(name):
        return index + 2
    if name not in _RUNNERS or (_RUNNERS[name] and following not in _RUNNERS[name]):
        return None
    index += 2 if _RUNNERS[name] else 1
    while index < len(words):
        text = words[index].text
        if not text.startswith("-") and not (name == "timeout" and _NUMBER.fullmatch(text)):
            break
        index += 1
    return index


def operands(words: Sequence[Word], values: Sequence[str] = ()) -> list[Word]:
    """The words that are no options, nor the value of an option named in `values`."""
    found: list[Word] = []
    options, skip = True, False
    for word in words:
        if skip:
            skip = False
        elif options and word.text == "--":
            options = False
        elif options and word.text.startswith("-") and len(word.text) > 1:
            skip = word.text in values
        else:
            found.append(word)
    return found


def from_objects(words: Sequence[Word]) -> bool:
    """Whether `git` with these words prints a file out of the history, as `git show REV:PATH` does:
    who sends that to a file has put back what others wrote."""
    verb, *rest = operands(words, ("-C", "-c", "--git-dir", "--work-tree")) or [Word("")]
    if verb.text == "cat-file":
        return any(word.text in ("-p", "blob") for word in words)
    return verb.text == "show" and any(":" in word.text for word in rest)


def named_files(name: str, words: list[Word]) -> list[Word]:
    """The words of command `name` that name files which it rewrites."""
    if name == "dd":
        return [Word(w.text[3:], w.literal) for w in words if w.text.startswith("of=")]
    if name in _OUTPUTS:
        return _outputs(words)
    return [w for w in operands(words, _VALUES) if _is_file(w)] if _rewrites(name, words) else []


def _rewrites(name: str, words: list[Word]) -> bool:
    texts = {word.text for word in words}
    if name in _WRITE_FLAGS:
        return not texts.isdisjoint(_WRITE_FLAGS[name])
    if name in _CHECK_FLAGS:
        return texts.isdisjoint(_CHECK_FLAGS[name])
    if name in _SUBCOMMANDS and words and words[0].text in _SUBCOMMANDS[name]:
        flags = _SUBCOMMANDS[name][words[0].text]
        return texts.isdisjoint(("--check", "--diff")) and (
            not flags or not texts.isdisjoint(flags)
        )
    return False


def _is_file(word: Word) -> bool:
    """A formatter given a folder or a sub-command names no file."""
    name = word.text.rstrip("/").rpartition("/")[2]
    return "." in name.lstrip(".") and not word.text.endswith("/")


def _outputs(words: list[Word]) -> list[Word]:
    found = []
    for word, following in pairwise([*words, Word("", literal=False)]):
        flag, equals, value = word.text.partition("=")
        if word.text in _OUTPUT_FLAGS and not following.text.startswith("-"):
            found.append(following)
        elif equals and flag in _OUTPUT_FLAGS:
            found.append(Word(value, word.literal))
    return found
