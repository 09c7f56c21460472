"""Completion scripts, made from the commands' own signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from funes_git.commands import COMMANDS, quick

REVISIONS: Final = ("--at", "--commit", "--branch")
"""Options that take a revision."""
HISTORY: Final = "revisions"


def flags() -> dict[str, dict[str, tuple[str, ...] | None]]:
    """By command: its options, each with its choices, () for a free value, None for a switch."""
    found: dict[str, dict[str, tuple[str, ...] | None]] = {}
    for command in COMMANDS.values():
        known = quick.spec(command.load())
        options = known.options if known else {}
        found[command.name] = {
            flag: None if kind.convert is bool else kind.choices
            for flag, (_, kind) in options.items()
        }
        found[command.name]["--help"] = None
    return found


def words(command: str) -> tuple[str, ...]:
    """The fixed words that a command takes as its first argument."""
    known = quick.spec(COMMANDS[command].load())
    return known.positional[0][1].choices if known and known.positional else ()


def bash() -> str:
    """For bash: `_git_funes` is what git's own completion calls for `git funes`."""
    rows = []
    for name, options in flags().items():
        values = [
            f'\t\t\t--{flag.lstrip("-")}) __gitcomp "{" ".join(choices)}"; return ;;'
            for flag, choices in options.items()
            if choices and flag.startswith("--")
        ]
        refs = [flag for flag in options if flag in REVISIONS]
        values += [f"\t\t\t{'|'.join(refs)}) __git_complete_refs; return ;;"] if refs else []
        rows += [f"\t{name})", '\t\tcase "$prev" in', *values, "\t\tesac"]
        first = " ".join(words(name)) or (HISTORY if name in ("log", "link") else "")
        rows += [f'\t\t__funes_options "{" ".join(options)}" "{first}" ;;']
    names = " ".join(COMMANDS)
    return f"""\
# bash completion for git funes; needs git's own completion
__funes_options ()
{{
	case "$cur" in
	-*) __gitcomp "$1" ;;
	*)
		case "$2" in
		"") COMPREPLY=() ;;
		{HISTORY}) __git_complete_revlist ;;
		*) __gitcomp "$2" ;;
		esac ;;
	esac
}}

_git_funes ()
{{
	local command="" word index
	for ((index = 1; index < cword; index++)); do
		word="${{words[index]}}"
		case " {names} " in
		*" $word "*) command="$word"; break ;;
		esac
	done
	case "$command" in
	"") __gitcomp "{names} help --version -C --no-pager" ;;
{chr(10).join(rows)}
	esac
}}

# git-funes alone, without git before it
type __git_complete >/dev/null 2>&1 && __git_complete git-funes _git_funes"""


def zsh() -> str:
    """For zsh: `_git-funes` is found by its own git completion."""
    commands = "\n".join(f"    '{c.name}:{_quoted(c.help)}'" for c in COMMANDS.values())
    cases = []
    for name, options in flags().items():
        takes = " ".join(_zsh_option(flag, choices) for flag, choices in options.items())
        first = words(name)
        argument = f"'1:word:({' '.join(first)})'" if first else "'*:file:_files'"
        cases.append(f"    {name}) _arguments {takes} {argument} ;;")
    return f"""\
#compdef git-funes
# zsh completion for git funes: save as _git-funes in a folder of $fpath
_git-funes () {{
  local -a commands
  commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{chr(10).join(cases)}
  esac
}}
_git-funes "$@\""""


def _zsh_option(flag: str, choices: tuple[str, ...] | None) -> str:
    if choices is None:
        return flag
    return f"'{flag}:value:({' '.join(choices)})'" if choices else f"'{flag}:value: '"


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace(":", "\\:")


def fish() -> str:
    """For fish."""
    seen = f"__fish_seen_subcommand_from {' '.join(COMMANDS)}"
    rows = ["# fish completion for git funes"]
    for name, options in flags().items():
        text = _quoted_fish(COMMANDS[name].help)
        rows += _fish(f"not {seen}", f"-f -a {name} -d '{text}'")
        inside = f"__fish_seen_subcommand_from {name}"
        rows += [
            row
            for flag, choices in options.items()
            if flag.startswith("--")
            for row in _fish(inside, _fish_option(flag, choices))
        ]
        rows += [row for word in words(name) for row in _fish(inside, f"-f -a {word}")]
    return "\n".join(rows)


def _fish(condition: str, rest: str) -> list[str]:
    return [
        f"complete -c git -n '__fish_seen_subcommand_from funes; and {condition}' {rest}",
        f"complete -c git-funes -n '{condition}' {rest}",
    ]


def _fish_option(flag: str, choices: tuple[str, ...] | None) -> str:
    name = f"-l {flag.removeprefix('--')}"
    if choices is None:
        return name
    return f"{name} -x -a '{' '.join(choices)}'" if choices else f"{name} -r"


def _quoted_fish(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


SCRIPTS: Final[dict[str, Callable[[], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}
