"""Sessions as the Hub's trace viewer opens them, read back by our own parser."""

from __future__ import annotations

from parsing import Parsed

from funes_git.model import Session
from funes_git.publish.traces import files, is_of, name_of
from funes_git_parsers import hub_traces
from funes_git_parsers.base import Block, Turn


def turn(n: int, role: str, *blocks: Block, **more: object) -> Turn:
    values: dict[str, object] = {"exchange": "t0", "model": "m-1" if role == "assistant" else None}
    values |= more
    return Turn("s1", f"t{n}", n, 1_767_000_000.0 + n, role, "codex", blocks, **values)  # type: ignore[arg-type]


TURNS = [
    turn(0, "user", Block("text", "Bound the cache — née"), is_prompt=True),
    turn(
        *(1, "assistant", Block("thinking", "LRU?"), Block("text", "I shall.")),
        Block("tool_use", '{"cmd":"ls"}', "shell", "c1"),
        Block("tool_use", '{"cmd":"pwd"}', "shell", "c2"),
    ),
    turn(
        *(2, "tool", Block("tool_result", "a\nb", "shell", "c1", is_error=False)),
        Block("tool_result", "gone", "shell", "c2", is_error=True),
    ),
    turn(3, "assistant", Block("text", "One"), Block("text", "Two"), Block("thinking", "Hm")),
    turn(4, "user", Block("text", "", scaffold="system-reminder")),
    turn(5, "assistant", Block("text", "In a thread"), thread="a1"),
]


def read_back(data: bytes) -> list[tuple[str, str, str, str | None]]:
    parsed = Parsed(hub_traces, "/x/s1.jsonl")
    parsed.data = data
    return [
        (item.role, block.type, block.text, block.tool)
        for item in parsed.read()
        if isinstance(item, Turn)
        for block in item.blocks
    ]


def test_every_block_comes_back_in_its_order() -> None:
    made = files(Session("s1", "codex", title="The cache"), TURNS)
    assert list(made) == ["traces/s1.jsonl", "traces/s1.a1.jsonl"]
    assert hub_traces.claim(hub_traces.Path("s1.jsonl"), made["traces/s1.jsonl"])
    told = [
        (each.role, block.type, block.text, block.tool)
        for each in TURNS
        if each.thread is None
        for block in each.blocks
        if block.scaffold is None
    ]
    assert read_back(made["traces/s1.jsonl"]) == told
    assert read_back(made["traces/s1.a1.jsonl"]) == [("assistant", "text", "In a thread", None)]


def test_names_of_files_are_names_of_files() -> None:
    assert name_of("0b3e-5d11") == "traces/0b3e-5d11.jsonl"
    for odd in ("../../x", "a/b", "", ".hidden", "é" * 200):
        name = name_of(odd)
        assert name.count("/") == 1
        assert ".." not in name
        assert len(name) < 60
    assert is_of("traces/s1.a1.jsonl", "s1")
    assert not is_of("traces/s12.jsonl", "s1")
