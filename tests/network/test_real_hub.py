"""The Hugging Face Hub itself: run with `pytest -m network` and a token that may write, in
`FUNES_TEST_HF_TOKEN`. Makes one private dataset and deletes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest
from cli.running import environment

TOKEN = os.environ.get("FUNES_TEST_HF_TOKEN", "")
pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not TOKEN, reason="needs FUNES_TEST_HF_TOKEN"),
]
CALLS = """
import json, sys
from pathlib import Path
from huggingface_hub import whoami
from funes_git.remotes import hub
from funes_git.remotes.huberrors import Conflict, NotOnHub
def say(value): print(json.dumps(value))
data = hub.Dataset(f"{whoami()['name']}/funes-git-test-NAME")
say(data.create(private=True))
try:
    say([data.create(private=True), data.is_private()])
    first = data.head()
    Path("big.lance").write_bytes(bytes(range(256)) * 50_000)
    adds = [hub.Add("a/small.txt", b"hello"), hub.Add("a/big.lance", Path("big.lance"))]
    second = data.commit(adds, first, "two files")
    say(data.commit([hub.Add("a/small.txt", b"hello")], second, "the same") == second)
    try: data.commit([hub.Add("x", b"1")], first, "late")
    except Conflict: say("conflict")
    data.tag("v1/rc", second)
    third = data.commit([hub.Delete("a/small.txt")], second, "one less")
    say([data.head() == third, data.head("v1/rc") == second])
    folder = data.download(second, ["a/big.lance"])
    say((folder / "a/big.lance").read_bytes() == Path("big.lance").read_bytes())
    try: data.head("none")
    except NotOnHub as error: say(error.message.endswith("has no revision none"))
    data.untag("v1/rc"); say(data.tags())
    say(len(data.files(data.squash("one"))) >= 1)
finally:
    data.delete()
say(data.exists())
"""


@pytest.mark.parametrize("xet", [True, False])
def test_what_the_local_hub_is_trusted_to_do(tmp_path: Path, xet: bool) -> None:
    env = environment(HF_TOKEN=TOKEN, HF_HUB_OFFLINE="0", HF_HOME=str(tmp_path / "hf"))
    if not xet:
        env["HF_HUB_DISABLE_XET"] = "1"
    script = textwrap.dedent(CALLS).replace("NAME", uuid.uuid4().hex[:8])
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        *(True, [False, True], True, "conflict", [True, True], True, True, {}, True, False),
    ]
