"""The word index: what is found by which words, within which scope, and what survives a crash."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from funes_git.errors import FunesError, MemoryBusy
from funes_git.store import text as text_module
from funes_git.store.files import read_json, write_json
from funes_git.store.level import Leveller, level_text
from funes_git.store.records import ChunkRow
from funes_git.store.scope import Scope, chunk_key, turn_key
from funes_git.store.text import TextIndex, TextWriter
from funes_git.store.words import identifiers, proper_names, split


def row(n: int, text: str = "", **more: object) -> ChunkRow:
    values: dict[str, object] = {
        "rowid": n,
        "id": hashlib.sha1(str(n).encode()).hexdigest()[:16],
        "session_id": "s1",
        "turn_uuid": f"t{n}",
        "seq": n,
        "ts": 1000.0 + n,
        "role": "assistant",
        "harness": "claude_code",
        "branch": "main",
        "exchange": "t0",
        "thread": None,
        "block_idx": 0,
        "split_idx": 0,
        "block_type": "text",
        "tool": None,
        "prose": True,
        "files": (),
        "text": text,
        "gone": False,
        **more,
    }
    return ChunkRow(**values)  # type: ignore[arg-type]


class Log:
    """A chunk log as the catalog gives it."""

    def __init__(self, rows: list[ChunkRow], identity: str = "a") -> None:
        self.rows = rows
        self.identity = identity

    def setting(self, name: str) -> str | None:
        return self.identity if name == "identity" else None

    def newest_chunk(self) -> int:
        return self.rows[-1].rowid if self.rows else 0

    def chunk_rows(self, after_rowid: int, limit: int) -> list[ChunkRow]:
        return [r for r in self.rows if r.rowid > after_rowid][:limit]


def built(folder: Path, *rows: ChunkRow) -> TextIndex:
    level_text(Log(list(rows)), folder)
    index = TextIndex.open(folder)
    assert index is not None
    return index


def found(index: TextIndex, question: str, scope: Scope | None = None) -> list[str]:
    return [chunk for chunk, _ in index.search(question, scope or Scope(), 10)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("user name", "def getUserName(self)"),
        ("getUserName", "we call getUserName here"),
        ("http server", "class HTTPServer:"),
        ("retrying", "it retries twice"),
        ("resume", "the résumé is attached"),
        ("cache.py", "edited src/store/cache.py:12"),
        ("src/store/cache.py", "edited src/store/cache.py:12 just now"),
        ("ECONNREFUSED", "Error: connect ECONNREFUSED 127.0.0.1:5432"),
        ("9f3c2ab", "commit 9f3c2ab broke it"),
        ("größe", "die Größe der Datei"),
        ("設定", "設定 を変更"),
        ("max_retries", "set max_retries=3"),
        ("retries", "set max_retries=3"),
    ],
)
def test_words_are_found_as_code_and_people_write_them(
    tmp_path: Path, question: str, text: str
) -> None:
    index = built(tmp_path, row(1, text), row(2, "nothing of the kind"))
    assert found(index, question) == [row(1).id]


def test_a_line_break_in_a_tool_call_does_not_glue_words(tmp_path: Path) -> None:
    call = '{"content":"first\\nimport tomllib\\tend \\u00e9lan"}'
    index = built(tmp_path, row(1, call, block_type="tool_use"))
    assert found(index, "import") == found(index, "tomllib") == found(index, "end") == [row(1).id]


def test_a_whole_identifier_outranks_its_parts(tmp_path: Path) -> None:
    parts = row(1, "the name of the user, and get it: user name, user name")
    index = built(tmp_path, parts, row(2, "getUserName() is slow"))
    assert found(index, "getUserName") == [row(2).id, row(1).id]


@pytest.mark.parametrize(
    "question",
    ["", "   ", '"', '"unbalanced', "((", "a:b AND OR NOT (", "*", "~^[]{}", "\x00", "\ud800", "-",
     "x" * 10_000, "word " * 2_000, "field:[1 TO 2]"],
)  # fmt: skip
def test_no_question_makes_it_raise(tmp_path: Path, question: str) -> None:
    found(built(tmp_path, row(1, "a b c word")), question)


def test_stop_words_count_only_where_there_is_nothing_else(tmp_path: Path) -> None:
    index = built(tmp_path, row(1, "what did you do"), row(2, "the cache"))
    assert found(index, "what did you do") == [row(1).id]
    assert found(index, "what did the cache do") == [row(2).id]


def test_a_pasted_log_is_searched_by_its_rare_words(tmp_path: Path) -> None:
    common = [row(n, " ".join(f"common{i}" for i in range(100))) for n in range(1, 5)]
    index = built(tmp_path, *common, row(9, "zyzzyva"))
    pasted = " ".join(f"common{i}" for i in range(100)) + " zyzzyva"
    assert row(9).id in found(index, pasted)


def test_every_filter_narrows(tmp_path: Path) -> None:
    other = row(
        2,
        "cache",
        session_id="s2",
        role="user",
        harness="codex",
        branch="dev",
        block_type="thinking",
        files=("src/a.py", "docs/b.md"),
        exchange="t9",
    )
    index = built(tmp_path, row(1, "cache"), other)
    for field, value in [
        ("session", "s2"),
        ("role", "user"),
        ("harness", "codex"),
        ("branch", "dev"),
        ("kind", "thinking"),
        ("files", "docs/b.md"),
        ("turn", turn_key("s2", "t2")),
        ("exchange", turn_key("s2", "t9")),
    ]:
        scope = Scope().narrowed((field, [value]))
        assert found(index, "cache", scope) == [other.id], field
        assert index.ids(scope) == [chunk_key(other.id)], field


def test_a_group_is_any_of_its_fields_and_groups_are_all(tmp_path: Path) -> None:
    rows = [
        row(1, "x", branch="a"),
        row(2, "x", files=("f",)),
        row(3, "x", files=("f",), role="user"),
    ]
    index = built(tmp_path, *rows)
    either = Scope().narrowed(("branch", ["a"]), ("files", ["f"]))
    assert set(found(index, "x", either)) == {r.id for r in rows}
    assert found(index, "x", either.narrowed(("role", ["user"]))) == [row(3).id]
    assert found(index, "x", Scope().narrowed(("files", []), ("turn", []))) == []


def test_times_are_inclusive_and_undated_chunks_are_outside(tmp_path: Path) -> None:
    index = built(tmp_path, row(1, "x"), row(2, "x"), row(3, "x"), row(4, "x", ts=None))
    assert set(found(index, "x", Scope(since=1002))) == {row(2).id, row(3).id}
    assert set(found(index, "x", Scope(until=1002))) == {row(1).id, row(2).id}
    assert found(index, "x", Scope(since=1002, until=1002)) == [row(2).id]
    assert len(found(index, "x")) == 4


def test_filters_leave_the_order_alone(tmp_path: Path) -> None:
    index = built(
        tmp_path, row(1, "cache"), row(2, "cache cache eviction"), row(3, "a cache of no use")
    )
    narrowed = Scope().narrowed(("branch", ["main"]))
    assert index.search("cache eviction", narrowed, 9) == index.search("cache eviction", Scope(), 9)


def test_exchanges_of_turns_and_values_of_fields(tmp_path: Path) -> None:
    rows = [
        row(1, "x", files=("a",)),
        row(2, "x", exchange="t2", files=("b",)),
        row(3, "x", exchange=None, thread="sub"),
    ]
    index = built(tmp_path, *rows)
    keys = [turn_key("s1", "t2"), turn_key("s1", "t3")]
    assert set(index.exchanges(keys)) == {turn_key("s1", "t2"), turn_key("s1", "sub")}
    assert index.values("files") == ["a", "b"]


def test_a_chunk_stored_again_replaces_itself_and_a_gone_one_goes(tmp_path: Path) -> None:
    log = Log([row(1, "first words"), row(2, "to be taken back")])
    assert level_text(log, tmp_path) == 2
    changed = row(3, "second words", id=row(1).id)
    log.rows = [changed, row(4, "", id=row(2).id, gone=True)]
    assert level_text(log, tmp_path) == 2
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == 1
    assert found(index, "first back") == []
    assert found(index, "second") == [row(1).id]


def test_what_is_level_is_left_alone(tmp_path: Path) -> None:
    log = Log([row(1, "x")])
    level_text(log, tmp_path)
    before = sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*"))
    assert level_text(log, tmp_path) == 0
    assert sorted((p, p.stat().st_mtime_ns) for p in tmp_path.rglob("*")) == before


def test_rows_indexed_but_not_recorded_are_not_doubled(tmp_path: Path) -> None:
    log = Log([row(1, "once"), row(2, "twice")])
    level_text(log, tmp_path)
    state = read_json(tmp_path / "state.json")
    write_json(tmp_path / "state.json", {**state, "upto": 0})  # the crash was between the two
    level_text(log, tmp_path)
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == 2
    assert read_json(tmp_path / "state.json")["upto"] == 2


@pytest.mark.parametrize("damage", ["format", "identity", "meta", "segment", "state"])
def test_it_rebuilds_itself(tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log([row(1, "cache")])
    level_text(log, tmp_path)
    match damage:
        case "format":
            monkeypatch.setattr(text_module, "FORMAT", 99)
            assert TextIndex.open(tmp_path) is None
        case "identity":
            log = Log([row(1, "stash", id=row(7).id)], identity="b")
        case "meta":
            (tmp_path / "index" / "meta.json").write_text("{")
            assert TextIndex.open(tmp_path) is None
        case "segment":
            for path in (tmp_path / "index").glob("*.term"):
                path.unlink()
            assert TextIndex.open(tmp_path) is None
        case "state":
            (tmp_path / "state.json").write_text("")
    assert level_text(log, tmp_path) == 1
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == 1
    assert found(index, "stash" if damage == "identity" else "cache") == [log.rows[0].id]


def test_nothing_there_is_nothing_to_read(tmp_path: Path) -> None:
    assert TextIndex.open(tmp_path / "none") is None


def test_an_index_that_may_not_be_written_is_read() -> None:
    code = """
