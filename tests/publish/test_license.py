"""A first publish says which license the dataset's card names, and how to name another."""

from __future__ import annotations

import pytest
from publish.test_talk import converse
from publishing import NAME, Project

from funes_git.publish import licenses

APACHE = "\n                                 Apache License\n                           Version 2.0"
APACHE += ", January 2004\n                        http://www.apache.org/licenses/\n"
GPL = "                GNU GENERAL PUBLIC LICENSE\n                   Version 3, 29 June 2007\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (APACHE, "apache-2.0"),
        ("MIT License\n\nCopyright (c) 2026 Ada\n", "mit"),
        ("# The MIT License (MIT)\n\nCopyright (c) 2026 Ada\n", "mit"),
        ("BSD 3-Clause License\n\nCopyright (c) 2026, Ada\n", "bsd-3-clause"),
        ("BSD 2-Clause License\n", "bsd-2-clause"),
        (GPL, "gpl-3.0"),
        (GPL.replace("GENERAL", "AFFERO GENERAL").replace("29 June", "19 November"), "agpl-3.0"),
        ("GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n", "gpl-2.0"),
        ("Mozilla Public License Version 2.0\n==================================\n", "mpl-2.0"),
        ("MIT License with the Commons Clause\n", None),
        ("Licensed under the MIT License\n", None),
        ("Apache License\nVersion 1.1\n", None),
        ("Copyright (c) 2026 Ada. All rights reserved.\n", None),
        ("\0\ud800" * 99, None),
        ("", None),
    ],
)
def test_a_license_is_known_by_its_title(text: str, name: str | None) -> None:
    assert licenses.named(text) == name


def test_a_first_publish_says_that_no_license_is_named(project: Project) -> None:
    project.git.write("LICENSE", APACHE)
    project.git.commit("License")
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    args = ("publish", "v1.1.0", NAME, "--yes", "--public")
    first = project.funes(*args)
    assert "the dataset's card names no license (`other`); --license apache-2.0" in first.stderr
    assert "license in its card: other\n" in first.stdout
    assert b"license: other\n" in project.files()["README.md"]
    again = project.publish("--license", "apache-2.0", release="v1.1.0")
    assert (again["unchanged"], again["license"]) == (False, "apache-2.0")
    assert b"license: apache-2.0\n" in project.files()["README.md"]
    project.hub.asked.clear()
    assert project.publish("--license", "apache-2.0", release="v1.1.0")["unchanged"]
    assert len(project.hub.asked) <= 5, project.hub.asked
    assert project.publish(release="v1.1.0")["unchanged"]
    other = project.funes("publish", "v1.0.0", NAME, "--yes")
    assert "names no license" not in other.stderr
    assert "license in its card: apache-2.0\n" in other.stdout


@pytest.mark.parametrize(("answer", "name"), [("y", "mit"), ("n", "other")])
def test_a_terminal_offers_the_repositorys_license(
    project: Project, monkeypatch: pytest.MonkeyPatch, answer: str, name: str
) -> None:
    project.git.write("LICENSE", "MIT License\n\nCopyright (c) 2026 Ada\n")
    project.git.commit("License")
    project.grow("src/limit.py", "def limit():\n    return 1024 * 64\n", "v1.1.0")
    for key, value in project.environment().items():
        monkeypatch.setenv(key, value)
    args = ("publish", "v1.1.0", NAME, "--public", "--include", "all")
    shown = converse(project.git, f"{answer}\n", *args)
    assert "the repository has mit: name that? [y/n]" in shown
    assert f"license: {name}\n".encode() in project.files()["README.md"]
