"""What shell command lines wrote, and which commits they made."""

from __future__ import annotations

import posixpath
import subprocess
import time
from pathlib import Path

import pytest
from helpers import GitRepo
from hypothesis import given, settings
from hypothesis import strategies as st

from funes_git_parsers.base import Hunk
from funes_git_parsers.paths import normal
from funes_git_parsers.shell import ShellWrite, _Walk, printed_commits, tools, writes
from funes_git_parsers.shell.lex import lex


def shown(command: str, cwd: str | None = "/w") -> list[tuple[str, str, str | None]]:
    """(path, operation, new text) of each write."""
    return [(w.path, w.operation, w.new) for w in writes(command, cwd)]


# --- here-documents -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "cat > a.py <<'EOF'\nx = 1\n\ny = '$HOME'\nEOF",
        "cat <<'EOF' > a.py\nx = 1\n\ny = '$HOME'\nEOF\n",
        "cat <<\"EOF\" >a.py\nx = 1\n\ny = '$HOME'\nEOF",
        "cat <<\\EOF >| ./a.py\nx = 1\n\ny = '$HOME'\nEOF",
        "cat <<EOF > /w/a.py\nx = 1\n\ny = '\\$HOME'\nEOF",
        "cat <<-'EOF' > b/../a.py\n\tx = 1\n\n\ty = '$HOME'\n\tEOF",
        "tee a.py <<'EOF'\nx = 1\n\ny = '$HOME'\nEOF",
        "sudo tee a.py > /dev/null <<'EOF'\nx = 1\n\ny = '$HOME'\nEOF",
        "cat <<'EOF' | tee a.py\nx = 1\n\ny = '$HOME'\nEOF",
        "cat > a.py << 'EOF'\r\nx = 1\n\ny = '$HOME'\nEOF\r\n",
        "bash -lc \"cat > a.py <<'EOF'\nx = 1\n\ny = '\\$HOME'\nEOF\n\"",
        "bash <<'XX'\ncat > a.py <<'EOF'\nx = 1\n\ny = '$HOME'\nEOF\nXX",
        "if true; then cat > a.py <<'EOF'\nx = 1\n\ny = '$HOME'\nEOF\nfi",
    ],
)
def test_a_heredoc_gives_the_whole_text(command: str) -> None:
    assert shown(command) == [("/w/a.py", "create", "x = 1\n\ny = '$HOME'\n")]


def test_a_heredoc_that_is_appended_is_a_change() -> None:
    assert shown("cat >> a <<'E'\nx\nE\ntee -a b <<'E'\ny\nE") == [
        ("/w/a", "modify", "x\n"),
        ("/w/b", "modify", "y\n"),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "git show HEAD~1:a.py > a.py && pytest; git checkout a.py",
        "git -C /w show $BASE:a.py > a.py",
        "git cat-file -p HEAD:a.py >a.py",
        "git cat-file blob 1234567 1> a.py",
    ],
)
def test_what_git_puts_back_out_of_the_history_is_nobodys_writing(command: str) -> None:
    assert shown(command) == []


def test_what_git_prints_otherwise_is_written_by_the_command() -> None:
    assert shown("git log > log.txt; git show HEAD > change.diff; git show HEAD:a 2> err.txt") == [
        ("/w/log.txt", "modify", None),
        ("/w/change.diff", "modify", None),
        ("/w/err.txt", "modify", None),
    ]
    assert shown("git show HEAD:a.py | sed s/a/b/ > a.py") == [("/w/a.py", "modify", None)]


def test_several_heredocs_on_one_line_and_in_one_command() -> None:
    command = "cat > a <<'A'; cat > b <<'B'\n1\nA\n2\nB\ncat > c <<'C'\n3\nC\n"
    assert shown(command) == [
        ("/w/a", "create", "1\n"),
        ("/w/b", "create", "2\n"),
        ("/w/c", "create", "3\n"),
    ]


