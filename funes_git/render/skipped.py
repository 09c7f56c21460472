"""What could not be read: by reason, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from funes_git.render.clean import line
from funes_git.render.words import listed, plural

if TYPE_CHECKING:
    from funes_git.skips import Skip

NAMED = 3
"""Places that are shown of each reason."""


def told(skips: Sequence[Skip], of: str = "") -> Iterator[str]:
    """How many records (`of` a tool), then the reasons with their first places."""
    if not skips:
        return
    yield f"skipped {plural(sum(skip.count for skip in skips), 'unreadable record')}{of}:"
    for skip in skips:
        yield f"  {skip.count:,} {line(skip.reason)}: {first(skip.places, skip.count)}"


def first(places: Sequence[str], count: int) -> str:
    """The first of `count` places, and how many more there are."""
    shown = [line(place) for place in places[:NAMED]]
    more = count - len(shown)
    return listed([*shown, f"{more:,} more"] if more else shown)


def as_json(skips: Sequence[Skip]) -> list[dict[str, Any]]:
    """The same, with all the places that were kept."""
    return [
        {"reason": skip.reason, "count": skip.count, "places": list(skip.places)} for skip in skips
    ]