import os, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from funes_git.store.scope import Scope
from funes_git.store.text import TextIndex
import datetime, shutil, tantivy, tempfile  # nobody may not read root's Python
os.getuid() or os.setuid(65534)
index = TextIndex.open(Path(sys.argv[1]))
print(index.documents, len(index.search("cache", Scope(), 5)), os.environ["TMPDIR"])
"""
    with TemporaryDirectory() as name:  # not tmp_path: others may not enter that
        folder, scratch = Path(name) / "text", Path(name) / "scratch"
        scratch.mkdir()
        scratch.chmod(0o777)
        built(folder, row(1, "a cache"), row(2, "another cache"))
        for each in (folder, *folder.rglob("*")):
            each.chmod(0o555 if each.is_dir() else 0o444)
        Path(name).chmod(0o755)
        command = [sys.executable, "-c", code, str(folder)]
        env = {**os.environ, "TMPDIR": str(scratch)}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        left = list(scratch.iterdir())
        (folder / "index").chmod(0o755)
        folder.chmod(0o755)
    assert done.stdout == f"2 2 {scratch}\n", done.stderr
    assert left == []


def test_a_second_writer_is_told_so(tmp_path: Path) -> None:
    with TextWriter.open(tmp_path), pytest.raises(MemoryBusy):
        TextWriter.open(tmp_path)


def test_a_writer_that_fails_drops_what_was_not_committed(tmp_path: Path) -> None:
    def fail() -> None:
        with TextWriter.open(tmp_path) as writer:
            writer.add([row(1, "lost")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with TextWriter.open(tmp_path) as writer:
        writer.add([row(2, "kept")])
        writer.commit(2)
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == 1


def test_a_killed_writer_leaves_the_last_commit_and_no_lock(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from test_text import row
        from funes_git.store.text import TextWriter
        writer = TextWriter.open(Path(sys.argv[1]))
        writer.add([row(1, "kept")])
        writer.commit(1)
        writer.add([row(n, "lost") for n in range(2, 500)])
        print("ready", flush=True)
        sys.stdin.read()
    """)
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), *sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == 1
    assert level_text(Log([row(1, "kept"), row(2, "next")]), tmp_path) == 2  # of another identity
    again = TextIndex.open(tmp_path)
    assert again is not None
    assert again.documents == 2


