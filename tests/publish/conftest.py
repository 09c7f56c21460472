"""A project whose memory is published to a local Hub."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import GitRepo
from hub import Hub, serving
from publishing import Project


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as found:
        yield found


@pytest.fixture
def project(repo: GitRepo, hermetic: Path, hub: Hub) -> Project:
    return Project(repo, hermetic, hub)
