"""Times are printed in the local zone: the tests' zone is UTC."""

from __future__ import annotations

import time
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def zone(hermetic: Path) -> None:
    """Let the C library see the TZ that the hermetic world sets."""
    time.tzset()
