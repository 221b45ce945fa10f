"""`trackyard erase`: remove personal data from every store."""

import time
from collections.abc import Callable
from typing import Any, Final

from trackyard.commands.local_api import ApiClient, administrator_client
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
    """Ask for a confirmation, then erase; return the result.

    confirm: returns whether the answer to a question is yes.
    Raises CannotStart for an unknown subject, without confirmation, and when the server does not run or rejects it.
    """
    api = administrator_client(config)
    params = {"subject": subject, "id": value}
    counts_found = api.post(_PATH, {**params, "dry_run": 1})["named"]
    if not confirm(_question(subject, value, counts_found)):
        raise CannotStart("nothing was erased.")
    return _wait_until_done(api, api.post(_PATH, params)["erasure"]["id"])


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
    return f"Erasure {number} is stored and continues: GET {_PATH}/{number} says when it is done."
