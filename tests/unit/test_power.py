"""Whether the machine runs on its battery, as Linux tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from funes_git.power import on_battery


def supply(folder: Path, name: str, **values: str) -> None:
    (folder / name).mkdir()
    for key, value in values.items():
        (folder / name / key).write_text(value + "\n")


@pytest.mark.parametrize(
    ("status", "online", "expected"),
    [
        ("Discharging", "0", True),
        ("Discharging", None, True),
        ("Discharging", "1", False),
        ("Charging", "1", False),
        ("Full", "0", False),
        (None, "1", False),
        (None, None, False),
    ],
)
def test_a_battery_that_drains_without_mains(
    tmp_path: Path, status: str | None, online: str | None, expected: bool
) -> None:
    if status:
        supply(tmp_path, "BAT0", type="Battery", status=status)
    if online:
        supply(tmp_path, "AC", type="Mains", online=online)
    assert on_battery(tmp_path) is expected


def test_the_battery_of_a_mouse_is_none_of_the_machine(tmp_path: Path) -> None:
    supply(tmp_path, "hid-mouse", type="Battery", status="Discharging", scope="Device")
    assert not on_battery(tmp_path)


def test_a_supply_that_cannot_be_read_is_no_battery(tmp_path: Path) -> None:
    (tmp_path / "BAT0").mkdir()
    assert not on_battery(tmp_path)
    assert not on_battery(tmp_path / "none")
