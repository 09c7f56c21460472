"""The samples hold nothing that a parser loses without a reason, and the bench would tell."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hermes_records import Hermes

TESTS = Path(__file__).parents[1]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TESTS / "bench"))
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


def test_the_speed_of_all_formats_by_line_is_told_together(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    reading = sys.modules["reading_speed"]
    first = reading.Speed([2_000_000], 5, 10, {"read": 0.01})
    second = reading.Speed([1_000_000, 1_000_000], 5, 10, {"read": 0.03})
    assert reading.together([first, second]) == "one core: read 100 MB/s of 4.0 MB"
    bench.main(TESTS / "data" / "claude")
    assert "JSONL formats together (claude_code): one core: read " in capsys.readouterr().out


PAGE = """\
| agent | sessions | files | MB | records | user turns | assistant msgs | tool calls | edit calls |
| claude_code | 609 (incl. 26 files) | 618 | 615 | 180,771 | 3,421 | 31,321 | 33,923 | ≈7,688 |

## 1. Claude Code
- **Record kinds** [obs count]: assistant 66,250 · progress 58,534 (2.1.12) · queue-operation 1.5k
- **First record**: user 37
- **Edit tools**: Edit{file_path,edits:[{old}]} 6,869 · `Write` (819; MultiEdit{file_path}
## 2. Codex
- **Edits**: Edit{x} 5
"""


def test_counts_of_the_page_stand_beside_those_found(bench: ModuleType) -> None:
    page = sys.modules["formats_page"]
    assert page.totals(PAGE, "claude_code")["records"] == 180_771
    assert page.totals(PAGE, "claude_code")["edit calls"] == 7_688
    found = {
        name: page.counted(PAGE, "claude_code", name) for name in ("assistant", "Edit", "user")
    }
    assert found == {"assistant": 66_250, "Edit": 6_869, "user": None}
    here = {
        "records": 100,
        "assistant msgs": 20,
        "user turns": 1,
        "tool calls": 40,
        "edit calls": 2,
    }
    told = list(page.compared(PAGE, "claude_code", here, {"assistant": 30}, {"Write": 1}))
    assert "assistant msgs: 20, 20.0 % of the records; there 31,321, 17.3 %" in told
    assert "edit calls: 2, 5.0 % of the tool calls; there 7,688, 22.7 % (far)" in told
    assert "assistant: 30, 30.0 % of the records; there 66,250, 36.6 %" in told
    assert "Write: 1, 2.5 % of the tool calls; there 819, 2.4 %" in told


def test_an_edit_that_found_its_work_done_is_no_loss(
    bench: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {"path": "/w/a.py", "old_string": "a", "new_string": "b"}
    told = [{"success": True, "diff": "@@ -1 +1 @@\n-a\n+b\n"}, {"success": True}]
    hermes = Hermes(tmp_path)
    hermes.session()
    hermes.message("user", "Go")
    for n, result in enumerate(told):
        hermes.call("patch", arguments, result, f"c{n}")
    assert bench.main(tmp_path) == 0
    assert "{'text': 1, 'again': 1}" in capsys.readouterr().out
