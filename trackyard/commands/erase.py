"""`trackyard erase`: somebody's personal data, wherever it is kept."""

import time
from collections.abc import Callable
from typing import Any, Final

from trackyard.commands.local_api import Api, Refused, administrator
from trackyard.runtime.settings import CannotStart, Config

_PATH: Final = "/3.1/admin/erasures"
_EVERY_S: Final = 0.5
_PATIENCE_S: Final = 600
_NAMES: Final = {
    "click": "of click or view {}",
    "user": "of user id {}",
    "affiliate": "of affiliate {} and its visitors",
}


def erase(config: Config, subject: str, value: str, agrees: Callable[[str], bool]) -> str:
    """Says what is to be emptied, and has it emptied if `agrees` says yes to the question; what came of it.

    Raises CannotStart for what names nothing, without consent, and when the server does not run or refuses.
    """
    api = administrator(config)
    asked = {"subject": subject, "id": value}
    try:
        named = api.post(_PATH, {**asked, "dry_run": 1})["named"]
        if not agrees(_question(subject, value, named)):
            raise CannotStart("nothing was erased.")
        made = api.post(_PATH, asked)["erasure"]["id"]
        return _follow(api, made)
    except Refused as refused:
        raise CannotStart(f"the API answers {refused.status}: {refused}") from None


def _question(subject: str, value: str, named: dict[str, Any]) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in named.items())
    account = " Its account is emptied and its keys end." if subject == "affiliate" else ""
    whose = _NAMES[subject].format(value)
    return f"The personal data {whose} is emptied for good: {counts}.{account} Figures do not change. Erase it?"


def _follow(api: Api, number: int) -> str:
    give_up = time.monotonic() + _PATIENCE_S
    while time.monotonic() < give_up:
        if api.get(f"{_PATH}/{number}")["erasure"]["done"]:
            return f"Erased (number {number}). Finished journals follow at once, open ones within a day."
        time.sleep(_EVERY_S)
    return f"Erasure {number} is remembered and goes on: GET {_PATH}/{number} tells when it is done."