def test_a_heredoc_with_variables_keeps_the_lines_without_them() -> None:
    (write,) = writes("cat > a <<EOF\none\ntwo $x\nthree\ncost \\$5\n`date`\nsix\nEOF", "/w")
    assert (write.operation, write.new) == ("create", None)
    assert write.hunks == (
        Hunk(1, 1, ("+one",)),
        Hunk(3, 3, ("+three", "+cost $5")),
        Hunk(6, 6, ("+six",)),
    )


def test_lines_inside_a_substitution_are_not_taken_for_text() -> None:
    (write,) = writes("cat > a <<EOF\none\n$(printf x\nrm y)\nEOF", "/w")
    assert write.hunks == (Hunk(1, 1, ("+one",)),)


def test_a_heredoc_inside_a_quoted_substitution_hides_nothing_after_it() -> None:
    command = 'git commit -m "$(cat <<\'EOF\'\nit\'s "quoted" ) `x`\nEOF\n)" && echo done > log.txt'
    assert shown(command) == [("/w/log.txt", "create", "done\n")]


def test_a_heredoc_without_its_end_reaches_to_the_end() -> None:
    assert shown("cat > a <<'EOF'\nx\ny") == [("/w/a", "create", "x\ny\n")]


# --- echo, printf, redirects --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "new"),
    [
        ("echo 'a b'  c > f", "a b c\n"),
        ("echo -n hi > f", "hi"),
        ("echo -e 'a\\tb\\n' > f", "a\tb\n\n"),
        ("printf 'a\\n%s=%d\\n' k 1 > f", "a\nk=1\n"),
        ("printf '%s\\n' one two > f", "one\ntwo\n"),
        ("printf '100%%' > f", "100%"),
        ("echo $'a\\'b' > f", "a'b\n"),
        ("cat <<< 'x y' > f", "x y\n"),
        ("echo x | tee f", "x\n"),
        (": > f", ""),
        ("> f", ""),
        ("echo a \\\n  b > f # c > g", "a b\n"),
    ],
)
def test_literal_output_is_known(command: str, new: str, tmp_path: Path) -> None:
    assert shown(command) == [("/w/f", "create", new)]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "f").read_text() == new


@pytest.mark.parametrize(
    "command",
    [
        "echo $x > f",
        'echo "`date`" > f',
        "echo *.py > f",
        "echo 'a\\nb' > f",  # bash and zsh differ
        "printf '%5.2f' 1 > f",
        "python gen.py > f",
        "{ echo a; echo b; } > f",
        "(echo a; echo b) > f",
        "for x in a b; do echo hi; done > f",
        "echo x | sed s/x/y/ > f",
        "npm run gen 2>&1 >f",
        "cat a b > f",
    ],
)
def test_other_output_is_a_change_of_unknown_text(command: str) -> None:
    assert ("/w/f", "modify", None) in shown(command)


@pytest.mark.parametrize(
    "command",
    [
        "echo x > /dev/null 2>&1",
        "make 2>&1 | tail -5",
        "echo x >&2",
        "echo x > $OUT",
        "echo x > ~/f",
        "echo x > *.txt",
        "echo x > a.{js,ts}",
        "echo \"a > b\" '> c' \\> d",
        "[[ $a > b ]] && (( 1 > 2 ))",
        "git log # > f",
        "x=(rm a b)",
        "ssh host 'cat > f'",
        "black --check f.py; prettier f.js; sed s/a/b/ f; gofmt -l f.go",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: f\n+x > y\n*** End Patch\nEOF",
        "cd $DIR && echo x > f",
        "cd - ; rm f",
        "rm *.pyc $x",
        "",
    ],
)
def test_nothing_is_made_up(command: str) -> None:
    assert shown(command) == []


def test_names_in_brackets_are_names() -> None:
    assert [w.path for w in writes("touch x > app/[id]/page.tsx; rm 'a b' c\\ d", "/w")] == [
        "/w/app/[id]/page.tsx",
        "/w/a b",
        "/w/c d",
    ]


