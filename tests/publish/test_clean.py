"""Who and where are taken out, the same each time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from funes_git.linehash import exact_hash
from funes_git.model import EditRecord, LineKey, Session
from funes_git.publish.clean import Cleaner, is_telling, names_in, roots_in, without
from funes_git.publish.outside import ELSEWHERE, Outside
from funes_git.publish.part import Part
from funes_git.store.changes import StoredTurn
from funes_git_parsers.base import Block, Turn

CLEANER = Cleaner(["/home/ada/code/widget", "C:\\Users\\bob\\w"], ["ada", "bob"])


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("cat /home/ada/code/widget/src/x.py", "cat src/x.py"),
        ("cd /home/ada/code/widget && ls", "cd . && ls"),
        ("cd /home/ada/code/widget/", "cd ."),
        ("in ~/code/widget/a.py", "in a.py"),
        ("/home/ada/code/widget2/x", "~/code/widget2/x"),
        ("/home/ada/code/widget.bak/x", "~/code/widget.bak/x"),
        ("file:///home/ada/code/widget/q", "file://q"),
        ('{"p":"C:\\\\Users\\\\bob\\\\w\\\\src\\\\a.py"}', '{"p":"src\\\\a.py"}'),
        ("C:/Users/bob/w/src C:\\Users\\eve\\x", "src ~\\x"),
        ("/Users/carl/x /root/y /var/root", "~/x ~/y /var/root"),
        ("-home-ada-code-widget/1.jsonl", "-repo/1.jsonl"),
        ("ls\\n/home/ada/code/widget/x", "ls\\nx"),
        ("ls\\n/home/eve/x\\t/root/y", "ls\\n~/x\\t~/y"),
        ("at\\nC:\\\\Users\\\\eve\\\\AppData", "at\\n~\\\\AppData"),
        ("cc -I/home/eve/inc '-L/Users/eve/lib'", "cc -I~/inc '-L~/lib'"),
        ("\\/home\\/ada\\/code\\/widget\\/a \\/Users\\/eve\\/b", "a ~\\/b"),
        ("file%3A%2F%2F%2Fhome%2Fada%2Fcode%2Fwidget%2Fx.py", "file%3A%2F%2Fx.py"),
        ("?p=%2FUsers%2Feve%2Fx", "?p=~%2Fx"),
        ("vscode://file/home/ada/x //wsl$/home/bob/y", "vscode://file~/x //wsl$~/y"),
        ("cd /c/Users/bob/w && cat /mnt/c/Users/bob/w/a.py c:/users/BOB/W/b", "cd . && cat a.py b"),
        ("/private/var/folders/gz/dhf8qx1s4zl7w2k9v0c3b5n80000gn/T/x.1", "/tmp/x.1"),
        ("app/Users/list.php src/home/eve/x https://x.io/home/eve", None),
        ("ask ada, Ada or ada@acme.io", "ask user, user or [REDACTED:email]"),
        ("1+eve@users.noreply.github.com", "[REDACTED:email]"),
        ("mailto:eve%40acme.io eve\\u0040acme.io", "mailto:[REDACTED:email] [REDACTED:email]"),
        ("git@github.com:o/r noreply@anthropic.com a@example.org", None),
        ("icon@2x.png @app.route adapter canada /homework/x", None),
    ],
)
def test_texts(text: str, cleaned: str | None) -> None:
    once = CLEANER.text(text)
    assert once == (text if cleaned is None else cleaned)
    assert CLEANER.text(once) == once


def test_a_folder_whose_name_has_blanks_is_taken_out() -> None:
    root = "C:\\Users\\Ada Byron\\w"
    names = names_in(part(Block("text", "hello"), workdir=root))
    cleaner = Cleaner([root], names)
    assert cleaner.text(f"{root}\\a.py C:\\Users\\Ada Byron\\x") == "a.py ~\\x"


def test_the_end_of_a_path_names_no_account() -> None:
    text = "/home/settings and C:/Users/eve/x and /home/.../y"
    assert names_in(part(Block("text", text))) == {"eve", "..."}
    assert not is_telling("...")


def test_addresses_are_kept_where_that_was_asked() -> None:
    assert Cleaner([], [], keep_emails=True).text("eve@acme.io") == "eve@acme.io"


def test_names_of_roles_and_of_the_public_repository_stay() -> None:
    assert not is_telling("ubuntu")
    assert without({"ada", "eve"}, ["github.com/ada/widget"]) == {"eve"}


def part(*blocks: Block, edit: EditRecord | None = None, workdir: str = "/srv/widget") -> Part:
    turn = Turn("s1", "t1", 0, 1.0, "assistant", "codex", blocks, exchange="t1", workdir=workdir)
    return Part(Session("s1", "codex"), [StoredTurn(turn, "")], [edit] if edit else [])


def edit(path: str, recorded: str, *lines: str) -> EditRecord:
    keys = tuple(LineKey(n, exact_hash(line), 7) for n, line in enumerate(lines, 1))
    return EditRecord(
        *("e1", "s1", "t1", "c1", 0, 1.0, path, "create", "Write", "tool", recorded),
        new="\n".join(lines),
        diff="\n".join("+" + line for line in lines),
        added=keys,
    )


def test_hashes_of_lines_that_were_changed_go() -> None:
    made = edit("a.py", "/home/ada/code/widget/a.py", "x = 1", "mail = 'eve@acme.io'")
    (cleaned,) = CLEANER.part(part(edit=made)).edits
    assert cleaned.recorded_path == "a.py"
    assert cleaned.new == "x = 1\nmail = '[REDACTED:email]'"
    assert [key.pos for key in cleaned.added] == [1]


def test_where_the_repository_was_is_told_by_its_edits() -> None:
    found = part(Block("text", "see /home/eve/x"), edit=edit("src/a.py", "/Users/bob/w/src/a.py"))
    assert list(roots_in(found)) == ["/Users/bob/w"]
    assert names_in(found) == {"bob", "eve"}


@pytest.mark.parametrize(
    ("call", "elsewhere"),
    [
        ('{"file_path":"/srv/widget/a.py"}', False),
        ('{"command":"cat ../other/secret.py"}', True),
        ('{"command":"cd src && ls .. "}', False),
        ('{"file_path":"/home/eve/notes.md"}', True),
        ('{"command":"cat ~/.ssh/config"}', True),
        ('{"command":"cat /usr/include/stdio.h /tmp/x"}', False),
        ('{"file_path":"/srv/other/lib.py"}', True),
        ('{"command":"cat\\n/home/eve/notes.md"}', True),
        ('{"command":"type a\\nC:\\\\Users\\\\eve\\\\b"}', True),
        ('{"command":"cd C:\\\\Users\\\\bob\\\\w && ls"}', False),
        ('{"command":"cd /c/Users/bob/w && ls"}', False),
        ('{"command":"ls /c/Users/bob/w2"}', True),
    ],
)
def test_results_of_calls_that_look_elsewhere_are_left_out(call: str, elsewhere: bool) -> None:
    outside = Outside(
        ["/srv/widget", "C:\\Users\\bob\\w"], lambda path: path.startswith("/srv/other")
    )
    found = outside.part(
        part(
            Block("tool_use", call, "Bash", "c1"),
            Block("tool_result", "what stands there", "Bash", "c1"),
            workdir="/srv/widget/src" if "ls .." in call else "/srv/widget",
        )
    )
    use, result = found.turns[0].turn.blocks
    assert use.text == call
    assert result.text == (f"[WITHHELD:{ELSEWHERE}]" if elsewhere else "what stands there")
    assert [each.rules for each in found.withheld] == ([(ELSEWHERE,)] if elsewhere else [])


def test_an_edit_looks_at_its_own_file_whatever_it_writes() -> None:
    call = '{"file_path":"/srv/widget/src/a.ts","content":"import {x} from \'../../other/x\'"}'
    made = edit("src/a.ts", "/srv/widget/src/a.ts")
    said = (Block("tool_use", call, "Write", "c1"), Block("tool_result", "done", "Write", "c1"))
    outside = Outside(["/srv/widget"], lambda path: path.startswith("/srv/other"))
    for each, kept in ((replace(made, tool_use_id="c1"), True), (None, False)):
        (left,) = outside.part(part(*said, edit=each, workdir="/srv/widget/src")).turns
        assert (left.turn.blocks[1].text == "done") is kept


def test_what_the_harness_wrote_is_left_out() -> None:
    note = "<system-reminder>My other project is secret</system-reminder>"
    found = Outside([]).part(
        part(Block("text", "be kind", scaffold="agents-md"), Block("text", f"Go on{note}"))
    )
    assert [block.text for block in found.turns[0].turn.blocks] == ["", "Go on"]
