"""What every parser must hold, as tests that a parser's own tests can import.

    class TestMine(ParserTests):
        parser = my_package.my_agent
        home = Path(__file__).parent / "data" / "home"

Collected by pytest, which is not imported here. Standard library only.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, ClassVar

from funes_git_parsers.base import Parser
from funes_git_parsers.conformance.contract import ContractTests
from funes_git_parsers.conformance.databases import DatabaseTests
from funes_git_parsers.conformance.home import Home
from funes_git_parsers.conformance.robust import RobustnessTests

__all__ = ["Home", "ParserTests"]


class ParserTests(ContractTests, RobustnessTests, DatabaseTests):
    """Subclass this with a parser, and with a home that holds sessions where the agent keeps them.

    The samples should be small, as they are read thousands of times, and show everything that the
    parser's `READS` declares.
    """

    parser: ClassVar[Parser]
    home: ClassVar[Path]
    """A user's home folder with sample sessions; it is copied before it is used."""
    is_discovered: ClassVar[bool] = True
    """False for a form that is in no place of its own: then all files below the home are asked."""
    cuts: ClassVar[int] = 400
    """At how many places a sample is cut, one that is smaller at every byte; much of what else is
    tried at random grows with it."""
    env: ClassVar[Mapping[str, str]] = {}
    """The environment; `{home}` stands for the copy."""

    def open_file(self, path: Path) -> BinaryIO:
        """Open a session file for the parser; override it for samples that are compressed."""
        return path.open("rb")

    def make_home(self, home: Path) -> None:
        """Fill the folder `home`; a database is better made here than kept as a file."""
        shutil.copytree(self.home, home, dirs_exist_ok=True)

    def at_home(self, folder: Path) -> Home:
        home = folder / "home"
        home.mkdir()
        self.make_home(home)
        env = {name: value.replace("{home}", str(home)) for name, value in self.env.items()}
        return Home(self.parser, home, env, self.open_file, self.is_discovered)