# --- folders ------------------------------------------------------------------------------------


def test_cd_holds_for_what_follows_and_ends_with_its_subshell() -> None:
    command = "cd sub && echo a > f; (cd deeper; echo b > f); echo c > f; cd /x; echo d > f"
    paths = [w.path for w in writes(command, "/w")]
    assert paths == ["/w/sub/f", "/w/sub/deeper/f", "/w/sub/f", "/x/f"]


def test_pushd_and_popd() -> None:
    assert [w.path for w in writes("pushd a; rm f; popd; rm f", "/w")] == ["/w/a/f", "/w/f"]


def test_cd_in_a_pipeline_changes_nothing() -> None:
    assert [w.path for w in writes("cd a | cat; rm f", "/w")] == ["/w/f"]


def test_without_a_folder_paths_stay_relative() -> None:
    assert [w.path for w in writes("cd a; rm f /x/g", None)] == ["a/f", "/x/g"]


def test_a_windows_folder_is_joined() -> None:
    assert [w.path for w in writes("rm a/f", "C:\\w")] == ["C:/w/a/f"]


# --- files by name ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mv a.py b.py", ShellWrite("/w/b.py", "rename", old_path="/w/a.py")),
        ("git mv -f a.py b.py", ShellWrite("/w/b.py", "rename", old_path="/w/a.py")),
        ("git -C sub mv a b", ShellWrite("/w/sub/b", "rename", old_path="/w/sub/a")),
        ("mv a.py lib/", ShellWrite("/w/lib/a.py", "rename", old_path="/w/a.py")),
        ("mv a.py lib", ShellWrite("/w/lib/a.py", "rename", old_path="/w/a.py")),
        ("mv -t lib a.py", ShellWrite("/w/lib/a.py", "rename", old_path="/w/a.py")),
        ("mv README.md README", ShellWrite("/w/README", "rename", old_path="/w/README.md")),
        ("mv old new", ShellWrite("/w/new", "rename", old_path="/w/old")),
        ("cp -p a.py b.py", ShellWrite("/w/b.py", "create")),
        ("rm -f a.py", ShellWrite("/w/a.py", "delete")),
        ("git rm -q --cached -- a.py", ShellWrite("/w/a.py", "delete")),
        ("sed -i 's/a/b/' f.py", ShellWrite("/w/f.py", "modify")),
        ("sed -i '' -e 's/a/b/' f.py", ShellWrite("/w/f.py", "modify")),
        ("sed -i.bak -E 's/(a)/\\1/g' f.py", ShellWrite("/w/f.py", "modify")),
        ("perl -pi -e 's/a/b/' f.py", ShellWrite("/w/f.py", "modify")),
        ("npx prettier --write f.ts", ShellWrite("/w/f.ts", "modify")),
        ("pnpm exec eslint --fix f.ts", ShellWrite("/w/f.ts", "modify")),
        ("uv run black -l 100 f.py", ShellWrite("/w/f.py", "modify")),
        ("python3 -m black f.py", ShellWrite("/w/f.py", "modify")),
        ("FOO=1 gofmt -w ./f.go", ShellWrite("/w/f.go", "modify")),
        ("ruff format f.py", ShellWrite("/w/f.py", "modify")),
        ("ruff check --fix f.py", ShellWrite("/w/f.py", "modify")),
        ("curl -s -o f.json https://example.org/x", ShellWrite("/w/f.json", "modify")),
        ("dd if=/dev/zero of=f.bin", ShellWrite("/w/f.bin", "modify")),
    ],
)
def test_commands_that_name_the_files_they_change(command: str, expected: ShellWrite) -> None:
    assert writes(command, "/w") == [expected]


