"""`trackyard audit`: compare all books with each other."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import Any, Final

from trackyard.commands.failures import CommandFailed
from trackyard.commands.frame.options import Invocation
from trackyard.runtime.server_file import find_server_file
from trackyard.runtime.settings import Config

_LABELS: Final = {
    "clicks": "clicks in the journals",
    "views": "impressions in the journals",
    "calls": "inbound postbacks in the journals",
    "calls that took effect": "inbound postbacks that made or changed a conversion",
    "conversions": "conversions",
    "referral shares": "referral shares of conversions",
    "days of statistics": "days of statistics",
    "payments": "payments to affiliates",
    "paid conversions by affiliate and currency": "sums of paid conversions, by affiliate and currency",
    "corrections": "corrections of balances",
}
"""What was compared, by the API's name of it."""
_SENTENCES: Final = {
    "call in the journal": "An inbound postback in journal {key} is missing in the server postback log.",
    "call in the log": "By the log, postback {key} {expected}, and the conversion's history has no such change.",
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
    "accepted import": "Import {key} was accepted and made no conversion: {found}.",
    "payouts of closed conversions": "Payouts of paid conversions of {key} sum to {found}, not {expected}.",
    "payment": "Payment {key} does not match the ledger: {found}, not {expected}.",
}
"""What differs, by the API's name of the comparison."""


def reconcile(invocation: Invocation) -> dict[str, Any]:
    """Compare over the API, or in this process on a machine with journals and without the role api.

    Raises ServerAway, ApiError, CommandFailed.
    """
    if not invocation.names_server():
        config = invocation.settings()
        server = find_server_file(config.data_dir)
        roles = config.roles if server is None else server.roles
        if "projector" in roles and "api" not in roles:
            return _compare_journals(config)
    return invocation.api().get("/3.1/admin/reconciliation", seconds=None)


def _compare_journals(config: Config) -> dict[str, Any]:
    """Return the result for the journals of this machine. The other books are compared where an API is."""
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.actions.platform.reconciliation import reconcile_journals
    from trackyard.analytics.engine.connection import Analytics, StoreError
    from trackyard.base.logs.outages import first_line
    from trackyard.store.engine.database import Database

    try:
        analytics = Analytics.open(config.analytics_url, cluster=config.analytics_cluster)
        with Database(config.database_url, pool_size=1) as database, closing(analytics):
            return asdict(reconcile_journals(database, analytics, config.data_dir / "journal"))
    except StoreError as fault:
        raise CommandFailed(f"the statistics cannot be read: {first_line(fault)}.") from None
    except SQLAlchemyError as fault:
        raise CommandFailed(f"TRACKYARD_DATABASE_URL cannot be used: {first_line(fault)}.") from None


def audit_lines(answer: dict[str, Any]) -> Iterator[str]:
    """Yield the report."""
    for what, number in answer["checked"].items():
        yield f"{number:>12,} {_LABELS.get(what, what)}"
    for item in answer["differences"]:
        yield f"DIFFERENT {difference_sentence(item)}"
    yield from _hidden(answer)
    yield from (f"WARNING {sentence}" for sentence in answer.get("warnings", ()))
    waiting: dict[str, int] = answer.get("not_loaded", {})  # servers of version 0.2.0 do not count them
    for journal, number in waiting.items():
        yield f"{number:>12,} records of journal {journal} that are not loaded yet"
    if answer["count"]:
        yield f"{answer['count']:,} differences"
    elif waiting:
        yield f"what is loaded adds up; not loaded yet: {sum(waiting.values()):,}"
    else:
        yield "everything adds up"


def difference_sentence(item: dict[str, Any]) -> str:
    """Return a sentence about a difference."""
    sentence = _SENTENCES.get(item["what"])
    return _plain(item) if sentence is None else sentence.format(**item)


def difference_lines(answer: dict[str, Any]) -> list[str]:
    """Return a line for each difference of a rebuild, and one for the differences it leaves out."""
    return [*(f"DIFFERENT {_plain(item)}" for item in answer["differences"]), *_hidden(answer)]


def _plain(item: dict[str, Any]) -> str:
    return f"{item['what']} {item['key']}: expected {item['expected']}, found {item['found']}"


def _hidden(answer: dict[str, Any]) -> Iterator[str]:
    hidden = answer["count"] - len(answer["differences"])
    if hidden:
        yield f"… and {hidden:,} more differences"
