"""What `git funes mcp` and hints cost agents. Prints one line a figure.

    PYTHONPATH=tests python tests/bench/agents.py [--chunks 100000] [--clients 16] [--asking 4]
                                                  [--repo REPO --sessions FOLDER] [--sdk]

Memory is the sum of PSS (Linux): what several processes share counts once. Processor time is given
beside the clock's, which other programs on the machine stretch. With --sdk the same tools stand
behind the official SDK's server: what ours would take with it.
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
from replies import hints, of_demo, of_repository, replies

from funes_git.git import Repo
from funes_git.models import Models
from funes_git.recall import Recall
from funes_git.store.catalog import Catalog

SDK = ROOT / "tests/mcp_reference.py"
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


def started(repo: Path, command: Sequence[str], clients: int) -> list[McpServer]:
    """Servers, one after the other, each with its handshake."""
    servers, waits, used = [], [], []
    for _ in range(clients):
        before = time.perf_counter()
        servers.append(McpServer(repo, *command))
        servers[-1].initialize()
        waits.append(time.perf_counter() - before)
        used.append(processor(servers[-1]))
    say("start to initialize answered, median", statistics.median(waits) * 1000, "ms")
    say("start to initialize answered, longest", max(waits) * 1000, "ms")
    say("start to initialize, processor time, median", statistics.median(used) * 1000, "ms")
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


def many(folder: Path, command: Sequence[str], chunks: int, clients: int, asking: int) -> None:
    """Many clients on one large memory."""
    subprocess.run(["git", "init", "-q", folder], check=True)
    repo = Repo.discover(folder)
    fill(repo, ROOT, chunks)
    servers = started(folder, command, clients)
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


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=100_000)
    asked.add_argument("--clients", type=int, default=16)
    asked.add_argument("--asking", type=int, default=4)
    asked.add_argument("--sdk", action="store_true", help="the tools behind the official SDK")
    asked.add_argument("--repo", type=Path, help="a real repository, for the replies")
    asked.add_argument("--sessions", type=Path, help="the folder of its sessions")
    options = asked.parse_args()
    server = [sys.executable, str(SDK), "--answer"] if options.sdk else []
    with tempfile.TemporaryDirectory() as name:
        if not options.sdk:
            measured = {"demo": of_demo(Path(name) / "demo")}
            if options.repo:
                copy = Path(name) / "copy"
                measured["repository"] = of_repository(options.repo, options.sessions, copy)
            for what, place in measured.items():
                replies(place, what)
                hints(place, what)
        many(Path(name) / "many", server, options.chunks, options.clients, options.asking)


if __name__ == "__main__":
    main()
