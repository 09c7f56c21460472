"""Entries go into other programs' settings, and out again, without a byte of the rest changing."""

from __future__ import annotations

import json
import re
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from funes_git.hosts.text import Entry, Unfit, is_ours, jsons, tomls, yamls

COMMAND = 'sh -c \'f="$HOME/.config/funes-git/bin/funes-git-agent"; [ -x "$f" ] && exec "$f" x\''
SERVER = {"command": "/home/ada é/.config/funes-git/bin/funes-git", "args": ["mcp"]}
GROUP = {"hooks": [{"type": "command", "command": COMMAND, "timeout": 5}]}
JSON = (
    Entry(("mcpServers", "funes"), SERVER),
    Entry(("hooks", "Stop"), GROUP, many=True),
    Entry(("hooks", "SessionEnd"), GROUP, many=True),
)
YAML = (
    Entry(("mcp_servers", "funes"), SERVER),
    Entry(("hooks", "on_session_end"), {"command": COMMAND}, many=True),
)
TOML = (Entry(("mcp_servers", "funes"), SERVER),)

JSONS = {
    "comments": '{\n  // mine\n  "a": 1, // one\n  /* b */ "b": [1, 2]\n  // last\n}\n',
    "trailing commas": '{\n    "mcpServers": {\n        "x": {"command": "y"},\n    },\n}',
    "tabs, CRLF and a BOM": '\ufeff{\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{"hooks": []}\r\n'
    "\t\t]\r\n\t}\r\n}\r\n",
    "one line": '{"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}, "unknown": {"k": null}}',
    "one line with a trailing comma": '{"a": [1,], "mcpServers": {"x": {},},}',
    "text that looks like ours": '{\n "a": "// no comment, } and \\"mcpServers\\": {"\n}',
    "unusual order": '{"z": 1,\n\n\n  "mcpServers"  :{ "x" :{ } } , "hooks":{"Stop":[\n{}]}\n}',
}
TOMLS = {
    "comments": '# mine\nmodel = "x" # keep\n\n[mcp_servers.other]   # o\ncommand = "a"\n# end\n',
    "CRLF": 'model = "x"\r\n\r\n[a.b]\r\nc = [1,\r\n 2]\r\n',
    "BOM": '\ufeffmodel = "x"\n',
    "a header in a text": 'a = """\n[mcp_servers.funes]\n"""\n[b]\nc = 1\n',
    "nothing": "",
}
YAMLS = {
    "comments": "# c\nmodel:\n  default: x  # k\n\n# end\n",
    "blocks": "mcp_servers:\n    # one\n    x:\n        command: a\nhooks:\n  on_session_end:\n"
    '  - command: "y"\n  # tail\nz: 1\n',
    "brackets": "mcp_servers: {x: {command: y}}\nhooks: {on_session_end: [{command: y}], a: []}\n",
    "CRLF": "a: 1\r\nmcp_servers:\r\n  x:\r\n    command: y\r\n",
    "an anchor": "mcp_servers:\n  x: &x\n    command: y\n  z: *x\n",
    "text on lines": "note: |\n  mcp_servers:\n    funes: no\nhooks:\n  other:\n    - command: y\n",
}
CASES = [
    pytest.param(module, text, entries, id=f"{module.__name__.rpartition('.')[2]}: {name}")
    for module, texts, entries in ((jsons, JSONS, JSON), (tomls, TOMLS, TOML), (yamls, YAMLS, YAML))
    for name, text in texts.items()
]


