"""Fake secrets in the texts that they are found in, made from a seed: none is kept in a file."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
import string
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planted_kinds import ALPHABETS, ALPHANUMERIC, NAMED, TOKENS

SHAPE = re.compile(r"<(\d+)(\w?)>")


@dataclass(frozen=True)
class Planted:
    """`secret` must go from `text`."""

    kind: str
    secret: str
    text: str


class Maker:
    """Makes secrets of every kind, from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def some(self, n: int, alphabet: str = ALPHANUMERIC) -> str:
        return "".join(self.random.choice(alphabet) for _ in range(n))

    def checked(self, prefix: str) -> str:
        """A token of GitHub or npm: 30 characters and their checksum in base 62."""
        body = self.some(30)
        number, digits = zlib.crc32(body.encode()), ""
        alphabet = string.digits + string.ascii_uppercase + string.ascii_lowercase
        while number:
            number, rest = divmod(number, 62)
            digits = alphabet[rest] + digits
        return prefix + body + digits.rjust(6, "0")

    def shaped(self, shape: str) -> str:
        """A secret of a shape (planted_kinds.py)."""
        return SHAPE.sub(lambda part: self.some(int(part[1]), ALPHABETS[part[2]]), shape)

    def jwt(self) -> str:
        def part(data: bytes) -> str:
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

        claims = {"sub": self.some(10), "iat": 1790000000, "role": "admin"}
        head = part(b'{"alg":"HS256","typ":"JWT"}') + "." + part(json.dumps(claims).encode())
        sign = hmac.new(self.some(32).encode(), head.encode(), hashlib.sha256).digest()
        return f"{head}.{part(sign)}"

    def key(self, kind: str) -> str:
        """A private key without its last newline."""
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/key"
            command = {
                "openssh": [*f"ssh-keygen -q -t ed25519 -C a@b -f {out} -N".split(), ""],
                "rsa": f"openssl genrsa -traditional -out {out} 2048".split(),
                "ec": f"openssl ecparam -genkey -noout -name prime256v1 -out {out}".split(),
                "pkcs8": f"openssl genpkey -algorithm RSA -out {out}".split(),
            }[kind]
            subprocess.run(command, check=True, capture_output=True)
            return Path(out).read_text().strip()

    def block(self, label: str, head: str) -> str:
        """Random data between the lines that stand around a key."""
        data = base64.encodebytes(self.random.randbytes(600)).decode()
        return f"-----BEGIN {label}-----\n{head}{data}-----END {label}-----"

    def tokens(self) -> Iterator[Planted]:
        """Tokens that their look gives away."""
        for kind, secret, text in (
            (
                "github",
                self.checked("ghp_"),
                "origin\thttps://x-access-token:{}@github.com/a/b",
            ),
            ("github, oauth", self.checked("gho_"), "$ echo {}"),
            ("github, app", self.checked("ghs_"), "-GITHUB_TOKEN={}\n+GITHUB_TOKEN="),
            ("github, refresh", self.checked("ghr_"), '{{"refresh_token": "{}"}}'),
            ("npm", self.checked("npm_"), "//registry.npmjs.org/:_authToken={}"),
            ("jwt in a cookie", self.jwt(), "Set-Cookie: session={}; HttpOnly"),
            ("jwt in a header", self.jwt(), "> Authorization: Bearer {}"),
            *((kind, self.shaped(shape), text) for kind, shape, text in TOKENS),
        ):
            yield Planted(kind, secret, text.format(secret) + "\n")

    def named(self) -> Iterator[Planted]:
        """Secrets that only the words around them give away."""
        basic = base64.b64encode(f"deploy:{self.some(18)}".encode()).decode()
        azure = base64.b64encode(self.random.randbytes(64)).decode()
        laravel = base64.b64encode(self.random.randbytes(32)).decode()
        held = base64.b64encode(f"T={self.checked('ghp_')}\n".encode()).decode()
        phrase = "ribbon velvet cannon orbit ladder mimic sudden trophy galaxy pistol anchor wheat"
        for kind, secret, text in (
            (
                "azure storage",
                azure,
                "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
            ),
            ("basic", basic, "Authorization: Basic {}"),
            ("docker's settings", basic, '{{"auths": {{"registry.acme.io": {{"auth": "{}"}}}}}}'),
            ("npm, password", basic, "//npm.acme.io/:_auth={}"),
            ("key, laravel", laravel, "APP_KEY=base64:{}"),
            ("phrase", phrase, "mnemonic: {}"),
            ("base64", held, "data:\n  env: {}"),
            *((kind, self.shaped(shape), text) for kind, shape, text in NAMED),
        ):
            yield Planted(kind, secret, text.format(secret) + "\n")

    def keys(self) -> Iterator[Planted]:
        """Private keys, whole."""
        for kind in ("rsa", "ec", "openssh", "pkcs8"):
            key = self.key(kind)
            yield Planted(f"key file, {kind}", key, f"$ cat id_key\n{key}\n$ \n")
        account = json.dumps({"type": "service_account", "private_key": self.key("pkcs8")})
        yield Planted("key file, google", account[account.index("-----") : -3], account)
        pgp = self.block("PGP PRIVATE KEY BLOCK", "\n")
        yield Planted("key file, pgp", pgp, f"$ gpg --export-secret-keys -a\n{pgp}\n")
        key = self.key("ec")
        added = "\n".join("+" + line for line in key.splitlines())
        yield Planted("key file in a diff", added[1:], f"@@ -0,0 +1,8 @@\n{added}\n")
        numbered = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(key.splitlines(), 1))
        yield Planted("key file, numbered", numbered.strip(), f"{numbered}\n")
        arrows = "\n".join(f"{n:6}→{line}" for n, line in enumerate(key.splitlines(), 1))
        yield Planted("key file, with arrows", arrows.strip(), f"{arrows}\n")
        cut = "\n".join(self.key("rsa").splitlines()[:9])
        yield Planted("key file, cut at its end", cut, f"$ head -9 id_key\n{cut}\n")
        tail = "\n".join(self.key("rsa").splitlines()[-9:])
        yield Planted("key file, cut at its start", tail, f"$ tail -9 id_key\n{tail}\n")

    def everything(self) -> list[Planted]:
        return [*self.tokens(), *self.named(), *self.keys()]
