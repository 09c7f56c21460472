"""What publishing costs, and how well the scanners before it find secrets.

    python tests/bench/sharing.py publish [CHUNKS]
    python tests/bench/sharing.py secrets [FOLDER…]

`publish` builds a repository with sessions of about CHUNKS chunks (20,000), publishes it to a Hub
of its own on this machine, and again. `secrets` counts, over three seeds, the fake secrets of each
kind that each scanner finds and that the gate finds in every form, and false alarms per MB over the
sessions below FOLDER (by default the shared traces), of which `--show` prints what each rule took
for a secret; it writes the table into docs/security.md.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS), str(ROOT), str(ROOT / "parsers"), str(TESTS / "bench")]

from agents import ClaudeSession, Clock  # noqa: E402
from child import run  # noqa: E402
from corpus import WORDS  # noqa: E402
from helpers import GitRepo  # noqa: E402
from hub import serving  # noqa: E402
from planted import Maker  # noqa: E402
from secret_forms import FORMS  # noqa: E402

from funes_git import discovery, leaks, redact  # noqa: E402
from funes_git.publish import gate  # noqa: E402
from funes_git.sessionfile import open_session  # noqa: E402
from funes_git_parsers.base import Edit, Turn  # noqa: E402

SEEDS = (11, 12, 13)
TRACES = ROOT.parents[1] / "shared" / "data" / "traces"
PAGE = ROOT / "docs" / "security.md"
START, END = "<!-- made by tests/bench/sharing.py secrets -->", "<!-- end -->"
NAME = "ada/memory"
MOST = 20_000_000
"""Characters of ordinary sessions that are looked through."""


# --- secrets


def recall_table() -> list[str]:
    """Rows of a table: of each kind how many there are, and how many each scanner finds."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for seed in SEEDS:
        planted = Maker(seed).everything()
        texts = [each.text for each in planted]
        first, second = redact.shared().find(texts), leaks.shared().find(texts)
        forms = {(each, name): make(each) for each in planted for name, make in FORMS.items()}
        known = gate.check(forms.values())
        for each in planted:
            in_all = all(forms[each, name] in known for name in FORMS)
            one, two = each.text in first, each.text in second
            for n, hit in enumerate((True, one, two, one or two, in_all)):
                counts[each.kind][n] += hit
    total = [sum(row[n] for row in counts.values()) for n in range(5)]
    head = ["| kind | n | kingfisher, plainly | betterleaks, plainly | either | in every form |"]
    rows = [(kind, counts[kind]) for kind in sorted(counts)] + [("**all**", total)]
    return [*head, "|---|---|---|---|---|---|"] + [
        f"| {kind} | {' | '.join(map(str, row))} |" for kind, row in rows
    ]


def ordinary(folders: list[Path]) -> list[str]:
    """Different texts of real sessions, as they stand in the agents' files."""
    every = discovery.parsers()
    sources = list(discovery.at_paths(folders, every).sources)
    random.Random(1).shuffle(sources)
    found: dict[str, None] = {}
    size = 0
    for source in sources:
        for item in every[source.harness].read(source, None, open_session):
            texts = [block.text for block in item.blocks] if isinstance(item, Turn) else []
            if isinstance(item, Edit):
                texts = [text for text in (item.old, item.new) if text]
            size += sum(len(text) for text in texts if text not in found)
            found.update(dict.fromkeys(texts))
        if size > MOST:
            break
    return list(found)


def false_alarms(folders: list[Path], show: bool) -> list[str]:
    """A line on false alarms per MB: of the first scanner over what is read, of both over what it
    has left."""
    raw = ordinary(folders)
    first = redact.shared().find(raw)
    texts = [first[text].text if text in first else text for text in raw]
    size = sum(map(len, raw)) / 1e6
    alarms = gate.check(texts)
    second = leaks.shared().find(texts)
    if show:
        for rule, n in Counter(rule for rules in alarms.values() for rule in rules).most_common():
            print(f"{n:5} {rule}")
    return [
        "",
        f"Over {size:.1f} million characters of ordinary sessions kingfisher takes"
        f" {len(first) / size:.1f} texts per million for holding a secret, some of them rightly."
        f" Of what it has left betterleaks takes {len(second) / size:.1f} plainly, and both in any"
        f" form {len(alarms) / size:.1f}.",
    ]


