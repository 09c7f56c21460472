"""How much a matching line proves.

A line proves authorship by being unlikely to be typed twice. Its weight, from 0 to 1, grows with
the letters and digits on it and is cut for lines that everyone writes; a letter of a script without
spaces (Han, Kana, Hangul, …) counts for more, as one says as much as a word. Pure functions.

    weight = 0                                      no letter and no digit: `}`, blank lines
           = min(COMMON, signs / 16)                boilerplate (BOILERPLATE)
           = min(0.25, signs / 16)                  imports and includes
           = min(1, signs / 16)                     else

and a line that stands `n` times in the file is worth `1 / n` of that. 16 signs are four short
words: over the sample repositories that tests/bench/linking.py names, what people and agents both
wrote by chance was shorter.
"""

from __future__ import annotations

import re
from functools import lru_cache

ENOUGH = 1.0
"""The weight that a block of matching lines must reach to be believed by itself."""

COMMON = 0.1
"""The most that boilerplate weighs."""

LIGHT = 0.25
"""The most that an import weighs."""

FULL = 16
"""Signs from which a line has full weight."""

DENSE = 8
"""What one letter outside the alphabets counts for."""

ALPHABETIC = re.compile(r"[0-9A-Za-z\u00aa-\u1fff]")
DENSE_LETTER = re.compile(r"[^\W\d_\u0000-\u1fff]")

IMPORT = re.compile(
    r"""^(?:
        import\b | from\s+\S+\s+import\b | \#\s*include\b | using\s+[\w.:]+; | use\s+[\w:{}, ]+; |
        package\s+\S+ | (?:const|var|let)\s+.{0,80}=\s*require\( | require\b | @import\b |
        export\s+(?:\*|\{)
    )""",
    re.VERBOSE,
)

BOILERPLATE = re.compile(
    r"""^(?:
        return(?:\s+(?:[Nn]one|[Tt]rue|[Ff]alse|null|nil|self|this|undefined|err|nil,\s*err|0|1|-1|
            result|"")?)?;? |
        if\s+err\s*!=\s*nil\s*\{ | if\s+__name__\s*==\s*["']__main__["']: | main\(\);? |
        (?:else|try|finally|do|default)\s*[:{]? | \}\s*else\s*\{ | \}\s*(?:catch|finally).{0,24} |
        except(?:\s+Exception(?:\s+as\s+\w+)?)?: | catch\s*\(?\w*\)?\s*\{ |
        pass;? | break;? | continue;? | end(?:if)?;? | done | fi | esac | then | begin |
        def\s+__init__\(self\)(?:\s*->\s*None)?: | (?:async\s+)?def\s+main\(\).* |
        func\s+main\(\)\s*\{ | public: | private: | protected: | \w{1,6}:\s*[{\[(]? |
        @(?:override|Override|property|staticmethod|classmethod|pytest\.fixture) |
        "use\s+(?:strict|client|server)";? | 'use\s+(?:strict|client|server)';? |
        \#!.{0,40} | from\s+__future__\s+import\s+annotations | </?\w+>(?:\s*;)? |
        t\.(?:Helper|Parallel)\(\) | super\(\)(?:\.__init__\(\))?;? | raise;? | throw\s+err(?:or)?;?
    )$""",
    re.VERBOSE,
)


@lru_cache(maxsize=65536)
def weight(line: str) -> float:
    """What one matching line is worth, before repetition; from 0 to 1."""
    text = line.strip()
    if len(text) > 400:
        return 1.0
    signs = len(ALPHABETIC.findall(text)) + DENSE * len(DENSE_LETTER.findall(text))
    most = COMMON if BOILERPLATE.match(text) else LIGHT if IMPORT.match(text) else 1.0
    return min(most, signs / FULL)
