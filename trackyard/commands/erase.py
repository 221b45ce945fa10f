"""`trackyard erase`: somebody's personal data, wherever it is kept."""

import time
from collections.abc import Callable
from typing import Any, Final

from trackyard.commands.local_api import ApiClient, ApiError, administrator_client
from trackyard.runtime.settings import CannotStart, Config

_PATH: Final = "/3.1/admin/erasures"
_POLL_S: Final = 0.5
_TIMEOUT_S: Final = 600
_NAMES: Final = {
    "click": "of click or view {}",
    "user": "of user id {}",
    "affiliate": "of affiliate {} and its visitors",
}


def erase(config: Config, subject: str, value: str, confirm: Callable[[str], bool]) -> str:
    """Says what is to be emptied, and has it emptied if `confirm` says yes to the question; what came of it.

    Raises CannotStart for what names nothing, without consent, and when the server does not run or refuses.
    """
    api = administrator_client(config)
    params = {"subject": subject, "id": value}
    try:
        counts_found = api.post(_PATH, {**params, "dry_run": 1})["named"]
        if not confirm(_question(subject, value, counts_found)):
            raise CannotStart("nothing was erased.")
        erasure_id = api.post(_PATH, params)["erasure"]["id"]
        return _wait_until_done(api, erasure_id)
    except ApiError as refused:
        raise CannotStart(f"the API answers {refused.status}: {refused}") from None


def _question(subject: str, value: str, counts_found: dict[str, Any]) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in counts_found.items())
    account = " Its account is emptied and its keys end." if subject == "affiliate" else ""
    subject_text = _NAMES[subject].format(value)
    return f"The personal data {subject_text} is emptied for good: {counts}.{account} Figures do not change. Erase it?"


def _wait_until_done(api: ApiClient, number: int) -> str:
    deadline = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < deadline:
        if api.get(f"{_PATH}/{number}")["erasure"]["done"]:
            return f"Erased (number {number}). Finished journals follow at once, open ones within a day."
        time.sleep(_POLL_S)
    return f"Erasure {number} is remembered and goes on: GET {_PATH}/{number} tells when it is done."
