"""Take out who and where: paths of a machine, user names, e-mail addresses.

Pure functions on text, the same for every string that leaves, and the same each time: what was
published twice is equal. Paths inside the repository become relative to it, those in a home folder
begin with `~`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from funes_git.linehash import exact_hash
from funes_git.lines import split
from funes_git.model import EditRecord, LineKey
from funes_git.publish.part import IDS, Part, mapped, strings
from funes_git.store.changes import StoredTurn
from funes_git.store.columns import workdir_facet

USER, EMAIL = "user", "[REDACTED:email]"
SLASH = r"(?:\\{0,4}/|\\{1,4}|%2[Ff])"
START = r"(?:(?<![\w.~-])|(?<=\\[nrt])|(?<=[\s\"']-[A-Za-z])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a path begins: not in a word, but behind an escaped line break, an option's letter or a
percent sign's digits."""
DRIVE = rf"(?:(?<!\w)|(?<=\\[nrt]))[A-Za-z]:{SLASH}"
_HOMES = rf"{SLASH}(?:(?:var|export|usr){SLASH})?home|{SLASH}Users"
_TERMUX = rf"{SLASH}data{SLASH}data{SLASH}com\.termux{SLASH}files{SLASH}home"
_SHARED = rf"{SLASH}(?:(?:mnt|cygdrive){SLASH})?[a-z]{SLASH}Users"
HOME = re.compile(
    rf"(?:{START}(?:{_HOMES}|{_TERMUX}|{_SHARED}){SLASH}|{DRIVE}Users{SLASH})"
    r"(?P<name>[^/\\\s\"'`:;,<>|(){}\[\]$*?&%@!=]+)"
)
_HOME_WORDS = ("Users", "home", "users", "Home", "USERS", "HOME")
_FOLDER = re.compile(rf"{HOME.pattern}(?={SLASH}[\w.])")
_WHOLE = re.compile(rf"(?:{_HOMES}|{_SHARED}|[A-Za-z]:{SLASH}Users)[/\\](?P<name>[^/\\]+)")
"""A path that is all of a text, in which a name may hold blanks."""
_PLACES = frozenset(("workdir", "source_path", "recorded_path"))
ROOT_HOME = re.compile(r"(?:(?<![\w.~/-])|(?<=\\[nrt]))/root(?=/|\b)(?![\w-])")
TEMPORARY = re.compile(r"(?:/private)?/var/folders/\w\w/[\w+-]{20,40}/[TC0](?![\w-])")
"""The folder for what is temporary of an account on macOS, named after its number."""
ADDRESS = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]*(?:@|%40|\\u0040)(?:[A-Za-z0-9-]+\.)+([A-Za-z]{2,24})(?![\w-])"
)
NO_PERSON = re.compile(
    r"(?:git|hg|svn|no-?reply|x-access-token|oauth2)(?:@|%40|\\u0040)"
    r"|.*(?:@|%40|\\u0040)example\.(?:com|org|net)$|.*\.(?:test|invalid|example)$",
    re.I,
)
_FILES = """
bmp css cfg conf csv gif go gz htm html ico ini jpeg jpg js json jsx lock log md mjs mp3 mp4
png pdf py rb rs scss sh sql svg tar tgz toml ts tsx ttf txt vue webp woff xml yaml yml zip
"""
FILES = frozenset(_FILES.split())
"""What follows the dot in `icon@2x.png`: no mail goes there."""

_COMMON = """
admin administrator agent all another app apps bar baz build builder cache ci claude code codespace
coder components data debian default demo dev developer devel docker ec2-user example examples foo
git github gitlab gitpod guest home host index jenkins linux local mac macos main me media name node
nobody opt ops other owner page pages person pi postgres private project projects public python repo
root runner sandbox sample server shared some someone src system temp test tester tests tmp ubuntu
user username users vagrant var vscode windows work worker workspace www www-data you your-username
yourname
"""
COMMON = frozenset(_COMMON.split())
"""Names of accounts that name nobody, and that stand in text for other things."""


