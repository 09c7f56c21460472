"""A server of `git funes mcp` ends with its client, however that ends, and is small at rest."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from agents import ClaudeSession
from cli.running import environment
from helpers import GitRepo
from mcp_client import COMMAND, McpServer
from memory import Memory

from funes_git.models import Models
from funes_git.vectorise import vectorise

PROC = Path("/proc")
PATIENCE = 30.0
MB = 1 << 20

CLIENT = """
import subprocess, sys, time
leaks = sys.argv[1] == "leaks"
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, close_fds=not leaks)
server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
server.stdin.flush()
server.stdout.readline()
other = 0
if leaks:
    import os
    for pipe in (server.stdin, server.stdout):
        os.set_inheritable(pipe.fileno(), True)
    other = subprocess.Popen(["sleep", "300"], close_fds=False).pid
print(server.pid, other, flush=True)
time.sleep(300)
"""
"""A client with one server. One that `leaks` starts another process that has the server's pipes."""

pytestmark = pytest.mark.skipif(not PROC.is_dir(), reason="processes are looked at in /proc")


class Client:
    """A client in a process of its own, and the server that it started."""

    def __init__(self, cwd: Path, command: Sequence[str], *, leaks: bool = False) -> None:
        how = "leaks" if leaks else "tidy"
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, how, *command],
            cwd=cwd,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        started, other = map(int, self.process.stdout.readline().split())
        self.others = [other] if other else []
        self.server = [started, *children(started)]
        """Its process, and where git stands between, ours."""

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def clear(self) -> None:
        """Leave nothing behind, whatever the test found."""
        for pid in (self.process.pid, *self.others, *self.server):
            if running(pid):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def started(repo: GitRepo) -> Iterator[Callable[..., Client]]:
    """Starts clients, and clears them away."""
    clients: list[Client] = []

    def start(command: Sequence[str] = COMMAND, *, leaks: bool = False) -> Client:
        clients.append(Client(repo.path, command, leaks=leaks))
        return clients[-1]

    yield start
    for client in clients:
        client.clear()


def children(pid: int) -> list[int]:
    found = []
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def running(pid: int) -> bool:
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def ended(pids: Sequence[int]) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not any(map(running, pids)):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_clients_are_killed_in_any_order_and_no_server_is_left(
    started: Callable[..., Client], order: Sequence[int]
) -> None:
    clients = [started() for _ in order]
    for number, how in zip(order, itertools.cycle((signal.SIGKILL, signal.SIGTERM)), strict=False):
        clients[number].end(how)
        assert ended(clients[number].server)
        others = [client for client in clients if client.process.returncode is None]
        assert all(running(pid) for client in others for pid in client.server)


def test_a_pipe_that_another_process_holds_keeps_no_server(
    started: Callable[..., Client],
) -> None:
    client = started(leaks=True)
    client.end(signal.SIGKILL)
    assert all(map(running, client.others))
    assert ended(client.server)


def test_git_between_client_and_server_is_looked_through(
    started: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = Path(sys.executable).parent
    assert (programs / "git-funes").exists(), "the tests need the package installed"
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    client = started(("git", "funes", "mcp"), leaks=True)
    assert len(client.server) == 2
    client.end(signal.SIGKILL)
    assert ended(client.server)


def test_a_client_that_stops_reading_is_gone(repo: GitRepo) -> None:
    with McpServer(repo.path) as server:
        server.initialize()
        assert server.process.stdout is not None
        server.process.stdout.close()
        assert ended([server.process.pid])
        server.process.stdout = None


def test_a_server_ends_when_it_is_told_to(repo: GitRepo) -> None:
    with McpServer(repo.path) as server:
        server.initialize()
        server.process.terminate()
        assert ended([server.process.pid])


def test_a_client_that_ends_during_a_call_leaves_no_server(repo: GitRepo) -> None:
    for n in range(5):
        repo.commit(f"commit {n}")
    server = McpServer(repo.path)
    server.initialize()
    server.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"status"}}')
    for pipe in (server.process.stdin, server.process.stdout, server.process.stderr):
        assert pipe is not None
        pipe.close()
    assert ended([server.process.pid])
    server.process.wait()


def mapped(server: McpServer) -> str:
    return (PROC / str(server.process.pid) / "maps").read_text()


def resident(server: McpServer) -> int:
    """Bytes of memory that only this process takes, and its share of what others take too."""
    rollup = (PROC / str(server.process.pid) / "smaps_rollup").read_text()
    (kilobytes,) = (row.split()[1] for row in rollup.splitlines() if row.startswith("Pss:"))
    return int(kilobytes) * 1024


@pytest.mark.model
def test_at_rest_it_holds_no_model_and_no_index(repo: GitRepo, hermetic: Path) -> None:
    repo.write("cache.py", "entries = {}\n")
    repo.commit("Start", date=1_766_000_000)
    claude = ClaudeSession(repo, hermetic)
    claude.prompt("Bound the cache")
    claude.says("The import takes 42 s, so a time to live would not help.")
    claude.edit("cache.py", "entries = {}\n", "entries = {}\nLIMIT = 1024\n")
    memory = Memory(repo)
    memory.sync()
    vectorise(memory.repo.layout, Models({}))
    with McpServer(repo.path, FUNES_GIT_IDLE="2") as server:
        server.initialize()
        server.call("why", target="cache.py:2")
        rest = resident(server)
        assert rest <= 80 * MB
        assert "onnxruntime" not in mapped(server)
        assert "tantivy" not in mapped(server)
        found = server.call("recall", query="why no expiry")
        assert "words alone" not in found
        awake = resident(server)
        assert "/funes/vectors/" in mapped(server)
        until = time.monotonic() + PATIENCE
        while "/funes/vectors/" in mapped(server) and time.monotonic() < until:
            time.sleep(0.2)
        assert "/funes/vectors/" not in mapped(server)
        assert "/funes/text/" not in mapped(server)
        time.sleep(0.5)
        assert resident(server) < awake - 20 * MB  # the model's weights alone are more
        assert server.call("recall", query="why no expiry") == found
