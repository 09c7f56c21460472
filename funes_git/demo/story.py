"""What happened in the sample repository: two people, two agents, ten commits.

Told in order; each agent's session is written while it works, and its commands really run.
"""

from __future__ import annotations

from funes_git.demo import store_texts, texts
from funes_git.demo.claude import Claude
from funes_git.demo.codex import Codex
from funes_git.demo.stage import Stage


def tell(stage: Stage) -> None:
    """Make the whole history and every session in `stage`."""
    _start(stage)
    _bound(stage)
    _people_change_the_limit(stage)
    _count(stage)
    _make_a_package(stage)
    _save_and_load(stage)
    _fix_the_count(stage)
    _release(stage)


def _start(stage: Stage) -> None:
    stage.at("2026-10-05 09:12")
    stage.write("src/cache.py", texts.CACHE)
    stage.write("tests/test_cache.py", texts.TEST)
    stage.write("README.md", texts.README)
    stage.write("pyproject.toml", texts.PROJECT)
    stage.commit("Start a cache: get and put")


def _bound(stage: Stage) -> None:
    """Claude tries a time to live, sees that it does not help, and takes an LRU bound instead."""
    stage.at("2026-10-06 14:20")
    claude = Claude(stage)
    claude.prompt(
        "The nightly import dies at 3 GB because the cache keeps every row it ever saw. "
        "Put a bound on it. I would have thought that old rows could simply expire?"
    )
    claude.thinks(
        "Expiry by age is what was asked about, so try a TTL of 60 seconds first and measure the "
        "import with it before deciding."
    )
    claude.says("I'll try expiry first, as you suggest, and measure the import with it.")
    claude.edit("src/cache.py", texts.PUT, texts.PUT_TTL)
    claude.bash(
        "python tools/import_rows.py --rows 2000000 --peak",
        "Measure the import with a TTL of 60 s",
        "2000000 rows in 41.7 s, peak 2.9 GB",
    )
    claude.thinks(
        "With the TTL the peak is 2.9 GB of 3.0 GB: all rows arrive within 42 seconds, so none of "
        "them is older than 60 seconds before the import is over, and a shorter TTL would drop "
        "rows that are still being joined. Age is the wrong measure here. What the import needs is "
        "a bound on the number of values, and to keep those that are still being used: least "
        "recently used. An OrderedDict does both in O(1): every read moves its key to the end, and "
        "popitem(last=False) drops the one that was used longest ago."
    )
    claude.says(
        "A TTL does not help: the whole import takes 42 s, so nothing expires before it is over "
        "(peak 2.9 GB). A shorter one would drop rows that are still needed. I'll bound the number "
        "of values instead and drop the one that was used longest ago (LRU)."
    )
    claude.bash("git checkout -q -- src/cache.py", "Take the TTL back")
    claude.edit("src/cache.py", texts.INIT, texts.INIT_LRU)
    claude.edit("src/cache.py", texts.PUT, texts.PUT_LRU)
    claude.edit(
        "tests/test_cache.py", '        self.assertEqual(cache.get("a"), 1)\n', texts.TEST_LRU
    )
    claude.bash(
        "python tools/import_rows.py --rows 2000000 --peak",
        "Measure the import with the bound",
        "2000000 rows in 38.2 s, peak 180 MB",
    )
    claude.bash(
        "git add -A && git commit -m 'Bound the cache: drop the value used longest ago'",
        "Commit the bound",
    )
    claude.says("The cache is bounded now: peak 180 MB instead of 2.9 GB. The default is 1024.")
    claude.ends("Bound the cache")


def _people_change_the_limit(stage: Stage) -> None:
    stage.at("2026-10-06 14:55")
    text = stage.read("src/cache.py")
    stage.write("src/cache.py", text.replace("limit=1024", "limit=4096"))
    stage.commit("Raise the default limit to 4096")
    stage.at("2026-10-06 15:05")
    stage.write("README.md", texts.README + texts.README_LIMIT)
    stage.commit("Explain the limit in the README")


def _count(stage: Stage) -> None:
    """Codex adds statistics and a lock; Ada looks at it and commits."""
    stage.at("2026-10-08 10:02")
    codex = Codex(stage)
    codex.prompt(
        "Count hits, misses and evictions, add get_or(key, make), and make it safe to use from "
        "several threads."
    )
    codex.shell("cat src/cache.py")
    codex.thinks(
        "get_or must hold the lock while it calls put and get, and those take the lock too. A "
        "plain Lock would deadlock there; splitting each method into a locked and an unlocked half "
        "avoids it but doubles the code. An RLock may be taken again by the thread that holds it."
    )
    codex.says(
        "I'll use an RLock: get_or holds it while it calls put and get, and with a plain Lock that "
        "would deadlock. The alternative, unlocked twins of every method, is twice the code."
    )
    codex.patch(
        "src/cache.py",
        (texts.IMPORTS, texts.IMPORTS_STATS),
        (texts.VALUES, texts.VALUES_STATS),
        (texts.GET, texts.GET_STATS),
        (texts.PUT_BODY, texts.PUT_STATS),
        (texts.POP, texts.POP_STATS),
    )
    codex.shell("python -m unittest -q", "----\nRan 2 tests in 0.001s\n\nOK\n")
    codex.ends("Counting and locking are in; both tests pass. I have not committed anything.")
    stage.at("2026-10-08 11:30")
    stage.commit("Count hits and misses, and lock")


