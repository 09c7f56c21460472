"""What others read of a published memory: huggingface/funes its chunks, `datasets` its passages.

The slow tests need a Python that has both `datasets` and `pylance==7.0.0`, the version that
huggingface/funes is built on; FUNES_GIT_READERS names it. Neither is a dependency of ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hub import Hub
from publishing import NAME, Project

from funes_git.store.shared import SharedMemory
from funes_git.store.stores import Stores

PYTHON = os.environ.get("FUNES_GIT_READERS", sys.executable)
TEXT, NUMBER = pa.utf8(), pa.int64()
FUNES = [
    *((name, TEXT) for name in ("id", "text", "session_id", "workdir", "turn_uuid", "parent_uuid")),
    ("seq", NUMBER),
    *((name, TEXT) for name in ("ts", "role", "block_type", "tool_name", "source_path")),
    *((name, NUMBER) for name in ("block_idx", "split_idx")),
    ("vector", pa.list_(pa.float32(), 384)),
    *((name, TEXT) for name in ("harness", "repo")),
]
"""The columns of a memory of huggingface/funes (src/memory/dataset.rs, `schema`). It takes a text
of another type for an empty one (src/commands/recall.rs, `scol`), and more columns for none."""

SEARCH = """
import json, sys, lance, pyarrow as pa
chunks = lance.dataset(sys.argv[1] + "/chunks.lance")
query = pa.array([0.5] * 384, pa.float32())
columns = ["text", "session_id", "workdir", "turn_uuid", "ts", "block_type", "seq", "harness"]
only = {"filter": "block_type = 'text' AND harness = 'claude_code'", "prefilter": True}
around = "session_id = '%s' AND seq >= 0 AND seq <= 99" % sys.argv[2]
def found(**what):
    return len(chunks.scanner(**what).to_table())
print(json.dumps({
    "words": found(columns=columns, full_text_query="cache grows", with_row_id=True, **only),
    "meaning": found(columns=columns, nearest={"column": "vector", "q": query, "k": 9}, **only),
    "around": found(columns=["turn_uuid", "role", "block_idx", "split_idx"], filter=around),
}))
"""

LOAD = """
import json, sys, datasets
whole = datasets.load_dataset(sys.argv[1])
streamed = datasets.load_dataset(sys.argv[1], "passages", split="train", streaming=True)
print(json.dumps({
    "configs": datasets.get_dataset_config_names(sys.argv[1]),
    "rows": {split: rows["text"][:] for split, rows in whole.items()},
    "streamed": [row["text"] for row in streamed],
}))
"""


def reading(code: str, *args: str, **env: str) -> dict[str, object]:
    """What a program says that is run in the readers' Python."""
    done = subprocess.run(
        [PYTHON, "-c", code, *args], env=os.environ | env, capture_output=True, text=True
    )
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("FUNES_GIT_READERS names no Python with datasets and pylance")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def laid_out(project: Project, folder: Path) -> Path:
    for path, data in project.files().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def test_funes_finds_the_columns_that_it_knows(project: Project, tmp_path: Path) -> None:
    project.publish("--public")
    chunks = SharedMemory.open(laid_out(project, tmp_path / "read")).table("chunks")
    assert [(field.name, field.type) for field in chunks.schema][: len(FUNES)] == FUNES
    assert chunks.schema.field("vector").nullable
    # what it demands of a memory that it opens (src/memory.rs, `check_compat`)
    assert chunks.schema.metadata == {b"embedding_model": b"BAAI/bge-small-en-v1.5"}
    rows = chunks.search().to_list()
    assert {row["harness"] for row in rows} == {"claude_code"}  # as its --harness spells it
    assert {row["block_type"] for row in rows} <= {"text", "thinking", "tool_use", "tool_result"}
    assert all(row["ts"].endswith("Z") and row["ts"][10] == "T" for row in rows)
    assert any(index.columns == ["text"] for index in chunks.list_indices())


@pytest.mark.slow
def test_funes_own_lance_searches_a_release(project: Project, tmp_path: Path) -> None:
    with Stores.open(project.memory.repo.layout, write=True) as stores:
        ids = [chunk_id for chunk_id, _ in stores.catalog.pending_vectors(100)]
        stores.set_vectors(ids, [[0.5] * 384 for _ in ids], stores.lance().model)
    project.publish("--public")
    there = laid_out(project, tmp_path / "read")
    found = reading(SEARCH, str(there), project.claude.id)
    assert found == {"words": 2, "meaning": 2, "around": 7}


@pytest.mark.slow
def test_datasets_loads_the_passages(project: Project, hub: Hub, tmp_path: Path) -> None:
    project.publish("--public")
    there = laid_out(project, tmp_path / "read")
    online = {"HF_ENDPOINT": hub.url, "HF_TOKEN": hub.token("ada"), "HF_HUB_OFFLINE": "0"}
    kept = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"}
    for name in (str(there), NAME):
        found = reading(LOAD, name, **online, **kept)
        assert found["configs"] == ["passages"]
        assert isinstance(found["rows"], dict)
        (texts,) = found["rows"].values()
        assert found["streamed"] == texts
        assert "Bound the cache, please: it grows without end" in texts
