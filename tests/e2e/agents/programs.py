"""The agents that are driven here, as programs.toml says: where they come from, how they are told
of the fake model, how they are run without a terminal, and what they call their tools.

Words in angle brackets stand there for what is filled in here: `<url>` of the model, `<prompt>`;
of a tool's call `<path>` (absolute), `<name>`, `<old>` and `<new>` (whole lines), `<command>`.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from e2e.agents.dialects import Call


@dataclass(frozen=True)
class Program:
    """An agent. `name` is its program's and as `git funes add` takes it; `harness` as its sessions
    are marked; `package` and `version` as its registry has them; `arguments` run one prompt.

    `read`, `edit` and `shell` are tools of its own, each with its arguments; `ours` is what it
    calls one of ours (`{}`), after a namespace and a slash if it has such. `files` are written
    into the user's home folder, `variables` added to the environment.
    """

    name: str
    harness: str
    package: str
    version: str
    arguments: str
    read: Sequence[Any]
    edit: Sequence[Any]
    shell: Sequence[Any]
    ours: str
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)
    npm: bool = True
    """It comes from npm's registry, else from Python's."""
    required: bool = False
    """It must run wherever its registry can be reached."""
    added: bool = True
    """`git funes add` knows it; otherwise its settings name our server."""
    alone: bool = True
    """It runs behind a proxy that leads nowhere."""

    def prepare(self, home: Path, url: str) -> None:
        """Write its settings, for a model at a URL."""
        for name, content in _filled(self.files, url=url).items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content))

    def environment(self, url: str) -> dict[str, str]:
        """What variables tell it, of a model at a URL."""
        return dict(_filled(self.variables, url=url))

    def command(self, executable: Path, prompt: str) -> list[str]:
        """The command line of one prompt."""
        return [str(executable), *_filled(shlex.split(self.arguments), prompt=prompt)]

    def reads(self, path: Path) -> Call:
        """It reads a file of the folder that it runs in."""
        return Call(*_filled(self.read, path=str(path), name=path.name))

    def edits(self, path: Path, old: str, new: str) -> Call:
        """It replaces a line of such a file."""
        return Call(*_filled(self.edit, path=str(path), name=path.name, old=old, new=new))

    def runs(self, command: str) -> Call:
        """It runs a shell command."""
        return Call(*_filled(self.shell, command=command))

    def asks(self, tool: str, **arguments: Any) -> Call:
        """It calls one of our tools."""
        space, _, name = self.ours.rpartition("/")
        return Call(name.format(tool), arguments, namespace=space or None)


def _filled(value: Any, **words: str) -> Any:
    """The value with what stands for something filled in, in all texts in it."""
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(f"<{name}>", word)
    elif isinstance(value, dict):
        return {key: _filled(item, **words) for key, item in value.items()}
    elif isinstance(value, list):
        return [_filled(item, **words) for item in value]
    return value


_SAID = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
PROGRAMS = {name: Program(name, **said) for name, said in _SAID.items()}
