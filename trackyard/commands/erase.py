"""`trackyard erase`: remove personal data from every store."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from trackyard.commands.failures import CommandFailed
from trackyard.commands.local_api import ApiClient

_PATH: Final = "/3.1/admin/erasures"
_POLL_S: Final = 0.5
_TIMEOUT_S: Final = 600
_NAMES: Final = {
    "click": "of click or view {}",
    "user": "of user id {}",
    "affiliate": "of affiliate {} and its visitors",
}
_LABELS: Final = {"click": "click id", "user": "user id"}


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """An erasure.

    counts: of named clicks, views and conversions.
    done: whether the stores are done; False = the server continues.
    """

    number: int
    subject: str
    value: str
    counts: dict[str, Any]
    done: bool

    def sentence(self) -> str:
        """Return the result for people."""
        if self.done:
            return f"Erased (number {self.number}). Finished journals follow at once, open ones within a day."
        return f"Erasure {self.number} is stored and continues: GET {_PATH}/{self.number} says when it is done."

    def answer(self) -> dict[str, Any]:
        """Return the result for programs."""
        return {
            "erasure": self.number,
            "subject": self.subject,
            "id": self.value,
            "named": self.counts,
            "done": self.done,
        }


def erase(api: ApiClient, subject: str, value: str, confirm: Callable[[str], bool]) -> ErasureResult:
    """Ask for a confirmation, then erase; return the result.

    confirm: returns whether the answer to a question is yes.
    Raises CommandFailed for an unknown subject, an id that no record has, without confirmation, and when the server
    rejects it; ServerAway.
    """
    params = {"subject": subject, "id": value}
    counts_found = api.post(_PATH, {**params, "dry_run": 1})["named"]
    if subject != "affiliate" and not any(counts_found.values()):
        raise CommandFailed(f"no click, view or conversion has the {_LABELS[subject]} {value}: nothing was erased.")
    if not confirm(_question(subject, value, counts_found)):
        raise CommandFailed("nothing was erased.")
    number = api.post(_PATH, params)["erasure"]["id"]
    return ErasureResult(number, subject, value, counts_found, _wait_until_done(api, number))


def _question(subject: str, value: str, counts_found: dict[str, Any]) -> str:
    counts = ", ".join(f"{count:,} {what}" for what, count in counts_found.items())
    account = " Its account is emptied and its keys end." if subject == "affiliate" else ""
    subject_text = _NAMES[subject].format(value)
    return f"The personal data {subject_text} is emptied for good: {counts}.{account} Figures do not change. Erase it?"


def _wait_until_done(api: ApiClient, number: int) -> bool:
    """Return whether the erasure is done; False when it still continues after some minutes."""
    deadline = time.monotonic() + _TIMEOUT_S
    while time.monotonic() < deadline:
        if api.get(f"{_PATH}/{number}")["erasure"]["done"]:
            return True
        time.sleep(_POLL_S)
    return False
