"""`trackyard audit`: compare all books with each other."""

from collections.abc import Iterator
from typing import Any, Final

from trackyard.commands.local_api import ApiClient

_LABELS: Final = {
    "clicks": "clicks in the journals",
    "views": "impressions in the journals",
    "calls": "inbound postbacks in the journals",
    "calls that took effect": "inbound postbacks that made or changed a conversion",
    "conversions": "conversions",
    "referral shares": "referral shares of conversions",
    "days of statistics": "days of statistics",
    "payments": "payments to affiliates",
    "corrections": "corrections of balances",
}
"""What was compared, by the API's name of it."""
_SENTENCES: Final = {
    "call in the journal": "An inbound postback in journal {key} is missing in the server postback log.",
    "call in the log": "The log says that postback {key} {expected}, and the conversion's history has no such change.",
    "change by a call": "Postback {key} changed a conversion: the log should say {expected}, and says {found}.",
    "click in the journal": "Click {key} is in the journal and not in the statistics: {expected}, but {found}.",
    "click in statistics": "Click {key} is in the statistics and was never recorded: {expected}, but {found}.",
    "view in the journal": "Impression {key} is in the journal and not in the statistics: {expected}, but {found}.",
    "view in statistics": "Impression {key} is in the statistics and was never recorded: {expected}, but {found}.",
    "clicks loaded twice": "Clicks of journal {key} are in the statistics twice: {found} rows for {expected} clicks.",
    "views loaded twice": "Impressions of journal {key} are in the statistics twice: {found} rows for {expected}.",
    "conversion of facts": "The statistics count conversion {key}, which does not exist.",
    "facts of a conversion": "The statistics of conversion {key} differ from the conversion: {found}, not {expected}.",
    "ledger of a conversion": "The balance of the affiliate of conversion {key} has {found}, not {expected}.",
    "referral share of a conversion": "The referrer's share of conversion {key} is {found}, not {expected}.",
    "statistics of a day": "The report of the day from {key} (UTC milliseconds) shows {found}, not {expected}.",
    "entry of the ledger": "The ledger has an entry for conversion {key}, which does not exist.",
    "payment": "Payment {key} does not match the ledger: {found}, not {expected}.",
}
"""What differs, by the API's name of the comparison."""


def reconcile(api: ApiClient) -> dict[str, Any]:
    """Return the result of the comparison. Raises ServerAway, ApiError."""
    return api.get("/3.1/admin/reconciliation", seconds=None)


def audit_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the report."""
    for what, number in answer["checked"].items():
        yield f"{number:>12,} {_LABELS.get(what, what)}"
    for item in answer["differences"]:
        yield f"DIFFERENT {difference_sentence(item)}"
    yield from _hidden(answer)
    yield from (f"WARNING {sentence}" for sentence in answer.get("warnings", ()))
    yield "everything adds up" if answer["count"] == 0 else f"{answer['count']:,} differences"


def difference_sentence(item: dict[str, Any]) -> str:
    """Return what differs as a sentence."""
    sentence = _SENTENCES.get(item["what"])
    return _plain(item) if sentence is None else sentence.format(**item)


def difference_lines(answer: dict[str, Any]) -> list[str]:
    """Return a line for each difference of a rebuild, and one for those it leaves out."""
    return [*(f"DIFFERENT {_plain(item)}" for item in answer["differences"]), *_hidden(answer)]


def _plain(item: dict[str, Any]) -> str:
    return f"{item['what']} {item['key']}: expected {item['expected']}, found {item['found']}"


def _hidden(answer: dict[str, Any]) -> Iterator[str]:
    hidden = answer["count"] - len(answer["differences"])
    if hidden:
        yield f"… and {hidden:,} more differences"
