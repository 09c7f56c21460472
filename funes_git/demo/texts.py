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

README_
