"""How true links are, and what linking costs.

    python tests/bench/linking.py REPO [REPO …]      repositories with a memory (git funes init)
    python tests/bench/linking.py --generate COMMITS SESSIONS

Truth is the most certain there is: commits whose id the agent's own `git commit` printed, of
sessions that are indexed. Links by content alone are judged: a commit's lines should go to a
session of the family (with sub-agents) that printed its id.

- precision: of the lines that content links give to any session in those commits, the printer's.
- recall: of the lines that those commits added and that an edit of the printer, made before the
  commit in a file of that name, has word for word (white space aside, lines that say something),
  those given to the printer; and the share of those commits that have a content link to it.
- apart: commits of which a tenth or more of such lines are in edits of other sessions alone: the
  printer committed what they had left.
- negative control: commits by bots, and commits from before the first session; then each
  repository's history linked with the sessions of the next one instead of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from corpus import STEP, generate

from funes_git.git import Repo
from funes_git.git.diffs import changes
from funes_git.ingest import index
from funes_git.link.coverage import SKEW
from funes_git.link.difflines import added_lines
from funes_git.link.engine import catch_up
from funes_git.link.proofs import Witnesses
from funes_git.link.reasons import BOT
from funes_git.model import Link
from funes_git.store.catalog import Catalog
from funes_git.store.stores import Stores


@dataclass
class Figures:
    """Counts over the printed commits of one or more repositories."""

    commits: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    possible: int = 0
    apart: list[str] = field(default_factory=list)
    bots: int = 0
    early: int = 0
    false: int = 0

    def add(self, other: Figures) -> None:
        for name in ("commits", "found", "right", "wrong", "possible", "bots", "early", "false"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.apart += other.apart

    def __str__(self) -> str:
        named = self.right + self.wrong
        return (
            f"printed commits {self.commits}, with a content link to the printer {self.found}"
            f" ({_share(self.found, self.commits)}); lines given {named}, precision"
            f" {_share(self.right, named)}, recall {_share(self.right, self.possible)} of"
            f" {self.possible}; apart {len(self.apart)}; negative control: {self.bots} commits by"
            f" bots and {self.early} from before the sessions have {self.false} content links"
        )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.4f}" if whole else "-"


class Judge:
    """One repository with its memory."""

    def __init__(self, path: Path) -> None:
        self.repo = Repo.discover(path)
        self.catalog = Catalog.open(self.repo.layout.catalog)
        self.witnesses = Witnesses(self.catalog)
        self.families = self.catalog.families()
        self.written: dict[str, dict[int, list[tuple[float, str]]]] = {}
        """File name → line, without white space → (time, family) of the edits that wrote it."""

    def family(self, session_id: str) -> str:
        seen = {session_id}
        while (parent := self.families.get(session_id)) and parent not in seen:
            seen.add(parent)
            session_id = parent
        return session_id

    def figures(self) -> Figures:
        """Everything that is asked of this repository."""
        found = Figures()
        shas = self.repo.rev_list("--all")
        links = self.catalog.links_of(shas)
        first = min((s[2] for s in self.catalog.session_spans() if s[2]), default=0.0)
        printers = {
            sha: {self.family(session) for session, _ in self.witnesses.printers(sha)}
            for sha in shas
        }
        for commit in changes(self.repo, shas):
            info = commit.info
            given = self._given(links.get(info.sha, ()))
            bot = bool(BOT.search(info.author) or BOT.search(info.email))
            early = info.commit_time < first - SKEW
            found.bots += bot
            found.early += early and not bot
            found.false += (bot or early) and given.total() > 0
            if printers[info.sha]:
                lines = [
                    (change.path, line.loose)
                    for change in commit.files
                    for line in added_lines(change, Counter())
                    if line.weight > 0
                ]
                self._judge(found, info.sha, info.commit_time, lines, printers[info.sha], given)
        return found

    def _judge(
        self,
        found: Figures,
        sha: str,
        time: float,
        lines: Iterable[tuple[str, int]],
        printers: set[str],
        given: Counter[str],
    ) -> None:
        own = other = 0
        for path, loose in lines:
            writers = {
                family for ts, family in self._writers(path).get(loose, ()) if ts <= time + SKEW
            }
            own += bool(writers & printers)
            other += bool(writers) and not writers & printers
        if other * 10 > own + other:
            found.apart.append(f"{sha[:9]} ({other} lines of other sessions, {own} of its own)")
            return
        right = sum(n for family, n in given.items() if family in printers)
        found.commits += 1
        found.found += right > 0
        found.right += right
        found.wrong += given.total() - right
        found.possible += max(own, right)

    def _writers(self, path: str) -> dict[int, list[tuple[float, str]]]:
        name = path.rpartition("/")[2]
        if name not in self.written:
            by_line: dict[int, list[tuple[float, str]]] = defaultdict(list)
            for edit in self.catalog.edits_named([name]):
                for key in edit.added:
                    by_line[key.loose].append((edit.ts or 0.0, self.family(edit.session_id)))
            self.written[name] = by_line
        return self.written[name]

    def _given(self, links: Iterable[Link]) -> Counter[str]:
        """Family → the lines that content links give it."""
        given: Counter[str] = Counter()
        for link in links:
            if link.relation == "wrote" and link.content != "none":
                given[self.family(link.session_id)] += sum(b - a + 1 for a, b in link.lines)
        return given


def exchanged(history: Path, sessions: Path) -> tuple[int, int]:
    """The history of one repository linked with the sessions of another: commits, and those with
    a content link."""
    with Catalog.open(Repo.discover(sessions).layout.catalog) as catalog:
        files = [state.source.path for state in catalog.states() if state.source.path.exists()]
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", "--mirror", history, clone], check=True)
        repo = Repo.discover(clone)
        with Stores.open(repo.layout, write=True) as stores:
            index(repo, stores, paths=sorted(set(files)), adopt=True)
            catch_up(repo, stores.writer)
            shas = repo.rev_list("--all")
            links = stores.catalog.links_of(shas)
    return len(shas), sum(any(k.content != "none" for k in each) for each in links.values())


def judge(paths: list[Path]) -> None:
    """Print the figures of each repository, and of all."""
    total = Figures()
    for path in paths:
        found = Judge(path).figures()
        print(f"{path.parent.name or path.name}: {found}", flush=True)
        for commit in found.apart:
            print(f"  apart: {commit}")
        total.add(found)
    print(f"all: {total}")
    commits = linked = 0
    for path, other in zip(paths, paths[1:] + paths[:1], strict=True):
        if path != other:
            asked, found_links = exchanged(path, other)
            names = f"{path.parent.name} with the sessions of {other.parent.name}"
            print(f"{names}: {found_links} of {asked}", flush=True)
            commits, linked = commits + asked, linked + found_links
    print(f"exchanged: {linked} of {commits} commits have a content link")


def timed(command: list[str], cwd: Path) -> tuple[float, int]:
    """Seconds that a command takes, and the most memory (MiB) that it or a child of it held."""
    code = (
        "import resource,subprocess,sys;r=subprocess.run(sys.argv[1:],capture_output=True);"
        "sys.stderr.buffer.write(r.stderr) if r.returncode else None;"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(r.returncode)"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *command], cwd=cwd, check=True, capture_output=True
    )
    return time.perf_counter() - started, int(done.stdout) // 1024


def scale(commits: int, sessions: int, folder: Path) -> None:
    """Print what linking and asking cost in a generated repository; a fifth of the commits are of
    what sessions wrote."""
    corpus = generate(folder, commits=commits, sessions=sessions, share=0.2)
    os.environ.update(HOME=str(corpus.home), XDG_CACHE_HOME=str(folder / "cache"))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed is compiled
    funes = [sys.executable, "-m", "funes_git"]
    seconds, most = timed([*funes, "index", "--no-embed"], corpus.repo)
    print(
        f"index {sessions} sessions, and link {commits} commits: {seconds:.1f} s, {most} MiB",
        flush=True,
    )
    seconds, most = timed([*funes, "link", "--all"], corpus.repo)
    print(f"link --all: {seconds:.1f} s, {most} MiB", flush=True)
    path = max(corpus.files, key=lambda name: len(corpus.files[name]))
    new = []
    for n in range(3):
        with (corpus.repo / path).open("a") as out:
            out.write(f"one_more_line_by_hand = {n}\n")
        stamp = f"{int(time.time()) + n * STEP} +0000"
        env = {**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        for who in ("AUTHOR", "COMMITTER"):
            env |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@example.org"}
        subprocess.run(["git", "commit", "-qam", "more"], cwd=corpus.repo, env=env, check=True)
        new.append(in_process(corpus.repo))
    told = ", ".join(f"{seconds:.2f} s and {started} git processes" for seconds, started in new)
    print(f"a new commit linked: {told}")
    over = []
    for n in range(10):
        line = 1 + n * len(corpus.files[path]) // 10
        blame, _ = timed(["git", "blame", f"-L{line},{line}", path], corpus.repo)
        why, _ = timed([*funes, "why", f"{path}:{line}"], corpus.repo)
        over.append((why - blame) * 1000)
    print(f"why FILE:LINE over git blame -L: {statistics.median(over):.0f} ms (median of 10)")


def in_process(path: Path) -> tuple[float, int]:
    """Seconds that linking what is new takes once everything is imported, and git processes."""
    code = (
        "import sys,time;from pathlib import Path;from funes_git.git import Repo,process;"
        "from funes_git.link.engine import catch_up;from funes_git.store.stores import Stores\n"
        "repo=Repo.discover(Path.cwd())\n"
        "with Stores.open(repo.layout,write=True) as s:\n"
        " a=process.started;t=time.perf_counter();n=catch_up(repo,s.writer).commits\n"
        " assert n==1,n\n"
        " print(time.perf_counter()-t,process.started-a)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=path, check=True, capture_output=True, text=True
    )
    seconds, started = done.stdout.split()
    return float(seconds), int(started)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("repo", nargs="*", type=Path)
    parser.add_argument("--generate", nargs=2, type=int, metavar=("COMMITS", "SESSIONS"))
    asked = parser.parse_args()
    if asked.generate:
        with tempfile.TemporaryDirectory() as folder:
            scale(*asked.generate, Path(folder))
    else:
        judge(asked.repo)


if __name__ == "__main__":
    main()
