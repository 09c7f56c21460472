"""Which lines of edits a commit removes, so that it or a later one may show them again.

Where equal lines stand in a file, one of an agent and one of a person, it must not be guessed which
of them went: an agent's line is taken to be gone if all equal ones are, or if the one that went
stood at its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from funes_git.linehash import loose_hash
from funes_git.link.difflines import DiffLine
from funes_git.link.editrows import RELEASED, Claim, Elsewhere
from funes_git.link.match import Block
from funes_git.link.place import EVIDENT, Places
from funes_git.link.pool import Pool


def released(
    pool: Pool,
    removed: Sequence[DiffLine],
    commit: str,
    read: Callable[[], Sequence[str]],
    places: Places,
    elsewhere: Elsewhere,
) -> list[Claim]:
    """The claims of `commit` on the lines that it removes. `read` gives the lines of the file as it
    was before, `places` compares places in it."""
    standing = {
        exact: here
        for exact, loose in {line.exact: line.loose for line in removed}.items()
        if (instances := pool.standing(exact, loose, commit))
        and (
            here := [
                (edit, pos) for edit, pos in instances if not elsewhere(pool.edit(edit), loose)
            ]
        )
    }
    if not standing:
        return []
    before = Counter(loose_hash(text) for text in read())
    gone = Counter(line.loose for line in removed)
    found: set[tuple[int, int]] = set()
    for line in removed:
        instances = standing.get(line.exact, [])
        if gone[line.loose] >= before[line.loose]:
            found.update(instances)
        elif instances:
            blocks = [Block(edit, [(line, pos)]) for edit, pos in instances]
            evidence, _, best = max(
                (places.evidence(block) or 0.0, -n, block) for n, block in enumerate(blocks)
            )
            if evidence >= EVIDENT:
                found.add((best.edit, best.pairs[0][1]))
    return [Claim(edit, pos, RELEASED, commit) for edit, pos in sorted(found)]
