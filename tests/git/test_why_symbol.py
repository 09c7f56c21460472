"""`why FILE:SYMBOL`: git's own rules say where a function begins and ends."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from agents import ClaudeSession, Clock
from helpers import GitRepo
from memory import Memory

from funes_git.definitions import find
from funes_git.errors import UnknownTarget

CODE = """\
import os
from shelf import put

class Cache:
    def put_all(self, items):
        for key, value in items:
            self.put(key, value)

    def put(self, key, value):
        self.entries[key] = value

    def get(self, key):
        return self.entries.get(key)
"""


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def base(repo: GitRepo, clock: Clock) -> GitRepo:
    repo.write("cache.py", CODE)
    repo.commit("start", date=clock.now)
    clock.tick(60)
    return repo


@pytest.fixture
def turn(base: GitRepo, hermetic: Path, clock: Clock, memory: Memory) -> str:
    """A turn that changed one line of `put`."""
    claude = ClaudeSession(base, hermetic, clock)
    claude.prompt("Make put move the key to the end, please, so that the oldest goes first")
    turn = claude.edit(
        "cache.py", "        self.entries[key] = value", "        self.entries.move_to_end(key)"
    )
    base.commit("move to end", date=clock.tick(30))
    memory.sync()
    return turn


@pytest.fixture
def memory(base: GitRepo) -> Memory:
    return Memory(base)


def test_a_method_is_found_by_the_rules_of_its_language(memory: Memory, turn: str) -> None:
    found = memory.why("cache.py:put")
    assert found.lines == (9, 11), "not `import put`, not `put_all`"
    assert [a.link.turn_uuid for a in found.answers] == [turn]
    assert [a.asked for a in found.answers] == [((10, 10),)]
    assert [gap.lines for gap in found.unexplained] == [((9, 9),)], "blank lines say nothing"


def test_a_symbol_in_an_earlier_version(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("cache.py", "# nothing is left of it\n")
    assert memory.why("cache.py:put", at="HEAD").lines == (9, 11)
    with pytest.raises(UnknownTarget, match="nothing called 'put'"):
        memory.why("cache.py:put")


def test_the_repositorys_own_rules_win(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write(".gitattributes", "*.py diff=mine\n")
    base.git("config", "diff.mine.xfuncname", "^class .*$")
    assert memory.why("cache.py:Cache").lines == (4, 13)
    with pytest.raises(UnknownTarget, match="nothing called 'get'"):
        memory.why("cache.py:get")


def test_gits_patterns_are_taken_too(memory: Memory, turn: str) -> None:
    assert memory.why("cache.py:def ge.").lines == (12, 13)


@pytest.mark.parametrize("name", ["nothing", "Cache.nothing", "[", "[a", "*", "a\\", "put:", "é"])
def test_an_unknown_name_says_so(memory: Memory, turn: str, name: str) -> None:
    with pytest.raises(UnknownTarget, match="nothing called") as caught:
        memory.why(f"cache.py:{name}")
    assert "git funes why cache.py:10-20" in (caught.value.hint or "")


def test_a_name_in_a_file_that_git_does_not_know(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("new.py", "def put():\n    pass\n")
    with pytest.raises(UnknownTarget, match=r"git does not know new\.py yet") as caught:
        memory.why("new.py:put")
    assert (caught.value.hint or "").startswith("git add new.py")


def test_what_else_a_colon_may_mean(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("a:put", "a file with a colon\n")
    base.write("a", "a file without\n")
    base.commit("odd names")
    memory.sync()
    assert (memory.why("a:put").path, memory.why("a:put").lines) == ("a:put", None)
    assert memory.why("a:put:1").lines == (1, 1)
    assert memory.why("a:1").path == "a"
    with pytest.raises(UnknownTarget, match="git's name for a file"):
        memory.why("HEAD:cache.py")
    for tail in ("", "1-"):
        with pytest.raises(UnknownTarget, match="comes a line, lines or the name"):
            memory.why(f"cache.py:{tail}")


def test_cpp_names_with_colons(base: GitRepo, memory: Memory, turn: str) -> None:
    base.write("cache.cpp", "#include <map>\n\nvoid Cache::put(int key)\n{\n  keys.push(key);\n}\n")
    base.commit("c++")
    memory.sync()
    assert memory.why("cache.cpp:Cache::put").lines == (3, 6)


def test_methods_inside_a_class_are_found_where_git_has_no_rules_for_them(
    base: GitRepo, memory: Memory
) -> None:
    """The first and the last line of each are named `// NAME`."""
    texts = {
        "shares.ts": """\
