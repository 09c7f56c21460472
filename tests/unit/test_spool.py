"""Reading what the hooks left: whole events once, everything else aside."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from funes_git import spool
from funes_git.layout import Layout
from funes_git.spool import Event

SHA = "0123456789abcdef0123456789abcdef01234567"
WHOLE = (
    b"funes-git event 1\0kind=post-rewrite\0id=" + SHA.encode() + b"\0ref=refs/heads/main\0"
    b"args=rebase\0action=rebase (finish)\0worktree=/w\xffx\ny\0env.CLAUDECODE=1\0"
    b"pairs=" + SHA.encode() + b" " + SHA[::-1].encode() + b"\n\0end\0"
)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    found = Layout(tmp_path / "funes")
    found.spool.mkdir(parents=True)
    return found


def put(layout: Layout, name: str, raw: bytes, age: float = 60.0) -> Path:
    path = layout.spool / name
    path.write_bytes(raw)
    os.utime(path, (time.time() - age,) * 2)
    return path


def taken(layout: Layout) -> list[Event]:
    found: list[Event] = []
    spool.consume(layout, found.extend)
    return found


def test_every_field_arrives(layout: Layout) -> None:
    path = put(layout, "a", WHOLE)
    (event,) = taken(layout)
    assert event == Event(
        name=f"a@{event_time(event)}",
        ts=pytest.approx(time.time() - 60, abs=5),
        kind="post-rewrite",
        commit=SHA,
        ref="refs/heads/main",
        args=("rebase",),
        action="rebase (finish)",
        worktree="/w\\xffx\ny",
        env={"CLAUDECODE": "1"},
        rewrites=((SHA, SHA[::-1]),),
    )
    assert not path.exists()


def event_time(event: Event) -> str:
    return event.name.partition("@")[2]


def test_the_oldest_comes_first(layout: Layout) -> None:
    for name, age in (("b", 30.0), ("c", 90.0), ("a", 60.0)):
        put(layout, name, WHOLE, age)
    assert [event.name[0] for event in taken(layout)] == ["c", "a", "b"]


def test_events_stay_when_they_could_not_be_stored(layout: Layout) -> None:
    put(layout, "a", WHOLE)

    def fail(events: Sequence[Event]) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        spool.consume(layout, fail)
    assert len(taken(layout)) == 1


def test_the_same_file_read_again_has_the_same_name(layout: Layout) -> None:
    path = put(layout, "a", WHOLE)
    assert spool.read(path).name == spool.read(path).name
    first = spool.read(path).name
    put(layout, "a", WHOLE, age=5)
    assert spool.read(path).name != first


def test_an_unfinished_file_is_waited_for_and_then_set_aside(layout: Layout) -> None:
    put(layout, "a", WHOLE[:-5], age=1)
    assert (spool.pending(layout), spool.set_aside(layout)) == ([], 0)
    put(layout, "a", WHOLE[:-5], age=60)
    assert (taken(layout), spool.set_aside(layout)) == ([], 1)
    assert spool.pending(layout) == []


def test_what_is_no_event_is_set_aside_and_keeps_no_event_from_its_way(layout: Layout) -> None:
    outside = layout.root / "precious"
    outside.write_bytes(WHOLE)
    (layout.spool / "link").symlink_to(outside)
    (layout.spool / "dangling").symlink_to(layout.root / "nowhere")
    os.mkfifo(layout.spool / "pipe")
    put(layout, "empty", b"")
    put(layout, "binary", os.urandom(1_000_000))
    put(layout, "kind", WHOLE.replace(b"post-rewrite", b"post-nothing"))
    put(layout, "twice", WHOLE.replace(b"\0end\0", b"\0id=" + SHA.encode() + b"\0end\0"))
    put(layout, "long", WHOLE.replace(b"/w", b"/w" * 20_000))
    put(layout, "good", WHOLE)
    (layout.spool / "folder").mkdir()
    assert [event.name[:4] for event in taken(layout)] == ["good"]
    assert spool.set_aside(layout) == 8
    assert outside.read_bytes() == WHOLE
    assert spool.pending(layout) == []


def test_a_flood_of_garbage_is_not_kept(layout: Layout) -> None:
    for n in range(spool.KEPT_ASIDE + 20):
        put(layout, f"g{n}", b"garbage")
    taken(layout)
    assert spool.set_aside(layout) == spool.KEPT_ASIDE


def test_ids_that_are_none_are_left_out(layout: Layout) -> None:
    put(layout, "a", WHOLE.replace(b"id=" + SHA.encode(), b"id=").replace(SHA[::-1].encode(), b"x"))
    (event,) = taken(layout)
    assert (event.commit, event.rewrites) == (None, ())


def test_no_spool_is_an_empty_one(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert (spool.pending(layout), taken(layout), spool.set_aside(layout)) == ([], [], 0)


@settings(
    derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cut=st.integers(0, len(WHOLE)), noise=st.binary(max_size=20))
def test_any_cut_and_any_noise_is_an_event_or_aside(layout: Layout, cut: int, noise: bytes) -> None:
    put(layout, "a", WHOLE[:cut] + noise)
    before = spool.set_aside(layout)
    events = taken(layout)
    whole = cut == len(WHOLE) and not noise
    assert len(events) == 1 if whole else len(events) <= 1
    assert len(events) + spool.set_aside(layout) - before == 1 or before == spool.KEPT_ASIDE
    assert spool.pending(layout) == []
