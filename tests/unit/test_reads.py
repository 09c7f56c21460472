"""Which calls read a file."""

from __future__ import annotations

import json
import time

import pytest

from funes_git.why.reads import call_of, reads
from funes_git_parsers.base import Block

PATH = "src/cache.py"
MESSAGE = """git add src/cache.py && git commit -m "$(cat <<'EOF'
The cache: cat src/cache.py no more
EOF
)\""""


def call(tool: str, text: str) -> Block:
    return Block("tool_use", text, tool=tool)


@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("cat src/cache.py", True),
        ("sed -n '1,5p;7p' src/cache.py", True),
        ("head -20 /home/ada/repo/src/cache.py | wc -l", True),
        ("cd src && rg -n get cache.py", True),
        ("for f in a; do cat src/cache.py; done", True),
        ("git -C . show HEAD:src/cache.py", True),
        ("git diff --stat -- src/cache.py", True),
        ("timeout 5 tail -3 src/cache.py 2>/dev/null", True),
        ("bash -lc 'cat src/cache.py'", True),
        ("git add \\\n  src/cache.py \\\n  src/other.py", False),
        (MESSAGE, False),
        ("git add src/cache.py && git diff --cached --stat", False),
        ("cat > src/cache.py <<'EOF'\nx = 1\nEOF", False),
        ("cat notes.md >> src/cache.py", False),
        ("sed -i s/a/b/ src/cache.py", False),
        ("grep -rn cache.py docs", False),
        ("rm src/cache.py; ls", False),
        ("pytest src/cache.py | tail -3", False),
        ("echo 'cat src/cache.py'", False),
        ("cat src/other.py # not src/cache.pyc", False),
    ],
)
def test_a_command_reads_what_its_reading_program_is_given(command: str, read: bool) -> None:
    assert reads(call("Bash", json.dumps({"command": command})), PATH) is read
    assert reads(call("exec_command", json.dumps({"cmd": command})), PATH) is read


@pytest.mark.parametrize(
    ("tool", "arguments", "read"),
    [
        ("Read", {"file_path": "/home/ada/repo/src/cache.py"}, True),
        ("read_file", {"absolute_path": "/home/ada/repo/src/cache.py"}, True),
        ("readFile", {"filePath": "src/cache.py"}, True),
        ("read_many_files", {"paths": ["a.py", "src/cache.py"]}, True),
        ("view", {"path": "src/cache.py"}, True),
        ("Grep", {"pattern": "def get", "path": "src/cache.py"}, True),
        ("mcp__filesystem__read_text_file", {"path": "src/cache.py"}, True),
        ("str_replace_based_edit_tool", {"command": "view", "path": "src/cache.py"}, True),
        ("str_replace_based_edit_tool", {"command": "create", "path": "src/cache.py"}, False),
        ("shell", {"command": ["bash", "-lc", "sed -n 1,9p src/cache.py"]}, True),
        ("Grep", {"pattern": "cache.py", "path": "docs"}, False),
        ("Write", {"file_path": "src/cache.py", "content": "x"}, False),
        ("Edit", {"file_path": "src/cache.py", "old_string": "x", "new_string": "y"}, False),
        ("search_replace", {"file_path": "src/cache.py"}, False),
        ("Agent", {"description": "look", "prompt": "Read src/cache.py"}, False),
        ("TaskCreate", {"subject": "Change src/cache.py"}, False),
        ("mcp__pencil__batch_design", {"filePath": "src/cache.py"}, False),
    ],
)
def test_a_tool_reads_by_its_name(tool: str, arguments: dict[str, object], read: bool) -> None:
    assert reads(call(tool, json.dumps(arguments)), PATH) is read


def test_a_program_that_calls_a_shell_reads_by_its_commands() -> None:
    program = "const r = await tools.exec_command({cmd: \"sed -n '1,9p' src/cache.py\"});"
    assert reads(call("exec", program), PATH)
    assert not reads(call("exec", program.replace("sed -n '1,9p'", "git add")), PATH)


def test_a_call_is_shown_as_its_command() -> None:
    assert call_of(call("shell", '{"command":["cat","a.py"]}')) == "cat a.py"
    assert call_of(call("Read", '{"file_path":"a.py"}')) == '{"file_path":"a.py"}'


@pytest.mark.parametrize("part", ["'", '"', "\\", '"\\', "a'b\"", "<<", "[", "(", "`", "\n"])
def test_no_text_makes_it_raise_or_hang(part: str) -> None:
    start = time.process_time()
    for text in (part * 50_000 + " src/cache.py", '{"command":' + part * 50_000 + "src/cache.py"):
        reads(call("Bash", text), PATH)
        reads(call("Bash", json.dumps({"command": f"cat {text}"})), PATH)
    assert time.process_time() - start < 5
