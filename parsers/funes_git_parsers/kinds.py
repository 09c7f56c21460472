"""What kind a record is of, for counting: the same rule for all agents.

Standard library only; knows no agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_INNER = ("payload", "message", "data", "attachment")
_NAMES = ("subtype", "role", "operation")


def kind_of(record: Mapping[str, Any]) -> str:
    """The record's `type`, then the type (or role) of what it holds, then what else tells records
    of a type apart: `user/user`, `event_msg/token_count`, `system/turn_duration`; `?` for none."""
    parts = [record.get("type")]
    for name in _INNER:
        inner = record.get(name)
        if isinstance(inner, dict):
            found = inner.get("type")
            parts.append(found if isinstance(found, str) else inner.get("role"))
    parts += [record.get(name) for name in _NAMES]
    parts += [key for key in record if key.startswith("$")]
    return "/".join(part for part in parts if isinstance(part, str) and part) or "?"
