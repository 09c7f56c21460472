"""Whether the machine runs on its battery, where that can be known."""

from __future__ import annotations

from pathlib import Path

SUPPLIES = Path("/sys/class/power_supply")
"""Linux: a folder a supply (https://docs.kernel.org/power/power_supply_class.html)."""


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Whether a battery is being discharged and no mains supply is there. False where it is not
    known."""
    batteries = _values(supplies, "Battery", "status")
    mains = _values(supplies, "Mains", "online") + _values(supplies, "USB", "online")
    return "Discharging" in batteries and "1" not in mains


def _values(supplies: Path, kind: str, name: str) -> list[str]:
    found = []
    for supply in sorted(supplies.glob("*")):
        try:
            # a mouse has a battery too; its scope is Device
            own = (supply / "scope").exists() and "Device" in (supply / "scope").read_text()
            if not own and (supply / "type").read_text().strip() == kind:
                found.append((supply / name).read_text().strip())
        except OSError:
            continue  # a supply that came or went, or has no such value
    return found
