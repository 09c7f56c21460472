"""The Hub's other way of keeping large files, xet, in a local folder: the client's own hf_xet
writes and reads it when it is told `local://FOLDER`."""

from __future__ import annotations

import shutil
import struct
import tempfile
import time
from pathlib import Path


def known(folder: Path) -> dict[str, str]:
    """sha256 → xet's hash, of every file that was uploaded."""
    found: dict[str, str] = {}
    for path in folder.rglob("*.mdb"):
        found.update(_shard(path.read_bytes()))
    return found


def _hex(raw: bytes) -> str:
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", raw))


def _shard(data: bytes) -> dict[str, str]:
    """A shard: a header of 48 bytes, then records of 48 bytes, as xet-core's mdb_shard crate lays
    them out. The flags of a file say whether its verification and its metadata, which holds the
    sha256, follow its segments."""
    found, at = {}, 48
    while at + 48 <= len(data):
        name, flags, count = data[at : at + 32], *struct.unpack_from("<II", data, at + 32)
        at += 48
        if name == b"\xff" * 32:
            break
        at += 48 * count * (2 if flags & 0x80000000 else 1)
        if flags & 0x40000000:
            found[_hex(data[at : at + 32])] = _hex(name)
            at += 48
    return found


def read(folder: Path, name: str, size: int) -> bytes:
    """The file of this xet hash. A store has one opener at a time, so a copy is read."""
    import hf_xet

    with tempfile.TemporaryDirectory() as work:
        copy, out = Path(work, "cas"), Path(work, "out")
        shutil.copytree(folder, copy)
        expiry = int(time.time()) + 3600
        with hf_xet.XetSession().new_file_download_group(
            endpoint=f"local://{copy}", token="xet", token_expiry_unix_secs=expiry
        ) as group:
            group.start_download_file(hf_xet.XetFileInfo(name, size), str(out))
        return out.read_bytes()
