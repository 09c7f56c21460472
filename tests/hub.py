"""A Hugging Face Hub on 127.0.0.1, as the real huggingface_hub calls it: datasets are made,
committed to, tagged, listed, searched and downloaded over HTTP, large files by git-lfs or by xet.

    with serving() as hub:
        token = hub.token("ada")
        hub.put("ada/memory", {"README.md": b"..."})

What was asked is in `hub.asked`, and every byte that was sent to it in `hub.received`. `hub.fail`
makes it answer an error, `hub.cut` makes it hang up in the middle.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import hub_xet
import uvicorn
from hub_store import Commit, File, Refusal, Repository, card_of, metadata, now, tree_id
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

LARGE_NAMES = re.compile(r"\.(arrow|bin|gz|lance|npy|parquet|tar|zip|zst|manifest|txn|idx)$")
Handler = Callable[[Request], Awaitable[Any]]


class Hub:
    """The state of a Hub, and what it answers."""

    def __init__(
        self, *, xet: Path | None = None, large: int = 10_000_000, part: int | None = None
    ) -> None:
        """Files of `large` bytes, and those with a binary's name, are large files; they go to the
        folder `xet` if one is given, and in parts of `part` bytes by git-lfs."""
        self.url = ""
        self.port = 0
        self.xet, self.large, self.part = xet, large, part
        self.page = 1000
        self.repositories: dict[str, Repository] = {}
        self.files: dict[str, bytes] = {}
        """Large files by sha256."""
        self.parts: dict[str, dict[int, bytes]] = {}
        self.tokens: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        """`METHOD path` of all requests."""
        self.received: list[bytes] = []
        """The bodies of all requests, with what is base64 in a commit decoded beside it."""
        self.faults: list[tuple[str, str, int, dict[str, str]]] = []
        self.cuts: list[tuple[str, str]] = []
        self.watch: Callable[[str, str], None] = lambda _moment, _what: None
        """Told `before` and `after` each request, which is `METHOD path`, was handled; before it is
        answered."""

    # --- what tests do

    def token(self, user: str, role: str = "write", orgs: tuple[str, ...] = ()) -> str:
        """A token of `user`, who is a member of `orgs`."""
        token = "hf_" + hashlib.sha256(f"{user}{role}".encode()).hexdigest()[:34]
        self.tokens[token] = {"name": user, "role": role, "orgs": list(orgs)}
        return token

    def put(self, name: str, files: Mapping[str, bytes], *, private: bool = False) -> str:
        """Commit files to a dataset, made if there is none; the commit's id."""
        found = self.repositories.get(name) or self._make(name, private, name.split("/")[0])
        tree = {path: File.small(data) for path, data in files.items()}
        head = found.head
        made = found.commit({**head.tree, **tree}, "put", "", "test", [head.oid])
        return made.oid

    def content(self, name: str, revision: str = "main") -> dict[str, bytes]:
        """What the files of a dataset hold at a revision."""
        tree = self.repositories[name].resolve(revision).tree
        return {path: self._data(file) for path, file in tree.items()}

    def fail(self, method: str, path: str, status: int, times: int = 1, **headers: str) -> None:
        """Answer the next requests whose path has a match of `path` with an error."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults += [(method, path, status, named)] * times

    def cut(self, method: str, path: str, times: int = 1) -> None:
        """Do what the next requests ask for, and hang up in the middle of the answer."""
        self.cuts += [(method, path)] * times

    def count(self, start: str = "") -> int:
        """How many requests there were whose `METHOD path` starts so."""
        return sum(1 for each in self.asked if each.startswith(start))

    # --- who asks, for what

    def _who(self, request: Request) -> dict[str, Any] | None:
        sent = request.headers.get("authorization")
        if not sent:
            return None
        user = self.tokens.get(sent.removeprefix("Bearer ").strip())
        if user is None:
            raise Refusal(401, "Invalid credentials in Authorization header")
        return user

    def _found(self, request: Request, *, write: bool = False) -> Repository:
        space, name = request.path_params["space"], request.path_params["name"]
        user, found = self._who(request), self.repositories.get(f"{space}/{name}")
        member = user is not None and space in (user["name"], *user["orgs"])
        if found is None or (found.private and not member):
            status, said = (404, "Repository not found") if user else (401, "Invalid username")
            # over plain http the client tells what is missing by this header alone
            raise Refusal(status, said, "RepoNotFound")
        if write and user is None:
            raise Refusal(401, "Invalid username or password.")
        if write and not (member and user and user["role"] == "write"):
            raise Refusal(403, "You don't have the required permissions")
        return found

    def _make(self, name: str, private: bool, owner: str) -> Repository:
        made = Repository(name, private, owner, created=now())
        attributes = File.small(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")
        made.commit({".gitattributes": attributes}, "initial commit", "", owner, [])
        self.repositories[name] = made
        return made

    def _data(self, file: File) -> bytes:
        return self.files[file.lfs or ""] if file.data is None else file.data

    # --- answers: accounts and datasets

    async def _whoami(self, request: Request) -> Any:
        user = self._who(request)
        if user is None:
            raise Refusal(401, "Invalid username or password.")
        orgs = [{"type": "org", "name": org, "roleInOrg": "admin"} for org in user["orgs"]]
        access = {"accessToken": {"displayName": "test", "role": user["role"]}}
        return {"type": "user", "id": "0" * 24, "name": user["name"], "orgs": orgs, "auth": access}

    async def _create(self, request: Request) -> Any:
        asked, user = await request.json(), self._who(request)
        if user is None:
            raise Refusal(401, "Invalid username or password.")
        space = asked.get("organization") or user["name"]
        if space not in (user["name"], *user["orgs"]) or user["role"] != "write":
            raise Refusal(403, f'You don\'t have the rights to create it under "{space}"')
        name = f"{space}/{asked['name']}"
        if name in self.repositories:
            raise Refusal(409, "You already created this dataset repo")
        visible = asked.get("visibility", "private" if asked.get("private") else "public")
        self._make(name, visible == "private", space)
        return {"url": f"{self.url}/datasets/{name}", "name": name, "id": "0" * 24}

    async def _delete(self, request: Request) -> Any:
        asked = await request.json()
        request.path_params.update(space=asked["organization"], name=asked["name"])
        del self.repositories[self._found(request, write=True).name]
        return Response(status_code=204)

    async def _settings(self, request: Request) -> Any:
        found, asked = self._found(request, write=True), await request.json()
        found.private = asked.get("visibility") == "private"
        return {"private": found.private}

    async def _list(self, request: Request) -> Any:
        user, asked = self._who(request), request.query_params
        mine = (user["name"], *user["orgs"]) if user else ()
        rows = [
            found.about(found.head)
            for found in self.repositories.values()
            if (not found.private or found.owner in mine)
            and asked.get("search", "").lower() in found.name.lower()
        ]
        wanted = set(asked.getlist("filter"))
        return [row for row in rows if wanted <= set(row["tags"])]

    async def _about(self, request: Request) -> Any:
        found = self._found(request)
        commit = found.resolve(request.path_params.get("revision", "main"))
        return found.about(commit, blobs="blobs" in request.query_params)

    async def _refs(self, request: Request) -> Any:
        found = self._found(request)

        def rows(names: dict[str, str], kind: str) -> list[dict[str, str]]:
            each = names.items()
            return [{"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": o} for n, o in each]

        branches, tags = rows(found.branches, "heads"), rows(found.tags, "tags")
        return {"branches": branches, "tags": tags, "converts": [], "pullRequests": []}

    async def _commits(self, request: Request) -> Any:
        history = self._found(request).history(request.path_params["revision"])
        rows = [
            {
                "id": commit.oid,
                "title": commit.title,
                "message": commit.message,
                "authors": [{"user": commit.author}],
                "date": commit.date,
            }
            for commit in history
        ]
        return JSONResponse(rows, headers={"X-Total-Count": str(len(rows))})

    async def _auth(self, request: Request) -> Any:
        self._found(request, write=request.url.path.endswith("/write"))
        return {}

    async def _card(self, request: Request) -> Any:
        try:
            found = metadata((await request.json())["content"])
        except Refusal as refused:
            errors = [{"message": refused.message}]
            return JSONResponse({"errors": errors, "warnings": []}, 400)
        warnings = [] if found else [{"message": "empty or missing yaml metadata in repo card"}]
        return {"errors": [], "warnings": warnings}

    # --- answers: files

    async def _tree(self, request: Request) -> Any:
        commit = self._found(request).resolve(request.path_params["revision"])
        folder = unquote(request.path_params.get("path", "")).strip("/")
        before = folder + "/" if folder else ""
        recursive = request.query_params.get("recursive", "").lower() in ("true", "1")
        names: set[str] = set()
        for path in commit.tree:
            if path.startswith(before):
                parts = path[len(before) :].split("/")
                depths = range(len(parts) if recursive else 1)
                names |= {before + "/".join(parts[: depth + 1]) for depth in depths}
        if folder and not names:
            raise Refusal(404, f"{folder} does not exist", "EntryNotFound")
        rows = [self._row(commit, name) for name in sorted(names)]
        start = int(request.query_params.get("cursor", 0))
        headers = {}
        if start + self.page < len(rows):
            after = f"recursive={recursive}&cursor={start + self.page}"
            headers["Link"] = f'<{self.url}{request.url.path}?{after}>; rel="next"'
        return JSONResponse(rows[start : start + self.page], headers=headers)

    @staticmethod
    def _row(commit: Commit, path: str) -> dict[str, Any]:
        if path in commit.tree:
            return commit.tree[path].row(path)
        oid = tree_id(commit.tree, path + "/")
        return {"type": "directory", "oid": oid, "size": 0, "path": path}

    async def _paths(self, request: Request) -> Any:
        commit = self._found(request).resolve(request.path_params["revision"])
        if "json" in request.headers.get("content-type", ""):
            paths = (await request.json())["paths"]
        else:
            paths = (await request.form()).getlist("paths")
        found = (path.strip("/") for path in ([paths] if isinstance(paths, str) else paths))
        return [commit.tree[path].row(path) for path in found if path in commit.tree]

    async def _file(self, request: Request) -> Any:
        commit = self._found(request).resolve(request.path_params["revision"])
        repository = self._found(request)
        if repository.gated:
            raise Refusal(403, "Access to this dataset is restricted", "GatedRepo")
        file = commit.tree.get(unquote(request.path_params["path"]))
        headers = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
        if file is None:
            raise Refusal(404, "Entry not found", "EntryNotFound", **headers)
        if file.data is not None:
            return _ranged(request, file.data, {**headers, "ETag": f'"{file.oid}"'})
        # another host, as S3 is: the client must not send its token there
        headers["Location"] = f"http://localhost:{self.port}/_store/{file.lfs}?signed=yes"
        headers |= {"X-Linked-Size": str(file.size), "X-Linked-ETag": f'"{file.lfs}"'}
        headers["ETag"] = f'"{file.lfs}"'
        if file.xet:
            place = f"{self.url}/api/datasets/{repository.name}/xet-read-token/{commit.oid}"
            headers |= {"X-Xet-Hash": file.xet, "Link": f'<{place}>; rel="xet-auth"'}
        return Response(status_code=302, headers=headers)

    async def _stored(self, request: Request) -> Any:
        data = self.files.get(request.path_params["oid"])
        if data is None:
            raise Refusal(404, "NoSuchKey")
        if request.headers.get("authorization"):
            raise Refusal(400, "Only one auth mechanism allowed")
        return _ranged(request, data, {"Accept-Ranges": "bytes"})

    # --- answers: commits

    async def _preupload(self, request: Request) -> Any:
        found = self._found(request, write=True)
        tree, rows = found.resolve(request.path_params["revision"]).tree, []
        for file in (await request.json())["files"]:
            binary = b"\0" in base64.b64decode(file["sample"])
            large = file["size"] >= self.large or binary or LARGE_NAMES.search(file["path"])
            row = {"path": file["path"], "uploadMode": "lfs" if large else "regular"}
            old = tree.get(file["path"])
            if old:
                row["oid"] = old.lfs or old.oid  # so that the client drops what is unchanged
            rows.append({**row, "shouldIgnore": False})
        return {"files": rows, "commitOid": found.head.oid}

    async def _commit(self, request: Request) -> Any:
        body = await request.body()  # the only wait: what follows is done at once
        found, user = self._found(request, write=True), self._who(request)
        lines = [json.loads(line) for line in body.splitlines() if line.strip()]
        head, tree = found.head, dict(found.head.tree)
        said = next((line["value"] for line in lines if line["key"] == "header"), {})
        if said.get("parentCommit") not in (None, head.oid):
            raise Refusal(412, "A commit has happened since. Please refresh and try again.")
        for line in lines:
            self._change(tree, line["key"], line["value"])
        card_of(tree)
        assert user is not None
        title, details = said.get("summary", ""), said.get("description", "")
        made = found.commit(tree, title, details, user["name"], [head.oid])
        url = f"{self.url}/datasets/{found.name}/commit/{made.oid}"
        return {"success": True, "commitOid": made.oid, "commitUrl": url, "hookOutput": ""}

    def _change(self, tree: dict[str, File], kind: str, value: dict[str, Any]) -> None:
        path = value.get("path", "")
        if kind == "file":
            data = base64.b64decode(value["content"])
            self.received.append(data)
            tree[path] = File.small(data)
        elif kind == "lfsFile":
            tree[path] = self._uploaded(value["oid"], value.get("size", 0), path)
        elif kind == "deletedFile":
            if path not in tree:
                raise Refusal(404, f"There is no file {path}", "EntryNotFound")
            del tree[path]
        elif kind == "deletedFolder":
            for each in [each for each in tree if each.startswith(path.rstrip("/") + "/")]:
                del tree[each]

    def _uploaded(self, oid: str, size: int, path: str) -> File:
        name = None
        if self.xet:
            name = hub_xet.known(self.xet).get(oid)
            if name and oid not in self.files:
                self.files[oid] = hub_xet.read(self.xet, name, size)
                self.received.append(self.files[oid])
        if oid not in self.files:
            raise Refusal(400, f"LFS pointer pointed to a file that does not exist: {path}")
        return File.large(oid, len(self.files[oid]), name)

    async def _tag(self, request: Request) -> Any:
        found, revision = self._found(request, write=True), request.path_params["revision"]
        if request.method == "DELETE":
            if found.tags.pop(unquote(revision), None) is None:
                raise Refusal(404, "Tag not found", "RevisionNotFound")
            return {}
        name = (await request.json())["tag"]
        if name in found.tags:
            raise Refusal(409, f"Tag {name} already exists")
        found.tags[name] = found.resolve(revision).oid
        return {}

    async def _squash(self, request: Request) -> Any:
        found, user = self._found(request, write=True), self._who(request)
        assert user is not None
        title = (await request.json())["message"]
        found.commit(found.head.tree, title, "", user["name"], [])
        return {}

    async def _lfs_listed(self, request: Request) -> Any:
        found = self._found(request, write=True)
        used = {f.lfs: p for c in found.commits.values() for p, f in c.tree.items() if f.lfs}
        return [
            {
                "_id": oid[:24],
                "fileOid": oid,
                "filename": path,
                "oid": oid,
                "pushedAt": now(),
                "size": len(self.files[oid]),
                "ref": "main",
            }
            for oid, path in used.items()
            if oid and oid in self.files
        ]

    async def _lfs_removed(self, request: Request) -> Any:
        self._found(request, write=True)
        for oid in (await request.json())["deletions"]["sha"]:
            self.files.pop(oid, None)
        return {}

    # --- answers: large files, by git-lfs or by xet

    async def _batch(self, request: Request) -> Any:
        self._found(request, write=True)
        rows = []
        for asked in (await request.json())["objects"]:
            oid, size = asked["oid"], asked["size"]
            row: dict[str, Any] = {"oid": oid, "size": size}
            if oid not in self.files:
                place = f"{self.url}/_lfs/{oid}"
                upload: dict[str, Any] = {"href": place}
                if self.part and size > self.part:
                    numbers = range(1, -(-size // self.part) + 1)
                    header = {str(number): f"{place}/{number}" for number in numbers}
                    header["chunk_size"] = str(self.part)
                    upload = {"href": f"{place}/complete", "header": header}
                row["actions"] = {"upload": upload, "verify": {"href": f"{place}/verify"}}
            rows.append(row)
        transfer = "multipart" if self.part else "basic"
        kind = "application/vnd.git-lfs+json"
        return JSONResponse({"transfer": transfer, "objects": rows}, media_type=kind)

    async def _upload(self, request: Request) -> Any:
        oid, data = request.path_params["oid"], await request.body()
        if "part" in request.path_params:
            self.parts.setdefault(oid, {})[int(request.path_params["part"])] = data
        else:
            self._keep(oid, data)
        etag = hashlib.md5(data, usedforsecurity=False).hexdigest()
        return Response(headers={"ETag": f'"{etag}"'})

    async def _complete(self, request: Request) -> Any:
        oid = request.path_params["oid"]
        parts = self.parts.pop(oid)
        self._keep(oid, b"".join(parts[number] for number in sorted(parts)))
        return {}

    def _keep(self, oid: str, data: bytes) -> None:
        if hashlib.sha256(data).hexdigest() != oid:
            raise Refusal(400, "sha256 mismatch")
        self.files[oid] = data

    async def _verify(self, request: Request) -> Any:
        if request.path_params["oid"] not in self.files:
            raise Refusal(404, "object not found")
        return {}

    async def _xet(self, request: Request) -> Any:
        self._found(request, write="xet-write" in request.url.path)
        if self.xet is None:
            raise Refusal(404, "Xet is not enabled for this repository")
        place, until = f"local://{self.xet}", int(time.time()) + 3600
        headers = {"X-Xet-Cas-Url": place, "X-Xet-Access-Token": "xet"}
        headers["X-Xet-Token-Expiration"] = str(until)
        return JSONResponse({"casUrl": place, "exp": until, "accessToken": "xet"}, headers=headers)

    async def _harnesses(self, _: Request) -> Any:
        return {"standardEnvVars": [], "harnesses": {}}

    # --- the server

    def _answering(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            method, path = request.method, request.url.path
            self.asked.append(f"{method} {path}")
            try:
                body = await request.body()
                self.received.append(body)
                self._fault(method, path)
                if not path.startswith("/_"):
                    self._who(request)
                self.watch("before", f"{method} {path}")
                out = await handler(request)
                self.watch("after", f"{method} {path}")
                found = out if isinstance(out, Response) else JSONResponse(out)
            except Refusal as refused:
                found = _refusing(refused, method)
            found.headers["X-Request-Id"] = "Root=1-test"
            return self._whole_or_cut(found, method, path)

        return answer

    def _fault(self, method: str, path: str) -> None:
        for number, (asked, pattern, status, headers) in enumerate(self.faults):
            if asked == method and re.search(pattern, path):
                del self.faults[number]
                raise Refusal(status, "injected", **headers)

    def _whole_or_cut(self, found: Response, method: str, path: str) -> Response:
        for number, (asked, pattern) in enumerate(self.cuts):
            if asked == method and re.search(pattern, path):
                del self.cuts[number]
                return Cut(found)
        return found

    def app(self) -> Starlette:
        """The routes."""

        def at(path: str, handler: Handler, *methods: str) -> Route:
            return Route(path, self._answering(handler), methods=list(methods or ("GET",)))

        one, files = "/api/datasets/{space}/{name}", "/datasets/{space}/{name}"
        rev = "{revision:path}"
        return Starlette(
            routes=[
                at("/api/whoami-v2", self._whoami),
                at("/api/repos/create", self._create, "POST"),
                at("/api/repos/delete", self._delete, "DELETE"),
                at("/api/validate-yaml", self._card, "POST"),
                at("/api/agent-harnesses", self._harnesses),
                at("/api/datasets", self._list),
                at(f"{one}/settings", self._settings, "PUT"),
                at(f"{one}/revision/{rev}", self._about),
                at(f"{one}/refs", self._refs),
                at(f"{one}/auth-check", self._auth),
                at(f"{one}/auth-check/write", self._auth),
                at(f"{one}/commits/{rev}", self._commits),
                at(f"{one}/preupload/{rev}", self._preupload, "POST"),
                at(f"{one}/commit/{rev}", self._commit, "POST"),
                at(f"{one}/paths-info/{rev}", self._paths, "POST"),
                at(f"{one}/tag/{rev}", self._tag, "POST", "DELETE"),
                at(f"{one}/super-squash/{rev}", self._squash, "POST"),
                at(f"{one}/lfs-files", self._lfs_listed),
                at(f"{one}/lfs-files/batch", self._lfs_removed, "POST"),
                at(one + "/tree/{revision}", self._tree),
                at(one + "/tree/{revision}/{path:path}", self._tree),
                at(f"{one}/xet-read-token/{rev}", self._xet),
                at(f"{one}/xet-write-token/{rev}", self._xet),
                at(one, self._about),
                at(files + ".git/info/lfs/objects/batch", self._batch, "POST"),
                at(files + "/resolve/{revision}/{path:path}", self._file, "GET", "HEAD"),
                at("/_lfs/{oid}", self._upload, "PUT"),
                at("/_lfs/{oid}/verify", self._verify, "POST"),
                at("/_lfs/{oid}/complete", self._complete, "POST"),
                at("/_lfs/{oid}/{part}", self._upload, "PUT"),
                at("/_store/{oid}", self._stored, "GET", "HEAD"),
            ]
        )


class Cut(Response):
    """An answer of which only half comes."""

    def __init__(self, whole: Response) -> None:
        super().__init__(bytes(whole.body) or b"{}", whole.status_code)
        self.raw_headers = [h for h in whole.raw_headers if h[0] != b"content-length"]
        self.raw_headers.append((b"content-length", str(len(self.body)).encode()))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        raise ConnectionResetError


class Quoted:
    """Routes on the path as it was sent, so that a revision `refs%2Fpr%2F1` stays one segment, and
    lets a cut connection be cut without a word."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "path": scope["raw_path"].decode()}
        await self.app(scope, receive, send)


