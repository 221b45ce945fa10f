"""Words about postbacks and deliveries: outcomes, answers, results."""

from collections.abc import Mapping
from typing import Final

from trackyard.api.tracking.explain import DeliveryAttemptView
from trackyard.api.tracking.logs import AffiliatePostback
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.staff.translations import translated_sentence
from trackyard.domain.tracking.reference.results import UNKNOWN, results

OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "sent": (lazy_gettext("Sent"), "confirmed"),
    "failed": (lazy_gettext("Failed, tried again"), "pending"),
    "dead": (lazy_gettext("Given up"), "declined"),
    "superseded": (lazy_gettext("Superseded"), "hold"),
    "dropped": (lazy_gettext("Dropped"), "declined"),
    "parked": (lazy_gettext("Waits: the postback is paused"), "hold"),
    "waiting": (lazy_gettext("Waits"), "pending"),
}
"""Outcome of a delivery to its label and the class of its status."""
ANSWERS: Final[tuple[tuple[str, str], ...]] = (
    ("0", lazy_gettext("No answer")),
    ("200", lazy_gettext("200 taken")),
    ("204", lazy_gettext("204 taken")),
    ("301", lazy_gettext("301 redirect")),
    ("302", lazy_gettext("302 redirect")),
    ("400", lazy_gettext("400 refused")),
    ("401", lazy_gettext("401 refused")),
    ("403", lazy_gettext("403 forbidden")),
    ("404", lazy_gettext("404 not found")),
    ("429", lazy_gettext("429 too many")),
    ("500", lazy_gettext("500 error")),
    ("502", lazy_gettext("502 error")),
    ("503", lazy_gettext("503 error")),
    ("504", lazy_gettext("504 error")),
)
"""HTTP codes by which deliveries are filtered."""
STATES: Final[Mapping[str, str]] = {
    "decided": lazy_gettext("It changed or made a conversion."),
    "queued": lazy_gettext("It is in the inbox and is decided in some seconds."),
    "waiting": lazy_gettext("It waits in the inbox: the click that it names is not loaded yet."),
    "quarantined": lazy_gettext("It is in quarantine: its decision failed. The log of the server has the reason."),
}
"""State of an inbound postback without a fault, in words."""
REPORTED: Final[Mapping[int, str]] = {1: "confirmed", 2: "pending", 3: "declined", 5: "hold"}
"""Number of a status to its name."""


def outcome_of(outcome: str) -> tuple[str, str]:
    """Return the label of an outcome, and the class of its status."""
    return OUTCOMES.get(outcome, (outcome, "pending"))


def outcome_sentence(outcome: str) -> str:
    """Return the meaning of an outcome."""
    if outcome == "waiting":
        return gettext("It is queued and is sent in some seconds.")
    return translated_sentence(results().deliveries.get(outcome, UNKNOWN).text)


def answer_text(attempt: AffiliatePostback | DeliveryAttemptView) -> str:
    """Return the receiver's answer in words."""
    return (
        gettext("HTTP %(http_code)s", http_code=attempt.http_code)
        if attempt.http_code
        else attempt.error or gettext("no answer")
    )


def fault_words(response: str) -> tuple[str, str]:
    """Return the meaning of the fault of an inbound postback, and the advice for it."""
    found = results().faults.get(response, UNKNOWN)
    return translated_sentence(found.text), translated_sentence(found.advice)
