"""The texts of the sample library's second part: saving and loading. Data only."""

from __future__ import annotations

SAVE = """
`save(cache, path)` writes a cache to a JSON file, `load(path)` reads it again.
"""

PROJECT = """\
[project]
name = "pocket-cache"
version = "0.1.0"
"""

# --- bounding the cache: a time to live was tried first ------------------------------------------

PUT = """\
    def put(self, key, value):
        self._values[key] = value
"""

PUT_TTL = """\
    def put(self, key, value):
        now = time.monotonic()
        self._values[key] = (now, value)
        expired = [k for k, (since, _) in self._values.items() if now - since > self.ttl]
        for old in expired:
            del self._values[old]
"""

INIT = '''\
"""A small in-memory cache."""


class Cache:
    """Keeps values by key."""

    def __init__(self):
        self._values = {}

    def get(self, key, default=None):
        return self._values.get(key, default)
'''

INIT_LRU = '''\
"""A small in-memory cache with a bound."""

from collections import OrderedDict


class Cache:
    """Keeps the values that were used last, at most `limit` of them."""

    def __init__(self, limit=1024):
        if limit < 1:
            raise ValueError("limit must be at least 1")
        self.limit = limit
        self._values = OrderedDict()

    def get(self, key, default=None):
        if key not in self._values:
            return default
        self._values.move_to_end(key)
        return self._values[key]
'''

PUT_LRU = """\
    def put(self, key, value):
        self._values[key] = value
        self._values.move_to_end(key)
        self._shrink()

    def _shrink(self):
        while len(self._values) > self.limit:
            self._values.popitem(last=False)
"""

TEST_LRU = """\
        self.assertEqual(cache.get("a"), 1)

    def test_the_value_used_longest_ago_goes_first(self):
        cache = Cache(limit=2)
        cache.put("a", 1)
        cache.put("b", 2)
        cache.get("a")
        cache.put("c", 3)
        self.assertEqual(cache.get("b"), None)
        self.assertEqual(cache.get("a"), 1)
"""

# --- counting, and threads -----------------------------------------------------------------------

IMPORTS = "from collections import OrderedDict\n"

IMPORTS_STATS = '''\
from collections import OrderedDict
from dataclasses import dataclass
from threading import RLock


@dataclass
class Stats:
    """How often a value was there, and how often it was not."""

    hits: int = 0
    misses: int = 0
    evictions: int = 0
'''

VALUES = "        self._values = OrderedDict()\n"

VALUES_STATS = """\
        self._values = OrderedDict()
        self._lock = RLock()
        self.stats = Stats()
"""

GET = """\
        if key not in self._values:
            return default
        self._values.move_to_end(key)
        return self._values[key]
"""

GET_STATS = """\
        with self._lock:
            if key not in self._values:
                self.stats.misses += 1
                return default
            self.stats.hits += 1
            self._values.move_to_end(key)
            return self._values[key]
"""

PUT_BODY = """\
        self._values[key] = value
        self._values.move_to_end(key)
        self._shrink()
"""

PUT_STATS = """\
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            self._shrink()
"""

POP = "            self._values.popitem(last=False)\n"

POP_STATS = '''\
            self._values.popitem(last=False)
            self.stats.evictions += 1

    def get_or(self, key, make):
        """The value of `key`; made by `make()` and kept if it is missing."""
        with self._lock:
            if key not in self._values:
                self.put(key, make())
            return self.get(key)
'''

GET_OR = """\
            if key not in self._values:
                self.put(key, make())
            return self.get(key)
"""

GET_OR_FIXED = """\
            missing = object()
            value = self.get(key, missing)
            if value is missing:
                value = make()
                self.put(key, value)
            return value
"""

# --- a package, saving and loading ---------------------------------------------------------------

PACKAGE = '''\
"""A small in-memory cache with a bound."""

from pocket.cache import Cache, Stats

__all__ = ["Cache", "Stats"]
'''

GET_OR_DEF = "    def get_or(self, key, make):\n"

ITEMS = '''\
    def items(self):
        """A snapshot of keys and values, the one used longest ago first."""
        with self._lock:
            return list(self._values.items())

    def get_or(self, key, make):
'''

SAVE = '''\
"""Saves a cache to a file."""

import json
import os

FORMAT = 1


def save(cache, path):
    """Write the values of `cache` to `path`, in the order in which they were used."""
    scratch = f"{path}.new"
    with open(scratch, "w", encoding="utf-8") as out:
        json.dump({"format": FORMAT, "limit": cache.limit, "values": cache.items()}, out)
    os.replace(scratch, path)
'''

SAVE_IMPORTS = SAVE.partition("\n\n\ndef ")[0] + "\n"

LOAD_IMPORTS = '''\
"""Saves a cache to a file and loads it again."""

import json
import os

from pocket.cache import Cache

FORMAT = 1
'''

REPLACE = "    os.replace(scratch, path)\n"

LOAD = '''\
    os.replace(scratch, path)


def load(path):
    """A cache with the values of a file that `save` wrote."""
    with open(path, encoding="utf-8") as source:
        saved = json.load(source)
    if saved["format"] != FORMAT:
        raise ValueError(f"{path}: format {saved['format']} is not known")
    cache = Cache(limit=saved["limit"])
    for key, value in saved["values"]:
        cache.put(key, value)
    return cache
'''

TEST_STORE = """\
import os
import tempfile
import unittest

from pocket import Cache
from pocket.store import load, save


class StoreTest(unittest.TestCase):
    def test_a_saved_cache_keeps_its_order(self):
        cache = Cache(limit=2)
        cache.put("a", 1)
        cache.put("b", 2)
        cache.get("a")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cache.json")
            save(cache, path)
            again = load(path)
        again.put("c", 3)
        self.assertEqual([key for key, _ in again.items()], ["a", "c"])

    def test_a_file_of_another_format_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cache.json")
            with open(path, "w", encoding="utf-8") as out:
                out.write('{"format": 99}')
            self.assertRaises(ValueError, load, path)
"""
