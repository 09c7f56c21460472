"""The Hub through huggingface_hub's own client, over HTTP. The client reads its settings once, when
it is imported, so each test runs its calls in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub import Hub, serving

NAME = "ada/memory"
START = f"""
import json, sys
from pathlib import Path
from funes_git.errors import FunesError
from funes_git.remotes import hub
data = hub.Dataset("{NAME}")
def say(value): print(json.dumps(value))
def refused(call):
    try: call()
    except FunesError as error: say([type(error).__name__, error.message, error.hint])
    else: say(None)
"""


@pytest.fixture(params=["lfs", "xet"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hub]:
    """A Hub that takes large files by git-lfs in parts, or by xet."""
    way = {"part": 400_000} if request.param == "lfs" else {"xet": tmp_path / "cas"}
    with serving(large=500_000, **way) as found:
        yield found


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving() as found:
        yield found


def calls(hub: Hub, home: Path, code: str, token: str | None = "ada") -> list[Any]:
    """What the calls say: the JSON of each printed line."""
    env = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(home / "hf")}
    env.pop("HF_HUB_OFFLINE", None)
    if hub.xet is None:
        env["HF_HUB_DISABLE_XET"] = "1"
    if token:
        env["HF_TOKEN"] = hub.token(token) if not token.startswith("hf_") else token
    script = START + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, cwd=home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # the client's own talk is not for people
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_dataset_is_made_written_tagged_and_read(either: Hub, tmp_path: Path) -> None:
    big = tmp_path / "big.lance"
    big.write_bytes(bytes(range(256)) * 4000)
    said = calls(
        either,
        tmp_path,
        """
        say(data.create(private=True)); say(data.create(private=False)); say(data.is_private())
        first = data.head()
        adds = [hub.Add("a/small.txt", b"hello"), hub.Add("a/big.lance", Path("big.lance"))]
        second = data.commit(adds, first, "two files")
        data.tag("v1", second); data.tag("v1", second)
        third = data.commit([hub.Delete("a/small.txt")], second, "one less")
        say([data.head() == third, data.head("v1") == second, data.head(second[:9]) == second])
        say([[f.path, f.size] for f in data.files("v1")])
        say([f.path for f in data.files()])
        folder = data.download(second, ["a/small.txt", "a/big.lance"])
        say((folder / "a/big.lance").read_bytes() == Path("big.lance").read_bytes())
        data.tag("v1", third); say(data.tags() == {"v1": third})
        data.untag("v1"); data.untag("v1"); say(data.tags())
        squashed = data.squash("one"); say([f.path for f in data.files(squashed)])
        data.delete(); say(data.exists())
        """,
    )
    assert said[:4] == [True, False, True, [True, True, True]]
    assert said[4] == [[".gitattributes", 46], ["a/big.lance", 1_024_000], ["a/small.txt", 5]]
    assert said[5:7] == [[".gitattributes", "a/big.lance"], True]
    assert said[7:] == [True, {}, [".gitattributes", "a/big.lance"], False]
    uploads = either.count("PUT /_lfs/")
    assert uploads == (0 if either.xet else 3)


def test_a_commit_on_an_old_parent_is_a_conflict(hub: Hub, tmp_path: Path) -> None:
    old = hub.put(NAME, {"x": b"1"})
    hub.put(NAME, {"x": b"2"})
    code = f"refused(lambda: data.commit([hub.Add('x', b'3')], '{old}', 'late'))"
    ((kind, message, _),) = calls(hub, tmp_path, code)
    assert (kind, message) == ("Conflict", "ada/memory was changed by somebody else meanwhile")
    assert hub.content(NAME)["x"] == b"2"


def test_nothing_is_committed_twice(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"})
    assert calls(hub, tmp_path, f"say(data.commit([hub.Add('x', b'1')], '{head}', 'same'))") == [
        head
    ]


def test_who_may_not_is_told_what_to_do(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"}, private=True)
    read = "refused(data.head)"
    write = f"refused(lambda: data.commit([hub.Add('x', b'2')], '{head}', 'm'))"
    ((kind, message, hint),) = calls(hub, tmp_path, read, token=None)
    assert kind == "NotAllowed"
    assert "without a token" in message
    assert hint.startswith("hf auth login")
    ((kind, message, hint),) = calls(hub, tmp_path, read, token="hf_wrong")
    assert (kind, message) == ("NotAllowed", "the Hub does not know your token")
    ((kind, message, hint),) = calls(hub, tmp_path, read, token="bob")
    assert (kind, message) == ("NotOnHub", "no dataset ada/memory that you may read (404)")
    ((kind, message, hint),) = calls(hub, tmp_path, write, token=hub.token("ada", "read"))
    assert (kind, message) == ("NotAllowed", "your token may not write to ada/memory")
    assert "as a member of ada" in hint


def test_what_is_not_there_is_told(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"})
    said = calls(
        hub,
        tmp_path,
        f"""
        refused(lambda: data.head("v9")); refused(lambda: data.download("{head}", ["none"]))
        refused(lambda: hub.Dataset("a b/c").head()); refused(lambda: hub.Dataset("none"))
        """,
    )
    assert said[0][:2] == ["NotOnHub", "ada/memory has no revision v9"]
    assert said[1][:2] == ["NotOnHub", "a file is missing in ada/memory"]
    assert said[2][:2] == ["NotOnHub", "the Hub takes no such name: a b/c"]
    assert said[3][:2] == ["UsageError", "not the name of a dataset: none"]


def test_a_gated_dataset_is_told(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"})
    hub.repositories[NAME].gated = True
    ((kind, message, _),) = calls(hub, tmp_path, f"refused(lambda: data.download('{head}', ['x']))")
    assert (kind, message) == ("NotAllowed", "ada/memory is gated: its owner must let you in")


def test_a_busy_hub_is_waited_for(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"})
    hub.fail("POST", "/commit/", 503, retry_after="1")
    hub.fail("GET", "/api/datasets/ada/memory", 429, retry_after="1")
    started = time.monotonic()
    code = f"data.head(); say(data.commit([hub.Add('x', b'2')], '{head}', 'm') == data.head())"
    assert calls(hub, tmp_path, code) == [True]
    assert time.monotonic() - started > 2
    hub.fail("GET", "/api/datasets/ada/memory", 429, retry_after="3600")
    ((kind, message, hint),) = calls(hub, tmp_path, "refused(data.head)")
    assert kind == "Busy"
    assert message == "the Hub was asked too often; it asks to wait 3600 seconds"
    assert hint == "try again later"


def test_a_cut_connection_loses_no_upload(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"1"})
    (tmp_path / "big.lance").write_bytes(b"\0" * 300_000)
    hub.cut("POST", "/commit/")
    commit = f"data.commit([hub.Add('big.lance', Path('big.lance'))], '{head}', 'm')"
    ((kind, message, _),) = calls(hub, tmp_path, f"refused(lambda: {commit})")
    assert (kind, message.startswith("the Hub cannot be reached")) == ("Unreachable", True)
    assert "big.lance" in hub.content(NAME)  # it was done; its answer was lost
    assert calls(hub, tmp_path, f"say({commit} == data.head())") == [True]  # nothing to do
    assert hub.count("PUT /_lfs/") == 1


def test_a_cut_download_goes_on(hub: Hub, tmp_path: Path) -> None:
    head = hub.put(NAME, {"x": b"12345678" * 1000})
    hub.cut("GET", "/resolve/")
    code = f"say(len((data.download('{head}', ['x']) / 'x').read_bytes()))"
    assert calls(hub, tmp_path, code) == [8000]
    asked = len(hub.asked)
    assert calls(hub, tmp_path, code) == [8000]
    assert len(hub.asked) == asked  # from the cache


def test_the_hub_is_searched_by_tag(hub: Hub, tmp_path: Path) -> None:
    card = b"---\ntags: [funes, git]\npretty_name: The memory of acme/widget\n---\n# Memory\n"
    releases = {f"releases/v1.{n}.json": b"{}" for n in (2, 10)}
    hub.put(NAME, {"README.md": card, "x": b"12345", **releases})
    hub.put("bob/other", {"README.md": b"---\ntags: [cats]\n---\n"})
    hub.put("bob/secret", {"README.md": card}, private=True)
    code = """
    for text in ("", "mem", "none"):
        for d in hub.search("funes", text): say([d.name, d.repository, d.releases, d.size > 5])
    """
    found = [NAME, "acme/widget", ["v1.10", "v1.2"], True]
    assert calls(hub, tmp_path, code) == [found] * 2


def test_without_a_network_the_reason_is_told(hub: Hub, tmp_path: Path) -> None:
    hub.url = "http://127.0.0.1:1"
    ((kind, message, _),) = calls(hub, tmp_path, "refused(data.head)")
    assert (kind, message) == ("Unreachable", "the Hub cannot be reached (ConnectError)")


def test_no_token_is_ever_shown_or_kept(hub: Hub, tmp_path: Path) -> None:
    token = hub.token("bob")
    hub.put(NAME, {"x": b"1"}, private=True)
    said = calls(hub, tmp_path, "refused(data.head); refused(lambda: data.commit([], 'x', 'm'))")
    assert token not in json.dumps(said)
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(token.encode() in path.read_bytes() for path in kept)


def test_a_full_disk_is_not_taken_for_the_hub(either: Hub, tmp_path: Path) -> None:
    head = either.put(NAME, {"x": b"1"})
    (tmp_path / "big.lance").write_bytes(bytes(range(256)) * 4000)
    add = f"data.commit([hub.Add('big.lance', Path('big.lance'))], '{head}', 'm')"
    code = f"""
    import resource
    commit = {add}
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try: data.download(commit, ["big.lance"])
    except OSError as error: say(error.strerror)
    """
    assert calls(either, tmp_path, code) == ["File too large"]


def test_a_store_of_large_files_that_fails_can_be_gone_round(tmp_path: Path) -> None:
    with serving(xet=tmp_path / "cas") as found:
        head = found.put(NAME, {"x": b"1"})
        found.fail("GET", "/xet-write-token/", 404, times=20)
        commit = f"data.commit([hub.Add('big.lance', b'0' * 90_000)], '{head}', 'm')"
        ((kind, _, hint),) = calls(found, tmp_path, f"refused(lambda: {commit})")
    assert kind == "Unreachable"
    assert "HF_HUB_DISABLE_XET=1" in hint
