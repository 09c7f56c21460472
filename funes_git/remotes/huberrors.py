"""What the Hub's refusals mean, in words that say what to do. Imports its client late.

HubError (FunesError)
├── NotOnHub      no such dataset, revision or file, or one that this token may not see
├── NotAllowed    no token, a wrong one, or one that may not do this
├── Conflict      another commit came first
├── Busy          asked too often, or the Hub is down: try again later
└── Unreachable   no answer at all, or offline by choice
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from funes_git.errors import FunesError

if TYPE_CHECKING:
    from huggingface_hub.errors import HfHubHTTPError

LOGIN = "hf auth login"
NO_ROOM = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE)
)
"""What the machine refuses to the client while it keeps what it fetched; no word of the Hub."""
ANOTHER_WAY = "try again later, or with HF_HUB_DISABLE_XET=1: large files go another way then"
T = TypeVar("T")


class HubError(FunesError):
    """The Hub did not do what was asked."""


class NotOnHub(HubError):
    """There is no such dataset, revision or file that this token may see."""


class NotAllowed(HubError):
    """There is no token, or it may not do this."""


class Conflict(HubError):
    """Another commit came first."""


class Busy(HubError):
    """The Hub takes no more for now; it asked to wait `seconds`, if it said so."""

    def __init__(self, message: str, seconds: int | None) -> None:
        super().__init__(message, "try again later")
        self.seconds = seconds


class Unreachable(HubError):
    """The Hub cannot be reached, or may not be."""


def translated(call: Callable[[], T], name: str, revision: str | None) -> T:
    """What `call` gives, about dataset `name`; the client's errors raised as ours. Raises OSError
    where it is this machine that has no room or lets nobody write."""
    from httpx import HTTPError  # the client's own; it wraps only answers, not their lack
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    try:
        return call()
    except OfflineModeIsEnabled as error:
        raise Unreachable(
            "the Hub may not be asked: HF_HUB_OFFLINE is set", "unset HF_HUB_OFFLINE"
        ) from error
    except LocalEntryNotFoundError as error:  # made of the lack of an answer
        raise _cause(error, name, revision) from error
    except HfHubHTTPError as error:
        raise _answered(error, name, revision) from error
    except HFValidationError as error:
        raise NotOnHub(f"the Hub takes no such name: {name}", "ORG/NAME, as on the Hub") from error
    except ValueError as error:  # the client's word for a card that the Hub refuses
        raise HubError(f"the Hub refused {name}: {_first_line(str(error))}") from error
    except (HTTPError, OSError, RuntimeError) as error:
        raise _failed(error) from error


def demand_token(name: str) -> None:
    """Raise NotAllowed where nobody is logged in, who could write to dataset `name`."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise NotAllowed(f"writing to {name} needs a token, and there is none", LOGIN)


def _cause(error: Exception, name: str, revision: str | None) -> HubError:
    from huggingface_hub.errors import HfHubHTTPError

    cause = error.__cause__
    if isinstance(cause, HfHubHTTPError):
        return _answered(cause, name, revision)
    return _unreachable(cause or error)


def _unreachable(error: BaseException) -> Unreachable:
    return Unreachable(f"the Hub cannot be reached ({type(error).__name__})", "try again later")


def _failed(error: Exception) -> Exception:
    """What a call that got no answer means. The client's part for large files, hf_xet, is written
    in Rust, and says of the system's errors only their text."""
    native = isinstance(error, RuntimeError | ConnectionError)  # others are wrapped by httpx
    number = error.errno if isinstance(error, OSError) else None
    if told := re.search(r"\(os error (\d+)\)", str(error)) if native else None:
        number = int(told[1])
    if number in NO_ROOM:
        return error if isinstance(error, OSError) else OSError(number, os.strerror(number))
    found = _unreachable(error)
    found.hint = ANOTHER_WAY if native else found.hint
    return found


def _answered(error: HfHubHTTPError, name: str, revision: str | None) -> HubError:
    from huggingface_hub.errors import (
        GatedRepoError,
        RemoteEntryNotFoundError,
        RevisionNotFoundError,
    )

    status = error.response.status_code
    if isinstance(error, GatedRepoError):
        return NotAllowed(
            f"{name} is gated: its owner must let you in", f"ask on the page of the dataset {name}"
        )
    if isinstance(error, RevisionNotFoundError):
        return NotOnHub(f"{name} has no revision {revision}", f"git funes find {name}")
    if isinstance(error, RemoteEntryNotFoundError):
        return NotOnHub(f"a file is missing in {name}", "git funes find")
    if status in (401, 403, 404):
        return _refused(status, name)
    if status in (409, 412):
        return Conflict(f"{name} was changed by somebody else meanwhile", "try again")
    if status == 429 or status >= 500:
        seconds = _retry_after(error.response.headers.get("retry-after", ""))
        after = f"; it asks to wait {seconds} seconds" if seconds else ""
        what = "was asked too often" if status == 429 else f"answered {status} for {name}"
        return Busy(f"the Hub {what}{after}", seconds)
    return HubError(f"the Hub refused {name} ({status}): {_first_line(error.server_message)}")


def _refused(status: int, name: str) -> HubError:
    from huggingface_hub import get_token

    if status == 403:
        return NotAllowed(
            f"your token may not write to {name}",
            f"{LOGIN}   (with a token that may write, as a member of {name.split('/')[0]})",
        )
    if get_token() is None:
        return NotAllowed(
            f"no dataset {name} that you may read without a token ({status})",
            f"{LOGIN}   (if it is private)",
        )
    if status == 401:
        return NotAllowed("the Hub does not know your token", LOGIN)
    return NotOnHub(
        f"no dataset {name} that you may read ({status})", f"{LOGIN}   (if it is private)"
    )


def _retry_after(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() else None


def _first_line(text: str | None) -> str:
    return (text or "no reason given").strip().partition("\n")[0][:200]
