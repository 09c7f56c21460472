"""The mapped vectors: nearest first, appended whole or not at all, one writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from funes_git.errors import MemoryBusy, ModelMismatch
from funes_git.store.files import read_json, write_json
from funes_git.store.scope import chunk_key
from funes_git.store.vectors import (
    _KEYS_AT_ONCE,
    VectorIndex,
    VectorWriter,
    vectors_state,
    wipe_vectors,
)

MODEL = "test/model"
DIM = 16


def chunk(n: int) -> str:
    return f"{n + (1 << 63):016x}"  # the upper half of what an id can be


def some(count: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def stored(folder: Path, vectors: np.ndarray, first: int = 0) -> VectorIndex:
    with VectorWriter.open(folder, MODEL, DIM) as writer:
        writer.add([chunk(first + i) for i in range(len(vectors))], vectors)
    index = VectorIndex.open(folder)
    assert index is not None
    return index


def test_the_nearest_come_first_with_their_cosines(tmp_path: Path) -> None:
    vectors = some(500)
    index = stored(tmp_path, vectors)
    exact = vectors @ vectors[7]
    found = index.search(vectors[7], 20)
    assert found[0][0] == chunk(7)
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)
    for name, cosine in found:
        assert cosine == pytest.approx(exact[int(name, 16) - (1 << 63)], abs=0.01)
    assert len({c for c, _ in found} & {chunk(int(i)) for i in np.argsort(-exact)[:20]}) >= 18


def test_many_at_once_are_stored_as_few(tmp_path: Path) -> None:
    vectors = some(5_000)
    index = stored(tmp_path, vectors)
    assert index.count == 5_000
    for n in (0, 2_047, 2_048, 4_999):
        assert index.search(vectors[n], 1)[0][0] == chunk(n)


def test_a_vector_replaces_one_far_before_it(tmp_path: Path) -> None:
    count = _KEYS_AT_ONCE + 10
    with VectorWriter.open(tmp_path, MODEL, 2) as writer:
        writer.add([chunk(n) for n in range(count)], np.tile(np.float32([1, 0]), (count, 1)))
        writer.add([chunk(n) for n in (3, count - 2, count)], np.tile(np.float32([0, 1]), (3, 1)))
    index = VectorIndex.open(tmp_path)
    assert index is not None
    assert index.count == count + 1
    found = index.search(np.float32([0, 1]), 4)
    assert {name for name, cosine in found if cosine > 0.9} == {
        chunk(n) for n in (3, count - 2, count)
    }


def test_only_allowed_chunks_answer(tmp_path: Path) -> None:
    vectors = some(50)
    index = stored(tmp_path, vectors)
    allowed = [chunk_key(chunk(n)) for n in (3, 4, 999)]
    assert {c for c, _ in index.search(vectors[7], 20, allowed)} == {chunk(3), chunk(4)}
    assert index.search(vectors[7], 20, []) == []


def test_vectors_of_any_length_are_stored_as_directions(tmp_path: Path) -> None:
    index = stored(tmp_path, some(3) * np.array([[0.001], [1.0], [1000.0]], dtype=np.float32))
    for n, vector in enumerate(some(3)):
        assert dict(index.search(vector, 3))[chunk(n)] == pytest.approx(1, abs=0.01)


def test_a_vector_added_again_replaces_the_old_one(tmp_path: Path) -> None:
    first, second = some(2, seed=1), some(2, seed=2)
    stored(tmp_path, first)
    index = stored(tmp_path, second)
    assert index.count == 2
    assert dict(index.search(second[0], 5))[chunk(0)] == pytest.approx(1, abs=0.01)
    assert dict(index.search(first[0], 5))[chunk(0)] < 0.9


def test_half_an_append_is_neither_read_nor_kept(tmp_path: Path) -> None:
    vectors = some(6)
    stored(tmp_path, vectors[:2])
    before = read_json(tmp_path / "state.json")
    stored(tmp_path, vectors[2:4], first=2)
    write_json(tmp_path / "state.json", before)  # killed before the count was recorded
    with (tmp_path / "codes").open("ab") as codes:
        codes.write(b"\x01" * (DIM // 2))  # and in the middle of a vector
    index = VectorIndex.open(tmp_path)
    assert index is not None
    assert index.count == 2
    again = stored(tmp_path, vectors[4:], first=4)
    assert {c for c, _ in again.search(vectors[4], 9)} == {chunk(n) for n in (0, 1, 4, 5)}
    assert again.search(vectors[5], 1)[0][0] == chunk(5)


def test_a_crash_before_the_old_vector_was_buried_is_repaired(tmp_path: Path) -> None:
    old, new = some(1, seed=1), some(1, seed=2)
    stored(tmp_path, old)
    scales = (tmp_path / "scales").read_bytes()
    stored(tmp_path, new)
    now = (tmp_path / "scales").read_bytes()
    (tmp_path / "scales").write_bytes(scales + now[len(scales) :])
    index = VectorIndex.open(tmp_path)
    assert index is not None
    assert [c for c, _ in index.search(new[0], 5)] == [chunk(0)]  # once, even so
    with VectorWriter.open(tmp_path, MODEL, DIM):
        pass
    repaired = VectorIndex.open(tmp_path)
    assert repaired is not None
    assert repaired.count == 1
    assert dict(repaired.search(new[0], 5))[chunk(0)] == pytest.approx(1, abs=0.01)


def test_an_open_index_does_not_move_under_its_reader(tmp_path: Path) -> None:
    vectors = some(4)
    index = stored(tmp_path, vectors[:2])
    stored(tmp_path, vectors[2:], first=2)
    assert {c for c, _ in index.search(vectors[3], 9)} == {chunk(0), chunk(1)}


def test_another_model_is_refused_with_the_command_that_rebuilds(tmp_path: Path) -> None:
    stored(tmp_path, some(1))
    with pytest.raises(ModelMismatch) as caught:
        VectorWriter.open(tmp_path, "other/model", DIM)
    assert caught.value.hint == "git funes reindex --model other/model"
    assert vectors_state(tmp_path) == (MODEL, 1)
    wipe_vectors(tmp_path)
    assert vectors_state(tmp_path) == (None, 0)
    VectorWriter.open(tmp_path, "other/model", DIM).close()


def test_another_format_is_thrown_away(tmp_path: Path) -> None:
    stored(tmp_path, some(3))
    write_json(tmp_path / "state.json", {**read_json(tmp_path / "state.json"), "format": 0})
    assert VectorIndex.open(tmp_path) is None
    assert stored(tmp_path, some(1)).count == 1


def test_a_second_writer_is_told_so(tmp_path: Path) -> None:
    with VectorWriter.open(tmp_path, MODEL, DIM), pytest.raises(MemoryBusy):
        VectorWriter.open(tmp_path, MODEL, DIM)


def test_nothing_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert VectorIndex.open(tmp_path / "none") is None
    VectorWriter.open(tmp_path, MODEL, DIM).close()
    assert VectorIndex.open(tmp_path) is None


@pytest.mark.parametrize("name", ["ids", "scales", "codes"])
def test_vectors_of_which_a_part_is_lost_are_made_anew(tmp_path: Path, name: str) -> None:
    vectors = some(20)
    stored(tmp_path, vectors)
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    assert VectorIndex.open(tmp_path) is None
    with VectorWriter.open(tmp_path, MODEL, DIM) as writer:
        assert not writer.ids
    assert stored(tmp_path, vectors).count == 20