def _make_a_package(stage: Stage) -> None:
    stage.at("2026-10-09 13:41")
    claude = Claude(stage)
    claude.prompt("Turn src/cache.py into a package called pocket, and keep its history.")
    claude.says("I'll move the file with `git mv`, so that the history follows it.")
    claude.bash("mkdir -p src/pocket && git mv src/cache.py src/pocket/cache.py", "Move the module")
    claude.write("src/pocket/__init__.py", texts.PACKAGE)
    claude.bash(
        "sed -i.old 's/^from cache import Cache$/from pocket import Cache/' tests/test_cache.py"
        " && rm tests/test_cache.py.old",
        "Import from the package",
    )
    claude.bash("git add -A && git commit -m 'Make it a package'", "Commit the move")
    claude.says("The module is now `pocket.cache`; `from pocket import Cache` works.")
    claude.ends("Make it a package")


def _save_and_load(stage: Stage) -> None:
    """Three commits on a branch, one of them a sub-agent's work, become one on main."""
    stage.at("2026-10-12 09:30")
    stage.shell("git checkout -q -b save-load")
    claude = Claude(stage)
    claude.prompt(
        "The import should not start cold every night. Let a cache be saved to a file and loaded "
        "again. pickle would be the quickest?"
    )
    claude.thinks(
        "pickle is the quickest to write, but loading a pickle runs whatever the file says: the "
        "cache file lies in a folder that other jobs write to. JSON cannot run anything, its keys "
        "and values are enough for rows, and a format number leaves room to change it."
    )
    claude.says(
        "I'd rather not use pickle: loading one runs whatever the file says, and other jobs can "
        "write to that folder. JSON with a format number is safe, and rows fit into it."
    )
    claude.edit("src/pocket/cache.py", texts.GET_OR_DEF, texts.ITEMS)
    claude.write("src/pocket/store.py", store_texts.SAVE)
    claude.bash("git add -A && git commit -m 'Save a cache to a file'", "Commit saving")
    claude.edit("src/pocket/store.py", store_texts.SAVE_IMPORTS, store_texts.LOAD_IMPORTS)
    claude.edit("src/pocket/store.py", store_texts.REPLACE, store_texts.LOAD)
    claude.bash("git add -A && git commit -m 'Load it again'", "Commit loading")
    about = "Test saving and loading"
    child = claude.starts(
        about, "Write tests/test_store.py: the order survives, and another format is refused."
    )
    child.says(
        "The order matters most: after loading, the value used longest ago must still be the one "
        "that goes first, so I test what is evicted, not what is stored."
    )
    child.write("tests/test_store.py", store_texts.TEST_STORE)
    child.says("tests/test_store.py has two tests: the order, and a file of another format.")
    claude.hears(child, about, "tests/test_store.py has two tests.")
    claude.bash("git add -A && git commit -m 'Test saving and loading'", "Commit the tests")
    claude.says("Saving and loading work and are tested; three commits on `save-load`.")
    claude.ends("Save and load caches")
    stage.at("2026-10-12 16:05")
    stage.shell("git checkout -q main && git merge -q --squash save-load")
    stage.commit("Save and load caches (#7)")
    stage.shell("git branch -q -D save-load")


def _fix_the_count(stage: Stage) -> None:
    stage.at("2026-10-14 15:17")
    codex = Codex(stage)
    codex.prompt(
        "The dashboard says that the cache hits 100 % of the time, also in the first minute. "
        "That cannot be right."
    )
    codex.thinks(
        "get_or puts a value that it has just made and then gets it, and that get counts as a hit. "
        "So every miss is counted as a hit as well. Subtracting one afterwards would hide it; "
        "better to ask once, with a marker as the default, and return what was made."
    )
    codex.says(
        "get_or counts a hit for a value that it has just made. I'll ask once with a marker object "
        "instead; subtracting one again would only hide the double look-up."
    )
    codex.patch("src/pocket/cache.py", (texts.GET_OR, texts.GET_OR_FIXED))
    codex.shell("python -m unittest -q", "----\nRan 4 tests in 0.002s\n\nOK\n")
    codex.shell(
        "git commit -q -a -m 'Do not count a value that was just made as a hit'"
        " && git rev-parse --short HEAD"
    )
    codex.ends("Fixed and committed: a value that was just made counts as a miss, once.")


def _release(stage: Stage) -> None:
    stage.at("2026-10-14 17:00")
    stage.write("README.md", texts.README + texts.README_LIMIT + texts.README_SAVE)
    stage.commit("Describe saving in the README")
    stage.at("2026-10-14 17:20")
    stage.write("pyproject.toml", texts.PROJECT.replace("0.1.0", "0.2.0"))
    stage.commit("Release 0.2.0")
    stage.shell("git tag v0.2.0")