@pytest.mark.parametrize("step", ["before it commits", "after it committed"])
def test_new_rows_of_a_killed_writer_are_neither_lost_nor_doubled(
    tmp_path: Path, step: str
) -> None:
    log = Log([row(n, "word", new=True) for n in range(1, 4)])
    level_text(Log(log.rows[:1]), tmp_path)
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from test_text import Log, row
        from funes_git.store import text
        from funes_git.store.level import level_text

        def killed(path, value):
            if value["upto"] == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            write(path, value)
            if sys.argv[2] == "before it commits":
                os.kill(os.getpid(), signal.SIGKILL)

        write, text.write_json = text.write_json, killed
        level_text(Log([row(n, "word", new=True) for n in range(1, 4)]), Path(sys.argv[1]))
    """)
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    killed = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), step], env={**os.environ, "PYTHONPATH": paths}
    )
    assert killed.returncode == -signal.SIGKILL
    index = TextIndex.open(tmp_path)
    assert index is not None
    assert index.documents == (3 if step == "after it committed" else 1)
    assert read_json(tmp_path / "state.json")["upto"] == 1
    assert level_text(log, tmp_path) == 2
    again = TextIndex.open(tmp_path)
    assert again is not None
    assert sorted(found(again, "word")) == sorted(r.id for r in log.rows)
    assert again.documents == 3


def test_identifiers_of_a_question() -> None:
    text = "why does src/foo/Bar.py:12 call getUserID2 in v1.2.3? Foo FOO foo see a-b and x"
    assert identifiers(text) == [
        "src/foo/bar.py:12",
        "src/foo/bar.py",
        "bar.py",
        "getuserid2",
        "v1.2.3",
        "a-b",
    ]


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ("getUserID2", "get User ID 2"),
        ("HTTPServer", "HTTP Server"),
        ("größeNeu", "größe Neu"),
        ("plain", "plain"),
        ("sha256sum", "sha 256 sum"),
    ],
)
def test_runs_are_split_where_words_meet(run: str, parts: str) -> None:
    assert split(run) == parts


class FullDisk:
    """What tantivy's writer does where nothing can be written."""

    def __init__(self, writer: object) -> None:
        self._writer = writer

    def __getattr__(self, name: str) -> object:
        return getattr(self._writer, name)

    def commit(self) -> None:
        raise ValueError("An IO error occurred: 'No space left on device (os error 28)'")

    def rollback(self) -> None:
        raise ValueError("An IO error occurred: 'No space left on device (os error 28)'")


def test_a_full_disk_is_told_and_leaves_nothing_behind(tmp_path: Path) -> None:
    log = Log([row(1, "cache")])
    leveller = Leveller(tmp_path)
    leveller.follow(log)
    assert leveller._writer is not None
    leveller._writer._writer = FullDisk(leveller._writer._writer)
    with pytest.raises(FunesError, match=r"cannot write the word index.*No space left"):
        leveller.commit()
    leveller.drop()
    del leveller
    assert level_text(log, tmp_path) == 1


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Why did we move from Redis to RabbitMQ?", ["redis", "rabbitmq"]),
        ("Stripe asked. Retries fail: Why? See IPv6 and S3", ["ipv6", "s3"]),
        ("cannot import soft_unicode", ["soft_unicode"]),
        ("SQLite in WAL mode; I asked in 2024 how", ["sqlite", "wal"]),
        ("How the Cache Is Bound In Our Parser", []),  # a title
        ("why is the cache bound", []),
        ("what of Kafka, and then of kafka", ["kafka"]),
        ("", []),
    ],
)
def test_the_names_in_a_question(question: str, names: list[str]) -> None:
    assert proper_names(question) == names
