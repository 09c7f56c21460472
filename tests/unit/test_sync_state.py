"""What is taken and given when two memories meet (sync/state.py), beside the same said in sets."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from funes_git.sync.state import State

Key = tuple[str, str]
KEYS = [(f"s{session}", f"t{turn}") for session in range(4) for turn in range(6)]


def some(chance: random.Random) -> dict[Key, int]:
    return {key: chance.randrange(3) for key in KEYS if chance.random() < 0.7}


def see(state: State, ours: dict[Key, int], theirs: dict[Key, int]) -> None:
    state.see("ours", [(*key, mark) for key, mark in ours.items()])
    # a mark comes in parts, one for each row
    parts = [(*key, part) for key, mark in theirs.items() for part in (mark ^ 5, 5)]
    state.see("theirs", parts)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_taken_and_given(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with State.open(tmp_path / "met.sqlite") as state:
        ours, theirs = some(chance), some(chance) if seed % 10 else {}
        see(state, ours, theirs)
        state.settle("before")
        met = {k: (ours.get(k), theirs.get(k)) for k in ours.keys() | theirs.keys()}
        ours, theirs = some(chance), some(chance) if seed % 7 else {}
        see(state, ours, theirs)
        assert state.has_news() == any(k not in met or met[k][0] != ours[k] for k in ours)
        lost = {k for k, was in met.items() if None not in was and k not in ours}
        assert set(state.lost()) == lost

        if not theirs:
            met = {}  # made anew
        news = {k for k in ours if k not in met or met[k][0] != ours[k]}
        kept = {k for k in news if k in met or k not in theirs}
        new = {k for k in theirs if k not in met or met[k][1] != theirs[k]}
        wanted = {k for k in new - kept if k[0] != "s3" and (k not in ours or k in met)}
        state.want(["s3"])
        assert state.turns("wanted", ["s0", "s1", "s2", "s3"]) == wanted
        assert state.sessions("wanted") == sorted({k[0] for k in wanted})

        ours |= dict.fromkeys(wanted, 7)
        state.see("ours", [(*key, mark) for key, mark in ours.items()])
        state.settle("taken")
        assert state.version == "taken"
        out = {k for k in ours if k in met and k not in theirs and met[k][1] is not None}
        gone = {k for k in theirs.keys() - ours.keys() if chance.random() < 0.5}
        assert set(state.only_there()) == theirs.keys() - ours.keys()
        state.send(gone)
        assert state.turns("sent", ["s0", "s1", "s2", "s3"]) == kept - out
        left = {k[0] for k in theirs.keys() - gone}
        assert state.emptied() == sorted({k[0] for k in gone} - left)

        state.see("theirs", [(*k, 9) for k in ours if k[0] == "s1"], ["s1"])
        state.settle("given", given=True)
        assert not state.has_news()
        assert not gone & set(state.lost())


def test_what_was_met_outlasts_the_meeting(tmp_path: Path) -> None:
    with State.open(tmp_path / "met.sqlite") as state:
        see(state, {KEYS[0]: 1}, {KEYS[0]: 2})
        state.settle("one")
    with State.open(tmp_path / "met.sqlite") as state:
        assert (state.version, state.count("ours"), list(state.lost())) == ("one", 0, [KEYS[0]])
