"""Classes, reasons and statuses of comparisons in words."""

from collections.abc import Mapping
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.staff.traffic.reasons import rejection_label

CLASSES: Final[Mapping[str, str]] = {
    "matched": lazy_gettext("Matched"),
    "other_status": lazy_gettext("Other status"),
    "other_sum": lazy_gettext("Other sum"),
    "missing_here": lazy_gettext("Missing here"),
    "missing_there": lazy_gettext("Missing there"),
}
ACCEPTED: Final[Mapping[str, str]] = {
    "other_status": lazy_gettext("Take the statuses of the file"),
    "other_sum": lazy_gettext("Take the sums of the file"),
    "missing_there": lazy_gettext("Decline conversions that the file lacks"),
}
_REASONS: Final[Mapping[str, str]] = {
    "duplicate_row": lazy_gettext("Another row of the file names the same conversion."),
    "other_day": lazy_gettext("It counts on another day there: the zones of the days differ."),
    "other_period": lazy_gettext("We have it in another period."),
    "other_owner": lazy_gettext("It belongs to somebody else here."),
    "click_rejected": lazy_gettext("The click was rejected."),
    "postback_refused": lazy_gettext("The postback came and changed nothing."),
    "never_arrived": lazy_gettext("The click is known, and no postback came."),
    "unknown_click": lazy_gettext("No click has this ID here."),
    "no_trace": lazy_gettext("No postback with this action ID came."),
    "declined": lazy_gettext("It was declined here."),
    "outside_session": lazy_gettext("The postback came outside the session of the click."),
    "not_listed": lazy_gettext("The file does not list it."),
    "waiting": lazy_gettext("It is not confirmed yet."),
    "never_reported": lazy_gettext("Staff made it; no postback did."),
    "status": lazy_gettext("The statuses differ."),
    "sum": lazy_gettext("The sums differ."),
    "currency": lazy_gettext("The currencies differ."),
}
SKIPPED: Final[Mapping[str, str]] = {
    "changed_since": lazy_gettext("It changed since the comparison."),
    "other_currency": lazy_gettext("The currencies differ."),
    "negative_sum": lazy_gettext("The file has a negative sum."),
    "out_of_scope": lazy_gettext("It is not yours to change."),
    "accepted_before": lazy_gettext("It was accepted before."),
    "no_payment": lazy_gettext("No payment matched it: confirm it by hand, with both amounts."),
}
STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("confirmed"),
    "pending": lazy_gettext("pending"),
    "pending_cap": lazy_gettext("pending"),
    "hold": lazy_gettext("on hold"),
    "declined": lazy_gettext("declined"),
    "not_found": lazy_gettext("not found"),
}


def label_of(words: Mapping[str, str], name: str) -> str:
    """Return the word of a name, or the name where it has none."""
    return gettext(words[name]) if name in words else name


def reason_text(why: str, text: str) -> str:
    """Return a reason in words, with what was recorded."""
    sentence = label_of(_REASONS, why)
    recorded = rejection_label(text) if why == "click_rejected" else text
    recorded = label_of(STATUSES, text) if why == "waiting" else recorded
    return f"{sentence} {recorded}" if recorded else sentence
