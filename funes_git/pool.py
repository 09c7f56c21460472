"""Read many sources in other processes, and hand over what they make in the order of the sources.

Reading is bound by Python, writing by the stores' native code: together they fill two cores. The
processes are children that talk in pickles over pipes, started with `-m`, so that it does not
matter how the parent was started. They write nothing and end with the parent.
"""

from __future__ import annotations

import copyreg
import io
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from operator import attrgetter
from typing import IO, Any, TypeAlias

from funes_git.errors import FunesError
from funes_git.git import Repo
from funes_git.model import Block, Chunk, EditRecord, Turn
from funes_git.reading import SkippedRecord, SourceReader, Task
from funes_git.store.changes import Changes

AHEAD = 24 << 20
"""Bytes of what one process has read that may wait to be written: they bound the memory."""

GIVEN = 4
"""Tasks that one process has at a time, so that it need not wait for the next."""

PIPE = 1 << 20
"""Bytes that a pipe holds, where the system lets one choose, and that are read at once: for each
read, the thread must wait for Python's lock."""
LENGTH = 8
BROKEN = b"broken"

Said: TypeAlias = Changes | SkippedRecord | OSError | FunesError


class PoolBroken(FunesError):
    """A reading process died."""


class Pool:
    """`size` processes that read `tasks` for one repository. A context manager; they start at
    once."""

    def __init__(self, repo: Repo, tasks: Sequence[Task], size: int) -> None:
        self._tasks = tasks
        self._next = 0
        self._lock = threading.Lock()
        self._owners: dict[int, _Child] = {}
        self._assigned = threading.Condition(self._lock)
        self._children = [_Child(repo) for _ in range(size)]
        for child in self._children:
            threading.Thread(target=self._serve, args=(child,), daemon=True).start()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exc: object) -> None:
        for child in self._children:
            child.stop()

    def said(self) -> Iterator[tuple[int, Said]]:
        """What each task gives, by its index, in order. An error of a source is its last word.
        Raises PoolBroken."""
        for index in range(len(self._tasks)):
            with self._assigned:
                self._assigned.wait_for(lambda index=index: index in self._owners)  # type: ignore[misc]
                child = self._owners.pop(index)
            while frame := child.heard.get():
                if frame == BROKEN:
                    raise PoolBroken("a process that reads sessions has ended", "git funes index")
                yield index, pickle.loads(frame)

    def _serve(self, child: _Child) -> None:
        """Give a child one task after another, and queue what it says."""
        given = 0
        while True:
            with self._assigned:
                for index in range(self._next, len(self._tasks))[: GIVEN - given]:
                    child.give(self._tasks[index])
                    self._owners[index] = child
                    self._next += 1
                    given += 1
                self._assigned.notify_all()
            if not given:
                return
            child.hear()
            given -= 1


class _Waiting(queue.Queue[bytes]):
    """Pickles that wait; its size is in bytes."""

    def _init(self, maxsize: int) -> None:
        super()._init(maxsize)
        self._bytes = 0

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: bytes) -> None:
        super()._put(item)
        self._bytes += len(item) + 1

    def _get(self) -> bytes:
        item = super()._get()
        self._bytes -= len(item) + 1
        return item


class _Child:
    def __init__(self, repo: Repo) -> None:
        self.heard = _Waiting(AHEAD)
        self._stopped = False
        self._process = subprocess.Popen(
            (sys.executable, "-P", "-m", "funes_git.pool"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=repo.common_dir,
            bufsize=PIPE,
            pipesize=PIPE,
            process_group=0,  # ^C is for the parent, which ends it
        )
        self._given: queue.SimpleQueue[object] = queue.SimpleQueue()
        # a thread of its own: a process that waits to be heard does not listen
        threading.Thread(target=self._send, daemon=True).start()
        self._given.put(repo)

    def _send(self) -> None:
        pipe = self._process.stdin
        with suppress(OSError, ValueError):  # closed, when stopped
            while pipe is not None:
                pickle.dump(self._given.get(), pipe, pickle.HIGHEST_PROTOCOL)
                pipe.flush()

    def give(self, task: Task) -> None:
        """Have a task done after those that were given before."""
        self._given.put(task)

    def hear(self) -> None:
        """Queue what the next task gives, in pickles, an empty one at the end: whoever takes them
        loads them, so that little waits as objects."""
        frame = BROKEN
        while frame and not self._stopped:
            frame = self._frame()
            self.heard.put(frame)
            if frame == BROKEN:
                return

    def _frame(self) -> bytes:
        """The next pickle that the process sends."""
        pipe = self._process.stdout
        with suppress(OSError, ValueError):  # closed, when stopped
            head = pipe.read(LENGTH) if pipe else b""
            size = int.from_bytes(head, "big")
            frame = pipe.read(size) if pipe and len(head) == LENGTH else BROKEN
            return frame if len(frame) == size else BROKEN
        return BROKEN

    def stop(self) -> None:
        self._stopped = True
        self._process.kill()
        self._process.wait()
        with suppress(queue.Empty):
            while True:
                self.heard.get_nowait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _pickled(thing: Said) -> bytes:
    """Records go as their values: Python's own way for frozen slotted ones takes twice as long."""
    out = io.BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | _BY_VALUE
    pickler.dump(thing)
    return out.getvalue()


def _by_value(kind: type) -> Callable[[object], tuple[type, tuple[object, ...]]]:
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda record: (kind, values(record))


_BY_VALUE: dict[type, Callable[..., Any]] = {
    kind: _by_value(kind) for kind in (Turn, Block, Chunk, EditRecord)
}


def serve(source: IO[bytes], out: IO[bytes]) -> None:
    """The child: reads a repository, then tasks, and answers each with what it gives, then None."""
    from funes_git.ingest import reader_for

    repo: Repo = pickle.load(source)
    reader: SourceReader = reader_for(repo)

    def say(thing: Said | None) -> None:
        frame = b"" if thing is None else _pickled(thing)
        out.write(len(frame).to_bytes(LENGTH, "big"))
        out.write(frame)
        out.flush()

    while True:
        try:
            task: Task = pickle.load(source)
        except EOFError:
            return
        try:
            for said in reader.read(task):
                if isinstance(said, Changes):
                    said.pack()
                say(said)
        except (OSError, FunesError) as error:
            say(error)
        say(None)


if __name__ == "__main__":
    # what a library prints must not get between the pickles
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, answers)
