"""Where output goes: people at a terminal, agents in a pipe, long text in a pager."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
from fcntl import ioctl
from pathlib import Path
from struct import pack

import pytest
from cli.running import environment
from helpers import GitRepo

from funes_git import output

LINES = "import sys; from cli.sample_commands import main; sys.exit(main())"
FORMAT = """\
import sys
from funes_git import output
out = output.choose(None)
out.lines([f"{out.format} {out.page.width} {'colour' if out.page.style.on else 'plain'}"])
out.progress(1, 4, "sessions \\x1b[2Jread")
out.progress_done()
"""


def on_terminal(
    code: str, *args: str, cwd: Path, rows: int = 20, columns: int = 90, **env: str
) -> str:
    """What `python -c code args` writes to a terminal of this size."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", code, *args],
        cwd=cwd,
        env=environment(TERM="xterm", **env),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    written = b""
    while select.select([master], [], [], 20)[0]:
        try:
            part = os.read(master, 65536)
        except OSError:  # the terminal is closed
            break
        if not part:
            break
        written += part
    process.wait()
    os.close(master)
    return written.decode().replace("\r\n", "\n")


@pytest.fixture
def coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who did not ask for output without colour."""
    monkeypatch.delenv("NO_COLOR")


@pytest.mark.usefixtures("coloured")
def test_a_terminal_gets_the_human_format_in_its_width_and_colours(tmp_path: Path) -> None:
    assert on_terminal(FORMAT, cwd=tmp_path).startswith("human 90 colour\n")


def test_no_color_is_respected(tmp_path: Path) -> None:
    assert on_terminal(FORMAT, cwd=tmp_path, NO_COLOR="1").startswith("human 90 plain\n")


@pytest.mark.usefixtures("coloured")
def test_gits_colour_settings_are_respected(repo: GitRepo) -> None:
    repo.git("config", "color.ui", "never")
    assert on_terminal(FORMAT, cwd=repo.path).startswith("human 90 plain\n")
    repo.git("config", "color.funes", "auto")
    assert on_terminal(FORMAT, cwd=repo.path).startswith("human 90 colour\n")


def test_progress_is_one_line_that_goes_away(tmp_path: Path) -> None:
    text = on_terminal(FORMAT, cwd=tmp_path)
    assert "\r\x1b[K[#####...............] 1 of 4 sessions ␛[2Jread" in text
    assert text.endswith("\r\x1b[K")


def test_a_pipe_gets_the_agent_format_and_no_progress(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORMAT],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("agent ")
    assert done.stdout.endswith(" plain\n")
    assert done.stderr == ""


def test_gits_own_pager_before_us_gets_the_human_format(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORMAT],
        cwd=tmp_path,
        env=environment(GIT_PAGER_IN_USE="true", COLUMNS="72"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("human 72 ")


def test_text_longer_than_the_screen_goes_through_the_pager(tmp_path: Path) -> None:
    pager = "sed 's/^/paged /; 1s/$/ '$LESS-$LV/"
    text = on_terminal(LINES, "lines", "30", cwd=tmp_path, GIT_PAGER=pager)
    assert text.splitlines()[0] == "paged line 0 FRX--c"
    assert text.splitlines()[29] == "paged line 29"


def test_text_that_fits_on_the_screen_is_not_paged(tmp_path: Path) -> None:
    text = on_terminal(LINES, "lines", "10", cwd=tmp_path, GIT_PAGER="sed 's/^/paged /'")
    assert text.splitlines() == [f"line {n}" for n in range(10)]


def test_the_pager_is_the_one_that_git_would_use(repo: GitRepo) -> None:
    repo.git("config", "core.pager", "sed 's/^/core /'")
    text = on_terminal(LINES, "lines", "30", cwd=repo.path, PAGER="sed 's/^/pager /'")
    assert text.startswith("core line 0\n")
    assert on_terminal(LINES, "lines", "30", cwd=repo.path, GIT_PAGER="cat").startswith("line 0\n")


def test_no_pager_pages_nothing(tmp_path: Path) -> None:
    text = on_terminal(LINES, "--no-pager", "lines", "30", cwd=tmp_path, GIT_PAGER="false")
    assert text.splitlines()[29] == "line 29"


def test_leaving_the_pager_early_is_no_error(tmp_path: Path) -> None:
    text = on_terminal(LINES, "lines", "200000", cwd=tmp_path, GIT_PAGER="head -2")
    assert text == "line 0\nline 1\n"


def test_a_users_own_less_settings_win(tmp_path: Path) -> None:
    text = on_terminal(LINES, "lines", "30", cwd=tmp_path, GIT_PAGER="echo $LESS", LESS="-S")
    assert text == "-S\n"


def test_the_time_left_is_told_by_the_speed_since_the_first_one(tmp_path: Path) -> None:
    code = """\
import sys, time
from funes_git import output
from funes_git.commands.making import telling
now = iter([100.0, 101.0, 110.0, 110.0])
time.monotonic = lambda: next(now)
tell = telling(output.choose("human"))
for done in (10, 20, 30):
    tell(done, 130, "vectors")
tell(1, 5, "words")
"""
    first, early, later, other = on_terminal(code, cwd=tmp_path).split("\r\x1b[K")[1:]
    assert first.endswith("10 of 130 vectors")
    assert early.endswith("20 of 130 vectors")  # too soon to tell
    assert later.endswith("30 of 130 vectors, 50.0 s left")
    assert other.endswith("1 of 5 words")


def test_a_pipe_hears_of_a_long_run_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(output.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(output, "_heard", (0.0, ""))
    out = output.choose("agent")
    for seconds, done, what in (
        *((1, 1, "sessions scanned"), (20, 7, "sessions scanned"), (49, 8, "sessions scanned")),
        *((51, 9, "sessions scanned"), (60, 0, "sending"), (72, 0, "sending")),
    ):
        clock[0] = float(seconds)
        out.progress(done, 9 if done else 0, what)
    assert capsys.readouterr().err.splitlines() == [
        "7 of 9 sessions scanned…",
        "9 of 9 sessions scanned…",
        "sending…",
    ]
    clock[0] = 1_000.0
    output.choose("json").progress(1, 2, "sessions scanned")
    assert capsys.readouterr().err == ""
