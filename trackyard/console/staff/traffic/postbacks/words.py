"""Words about postbacks and deliveries: outcomes, answers, results."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.domain.tracking.reference.texts import reference_texts

OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "sent": ("Sent", "confirmed"),
    "failed": ("Failed, tried again", "pending"),
    "dead": ("Given up", "declined"),
    "superseded": ("Superseded", "hold"),
    "dropped": ("Dropped", "declined"),
    "parked": ("Waits: the postback is paused", "hold"),
    "waiting": ("Waits", "pending"),
}
"""Outcome of a delivery to its label and the class of its status."""
ANSWERS: Final[tuple[tuple[str, str], ...]] = (
    ("0", "No answer"), ("200", "200 taken"), ("204", "204 taken"), ("301", "301 redirect"), ("302", "302 redirect"),
    ("400", "400 refused"), ("401", "401 refused"), ("403", "403 forbidden"), ("404", "404 not found"),
    ("429", "429 too many"), ("500", "500 error"), ("502", "502 error"), ("503", "503 error"), ("504", "504 error"),
)  # fmt: skip
"""HTTP codes by which deliveries are filtered."""
STATES: Final[Mapping[str, str]] = {
    "decided": "It changed or made a conversion.",
    "queued": "It is in the inbox and is decided in some seconds.",
    "waiting": "It waits in the inbox: the click that it names is not loaded yet.",
    "quarantined": "It is in quarantine: its decision failed. The log of the server says why.",
}
"""State of an inbound postback without a fault, in words."""
REPORTED: Final[Mapping[int, str]] = {1: "confirmed", 2: "pending", 3: "declined", 5: "hold"}
"""Number of a status to its name."""


def outcome_of(outcome: str) -> tuple[str, str]:
    """Return the label of an outcome, and the class of its status."""
    return OUTCOMES.get(outcome, (outcome, "pending"))


def outcome_sentence(outcome: str) -> str:
    """Return what an outcome means."""
    if outcome == "waiting":
        return "It is queued and is sent in some seconds."
    return str(reference_texts("results")["deliveries"].get(outcome, {}).get("text", ""))


def answer_text(attempt: Mapping[str, Any]) -> str:
    """Return what the receiver answered."""
    return f"HTTP {attempt['http_code']}" if attempt["http_code"] else str(attempt["error"]) or "no answer"


def fault_words(response: str) -> tuple[str, str]:
    """Return what the fault of an inbound postback means, and what to do."""
    found = reference_texts("results")["faults"].get(response, {})
    return str(found.get("text", "")).replace("`", ""), str(found.get("advice", "")).replace("`", "")
