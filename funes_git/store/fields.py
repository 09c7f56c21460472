"""The word index as tantivy sees it: its fields, how text is cut, how it is opened and created.

With text.py the only importer of tantivy.
"""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tantivy


def analyzer() -> tantivy.TextAnalyzer:
    """The words of a piece of text: lower case, without accents, stemmed."""
    import tantivy

    made = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(60),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        made = made.filter(step)
    return made.build()


def _schema() -> tantivy.Schema:
    import tantivy

    made = tantivy.SchemaBuilder()
    # Signed: tantivy-py 0.27 deletes nothing by a term of an unsigned field.
    made.add_integer_field("id", indexed=True, fast=True)
    made.add_integer_field("turn", indexed=True)
    made.add_integer_field("exchange", indexed=True, fast=True)
    for name in ("body", "ident"):
        made.add_text_field(name, tokenizer_name="terms", index_option="freq")
    for name in ("session", "kind", "role", "harness", "branch", "files"):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic")
    made.add_integer_field("ts", fast=True)
    return made.build()


def _registered(index: tantivy.Index) -> tantivy.Index:
    """tantivy forgets its tokenizers between processes; texts arrive as terms already."""
    import tantivy

    terms = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer("terms", terms)
    return index


def opened(folder: Path) -> tantivy.Index | None:
    """The index in `folder`; None if there is none, or if its files are broken."""
    import tantivy

    files = folder / "index"
    if not (files / "meta.json").exists():
        return None
    if not os.access(files, os.W_OK):
        files = _elsewhere(files)
    try:
        return _registered(tantivy.Index.open(str(files)))
    except ValueError:  # tantivy raises it for whatever is wrong with the files
        return None


def _elsewhere(files: Path) -> Path:
    """A folder with links to `files`, for as long as this process runs: tantivy opens nothing where
    it cannot make its lock file."""
    from tempfile import TemporaryDirectory  # rarely needed

    folder = TemporaryDirectory(prefix="funes-git-")
    atexit.register(folder.cleanup)
    made = Path(folder.name)
    for file in files.iterdir():
        if not file.name.endswith(".lock"):
            (made / file.name).symlink_to(file.resolve())
    return made


def created(folder: Path) -> tantivy.Index:
    """A new and empty index in `folder`."""
    import tantivy

    (folder / "index").mkdir(parents=True)
    return _registered(tantivy.Index(_schema(), path=str(folder / "index")))
