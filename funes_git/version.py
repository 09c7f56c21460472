"""Which version of a package is installed. Quick to import."""

from __future__ import annotations


def version_of(name: str) -> str:
    """The installed version of a package, or that it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
