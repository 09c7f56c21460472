"""What a prompt says of a file."""

from __future__ import annotations

import pytest

from funes_git.prompts import headline, part_about

INTRODUCTION = "Implement the following plan:\n\n" + "The tool merges files by hand. " * 20
PLAN = f"""{INTRODUCTION}

## Steps

### 1. Make the prompt
**New file**: `src/merge.py`

- Export `merge`
- The prompt says:
  - Output raw text (no preamble)

```sh
# try it

python src/merge.py
```

### 2. Tests
**New file**: `tests/test_merge.py`
- Both texts are in it

**New file**: `tests/test_other.py`
- It falls back

---

### 3. Card

**New file: `web/Card.tsx`**

A compact card:

- **Collapsed**: a label

#### Its colours

Grey.

## Later
Some words of `lib/last.py` here.

Others.

And in `lib/list.py`:

- one

- two

The end."""


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("src/merge.py", "### 1. Make the prompt", "python src/merge.py\n```"),
        ("tests/test_merge.py", "### 2. Tests", "- Both texts are in it"),
        ("tests/test_other.py", "**New file**: `tests/test_other.py`", "- It falls back"),
        ("web/Card.tsx", "### 3. Card", "Grey."),
        ("lib/last.py", "## Later", "The end."),
        ("lib/list.py", "And in `lib/list.py`:", "- two"),
    ],
)
def test_the_part_about_a_file_is_its_whole_section(name: str, first: str, last: str) -> None:
    part = part_about(PLAN, [name], 500)
    assert part is not None
    assert part in PLAN
    assert (part[: len(first)], part[-len(last) :]) == (first, last)


def test_the_more_telling_name_wins_and_what_is_shown_anyway_does_not_count() -> None:
    part = part_about(PLAN, ["missing.py", "merge"], 500)
    assert part is not None
    assert part.startswith("### 1.")
    assert part_about(PLAN, ["by hand"], 500) is None
    assert part_about("", ["a"], 0) is None


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        (
            "Implement the following plan:\n\n# Plan: Less noise\n\n## Why",
            "… Plan: Less noise\n\n## Why",
        ),
        ("Review this:\r\n## Cache\r\nwords", "… Cache\r\nwords"),
        ("yes, and these:\n- one\n- two", None),
        ("Fix the bug.\n\n# Context\nwords", None),
        ("Two lines\nlead to it:\n\n# Plan", None),
        ("# Plan\nwords", None),
        (f"{'long ' * 20}:\n# Plan", None),
        ("", None),
    ],
)
def test_a_prompt_in_one_line_begins_where_it_comes_to_the_point(
    prompt: str, told: str | None
) -> None:
    assert headline(prompt) == (prompt if told is None else told)
