"""What `git funes mcp` costs its clients. Prints one line a figure.

    PYTHONPATH=tests python tests/bench/agents.py [--chunks 100000] [--clients 16] [--asking 4]

Memory is the sum of PSS (Linux): what several processes share counts once. Processor time is given
beside the clock's, which other programs on the machine stretch. Tokens are those of
`render/budget.py`, over the commits and lines of the demo's repository.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mcp_client import McpServer
from recall_latency import QUESTIONS, ROOT, fill, say

from funes_git.demo import story
from funes_git.demo.stage import Stage
from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.render import budget
from funes_git.store.catalog import Catalog

TICKS = os.sysconf("SC_CLK_TCK")


def pss(servers: Sequence[McpServer]) -> float:
    """MB that the servers take together."""
    total = 0
    for server in servers:
        rollup = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
        total += next(int(row.split()[1]) for row in rollup.splitlines() if row.startswith("Pss:"))
    return total / 1024


def processor(server: McpServer) -> float:
    """Seconds of processor time that a server has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def started(repo: Path, clients: int) -> list[McpServer]:
    """Servers, one after the other, each with its handshake."""
    servers, waits = [], []
    for _ in range(clients):
        before = time.perf_counter()
        servers.append(McpServer(repo))
        servers[-1].initialize()
        waits.append(time.perf_counter() - before)
    say("start to initialize answered, median", statistics.median(waits) * 1000, "ms")
    say("start to initialize answered, longest", max(waits) * 1000, "ms")
    say("start to initialize, processor time", processor(servers[-1]) * 1000, "ms")
    return servers


def warm(server: McpServer, repo: Repo) -> None:
    """`recall` through MCP beside the same engine in this process."""
    with Catalog.open(repo.layout.catalog) as catalog:
        engine = Recall(repo, catalog, Models(repo.settings))
        engine.search(QUESTIONS[0], k=5)
        through, inside = [], []
        for question in QUESTIONS * 3:
            before = time.perf_counter()
            server.call("recall", query=question)
            between = time.perf_counter()
            engine.search(question, k=5)
            through.append(between - before)
            inside.append(time.perf_counter() - between)
        engine.close()
    say("recall through MCP, warm, p50", statistics.median(through) * 1000, "ms")
    say("recall in process, warm, p50", statistics.median(inside) * 1000, "ms")


def many(folder: Path, chunks: int, clients: int, asking: int) -> None:
    """Many clients on one large memory."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    repo = Repo.discover(folder)
    fill(repo, ROOT, chunks)
    servers = started(folder, clients)
    say(f"{clients} at rest, together", pss(servers), "MB")
    say("one at rest", pss(servers[:1]), "MB")
    with ThreadPoolExecutor(asking) as threads:
        for question in QUESTIONS[:3]:
            ask = [threads.submit(s.call, "recall", query=question) for s in servers[:asking]]
            for reply in ask:
                reply.result()
        say(f"{clients} of which {asking} recall, together", pss(servers), "MB")
    warm(servers[0], repo)
    for server in servers:
        server.close()


def replies(folder: Path) -> None:
    """How long the replies are, over the demo's repository."""
    stage = Stage(folder)
    stage.build()
    story.tell(stage)
    stage.shell("git funes init --no-embed")
    env = {"HOME": str(stage.home), "GIT_CONFIG_GLOBAL": str(stage.home / "gitconfig")}
    with McpServer(stage.repo, **env) as server:
        server.initialize()
        commits = stage.shell("git log --format=%h").split()
        files = stage.shell("git ls-files src tests").split()
        lines = [
            f"{file}:{number}"
            for file in files
            for number in range(1, len((stage.repo / file).read_text().splitlines()) + 1, 5)
        ]
        subjects = stage.shell("git log --format=%s").strip().splitlines()
        asked = {
            "recall": [server.call("recall", query=subject) for subject in subjects],
            "why LINE": [server.call("why", target=line) for line in lines],
            "why FILE": [server.call("why", target=file) for file in files],
            "why COMMIT": [server.call("why", target=commit) for commit in commits],
            "log": [server.call("log")],
        }
    for name, said in asked.items():
        sizes = [budget.tokens(reply) for reply in said]
        say(f"{name}: median of {len(sizes)} replies", statistics.median(sizes), "tokens")
        say(f"{name}: longest", max(sizes), "tokens")


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=100_000)
    asked.add_argument("--clients", type=int, default=16)
    asked.add_argument("--asking", type=int, default=4)
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        replies(Path(name) / "demo")
        many(Path(name) / "many", options.chunks, options.clients, options.asking)


if __name__ == "__main__":
    sys.exit(main())
