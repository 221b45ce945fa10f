"""Reports over conversions by the state of their payment (docs/spec/statistics.md#filters)."""

from dataclasses import replace
from typing import Final

from trackyard.base.errors import BadInput
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.money.payment_states import PaymentState
from trackyard.domain.statistics.reports import ChosenConversions, Report
from trackyard.store.conversions import lists
from trackyard.store.engine.database import Connection

MOST_CONVERSIONS: Final = 50_000
"""Conversions in payments that one report can count or leave out."""


def with_payment_statuses(conn: Connection, report: Report) -> Report:
    """Return a report that counts conversions with its payment statuses, as they are now.

    report: in the caller's scope. Raises BadInput for a period with too many conversions in payments.
    """
    chosen = frozenset(map(PaymentState, report.payment_statuses))
    if not chosen or chosen.issuperset(PaymentState):
        return report
    others = PaymentState.OPENED in chosen  # unpaid conversions are most: the report leaves out the others
    named = frozenset(PaymentState) - chosen if others else chosen
    found = lists.list_references(
        conn,
        report.scope,
        ConversionFilter(since=report.since, until=report.until, payment_states=named),
        most=MOST_CONVERSIONS + 1,
    )
    if len(found) > MOST_CONVERSIONS:
        sentence = f"More than {MOST_CONVERSIONS} conversions of this period are in payments: choose a shorter period."
        raise BadInput({"filter[payment_status]": [sentence]})
    return replace(report, conversions=ChosenConversions(tuple(each.id for each in found), others))
