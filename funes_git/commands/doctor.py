"""`git funes doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from funes_git import output
from funes_git.commands import options
from funes_git.commands.opened import here
from funes_git.render import json
from funes_git.render.clean import line
from funes_git.render.page import Page

if TYPE_CHECKING:
    from funes_git.doctor import Check


def doctor(*, format: options.Format = None) -> int:
    """Prove that hooks, stores, models and scanner work

    Makes a commit in a scratch repository to see whether the hooks fire. Exits with 1 if something
    failed.

    Example: git funes doctor

    Parameters
    ----------
    format
        Terminals get human, pipes get agent.
    """
    from funes_git.doctor import checks

    out = output.choose(format)
    now = (0, 0, "")

    def starting(done: int, total: int, what: str) -> None:
        nonlocal now
        now = (done, total, f"checks, now {what}")
        out.progress(*now)

    results = []
    for check in checks(here(), starting):
        results.append(check)
        if out.format != "json":
            out.progress_done()
            out.lines(_told(out.page, check))  # at once: the proof takes seconds
            out.progress(*now)
    out.progress_done()
    failed = sum(check.state == "failed" for check in results)
    if out.format == "json":
        rows = [
            {"name": c.name, "state": c.state, "detail": c.detail, "hint": c.hint} for c in results
        ]
        out.json(json.document(ok=not failed, checks=rows))
    return 1 if failed else 0


def _told(page: Page, check: Check) -> list[str]:
    colour = {"ok": page.style.added, "warning": page.style.bold, "failed": page.style.removed}
    head = colour[check.state](f"{check.state:<8}")
    rows = [f"{head}{check.name:<11} {line(check.detail)}"]
    return rows + ([f"{'':<20}next: {line(check.hint)}"] if check.hint else [])
