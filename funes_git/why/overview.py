"""`why FILE`: whose the lines of a file are, session by session."""

from __future__ import annotations

from collections import Counter, defaultdict

from funes_git.authors import Kind
from funes_git.model import Link
from funes_git.store.catalog import Catalog
from funes_git.told import Overview, Portion
from funes_git.why.looked import Looked


def overview(catalog: Catalog, looked: Looked) -> Overview:
    """Whose the lines that were looked at are."""
    sessions: Counter[str] = Counter()
    links: defaultdict[str, dict[str, Link]] = defaultdict(dict)
    others: Counter[Kind] = Counter()
    for author, lines in looked.by_author.items():
        told = sum(bool(line.text.strip()) for line in lines)
        if author.link is None:
            others["unknown" if author.kind == "agent" else author.kind] += told
        else:
            sessions[author.link.session_id] += told
            links[author.link.session_id].setdefault(author.link.turn_uuid, author.link)
    portions = []
    for session_id, n in sessions.items():
        turns = links[session_id]
        stored = catalog.session(session_id)
        title = stored.session.title if stored else None
        portions.append(Portion(n, "agent", next(iter(turns.values())), title, len(turns)))
    portions += [Portion(n, kind) for kind, n in others.items() if n]
    portions.sort(key=lambda portion: -portion.lines)
    return Overview(sum(portion.lines for portion in portions), tuple(portions))
