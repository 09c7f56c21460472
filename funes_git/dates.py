"""Dates as a user writes them, read by git."""

from __future__ import annotations

import re
import time

from funes_git.errors import UsageError
from funes_git.git import Repo

_NOW = re.compile(r"now|today|second|0", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}"
    rf"|{_MONTH}[ .]+\d{{1,2}}(?:st|nd|rd|th)?(?:,?[ .]+\d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ .]+{_MONTH}(?:,?[ .]+\d{{4}})?"
    r"|(?:last[ .]+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|yesterday",
    re.IGNORECASE,
)


def whole(text: str) -> str:
    """The same date, where it is a day alone with its midnight in the local zone: git fills in the
    present time of day, so that the same words would mean another moment in the afternoon."""
    day = text.strip()
    return f"{day} 00:00" if _DAY.fullmatch(day) else text


def date(repo: Repo, text: str, command: str) -> float:
    """Seconds since the epoch of a date as git reads it, of a day alone its midnight in the local
    zone. Raises UsageError with `command`, which lacks the date."""
    answer = repo.run("rev-parse", f"--since={whole(text)}").decode()
    seconds = float(answer.strip().rpartition("=")[2])
    # git takes what it cannot read for the present moment.
    if abs(seconds - time.time()) < 2 and not _NOW.search(text):
        raise UsageError(f"{text!r} is no date", hint=f"{command} '2 weeks ago'")
    return seconds
