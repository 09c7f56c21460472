"""The texts of the sample library, as people and agents wrote them. Data only."""

from __future__ import annotations

CACHE = '''\
"""A small in-memory cache."""


class Cache:
    """Keeps values by key."""

    def __init__(self):
        self._values = {}

    def get(self, key, default=None):
        return self._values.get(key, default)

    def put(self, key, value):
        self._values[key] = value
'''

TEST = """\
import unittest

from cache import Cache


class CacheTest(unittest.TestCase):
    def test_a_value_comes_back(self):
        cache = Cache()
        cache.put("a", 1)
        self.assertEqual(cache.get("a"), 1)
"""

README = """\
# pocket-cache

A small cache for Python programs that run for a night.
"""

README_LIMIT = """
A cache holds 4096 values unless it is told otherwise: `Cache(limit=100)`.
"""

README_SAVE = """
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
