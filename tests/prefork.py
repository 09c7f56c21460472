"""Runs `git funes` without the second that it takes to import and to load the scanner's rules: each
command is a process of its own, with arguments, environment, folder and streams as given, forked
from one that has all that. For tests of what commands do; those of how they start start them.

`run` is the tests' part. Run as a program, this module is the process that is forked.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from helpers import share_caches

LENGTH = struct.Struct("!I")
OF_THE_INTERPRETER = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC")
"""What environment variables that only a new interpreter heeds begin with."""


class Parent:
    """The process that commands are forked from, as the test's process sees it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        home = Path(tempfile.mkdtemp(prefix="funes-tests-home-"))  # no test's: it loads the rules
        atexit.register(shutil.rmtree, home, ignore_errors=True)
        share_caches(home)
        env = {**env, "LC_ALL": "C.UTF-8", "HOME": str(home)}
        env.pop("XDG_CACHE_HOME", None)
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self.lock = threading.Lock()
        self.interpreter = of_the_interpreter(env)
        atexit.register(self.close)

    def close(self) -> None:
        """End it."""
        self.socket.close()
        self.process.wait()

    def run(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """A command's output and exit code."""
        pipes = [os.pipe() for _ in range(3)]
        request = json.dumps([list(argv), str(cwd), dict(env)]).encode()
        with self.lock:
            socket.send_fds(self.socket, [LENGTH.pack(len(request))], [w for _, w in pipes])
            self.socket.sendall(request)
        for _, writing in pipes:
            os.close(writing)
        out, err, code = _read([reading for reading, _ in pipes])
        return subprocess.CompletedProcess(list(argv), int(code or b"-1"), _text(out), _text(err))


_parent: list[Parent] = []


def forks(env: Mapping[str, str]) -> bool:
    """Whether a command with this environment can be forked."""
    if sys.platform == "darwin":
        return False  # its own libraries may not be used after a fork
    if not _parent:
        _parent.append(Parent(env))
    return _parent[0].interpreter == of_the_interpreter(env)


def run(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """`git funes ARGV` with its output and exit code."""
    return _parent[0].run(argv, cwd, env) if forks(env) else started(argv, cwd, env)


def started(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """The same in a process that starts from nothing, as users' do."""
    return subprocess.run(
        [sys.executable, "-m", "funes_git", *argv],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def of_the_interpreter(env: Mapping[str, str]) -> dict[str, str]:
    """Those variables that only a new interpreter heeds."""
    return {name: env[name] for name in env if name.startswith(OF_THE_INTERPRETER)}


def _text(data: bytes) -> str:
    """As `subprocess` reads text."""
    return data.decode().replace("\r\n", "\n")


def _read(pipes: list[int]) -> list[bytes]:
    """Everything that comes through some pipes, until all are closed."""
    found = dict.fromkeys(pipes, b"")
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                if data := os.read(key.fd, 1 << 16):
                    found[key.fd] += data
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return list(found.values())


def serve(control: socket.socket) -> list[str]:
    """Fork for each request; in the child, the arguments of its command."""
    while True:
        head, pipes, _, _ = socket.recv_fds(control, LENGTH.size, 3)
        if not head:
            os._exit(0)
        (length,) = LENGTH.unpack(head)
        request = b""
        while len(request) < length:
            request += control.recv(length - len(request))
        if os.fork() == 0:
            keep(pipes)
            control.close()
            return become(*json.loads(request))
        for pipe in pipes:
            os.close(pipe)
        while _ended():
            pass


def _ended() -> bool:
    """Whether a child that ended was waited for."""
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def keep(pipes: list[int]) -> None:
    """Fork the command and say with which code it ended; return in the command."""
    out, err, code = pipes
    child = os.fork()
    if child:
        os.close(out)
        os.close(err)
        _, status = os.waitpid(child, 0)
        os.write(code, str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    os.close(code)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)


def become(argv: list[str], cwd: str, env: dict[str, str]) -> list[str]:
    """Take over what a command is started with."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return argv


def end(main: Callable[[], int]) -> NoReturn:
    """Run the program and end with its code; what was imported is not taken apart first."""
    code: object = 1
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1 if code else 0)


def prepare() -> None:
    """Import what commands import."""
    from funes_git import config, redact
    from funes_git.commands import COMMANDS
    from funes_git.store import lanceclient

    config.quiet_lance()
    lanceclient.load()
    for command in COMMANDS.values():
        command.load()
    redact.shared()
    warnings.filterwarnings("ignore", message=".*fork")  # nothing was started that a fork can break


if __name__ == "__main__":
    prepare()
    sys.argv = ["git-funes", *serve(socket.socket(fileno=int(sys.argv[1])))]
    from funes_git.__main__ import main

    end(main)