def secrets(folders: list[Path], show: bool) -> None:
    """Write the table into the page."""
    lines = recall_table() + false_alarms(folders, show)
    text = "\n".join(lines).rstrip() + "\n"
    page = PAGE.read_text()
    before, _, rest = page.partition(START)
    PAGE.write_text(f"{before}{START}\n{text}{END}{rest.partition(END)[2]}")
    print(text)


# --- publishing


def build(folder: Path, chunks: int) -> GitRepo:
    """A repository with sessions of about so many chunks behind a tag."""
    made = random.Random(1)
    repo = GitRepo(folder / "repo")
    repo.write("README.md", "# bench\n")
    repo.commit("Start", date=1_767_000_000)
    repo.git("tag", "v1.0.0")
    clock = Clock()
    left = chunks
    number = 0
    while left > 0:
        claude = ClaudeSession(repo, folder / "home", clock)
        claude.prompt(f"Please write part {number}: {' '.join(made.sample(WORDS, 8))}")
        for _ in range(60):
            claude.says(". ".join(" ".join(made.choices(WORDS, k=12)) for _ in range(40)))
            left -= 4
        body = "".join(f"{made.choice(WORDS)}_{number}_{n} = {n}\n" for n in range(40))
        claude.write(f"src/part{number}.py", body)
        claude.bash(f"git add -A && git commit -qm 'Part {number}' && git rev-parse HEAD")
        number += 1
    repo.git("tag", "v1.1.0")
    return repo


def publish(chunks: int) -> None:
    """Publish twice, and say what it cost."""
    with tempfile.TemporaryDirectory() as below, serving() as hub:
        folder = Path(below)
        cached = Path.home() / ".cache" / "funes-git" / "rules"
        os.environ.update(
            HOME=str(folder / "home"),
            GIT_CONFIG_GLOBAL=os.devnull,
            PYTHONPATH=os.pathsep.join(sys.path[:3]),
            HF_ENDPOINT=hub.url,
            HF_HOME=str(folder / "hf"),
            HF_TOKEN=hub.token("ada"),
            HF_HUB_DISABLE_XET="1",
            **{
                f"GIT_{who}_{what}": "ada"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        )
        rules = folder / "home" / ".cache" / "funes-git"
        rules.mkdir(parents=True)
        if cached.is_dir():
            (rules / "rules").symlink_to(cached.resolve())
        repo = build(folder, chunks)
        run(repo.path, os.environ, "init", "--no-hooks", "--no-embed")
        for what in ("first", "again"):
            asked, sent = len(hub.asked), sum(map(len, hub.received))
            args = ("publish", "v1.1.0", NAME, "--yes", "--public")
            cost = run(repo.path, os.environ, *args)
            bytes_sent = sum(map(len, hub.received)) - sent
            print(
                f"publish, {what}: {cost.wall:.1f} s ({cost.cpu:.1f} s of processor time),"
                f" {len(hub.asked) - asked} requests, {bytes_sent / 1e6:.1f} MB sent,"
                f" peak memory {cost.memory:.0f} MB"
            )
        print(f"files: {len(hub.content(NAME))}")


def main(argv: list[str]) -> int:
    if argv[:1] == ["secrets"]:
        named = [Path(each) for each in argv[1:] if each != "--show"]
        secrets(named or [TRACES], "--show" in argv)
    elif argv[:1] == ["publish"]:
        publish(int(argv[1]) if len(argv) > 1 else 20_000)
    else:
        print("say publish or secrets")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
