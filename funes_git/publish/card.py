"""The dataset's card, README.md: its metadata and a part between markers are kept up to date, all
else is its owner's. Pure.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from funes_git.errors import FunesError
from funes_git.publish.manifest import Manifest
from funes_git.publish.span import order
from funes_git.publish.stage import PASSAGES
from funes_git_parsers.dataclass import dataclass

START, END = "<!-- funes-git: kept up to date from here -->", "<!-- funes-git: to here -->"
TAGS = ("funes", "agent-memory", "agent-traces", "lance", "git")
SIZES = (
    *((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")),
    *((1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M")),
)
_FRONT = re.compile(r"---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^([A-Za-z_][\w-]*):")


FILE, QUESTION = "README.md", "why was it done this way"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the card tells. `memory` is the dataset's name; `rows` are its passages."""

    memory: str
    repository: str
    license: str
    rows: int
    agents: Sequence[str]
    models: Sequence[str]
    releases: Sequence[Manifest]
    file: str = FILE
    """A file to ask about."""
    question: str = QUESTION
    """Words to recall by."""


def render(facts: Facts, old: str | None) -> str:
    """The card; of an `old` one what its owner wrote is kept. Raises FunesError where the markers
    in it are broken."""
    match = _FRONT.match(old or "")
    own = match[1] if match else ""
    rest = (old or "")[match.end() :] if match else old or ""
    return f"---\n{_metadata(facts, own)}---\n{_body(facts, rest)}"


def license_of(card: str | None) -> str | None:
    """The license that a card names."""
    match = _FRONT.match(card or "")
    found = re.search(r"^license:[ \t]*(\S+)", match[1], re.M) if match else None
    return found[1].strip("\"'") if found else None


def repository_of(card: str | None) -> str | None:
    """The repository that a card is about."""
    found = re.search(r"^# The memory of (.+)$", card or "", re.M)
    return found[1] if found else None


def _metadata(facts: Facts, own: str) -> str:
    """The metadata: ours for the keys that are ours, the owner's for the others."""
    ours = {
        "license": f"license: {facts.license}\n",
        "language": "language:\n- en\n",
        "pretty_name": f"pretty_name: {_quoted(f'The memory of {facts.repository}')}\n",
        "size_categories": f"size_categories:\n- {_size(facts.rows)}\n",
        "tags": "tags:\n" + "".join(f"- {tag}\n" for tag in TAGS),
        "configs": f"configs:\n- config_name: passages\n  data_files: {PASSAGES}\n",
    }
    theirs = _blocks(own)
    if "language" in theirs:
        del ours["language"]
    if "tags" in theirs:
        more = dict.fromkeys(re.findall(r"^\s*-\s*(\S+)", theirs["tags"], re.M))
        ours["tags"] += "".join(f"- {tag}\n" for tag in more if tag not in TAGS)
    return "".join((theirs | ours).values())


def _blocks(metadata: str) -> dict[str, str]:
    """Each key of the first level of YAML with its lines."""
    found: dict[str, str] = {}
    key = ""
    for line in metadata.splitlines():
        match = _KEY.match(line)
        key = match[1] if match else key
        found[key] = found.get(key, "") + line + "\n"
    return found


def _body(facts: Facts, rest: str) -> str:
    ours = f"{START}\n{_told(facts)}{END}\n"
    starts, ends = rest.count(START), rest.count(END)
    if starts == ends == 0:
        return ours if not rest.strip() else f"{rest.rstrip()}\n\n{ours}"
    if starts != 1 or ends != 1 or rest.index(START) > rest.index(END):
        raise FunesError(
            "the markers in the dataset's card are broken",
            hint=f"leave one line {START!r} and after it one line {END!r} in its README.md",
        )
    before, _, after = rest.partition(START)
    return before + ours + after.partition(END)[2].lstrip("\n")


def _told(facts: Facts) -> str:
    return f"""
# The memory of {facts.repository}

What coding agents were asked, thought, tried and wrote behind the releases of `{facts.repository}`:
the very words of their sessions, tied to commits and lines. It was published with
`git funes publish`; a maintainer chose what is in it.

## Releases

| release | range | commits | exchanges | sessions | withheld | published |
|---|---|---|---|---|---|---|
{_releases(facts.releases)}
Agents: {", ".join(facts.agents) or "none"}. Models: {", ".join(facts.models) or "not recorded"}.

## Ask it

In a clone of the repository:

```
pip install funes-git
git funes why --memory {facts.memory} {shlex.quote(facts.file)}
git funes recall --memory {facts.memory} {shlex.quote(facts.question)}
```

`{facts.memory}@RELEASE` asks the memory as it was when that release was published.

The passages are also a table: `datasets.load_dataset("{facts.memory}")`. The tables
`chunks.lance`, `blocks.lance`, `edits.lance`, `links.lance`, `spawns.lance` and `sessions.lance`
are read by LanceDB; `traces/` holds the sessions for the trace viewer.

## What was taken out

Every text was searched for secrets by two scanners of different engines, also in base64, hex,
percent and JSON escapes and over line breaks; what either of them found is not here. Paths are
relative to the repository or begin with `~`;
names of accounts {_emails(facts)}.
Results of calls that looked at other folders, and what the agents' programs added by themselves,
are left out.

This is best effort. Scanners know forms, not meanings: a password in plain words, a customer's
name, or a key of an unknown form may have stayed. Read it as you would read a public log.

## Ask for removal

Open a discussion on this dataset's page, or write to its owner, with the session and the turn. The
owner runs `git funes withdraw RELEASE {facts.memory} --purge`. Copies that others made stay.

"""


def _releases(releases: Sequence[Manifest]) -> str:
    """A row for each release: the highest version first, then those that have none, as they were
    published."""

    def row(m: Manifest) -> str:
        counts = (_count(m.counts, name) for name in ("exchanges", "sessions", "withheld"))
        names = (f"`{_cell(m.name)}`", f"`{_cell(m.range)}`")
        cells = (*names, f"{len(m.commits):,}", *counts, m.published[:10])
        return f"| {' | '.join(cells)} |\n"

    ordered = sorted(releases, key=lambda m: (order(m.name), m.published), reverse=True)
    return "".join(map(row, ordered))


def _count(counts: Mapping[str, int], name: str) -> str:
    return f"{counts.get(name, 0):,}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _emails(facts: Facts) -> str:
    kept = any(release.keep_emails for release in facts.releases)
    return "are replaced, e-mail addresses not" if kept else "and e-mail addresses are replaced"


def _size(rows: int) -> str:
    return next((name for most, name in SIZES if rows < most), "100M<n<1B")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
