"""Fake secrets in the texts that they are found in, made from a seed: none is kept in a file."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import string
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LETTERS = string.ascii_letters
ALPHANUMERIC = LETTERS + string.digits
HEX = "0123456789abcdef"
URL_SAFE = ALPHANUMERIC + "-_"


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

    def password(self) -> str:
        start = self.random.choice(["Kx9", "mQ7z", "Vb2!", "Wo0dl"])
        return start + self.some(10, ALPHANUMERIC + "!#%_-")

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

    def tokens(self) -> Iterator[Planted]:
        """Tokens that their prefix gives away."""
        for kind, secret, text in (
            ("github", self.checked("ghp_"), "origin\thttps://x-access-token:{}@github.com/a/b"),
            ("github", self.checked("gho_"), "$ echo {}"),
            ("github", self.checked("ghs_"), "-GITHUB_TOKEN={}\n+GITHUB_TOKEN="),
            (
                "github",
                "github_pat_11" + self.some(20, string.ascii_uppercase) + "_" + self.some(59),
                "T={}",
            ),
            ("gitlab", "glpat-" + self.some(20, URL_SAFE), "curl -H 'PRIVATE-TOKEN: {}' https://x"),
            ("npm", self.checked("npm_"), "//registry.npmjs.org/:_authToken={}"),
            ("pypi", "pypi-AgEIcHlwaS5vcmc" + self.some(150, URL_SAFE), "password = {}"),
            (
                "anthropic",
                "sk-ant-api03-" + self.some(93, URL_SAFE) + "AA",
                "export ANTHROPIC_API_KEY={}",
            ),
            (
                "anthropic",
                "sk-ant-oat01-" + self.some(93, URL_SAFE) + "AA",
                '{{"accessToken": "{}"}}',
            ),
            ("anthropic", "sk-ant-api03-" + self.some(57, URL_SAFE), "ANTHROPIC_API_KEY={}…"),
            (
                "openai",
                f"sk-proj-{self.some(74, URL_SAFE)}T3BlbkFJ{self.some(74, URL_SAFE)}",
                "K={}",
            ),
            ("openai", f"sk-{self.some(20)}T3BlbkFJ{self.some(20)}", 'OpenAI(api_key="{}")'),
            ("hugging face", "hf_" + self.some(34, LETTERS), "$ hf auth login --token {}"),
            (
                "hugging face",
                "hf_" + self.some(34, LETTERS),
                "\x1b[32mtoken\x1b[0m: \x1b[1m{}\x1b[0m",
            ),
            ("groq", "gsk_" + self.some(52), "GROQ_API_KEY={}"),
            ("openrouter", "sk-or-v1-" + self.some(64, HEX), "OPENROUTER_API_KEY={}"),
            (
                "langsmith",
                f"lsv2_pt_{self.some(32, HEX)}_{self.some(10, HEX)}",
                "LANGSMITH_API_KEY={}",
            ),
            (
                "slack",
                f"xoxb-{self.some(12, '123456789')}-{self.some(13, '123456789')}-{self.some(24)}",
                "T={}",
            ),
            ("stripe", "sk_live_51" + self.some(97), 'stripe.api_key = "{}"'),
            ("stripe", "rk_live_" + self.some(24), "require('stripe')('{}')"),
            (
                "sendgrid",
                f"SG.{self.some(22, URL_SAFE)}.{self.some(43, URL_SAFE)}",
                "SENDGRID_API_KEY={}",
            ),
            ("digitalocean", "dop_v1_" + self.some(64, HEX), "DIGITALOCEAN_TOKEN={}"),
            (
                "telegram",
                f"{self.some(10, '123456789')}:AA{self.some(33, URL_SAFE)}",
                "https://api.telegram.org/bot{}/getMe",
            ),
            ("databricks", "dapi" + self.some(32, HEX), "DATABRICKS_TOKEN={}"),
            (
                "tailscale",
                f"tskey-auth-{self.some(12)}CNTRL-{self.some(32)}",
                "tailscale up --authkey {}",
            ),
            ("vault", "hvs." + self.some(95, URL_SAFE), "VAULT_TOKEN={}"),
            (
                "docker",
                "dckr_pat_" + self.some(27, URL_SAFE),
                "echo {} | docker login --password-stdin",
            ),
            (
                "google",
                "AIza" + self.some(35, URL_SAFE),
                "https://maps.googleapis.com/maps/api/js?key={}&v=3",
            ),
            (
                "google",
                "ya29." + self.some(180, URL_SAFE),
                "curl -H 'Authorization: Bearer {}' https://x",
            ),
            (
                "aws id",
                "AKIA" + self.some(16, string.ascii_uppercase + "234567"),
                "id is {}, region eu-west-1",
            ),
            ("jwt", self.jwt(), "Set-Cookie: session={}; HttpOnly"),
            ("jwt", self.jwt(), "> Authorization: Bearer {}"),
        ):
            yield Planted(kind, secret, text.format(secret) + "\n")

    def named(self) -> Iterator[Planted]:
        """Secrets that only the words around them give away."""
        aws = self.some(40, ALPHANUMERIC + "/+")
        basic = base64.b64encode(f"deploy:{self.some(18)}".encode()).decode()
        azure = base64.b64encode(self.random.randbytes(64)).decode()
        phrase = "ribbon velvet cannon orbit ladder mimic sudden trophy galaxy pistol anchor wheat"
        for kind, secret, text in (
            ("aws secret", aws, "[default]\naws_access_key_id = x\naws_secret_access_key = {}"),
            ("aws session", "IQoJb3Jp" + self.some(300), "export AWS_SESSION_TOKEN={}=="),
            (
                "azure storage",
                azure,
                "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
            ),
            ("azure sas", self.some(43) + "%3D", "https://x.blob.core.windows.net/c?sv=1&sig={}"),
            ("twilio", self.some(32, HEX), "TWILIO_AUTH_TOKEN={}"),
            ("datadog", self.some(32, HEX), "DD_API_KEY={}"),
            (
                "discord",
                f"M{self.some(23)}.{self.some(6, URL_SAFE)}.{self.some(38, URL_SAFE)}",
                "DISCORD_BOT_TOKEN={}",
            ),
            ("url", self.some(16), "DATABASE_URL=postgres://svc:{}@db.acme.io:5432/prod"),
            ("url", self.some(16), "postgresql+asyncpg://svc:{}@10.0.3.7:5432/app"),
            ("url", self.some(16), "mongodb+srv://svc:{}@cluster0.ab1cd.mongodb.net/prod"),
            ("url", self.some(24), "REDIS_URL=redis://:{}@cache.acme.io:6379/0"),
            ("url", self.password(), "curl https://deploy:{}@artifacts.acme.io/pkg.tgz"),
            ("basic", basic, "Authorization: Basic {}"),
            ("password", self.password(), "DB_HOST=localhost\nDB_PASSWORD={}\nDEBUG=1"),
            ("password", self.password(), 'SMTP_PASSWORD="{}"'),
            ("password", self.password(), "mysql -h db -u root --password={} prod"),
            ("password", self.password(), "sshpass -p '{}' ssh ops@10.0.0.4"),
            ("password", self.some(20), "docker login -u acme -p {} registry.acme.io"),
            ("password", self.some(20), "redis-cli -h cache -a {} ping"),
            ("password", self.some(20), "curl -u deploy:{} https://artifacts.acme.io"),
            ("password", self.some(20), "machine api.acme.io\n  login ops\n  password {}"),
            ("password", self.some(20), "db.acme.io:5432:prod:svc:{}"),
            ("password", self.some(20), "<server><password>{}</password></server>"),
            ("password", self.some(20), 'variable "db_password" {{\n  default = "{}"\n}}'),
            ("password", self.some(20), '{{"db": {{"user": "svc", "password": "{}"}}}}'),
            ("key", self.some(40), "SECRET_KEY={}\nALLOWED_HOSTS=*"),
            ("key", self.some(32), "service:\n  api_key: {}\n  url: https://api.acme.io"),
            ("key", self.some(32), '+API_SECRET = "{}"'),
            ("key", self.some(36), "POST /v1 HTTP/1.1\nX-Api-Key: {}"),
            ("key", "0x" + self.some(64, HEX), "PRIVATE_KEY={}"),
            ("bearer", self.some(40), "curl -H 'Authorization: Bearer {}' https://x"),
            ("cookie", self.some(40), "Cookie: theme=dark; sessionid={}"),
            ("kubeconfig", self.some(40), "- name: a\n  user:\n    token: {}"),
            ("phrase", phrase, "mnemonic: {}"),
            (
                "base64",
                base64.b64encode(f"T={self.checked('ghp_')}\n".encode()).decode(),
                "data:\n  env: {}",
            ),
        ):
            yield Planted(kind, secret, text.format(secret) + "\n")

    def keys(self) -> Iterator[Planted]:
        """Private keys, whole."""
        for kind in ("rsa", "ec", "openssh", "pkcs8"):
            key = self.key(kind)
            yield Planted("key file", key, f"$ cat id_key\n{key}\n$ \n")
        key = self.key("ec")
        added = "\n".join("+" + line for line in key.splitlines())
        yield Planted("key in a diff", added[1:], f"@@ -0,0 +1,8 @@\n{added}\n")
        numbered = "\n".join(f"{n:6}\t{line}" for n, line in enumerate(key.splitlines(), 1))
        yield Planted("key numbered", numbered.strip(), f"{numbered}\n")
        arrows = "\n".join(f"{n:6}→{line}" for n, line in enumerate(key.splitlines(), 1))
        yield Planted("key with arrows", arrows.strip(), f"{arrows}\n")
        cut = "\n".join(self.key("rsa").splitlines()[:9])
        yield Planted("key cut at its end", cut, f"$ head -9 id_key\n{cut}\n")
        tail = "\n".join(self.key("rsa").splitlines()[-9:])
        yield Planted("key cut at its start", tail, f"$ tail -9 id_key\n{tail}\n")

    def everything(self) -> list[Planted]:
        return [*self.tokens(), *self.named(), *self.keys()]
