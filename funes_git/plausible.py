"""Tell secrets from code, names and place holders, where a pattern alone cannot.

Pure functions on bytes and text; knows nothing of the scanner but the ids of the rules in
rules.yml. Real transcripts decided what is here: each test names the kind of false alarm it is for.
"""

from __future__ import annotations

import re
from itertools import pairwise

_NAMED = re.compile(
    rb"([A-Za-z0-9_.\-]{1,80})[ \t\\]{0,8}[\"'`]?\]?"
    rb"([ \t]{0,3})(=>|:=|=|:)[ \t\\]{0,11}([\"'`]?)$"
)
_NOT_A_SECRET = re.compile(
    r"(?:count|type|kind|limit|length|len|size|usage|used|budget|source|field|url|uri|path|file|dir"
    r"|name|id|ids|ref|header|expiry|expires|expiration|ttl|(?<!_p)at|tokens|hash|digest|manager|provider"
    r"|store|service|class|label|prefix|suffix|format|version|mode|policy|scope|scopes|model|price"
    r"|cost|rate|index|encrypted|public|public_?key|regex|pattern|param|parameter|env|var"
    r"|placeholder|hint|error|status|state|check|test)$",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"pass|pwd", re.IGNORECASE)
# -p and -a mean a password only to a login and to redis-cli, and where nothing stands between
_PASSWORD_BEFORE = re.compile(
    rb"(?:pass(?:w(?:or)?d)?[a-z_-]{0,20}[>= ]|\bsshpass[ \t]+-p|\blogin[ \t].*-p"
    rb"|\bredis-cli\b.*-a)[ \t\\]{0,4}[\"']?$|[ \t]-p[\"']?$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"example|placeholder|your[-_.]|^your|change[-_]?me|dummy|redacted|x{4,}|\*{3,}|\.{3}"
    r"|process\.env|environ|getenv|replace[-_]|insert[-_]|^(?:env|vars?|secrets?|config|self|this)\.",
    re.IGNORECASE,
)
_SHAPES = re.compile(
    r"[\d.,:_\-/]+"  # numbers, dates, versions
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\d.*"
    r"|v?\d+\.\d+[\w.\-]*"
    r"|sha\d+[:-].*"
    r"|(?:\.{0,2}|~)/.*\.[a-z]{1,5}|(?:\.{1,2}|~)/.*"
    r"|(?:urn:|https?:|file:).*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# For each letter those that follow it in 94 % of the letter pairs of the names in Python's library
_FOLLOWERS = (
    "a:bcdgiklmnprstuvy b:aeilorsu c:acehiklorstu d:adeilorsu e:acdefgilmnpqrstvwxy f:aefiloru"
    " g:aehilnorsu h:aeiot i:abcdefglmnoprstvxz k:e l:adeilostuy m:abeimop n:acdefgilnostuv"
    " o:abcdfgiklmnoprstuvw p:aehiloprstuy q:u r:acdegiklmnorstuy s:acehilopstuy t:acehilorstuy"
    " u:abceilmnprst v:aei w:aehior x:ept y:p z:e"
)
_USUAL = frozenset(row[0] + after for row in _FOLLOWERS.split() for after in row[2:])
_COMMON = frozenset(
    ("password", "passwd", "secret", "pass", "passw0rd", "password1", "token", "user", "test")
)


def is_secret(rule: str, data: bytes, start: int, end: int) -> bool:
    """Whether the finding `data[start:end]` of rule id `rule` is to be redacted."""
    judge = _JUDGES.get(rule)
    return judge is None or judge(data, start, end)


def _text(data: bytes, start: int, end: int) -> str:
    return data[start:end].decode("utf-8", "replace")


def _assignment(data: bytes, start: int, end: int) -> bool:
    named = _NAMED.search(data[max(0, start - 110) : start])
    if named is None:
        return False
    name, value, quoted = named[1].decode(), _text(data, start, end), bool(named[4])
    if not quoted and data[end : end + 1] in (b"(", b"[", b"<", b"{", b":"):
        return False  # a call, an index, a generic type, a key
    # code that assigns has spaces around its sign, YAML only after it and the value ends the line
    spaced = bool(named[2]) or data[start - 1 : start] == b" "
    yaml = not named[2] and named[3] == b":" and data[end : end + 1] in (b"", b"\n", b"\r")
    written = quoted or yaml or not spaced
    chosen = written and bool(_PASSWORD.search(name))
    return not _NOT_A_SECRET.search(name) and _is_made(value, quoted, chosen)


def _is_made(value: str, quoted: bool, chosen: bool) -> bool:
    """Whether a value is a key or a password. People choose words for passwords, so words count
    where `chosen`: what stands around the value says that it is one."""
    if not _looks_made(value, quoted):
        return False
    return not is_wordlike(value) or (chosen and not _is_name(value))


def _looks_made(value: str, quoted: bool) -> bool:
    """Whether a value has what keys and passwords have: digits, or signs among letters, or many
    letters that make no words."""
    if _PLACEHOLDER.search(value) or _SHAPES.fullmatch(value) or value.startswith(("$", "%")):
        return False
    if any(c.isdigit() for c in value):
        return True
    signs = sum(c in "!#%^&*@~+?$" for c in value)
    mixed = value.lower() != value != value.upper()
    if signs > 0 and mixed and (quoted or "=" not in value):
        return True
    return len(value) >= 16 and value.isalpha() and not is_wordlike(value)


def _is_name(value: str) -> bool:
    """Whether a value that reads as words is a name in code rather than what a person typed."""
    typed = value[-1].isdigit() and "_" not in value and not _PASSWORD.search(value)
    return value.isidentifier() and not typed


def is_wordlike(value: str) -> bool:
    """Whether a value reads as words: an identifier, a place holder, a file name. Random letters
    change between upper and lower case and digits at almost every place, and follow each other
    as they do in no word."""
    words = _WORDS.findall(value)
    runs = re.findall(r"\d+", value)
    if not words:
        return False
    long = sum(map(len, words)) / len(words) >= 3 and len(runs) <= 1 + len(value) // 24
    return long and _spells(value)


def _spells(value: str) -> bool:
    """Whether most of the letters follow each other as in words: by chance a third of them do, in
    words nearly all, the surer the longer the value."""
    runs = re.findall(r"[a-z]+", value.lower())
    pairs = [a + b for run in runs for a, b in pairwise(run)]
    least = 0.6 if len(pairs) < 16 else 0.7
    return sum(pair in _USUAL for pair in pairs) >= least * len(pairs)


def _named(data: bytes, start: int, end: int) -> bool:
    """A value after an option or a tag: its last 60 bytes say whether a password is meant."""
    chosen = bool(_PASSWORD_BEFORE.search(data[max(0, start - 60) : start]))
    return _is_made(_text(data, start, end), quoted=True, chosen=chosen)


def _url(data: bytes, start: int, end: int) -> bool:
    value = _text(data, start, end)
    return value.lower() not in _COMMON and not _PLACEHOLDER.search(value)


def _not_an_example(data: bytes, start: int, end: int) -> bool:
    return b"EXAMPLE" not in data[start:end]


def _token(data: bytes, start: int, end: int) -> bool:
    value = _text(data, start, end)
    return not _PLACEHOLDER.search(value) and not is_wordlike(value)


def is_filler(value: str) -> bool:
    """Whether what a rule takes for a password stands in its place only: a marker of ours, a place
    holder, the word itself, a sentence."""
    bare = value.strip(" \t\n\\\"'`,;:.#()[]{}<>")
    if "REDACTED:" in value or "WITHHELD:" in value or _PLACEHOLDER.search(bare):
        return True
    plain = all(is_wordlike(word) or not word.isascii() for word in bare.split())
    return (
        len(bare) < 6
        or bare.lower() in _COMMON
        or (plain and not (bare.isascii() and bare.isidentifier()))
    )


_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/=]{16,}")


def _private_key(data: bytes, start: int, end: int) -> bool:
    # code that looks for the BEGIN and END lines holds no key between them
    return sum(len(run) for run in _BASE64_RUN.findall(data[start:end])) >= 64


_JUDGES = {
    "custom.assignment": _assignment,
    "custom.cli-password": _named,
    "custom.cli-option": _named,
    "custom.curl-user": _url,
    "custom.url-password": _url,
    "custom.auth-header": _token,
    "custom.cookie": _token,
    "custom.xml-password": _named,
    "custom.terraform-default": _named,
    "custom.powershell-password": _named,
    "custom.registry-login": _token,
    "custom.aws-access-key-id": _not_an_example,
    "betterleaks.private-key": _private_key,
    "betterleaks.generic-credential-uri": _url,
}
