"""The samples hold nothing that a parser loses without a reason, and the bench would tell."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "parse_coverage", TESTS / "bench/parse_coverage.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "parse_coverage", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_every_record_of_the_samples_is_accounted_for(
    bench: ModuleType, agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(TESTS / "data" / agent) == 0
    told = capsys.readouterr().out
    assert "NO REASON" not in told
    assert "'text': " in told


def test_a_record_of_an_unknown_kind_is_told(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = (TESTS / "data" / "claude" / "auth-go.jsonl").read_bytes()
    strange = {"type": "new-kind", "data": {"text": "what nobody reads"}}
    path = tmp_path / "s.jsonl"
    path.write_bytes(sample + json.dumps(strange).encode() + b"\n")
    assert bench.main(tmp_path) == 1
    assert "1 new-kind: 1 NO REASON" in capsys.readouterr().out