def at(document: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize(("module", "text", "entries"), CASES)
def test_out_again_is_as_before(module: ModuleType, text: str, entries: tuple[Entry, ...]) -> None:
    added = module.put(text, entries)
    read = module.read(added)
    for entry in entries:
        found = at(read, entry.path)
        assert (entry.value in found) if entry.many else (found == entry.value)
    assert module.put(added, entries) == added
    assert module.cut(added, entries) == text


@pytest.mark.parametrize(("module", "text", "entries"), CASES)
def test_nothing_of_the_rest_changes(
    module: ModuleType, text: str, entries: tuple[Entry, ...]
) -> None:
    added = module.put(text, entries)
    rest = iter(added)
    assert all(character in rest for character in text)  # in this order, with ours in between
    newlines = set(re.findall(r"\r?\n", text)) or {"\n"}
    assert set(re.findall(r"\r?\n", added)) <= newlines | ({"\n"} if "\n" not in text else set())


@pytest.mark.parametrize(
    ("module", "text", "entries", "said"),
    [
        (jsons, "{", JSON, "line 1 is no JSON"),
        (jsons, '{\n "a": tru\n}', JSON, "line 2 is no JSON"),
        (jsons, "[]", JSON, "it holds no object"),
        (jsons, '{"hooks": []}', JSON, "`hooks` is something else"),
        (jsons, '{"mcpServers": {"funes": {"command": "x"}}}', JSON, "not ours"),
        (jsons, "[" * 100_000, JSON, "no JSON"),
        (tomls, "a = ", TOML, "no TOML"),
        (tomls, 'mcp_servers = {a = {command = "x"}}', TOML, "no table can be added"),
        (tomls, '[mcp_servers.funes]\ncommand = "x"', TOML, "not ours"),
        (yamls, "a: [", YAML, "no YAML"),
        (yamls, "- a", YAML, "it holds no mapping"),
        (yamls, "{a: 1}", YAML, "brackets"),
        (yamls, "x: &x {}\nhooks: *x\n", YAML, "an alias"),
        (yamls, "hooks: 7\n", YAML, "`hooks` is something else"),
        (yamls, "a: 1\n---\nb: 2\n", YAML, "no YAML"),
    ],
)
def test_what_does_not_fit_is_refused(
    module: ModuleType, text: str, entries: tuple[Entry, ...], said: str
) -> None:
    with pytest.raises(Unfit, match=re.escape(said)):
        module.put(text, entries)


def test_only_ours_goes_out_of_a_group_that_is_shared() -> None:
    """A user has moved our hook beside one of their own."""
    ours = GROUP["hooks"][0]
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "theirs"}, ours]}]}}, indent=2)
    left = jsons.read(jsons.cut(text, JSON))
    assert left == {"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}


def test_hooks_of_events_that_other_versions_used_go_out_too() -> None:
    text = json.dumps({"hooks": {"Older": [GROUP]}, "a": 1}, indent=2)
    assert jsons.read(jsons.cut(text, JSON)) == {"a": 1}


def test_what_was_added_below_our_table_goes_with_it() -> None:
    added = (
        tomls.put("a = 1\n", TOML)
        + 'startup_timeout_sec = 9\n\n[mcp_servers.funes.env]\nX = "1"\n\n# next\n[b]\n'
    )
    assert tomls.cut(added, TOML) == "a = 1\n\n# next\n[b]\n"


# --- any settings ---------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "hooks", "mcpServers", "Stop", "é", "x y", "//", "funes"])
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "SessionEnd", "Other"]),
    st.lists(
        st.fixed_dictionaries({"hooks": st.lists(st.dictionaries(KEYS, SCALARS), max_size=2)})
    ),
    max_size=3,
)
SERVERS = st.dictionaries(st.sampled_from(["x", "y z"]), st.dictionaries(KEYS, VALUES), max_size=2)
SETTINGS = st.fixed_dictionaries(
    {}, optional={"a": VALUES, "mcpServers": SERVERS, "hooks": HOOKS, "z": VALUES}
)


def written(document: Any, style: Random) -> str:
    """Settings as people write them: with comments, blank lines, trailing commas, CRLF, a BOM."""
    newline = style.choice(["\n", "\r\n"])
    spaces = ["", "", " ", newline, f" // no, really{newline}", "/* { */", f"{newline}\t"]

    def space() -> str:
        return style.choice(spaces)

    def write(value: Any) -> str:
        if isinstance(value, dict):
            return (
                "{"
                + joined(
                    [f"{json.dumps(k)}{space()}:{space()}{write(v)}" for k, v in value.items()]
                )
                + "}"
            )
        if isinstance(value, list):
            return "[" + joined([write(item) for item in value]) + "]"
        return json.dumps(value, ensure_ascii=style.random() < 0.5)

    def joined(rows: list[str]) -> str:
        text = ",".join(f"{space()}{row}{space()}" for row in rows)
        return text + style.choice(["", ","] if rows else [""]) + space()

    return style.choice(["", "\ufeff"]) + space() + write(document) + space()


@settings(deadline=None)
@given(SETTINGS, st.integers(0, 1 << 32))
def test_any_json_takes_the_entries_and_gives_them_back(document: Any, style: int) -> None:
    text = written(document, Random(style))
    assert jsons.read(text) == document
    added = jsons.put(text, JSON)
    read = jsons.read(added)
    assert read["mcpServers"]["funes"] == SERVER
    assert read["hooks"]["Stop"][-1] == read["hooks"]["SessionEnd"][-1] == GROUP
    left = jsons.read(jsons.cut(added, JSON))
    assert without_empty(left) == without_empty(document)
    assert not is_ours(left)
    rest = iter(added)
    assert all(character in rest for character in text)


def without_empty(document: Any) -> Any:
    """A container that our entry alone was in goes with it, as one that was empty before does."""
    kept = dict(document)
    hooks = {event: groups for event, groups in kept.pop("hooks", {}).items() if groups}
    servers = kept.pop("mcpServers", {})
    return {**kept, **({"hooks": hooks} if hooks else {}), **({"s": servers} if servers else {})}


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:/*ab \n\\', max_size=40))
def test_no_text_makes_it_raise_anything_else(text: str) -> None:
    for module, entries in ((jsons, JSON), (tomls, TOML), (yamls, YAML)):
        try:
            module.cut(module.put(text, entries), entries)
        except Unfit:
            continue