def _refusing(refused: Refusal, method: str) -> Response:
    headers = {"X-Error-Message": refused.message.partition("\n")[0], **refused.headers}
    if refused.code:
        headers["X-Error-Code"] = refused.code
    if method == "HEAD":
        return Response(status_code=refused.status, headers=headers)
    return JSONResponse({"error": refused.message}, refused.status, headers=headers)


def _ranged(request: Request, data: bytes, headers: dict[str, str]) -> Response:
    """All of `data`, or the range that was asked for."""
    kind, whole = "application/octet-stream", len(data)
    match = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
    status = 200
    if match:
        first, last = int(match[1]), min(int(match[2] or whole - 1), whole - 1)
        if first >= whole:
            return Response(status_code=416, headers={"Content-Range": f"bytes */{whole}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{whole}"
        data, status = data[first : last + 1], 206
    headers["Content-Length"] = str(len(data))
    content = b"" if request.method == "HEAD" else data
    return Response(content, status, headers=headers, media_type=kind)


@contextmanager
def serving(
    *, xet: Path | None = None, large: int = 10_000_000, part: int | None = None
) -> Iterator[Hub]:
    """A Hub at `hub.url` while the context lasts."""
    hub = Hub(xet=xet, large=large, part=part)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    hub.port = listening.getsockname()[1]
    hub.url = f"http://127.0.0.1:{hub.port}"
    settings = uvicorn.Config(Quoted(hub.app()), log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield hub
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()
