"""Remove a release's rows from tables that are laid out in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from funes_git.publish.manifest import Manifest
from funes_git.store.shared import SharedMemory


def remove(folder: Path, mine: Manifest, others: Sequence[Manifest]) -> tuple[dict[str, int], int]:
    """Remove the rows of a release that no other holds from the tables in a folder; how many went
    of each, and how many blocks of its sessions stay."""
    memory = SharedMemory.open(folder)
    held = {
        (session_id, exchange)
        for each in others
        for session_id, exchanges in each.sessions.items()
        for exchange in exchanges
    }
    commits = {sha for each in others for sha in each.commits}
    gone = dict.fromkeys(memory.tables, 0)
    kept = 0
    for session_id, exchanges in mine.sessions.items():
        blocks = memory.rows("blocks", "session_id", [session_id])
        leaving = {
            row["turn_uuid"]
            for row in blocks
            if (row["exchange"] or "") in exchanges
            and (session_id, row["exchange"] or "") not in held
        }
        stays = sum(row["turn_uuid"] not in leaving for row in blocks)
        kept += stays
        for name in ("edits", "chunks", "blocks", "spawns", "links"):
            ids = [
                row["id"]
                for row in memory.rows(name, "session_id", [session_id])
                if row["turn_uuid"] in leaving
                or (name == "links" and row["sha"] in mine.commits and row["sha"] not in commits)
            ]
            memory.drop(name, ids)
            gone[name] += len(ids)
        if not stays:
            memory.drop("sessions", [session_id])
            gone["sessions"] += 1
    return gone, kept
