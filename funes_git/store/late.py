"""Puts off what other packages import and nobody here asks them for."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def put_off(name: str, *, classes: bool = False) -> None:
    """Have a package's own code run when one of its names is first asked for, though its modules
    are imported before. Of a package of `classes`, names are given at once: it runs when a class
    is first used. Does nothing if the package is imported already, or is not installed."""
    spec = None if name in sys.modules else importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    package = importlib.util.module_from_spec(spec)
    load = partial(_loaded, spec, package)
    package.__getattr__ = partial(_late, load) if classes else load  # type: ignore[method-assign]
    sys.modules[name] = package
    above, _, own = name.rpartition(".")
    if above:
        setattr(sys.modules[above], own, package)


def _loaded(spec: ModuleSpec, package: ModuleType, name: str) -> Any:
    """What a package that was put off has under this name. Raises AttributeError if nothing."""
    if "__getattr__" in vars(package):
        del package.__getattr__
        assert spec.loader is not None
        spec.loader.exec_module(package)
    return getattr(package, name)


def _late(load: Any, name: str) -> Any:
    if not name[:1].isupper():
        return load(name)
    return _Late(name, (), {"_load": partial(load, name)})


class _Late(type):
    """Stands for a class that is not loaded yet."""

    _load: Any

    def __call__(cls, *args: Any, **named: Any) -> Any:
        return cls._load()(*args, **named)

    def __getattr__(cls, name: str) -> Any:
        return getattr(cls._load(), name)

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls._load())


@contextmanager
def without_overrides() -> Iterator[None]:
    """Meanwhile, `override` checks nothing, as is so in Python itself from 3.12. On 3.11 packages
    take it from `overrides`, which disassembles each class that it is used in."""
    if sys.version_info >= (3, 12) or "overrides" in sys.modules:
        yield
        return
    plain = ModuleType("overrides")
    plain.override = lambda method: method  # type: ignore[attr-defined]
    plain.EnforceOverrides = type("EnforceOverrides", (), {})  # type: ignore[attr-defined]
    sys.modules["overrides"] = plain
    try:
        yield
    finally:
        del sys.modules["overrides"]