def test_several_sources_go_into_a_folder() -> None:
    assert [(w.old_path, w.path) for w in writes("mv a b c", "/w")] == [
        ("/w/a", "/w/c/a"),
        ("/w/b", "/w/c/b"),
    ]


# --- scripts that spell lines out ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        ("s/^x = 1$/x = 2/", ("-x = 1", "+x = 2")),
        ("s/^x = .*$/x = \\/2/", ("+x = /2",)),
        ("s|.*x.*|a = b|", ("+a = b",)),
        ("2a\\  indented", ("+  indented",)),
        ("$a last line", ("+last line",)),
        ("/^x/i\\\nbefore", ("+before",)),
        ("1c\\one\\\ntwo", ("+one", "+two")),
    ],
)
def test_sed_that_puts_whole_lines(script: str, lines: tuple[str, ...], tmp_path: Path) -> None:
    command = f"sed -i '{script}' f"
    assert writes(command, "/w") == [ShellWrite("/w/f", "modify", hunks=(Hunk(0, 0, lines),))]
    file = tmp_path / "f"
    file.write_text("x = 1\ny = 2\n")
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    added = [line[1:] for line in lines if line.startswith("+")]
    assert set(added) <= set(file.read_text().splitlines())


@pytest.mark.parametrize(
    "script", ["s/a/b/", "s/^a/b/", "5d", "s/^a$/&b/", "s/^a$/$x/;5d", "y/a/b/"]
)
def test_sed_that_changes_parts_of_lines_gives_no_text(script: str) -> None:
    assert writes(f'sed -i "{script}" f', "/w") == [ShellWrite("/w/f", "modify")]
    assert writes(f"sed -i -e 's/^x$/y/' -e '{script}' f", "/w") == [ShellWrite("/w/f", "modify")]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("open('f', 'w').write('x = 1\\n')", ShellWrite("/w/f", "create", new="x = 1\n")),
        ("with open('f', mode='a') as h:\n    h.write('x')", ShellWrite("/w/f", "modify", new="x")),
        (
            "from pathlib import Path\nPath('f').write_text('x')",
            ShellWrite("/w/f", "create", new="x"),
        ),
        ("open('f', 'w').write(text)", ShellWrite("/w/f", "modify")),
        (
            "p = 'f'\ns = open(p).read()\ns = s.replace('a\\n', 'b\\n')\nopen(p, 'w').write(s)",
            ShellWrite("/w/f", "modify", new="b\n", old="a\n"),
        ),
        (
            "import pathlib\np = pathlib.Path('f')\nif True:\n"
            "    p.write_text(p.read_text().replace('a', 'b', 1))",
            ShellWrite("/w/f", "modify", new="b", old="a"),
        ),
    ],
)
def test_python_programs_that_spell_out_what_they_write(program: str, expected: ShellWrite) -> None:
    assert writes(f"python3 - <<'PY'\n{program}\nPY\n", "/w") == [expected]
    quoted = program.replace("'", "'\\''")
    assert writes(f"uv run python -c '{quoted}'", "/w") == [expected]


OTHER = [
    "open('f').read()",
    "open(name, 'w').write('x')",
    "print('write')",
    "def (write",
    "\0write",
]
OTHER += [
    "sys.stdout.write('x')",
    "-" * 9000 + "write",
    "(" * 9000 + "write",
    "a.b" * 9000 + "write",
]


@pytest.mark.parametrize("program", OTHER)
def test_other_python_programs_write_nothing_that_is_known(program: str) -> None:
    assert writes(f"python <<'PY'\n{program}\nPY\n", "/w") == []


def test_a_python_program_in_a_file_is_not_the_text_on_standard_input() -> None:
    assert writes("python gen.py <<'X'\nopen('f', 'w').write('x')\nX", "/w") == []