import { put } from './shelf';

export class Shares<T> {
  constructor(private readonly shelf: Shelf) { // constructor
    this.put(shelf);
  } // constructor

  @Get(':id')
  async findOne( // findOne
    @Param('id') id: string,
  ): Promise<T | undefined> {
    if (id) {
      return this.put(
        id,
      );
    }
  } // findOne

  put(key: string): void { // put
    this.keys.push(key);

    put(key);
  } // put

  handle = async (event: Event) => { // handle
    put(event);
  }; // handle
}

const api = { // api
  list() { // list
    return [];
  }, // list
  drop: function (id) { // drop
    return id;
  }, // drop
}; // api
""",
        "shares.cs": """\
public class Shares
{
    public void Put(int key) // Put
    {
        keys.Add(key);
    } // Put
    public async Task<List<int>> GetAll( // GetAll
        int key) {
    } // GetAll
}
""",
        "shares.cpp": """\
class Shares {
 public:
  explicit Shares(int n) : size_(n) {}
  void put(int key) { // put
    keys.push(key);
 public:
  } // put
  int get(int key) const // get
  {
    return put(key);
  } // get
};
""",
        "shares.swift": """\
class Shares {
    func put(_ key: Int) { // put
        keys.append(key)
    } // put
}
""",
    }
    for name, text in texts.items():
        base.write(name, text)
    base.commit("shares", date=1_700_000_000)
    memory.sync()
    for name, text in texts.items():
        rows = text.split("\n")
        for symbol in sorted({row.rpartition("// ")[2] for row in rows if "// " in row}):
            marked = [n for n, row in enumerate(rows, 1) if row.endswith(f"// {symbol}")]
            assert memory.why(f"{name}:{symbol}").lines == (marked[0], marked[-1]), symbol


def test_a_method_of_a_class(memory: Memory, turn: str) -> None:
    assert memory.why("cache.py:Cache.put").lines == (9, 10)
    with pytest.raises(UnknownTarget, match="nothing called"):
        memory.why("cache.py:get.put")


def test_a_call_is_no_definition(base: GitRepo, memory: Memory) -> None:
    text = """\
  const kept = keep(id);
  return keep(id, () => {
  });
  * keep (see below): the rest
  keep(
    id,
  );
  cond ? keep(a) : {
  keep(a)
    .then((found) => {
"""
    base.write("calls.ts", text)
    base.commit("calls", date=1_700_000_000)
    memory.sync()
    with pytest.raises(UnknownTarget, match="nothing called"):
        memory.why("calls.ts:keep")


def test_no_name_and_no_text_make_it_slow() -> None:
    lines = ["*" * 5000 + " x(", "a " * 5000 + "x(", "x(" * 3000, "x() throws " + "throws a " * 900]
    started = time.process_time()
    lines += ["  const x: " + "=>" * 5000, "  const x = a" + "<>" * 2500, "x = a<" + "<(" * 2500]
    lines += ["  const x = " + "a." * 5000, "  const x" + " = a<>" * 1000] * 9
    for suffix in (".ts", ".py"):
        assert find([*lines, "}" * 5000], "x", suffix) is None
    assert time.process_time() - started < 1


def test_functions_bound_to_a_name_are_told_from_members_of_a_type(
    base: GitRepo, memory: Memory
) -> None:
    """The first and the last line of each are named `// NAME`."""
    text = """\
type Navigation = {
  goTo: (crumb: number) => void;
  nested: {
    share(id: string): () => void;
  };
  onlyDeclared: () => void; // onlyDeclared
};

export interface Props {
  plain: () => void,
  arrow: (
    id: string,
  ) => void
  keep(id: string): void;
  save(): { id: string };
}

export function over(a: string): void;
export function over(a: number): void;
export function over(a: unknown): void { // over
  put(a);
} // over

export const Panel: FC<Props> = ({ // Panel
  goTo,
  share,
}: {
  goTo: () => void;
  typed: (a: string) => void;
}) => {
  const first = keep(share);
  const goTo = useCallback( // goTo
    async (crumb: number) => {
      put(crumb);
    },
    [put]
  ); // goTo

  const share = useCallback(async () => { // share
    put(1);
  }, [
    put,
  ]); // share

  const plain = () => { // plain
    put(2);
  }; // plain

  const arrow = async <T,>(id: T) => { // arrow
  }; // arrow

  const typed: (a: string) => void = (a) => { // typed
  }; // typed

  const keep = React.useMemo<() => void>(() => { // keep
  }, []); // keep

  const save =
    async () => {
    };

  const named = function () { // named
  }; // named

  let spread = async ({ // spread
    a,
  }) => {
  }; // spread
  const later = debounce(save, 300); // later
}; // Panel

const api = {
  list: withUser(async (user) => { // list
  }), // list
};
"""
    rows = text.split("\n")
    names = sorted({row.rpartition("// ")[2] for row in rows if "// " in row})
    assert len(names) == 13
    base.write("panel.tsx", text)
    base.commit("panel", date=1_700_000_000)
    memory.sync()
    for name in names:
        marked = [n for n, row in enumerate(rows, 1) if row.endswith(f"// {name}")]
        assert memory.why(f"panel.tsx:{name}").lines == (marked[0], marked[-1]), name
    start = rows.index("  const save =") + 1
    assert memory.why("panel.tsx:save").lines == (start, start + 2)


def test_a_name_is_a_whole_word(base: GitRepo, memory: Memory) -> None:
    base.write("README.md", "# CipherBox\n\nThe function box keeps what each class cache holds.\n")
    base.write("keep.go", "package keep\n\nfunc keeper() {\n}\n")
    base.commit("texts", date=1_700_000_000)
    memory.sync()
    assert memory.why("README.md:CipherBox").lines == (1, 3)
    for target in ("README.md:x", "README.md:Cipher", "README.md:cache", "keep.go:kee"):
        with pytest.raises(UnknownTarget, match="git finds nothing called"):
            memory.why(target)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("a.tsx", "git funes why a.tsx:2 (line 2 is the first that names it)"),
        ("a.py", "git funes why a.py:2 (line 2 is the first that names it)"),
        ("a.md", "git funes why a.md:2 (line 2 is the first that names it)"),
        ("a.lua", "git funes why a.lua:2 (line 2 is the first that names it), or name the diff"
         " driver of its language in .gitattributes (`*.lua diff=…`)"),
    ],
)  # fmt: skip
def test_the_hint_fits_the_language(base: GitRepo, memory: Memory, path: str, hint: str) -> None:
    base.write(path, "keeper\n  put(keep)\n")
    base.commit("use", date=1_700_000_000)
    memory.sync()
    with pytest.raises(UnknownTarget, match="nothing called 'keep'") as caught:
        memory.why(f"{path}:keep")
    assert caught.value.hint == hint


def test_an_import_is_nothing_that_is_called_so(base: GitRepo, memory: Memory) -> None:
    text = "import { CreateDto } from './create-dto';\n\nexport function create(dto) {\n}\n"
    base.write("shares.ts", text)
    base.write("notes.txt", "import create from shelf\n")
    base.commit("shares", date=1_700_000_000)
    memory.sync()
    assert memory.why("shares.ts:create").lines == (3, 4)
    for target in ("shares.ts:CreateDto", "notes.txt:create"):
        with pytest.raises(UnknownTarget, match="git finds nothing called"):
            memory.why(target)
