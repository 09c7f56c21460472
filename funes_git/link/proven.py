"""The links of one file of a commit, and the claims that they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from funes_git.link.editrows import ADDED, REMOVED, WHOLE, Claim, EditRow
from funes_git.link.findings import Findings, level_of
from funes_git.link.match import Block, Candidates
from funes_git.model import Content, Link, Relation
from funes_git.spans import ranges


class Proven:
    """Takes in what is believed; links are added to the findings of the commit."""

    def __init__(self, sha: str, path: str, found: Findings) -> None:
        self.claims: list[Claim] = []
        self._sha = sha
        self._path = path
        self._found = found

    def link(
        self, edit: EditRow, blocks: Sequence[Block], relation: Relation, content: Content
    ) -> None:
        """The edit wrote, or removed, these blocks."""
        numbers = sorted(line.number for block in blocks for line, _ in block.pairs)
        score = sum(block.score for block in blocks)
        self._add(edit, relation, content, score, ranges(numbers))
        self.claim(edit.id, blocks, ADDED if relation == "wrote" else REMOVED)

    def claim(self, edit: int, blocks: Sequence[Block], kind: str) -> None:
        """The commit shows these blocks of an edit, by its row id."""
        for block in blocks:
            self.claims += [Claim(edit, pos, kind, self._sha) for _, pos in block.pairs]

    def ran(self, edit: EditRow) -> None:
        """The edit, of which the text is not known, changed the file."""
        self.claims.append(Claim(edit.id, WHOLE, ADDED, self._sha))
        self._add(edit, "ran", "none", 0.0, ())

    def unused(self, candidates: Candidates) -> Candidates:
        """Without the lines that this commit shows already: one line is not shown twice."""
        used = {(claim.edit, claim.pos) for claim in self.claims}
        left = {
            key: [c for c in found if (c.edit, c.pos) not in used]
            for key, found in candidates.items()
        }
        return {key: found for key, found in left.items() if found}

    def _add(
        self,
        edit: EditRow,
        relation: Relation,
        content: Content,
        score: float,
        lines: tuple[tuple[int, int], ...],
    ) -> None:
        proof = self._found.proofs.of(edit.session_id)
        link = Link(
            commit=self._sha,
            session_id=edit.session_id,
            turn_uuid=edit.turn_uuid,
            harness=edit.harness,
            relation=relation,
            content=content,
            proof=proof,
            level=level_of(content, proof),
            score=round(score, 3),
            path=self._path,
            lines=lines,
            edit_id=edit.edit_id,
        )
        self._found.links.append(link)
