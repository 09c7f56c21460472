"""How well recall finds the evidence of LoCoMo's questions. Prints a table.

    python tests/bench/locomo.py PATH [--keep FOLDER] [--every N] [--quick]

PATH is snap-research/locomo's data/locomo10.json, or the archive or folder of the same data. Every
conversation is indexed as the sessions of one repository; a question is asked of its conversation
alone, verbatim. Needs the extra `offline`.

A turn counts as found where it is the best passage of a result; a session where any result is of
it. `deja-vu` publishes the latter (docs/guide/benchmarks.html there, without a model).
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conversations import CATEGORIES, Asked, Talk, load, session_of, write
from corpora import memory_of
from measures import hit, mean

from funes_git.model import Hit
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.recall.stages import ALL
from funes_git.store.catalog import Catalog

RESULTS = 30
PUBLISHED = (69.8, 85.7)  # deja-vu, sessions
COLUMNS = ("turn@1", "turn@5", "sess@1", "sess@5")


@dataclass(frozen=True)
class Outcome:
    """Where the evidence stood, by turns and by sessions: 1 where a result is of it."""

    category: int
    turns: list[int]
    sessions: list[int]


def outcome(asked: Asked, hits: Sequence[Hit]) -> Outcome:
    wanted = {session_of(turn) for turn in asked.evidence}
    sessions = dict.fromkeys(hit.session_id for hit in hits)
    return Outcome(
        asked.category,
        [int(hit.turn_uuid in asked.evidence) for hit in hits],
        [int(session in wanted) for session in sessions],
    )


WHOLE = replace(ALL, cut=False)
UNHURRIED = replace(WHOLE, reading=60.0)
SYSTEMS = {
    "recall, words alone": replace(WHOLE, meaning=False),
    "recall, without reading": replace(WHOLE, reading=0.0),
    "… and by turns": replace(WHOLE, reading=0.0, exchanges=False),
    "recall": UNHURRIED,
}


def ask(
    talk: Talk, folder: Path, systems: Iterable[str], every: int
) -> Iterator[tuple[str, Outcome]]:
    """Every `every`-th question of a conversation, of all `systems`; its memory is made in
    `folder`."""
    sessions = folder.with_name(folder.name + "-sessions")
    write(talk, sessions)
    repo = memory_of(sessions, folder)
    with Catalog.open(repo.layout.catalog) as catalog:
        recall = Recall(repo, catalog, Models({}))
        for asked in talk.questions[::every]:
            for name in systems:
                hits = recall.search(asked.question, None, RESULTS, stages=SYSTEMS[name]).hits
                yield name, outcome(asked, hits)


def row(name: str, outcomes: Sequence[Outcome]) -> None:
    measures: list[Callable[[Outcome], float]] = [
        lambda each: hit(each.turns, 1),
        lambda each: hit(each.turns, 5),
        lambda each: hit(each.sessions, 1),
        lambda each: hit(each.sessions, 5),
    ]
    shown = (f"{100 * mean([measure(each) for each in outcomes]):8.1f}" for measure in measures)
    print(f"{name:24} {len(outcomes):5} " + " ".join(shown))


def report(done: dict[str, list[Outcome]]) -> None:
    print(f"{'':24} {'n':>5} " + " ".join(f"{name:>8}" for name in COLUMNS))
    for name, outcomes in done.items():
        row(name, outcomes)
    at_one, at_five = PUBLISHED
    print(f"{'deja-vu, as published':48} {at_one:8.1f} {at_five:8.1f}")
    for name, outcomes in done.items():
        print(f"\n{name}")
        by_category: defaultdict[int, list[Outcome]] = defaultdict(list)
        for each in outcomes:
            by_category[each.category].append(each)
        for category, some in sorted(by_category.items()):
            row("  " + CATEGORIES.get(category, str(category)), some)


def main() -> None:
    asked = argparse.ArgumentParser(
        description="How well recall finds the evidence of LoCoMo's questions. Prints a table."
    )
    asked.add_argument("path", type=Path)
    asked.add_argument("--keep", type=Path, metavar="FOLDER")
    asked.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th question")
    asked.add_argument("--quick", action="store_true", help="without the close reading")
    options = asked.parse_args()
    systems = [name for name in SYSTEMS if not options.quick or SYSTEMS[name] is not UNHURRIED]
    done: defaultdict[str, list[Outcome]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="funes-bench-") as temporary:
        for talk in load(options.path):
            folder = (options.keep or Path(temporary)).absolute() / talk.name
            for name, found in ask(talk, folder, systems, options.every):
                done[name].append(found)
            print(f"{talk.name}: {len(talk.questions[:: options.every])} questions", flush=True)
    report(done)


if __name__ == "__main__":
    main()
