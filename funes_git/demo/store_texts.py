"""The texts of the sample library's second part: saving and loading. Data only."""

from __future__ import annotations

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
