"""`dataclass` for records of which many are made, by programs that start often.

To type checkers it is Python's own. At run time a class takes a third of the time to make: Python
compiles six methods for a frozen one, here one is compiled and the others are shared. And a record
takes a third of the time to make, since frozen is what type checkers hold it to: nothing stops an
assignment at run time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from operator import attrgetter

    def dataclass(cls=None, /, *, frozen=False, slots=False):
        """As `dataclasses.dataclass` with the same options."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, slots=slots)
        own = vars(cls)
        made = dataclasses.dataclass(cls, repr=False, eq=False, slots=slots)
        compared = [f.name for f in dataclasses.fields(made) if f.compare]
        values = attrgetter(*compared) if compared else lambda record: ()

        def __eq__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) == values(other)

        def __hash__(self):
            return hash(values(self))

        shared = {"__repr__": _repr, "__eq__": __eq__, "__hash__": __hash__ if frozen else None}
        for name, method in shared.items():
            if name not in own or (name == "__hash__" and own[name] is None):
                setattr(made, name, method)
        return made

    def _repr(self):
        shown = (f for f in dataclasses.fields(self) if f.repr)
        values = (f"{f.name}={getattr(self, f.name)!r}" for f in shown)
        return f"{type(self).__qualname__}({', '.join(values)})"