class Cleaner:
    """Cleans the strings of one repository's sessions."""

    def __init__(
        self, roots: Iterable[str], names: Iterable[str], *, keep_emails: bool = False
    ) -> None:
        """`roots` are folders where the repository was, on any machine; `names` those of
        accounts."""
        found = sorted({root.rstrip("/\\") for root in roots} - {""}, key=_longest)
        places = spelled(found)
        inside = rf"(?P<inside>{SLASH}(?=[\w.@+~(\[]))|{SLASH}?(?![\w-])(?!\.\w)"
        self._roots = re.compile(rf"{START}{places}(?:{inside})") if places else None
        slugs = _any(re.escape(workdir_facet(root)) for root in found if len(root) > 4)
        self._slugs = re.compile(slugs) if slugs else None
        people = _any(map(re.escape, sorted({n for n in names if is_telling(n)}, key=_longest)))
        around = rf"(?<![A-Za-z0-9]){people}(?![A-Za-z0-9])"
        self._names = re.compile(around, re.I) if people else None
        theirs = rf"(?:[A-Za-z]:)?{SLASH}(?:Users|home){SLASH}{people}(?![\w-])"
        self._homes = re.compile(theirs, re.I) if people else None
        self._keep_emails = keep_emails

    def text(self, text: str) -> str:
        """The text without who and where."""
        if self._roots:
            text = self._roots.sub(_inside, text)
        if self._slugs:
            text = self._slugs.sub("-repo", text)
        if may_hold_home(text):
            if self._homes:  # wherever they stand
                text = self._homes.sub("~", text)
            text = HOME.sub("~", text)
            if self._roots:  # one that is written another way than the session did
                text = self._roots.sub(_inside, text)
        if "/root" in text:
            text = ROOT_HOME.sub("~", text)
        if "/var/folders/" in text:
            text = TEMPORARY.sub("/tmp", text)
        if not self._keep_emails:
            text = ADDRESS.sub(_address, text)
        return self._names.sub(USER, text) if self._names else text

    def field(self, name: str, text: str) -> str:
        """A field of a record: ids are left alone but where they are paths or addresses."""
        return text if name in IDS and not re.search(r"[/\\@]", text) else self.text(text)

    def part(self, part: Part) -> Part:
        """A session without who and where."""
        turns = []
        for stored in part.turns:
            new = StoredTurn(mapped(stored.turn, self.field), "", retracted=stored.retracted)
            new.chunks = stored.chunks
            turns.append(new)
        return Part(
            mapped(part.session, self.field),
            turns,
            [self._edit(edit) for edit in part.edits],
            [mapped(spawn, self.field) for spawn in part.spawns],
            [mapped(link, self.field) for link in part.links],
            {
                (self.field("turn_uuid", uuid), block): tuple(map(self.text, paths))
                for (uuid, block), paths in part.files.items()
            },
            part.withheld,
        )

    def _edit(self, edit: EditRecord) -> EditRecord:
        """An edit, and of its lines' hashes only those of lines that stand in it unchanged: the
        others would tell whoever guesses what was taken out."""
        new = replace(mapped(edit, self.field), recorded_path=self.text(edit.path))
        if (new.old, new.new, new.diff) == (edit.old, edit.new, edit.diff):
            return new
        texts = (new.old or "", new.new or "", new.diff)
        kept = {exact_hash(line) for text in texts for line in split(text)}
        kept |= {exact_hash(line[1:]) for line in split(new.diff)}

        def still(keys: tuple[LineKey, ...]) -> tuple[LineKey, ...]:
            return tuple(key for key in keys if key.exact in kept)

        return replace(new, added=still(edit.added), removed=still(edit.removed))


def roots_in(part: Part) -> Iterator[str]:
    """The folders where the repository was when a session wrote its files."""
    for edit in part.edits:
        recorded = edit.recorded_path.replace("\\", "/")
        if recorded.endswith("/" + edit.path):
            yield edit.recorded_path[: -len(edit.path) - 1]


def names_in(part: Part) -> set[str]:
    """The names of accounts that the paths in a session tell. One that only texts have must be that
    of a folder with something in it: the ends of paths are pages of web sites, too."""
    found: set[str] = set()
    for record in (part.session, *part.edits, *(stored.turn for stored in part.turns)):
        for field, text in strings(record):
            if field in _PLACES:
                found |= accounts_in([text])
            if may_hold_home(text):
                found.update(match["name"] for match in _FOLDER.finditer(text))
    return found


def may_hold_home(text: str) -> bool:
    """Whether to look for home folders at all: most texts have none, and looking takes long."""
    return any(word in text for word in _HOME_WORDS)


def accounts_in(folders: Iterable[str]) -> set[str]:
    """The names of the accounts in whose home folders these are."""
    return {match["name"] for folder in folders if (match := _WHOLE.match(folder))}


def is_telling(name: str) -> bool:
    """Whether a name of an account names somebody, rather than a role or a place."""
    return len(name) > 2 and any(map(str.isalpha, name)) and name.lower() not in COMMON


def without(names: Iterable[str], public: Collection[str]) -> set[str]:
    """The names but those that the repository's own public name holds."""
    shown = {word.lower() for name in public for word in re.split(r"[/ ]", name)}
    return {name for name in names if name.lower() not in shown}


def _address(match: re.Match[str]) -> str:
    is_file = match[1].lower() in FILES and "." not in match[0].partition("@")[0]
    return match[0] if is_file or NO_PERSON.match(match[0]) else EMAIL


def _inside(match: re.Match[str]) -> str:
    return "" if match["inside"] else "."


def _longest(text: str) -> tuple[int, str]:
    return -len(text), text


def _any(patterns: Iterable[str]) -> str:
    """One pattern for any of them, empty for none."""
    found = list(dict.fromkeys(patterns))
    return f"(?:{'|'.join(found)})" if found else ""


def spelled(folders: Iterable[str]) -> str:
    """A pattern for any of the folders, however they are written; empty for none."""
    return _any(form for folder in folders for form in _spellings(folder))


def _spellings(root: str) -> Iterator[str]:
    """Patterns for a folder as it is written, also from the home folder on, with the back slashes
    of Windows, escaped or not, and as shells on Windows write its drive. Where the case of letters
    means nothing, any will do."""
    drive = re.match(r"([A-Za-z]):(?=[/\\])", root)
    any_case = drive or root.startswith("/Users/")
    for each in dict.fromkeys((root, HOME.sub("~", root))):
        words = [re.escape(word) for word in re.split(r"[/\\]+", each)]
        if drive and each == root:
            shells = rf"{SLASH}(?:(?:mnt|cygdrive){SLASH})?{drive[1]}"
            words[0] = rf"(?:{drive[1]}:|{shells})"
        spelled = SLASH.join(words)
        yield f"(?i:{spelled})" if any_case else spelled
