"""The protocol by hand says what the official SDK says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_client import McpServer, hello, request
from mcp_reference import REPLY, VERSION

from funes_git.mcp.protocol import HANDSHAKE, MODERN, VERSION_KEY, Call, Protocol

REFERENCE = (sys.executable, str(Path(__file__).parents[1] / "mcp_reference.py"))
CALL = {"name": "status", "arguments": {}}


def _meta(version: str = MODERN[0]) -> dict[str, Any]:
    prefix = VERSION_KEY.rpartition("/")[0]
    client = {f"{prefix}/clientInfo": {"name": "test", "version": "1"}}
    return {"_meta": {VERSION_KEY: version, f"{prefix}/clientCapabilities": {}, **client}}


def _ours(protocol: Protocol, message: dict[str, Any]) -> dict[str, Any]:
    found = protocol.received(message)
    if isinstance(found, Call):
        found = protocol.result(found, REPLY, failed=False)
    assert isinstance(found, dict)
    sent: dict[str, Any] = json.loads(json.dumps(found))
    return sent


def _within(theirs: Any, ours: Any) -> bool:
    """Whether everything that they say is said by us: they leave out what an older version had no
    word for, which a client of that version does not look at."""
    if isinstance(theirs, dict):
        return all(key in ours and _within(value, ours[key]) for key, value in theirs.items())
    if isinstance(theirs, list):
        return len(theirs) == len(ours) and all(map(_within, theirs, ours))
    return bool(theirs == ours)


def _compare(*messages: dict[str, Any], exact: bool = True) -> None:
    protocol = Protocol(VERSION)
    with McpServer(Path.cwd(), *REFERENCE) as reference:
        for message in messages:
            reference.send(json.dumps(message))
            theirs, ours = reference.receive(), _ours(protocol, message)
            if "error" in theirs:
                assert (ours["id"], ours["error"]["code"]) == (
                    theirs["id"],
                    theirs["error"]["code"],
                )
            elif exact:
                assert ours == theirs
            else:
                assert _within(theirs, ours), message["method"]


@pytest.mark.parametrize("version", [*HANDSHAKE, "1999-01-01"])
def test_with_a_handshake(version: str) -> None:
    _compare(
        request(1, "server/discover", {}),
        request(2, "initialize", hello(version)),
        request(3, "ping", {}),
        request("four", "tools/list", {}),
        request(5, "tools/call", CALL),
        request(6, "tools/call", {"name": 7}),
        request(7, "tools/call", {"name": "status", "arguments": [1]}),
        request(8, "prompts/list", {}),
        request(9, "nothing/such", {}),
        exact=False,
    )


def test_a_handshake_without_a_version() -> None:
    _compare(request(1, "initialize", {}), request(2, "initialize", {"protocolVersion": 3}))


def test_without_a_handshake() -> None:
    _compare(
        request(1, "server/discover", _meta()),
        request(2, "tools/list", _meta()),
        request(3, "tools/call", CALL | _meta()),
        request(4, "tools/call", _meta()),
        request(5, "ping", _meta()),
        request(6, "prompts/list", _meta()),
        request(7, "tools/list", _meta("2027-01-01")),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from(["initialize", "ping", "tools/call", "tools/list", "server/discover", "x"]),
)
def test_no_message_is_too_strange(value: Any, method: str) -> None:
    protocol = Protocol(VERSION)
    base = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}
    protocol.received(value)
    for key in base:
        protocol.received({**base, key: value})
    protocol.received({**base, "params": {"_meta": value}})
    protocol.received({**base, "params": {"_meta": {VERSION_KEY: value}}})
    protocol.received({**base, "params": {"name": value, "arguments": value}})
    protocol.received({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": value})