@pytest.mark.parametrize("command", ["patch -p1", "git apply", "git apply --index -"])
def test_a_patch_on_standard_input(command: str, repo: GitRepo) -> None:
    repo.write("a.txt", "one\ntwo\n")
    repo.write("gone.txt", "x\n")
    repo.commit("first")
    repo.write("a.txt", "one\n2\n")
    repo.write("new.txt", "n\n")
    (repo.path / "gone.txt").unlink()
    repo.git("add", "-A")
    diff = repo.git("diff", "--cached")
    assert writes(f"{command} <<'EOF'\n{diff}\nEOF\n", "/w") == [
        ShellWrite("/w/a.txt", "modify", hunks=(Hunk(1, 1, (" one", "-two", "+2")),)),
        ShellWrite("/w/gone.txt", "delete", hunks=(Hunk(1, 0, ("-x",)),)),
        ShellWrite("/w/new.txt", "create", hunks=(Hunk(0, 1, ("+n",)),)),
    ]


@pytest.mark.parametrize("name", ["2.txt", "1-a", "2/b", "&1.log"])
def test_a_file_may_look_like_no_file(name: str) -> None:
    assert [write.path for write in writes(f"echo x > '{name}'", "/w")] == [f"/w/{name}"]


# --- limits -------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="ab \n\t'\"\\$(){}<>|&;#`~=-*[]E1/", max_size=80) | st.text(max_size=80),
    st.text(max_size=40),
)
def test_no_text_makes_it_raise(command: str, output: str) -> None:
    for write in writes(command, "/w"):
        assert write.path.startswith("/")
    writes("cat <<E >f " + command, None)
    printed_commits("git commit " + command, output)


HARD = ["$(", "`", '"', "'", "${", "((", "<(", "a=(", "<<E ", "{,", "a=b ", "sudo ", "git -a "]
HARD += ["> ", "cat <<E\n$x\n", "\\", "x;", "(", ")", "$x\n", "bash -c '", "printf '%s' a > f;"]


@pytest.mark.parametrize(
    "command",
    [
        "sed -n '1,200p' src/cache.py",
        "go test ./... 2>&1 | sort | head",
        "python -m pytest tests/test_git.py",
        "npx eslint src && ruff check . && gofmt -l .",
        "bash scripts/run.sh && git log --oneline -5 2>/dev/null",
        "git show HEAD:pre-commit && gh pr view 5",
    ],
)
def test_a_command_that_only_looks_is_not_cut_into_words(command: str) -> None:
    lex.cache_clear()
    assert writes(command, "/w") == []
    assert printed_commits(command, "[main 1234567] x") == ()
    assert lex.cache_info().misses == 0


WORDS = [
    *(name.decode() for name in tools._WRITERS),
    *("python3", "git", "/usr/bin/sed", "'rm'", "sudo", "npx", "cat", "<<'E'\nsed -i x a.py\nE\n"),
    *("-i", "-ni", "--in-place", "-w", "--fix", "--write", "-o", "--output=a.txt", "-lc", "fmt"),
    *("format", "of=a.txt", "a.txt", "b.py", "'s/a/b/'", "'rm a.txt'", "apply", "-m", "black"),
    *('\'open("a").write("b")\'', "|", "&&", ";", ">", ">>", "2>&1", "<", "$(", ")", '"', "\n"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join))
def test_what_is_not_cut_into_words_wrote_nothing(command: str) -> None:
    assert writes(command, "/w") == _Walk("/w", 0).run(command)


@pytest.mark.parametrize("part", HARD)
def test_time_is_linear(part: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        start = time.process_time()
        writes(text, "/w")
        writes("cat > f <<X\n" + text, "/w")
        printed_commits("git commit;" + text, text)
        return time.process_time() - start

    def least(size: int) -> float:
        return min(seconds(size) for _ in range(3))  # another process may be in the way

    seconds(1_000)
    assert least(40_000) < 40 * (least(4_000) + 0.002)


@given(st.text("/.a", max_size=10))
def test_a_path_is_tidied_as_python_does_it(path: str) -> None:
    assert normal(path) == posixpath.normpath(path)
