"""Cutting turns into chunks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from funes_git.chunk import MAX, OVERLAP, chunks, cut
from funes_git_parsers.base import Block, Turn


def turn(*blocks: Block) -> Turn:
    return Turn("sess", "uuid", 7, 0.0, "assistant", "claude_code", blocks)


def test_ids_are_those_of_huggingface_funes() -> None:
    # sha1("sess:uuid:0:0")[:16], as that project documents its ids
    (chunk,) = chunks(turn(Block("text", "hello")))
    assert chunk.id == "088ee3e13e4321bc"


def test_tool_blocks_carry_their_label_and_are_not_prose() -> None:
    found = chunks(
        turn(
            Block("text", "hello"),
            Block("thinking", "hm"),
            Block("tool_use", '{"a":1}', tool="Bash"),
            Block("tool_result", "out", tool="Read"),
            Block("tool_result", "out"),
        )
    )
    assert [(c.text, c.prose) for c in found] == [
        ("hello", True),
        ("hm", True),
        ('[tool_use Bash] {"a":1}', False),
        ("[tool_result Read] out", False),
        ("[tool_result] out", False),
    ]
    assert [c.block_idx for c in found] == [0, 1, 2, 3, 4]


def test_scaffolding_is_left_out_and_does_not_renumber_the_blocks() -> None:
    found = chunks(
        turn(
            Block("text", "reminder", scaffold="system-reminder"),
            Block("text", "words <system-reminder>not these</system-reminder>"),
        )
    )
    assert [(c.block_idx, c.text) for c in found] == [(1, "words")]


def test_questions_to_our_own_tools_and_their_answers_are_left_out() -> None:
    found = chunks(
        turn(
            Block("tool_use", '{"query":"why LRU"}', tool="mcp__funes__recall"),
            Block("tool_result", "cut off by the agent", tool="mcp__funes__recall"),
            Block("tool_use", '{"query":"why LRU"}', tool="mcp__notes__recall"),
        )
    )
    assert [c.block_idx for c in found] == [2]


def test_a_long_result_is_cut_head_and_tail_only() -> None:
    text = "H" * 4000 + "M" * 9000 + "T" * 1000
    found = chunks(turn(Block("tool_result", text, tool="Bash")))
    joined = "".join(c.text for c in found)
    assert "M" not in joined
    assert found[-1].text == "T" * 1000
    assert joined.startswith("[tool_result Bash] HHH")
    assert [c.split_idx for c in found] == list(range(len(found)))


def test_images_in_text_are_not_searched() -> None:
    (chunk,) = chunks(turn(Block("text", "see data:image/png;base64," + "A" * 5000 + " here")))
    assert chunk.text == "see data:image/png;base64,… here"


def test_an_empty_result_makes_no_chunk() -> None:
    assert chunks(turn(Block("tool_result", " \n", tool="Bash"), Block("text", " "))) == []


def test_files_are_those_of_the_turn() -> None:
    (chunk,) = chunks(turn(Block("text", "x")), ("src/a.py",))
    assert chunk.files == ("src/a.py",)


def test_breaks_at_a_newline_of_the_second_half_before_a_space() -> None:
    text = "a" * 700 + "\n" + "b" * 300 + " " + "c" * 900
    first, second = list(cut(text))[:2]
    assert first == "a" * 700
    assert second.startswith("a" * OVERLAP + "\n")


@given(st.text(alphabet=" \nabé😀", max_size=60).map(lambda s: s * 97))
def test_pieces_are_short_and_lose_nothing(text: str) -> None:
    pieces = list(cut(text))
    assert all(0 < len(piece) <= MAX for piece in pieces)
    text = text.strip()
    done = 0  # everything before `done` has been seen; between pieces only white space may miss
    for piece in pieces:
        at = text.find(piece, max(0, done - OVERLAP - 1))
        assert at >= 0
        assert not text[done:at].strip()
        done = max(done, at + len(piece))
    assert not text[done:].strip()
