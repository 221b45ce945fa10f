"""Rates of each day for reports in another currency (docs/spec/statistics.md#amounts)."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.base.zones import day_end_ms, day_start_ms, local_day
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.money.exchange_rates import rates_by_day
from trackyard.domain.statistics.reports import Report
from trackyard.store.engine.database import Connection
from trackyard.store.money.currencies import list_currencies
from trackyard.store.money.exchange_rates import current_rates, get_rates, rate_steps

_APART: Final = timedelta(days=2)
"""The days by which the same date of two zones may be apart, and more."""


def with_day_rates(deps: Deps, conn: Connection, report: Report) -> Report:
    """Return a report with the rates of its requested currency.

    Raises BadInput for an unknown currency, and for one without a rate.
    """
    code = report.in_currency
    if code in ("", deps.currency):
        return report
    if code not in NUMBERS:
        raise BadInput({"in_currency": ["This value must be a currency code of ISO 4217, such as EUR."]})
    first = local_day(report.since, deps.zone) - _APART
    last = max(local_day(report.until, deps.zone) + _APART, first)
    steps = rate_steps(conn, code, day_start_ms(first, deps.zone), day_end_ms(last, deps.zone) - 1)
    if not steps:
        raise BadInput(
            {"in_currency": [f"There is no exchange rate of {code}: enter one in the settings, or send another code."]}
        )
    return replace(report, day_rates=rates_by_day(code, steps, deps.zone, first, last))


def is_before_first_rate(deps: Deps, report: Report) -> bool:
    """Return whether a report begins before the first known rate of its requested currency."""
    if report.in_currency in ("", deps.currency) or report.since >= report.until:
        return False
    with deps.database.read() as conn:
        rates = get_rates(conn, deps.currency, (report.in_currency,), report.since, report.until)
    first = day_end_ms(local_day(report.since, deps.zone), deps.zone) - 1
    return rates.is_before_first(report.in_currency, first)


def currencies_with_rates(deps: Deps) -> list[str]:
    """Return the currencies that reports can be in, the platform's first.

    The others are active, have a rate, and are ordered by code.
    """
    with deps.database.read() as conn:
        inactive = {code for code, found in list_currencies(conn).items() if not found.active}
        rated = current_rates(conn, deps.clock.now_ms())
    return [deps.currency, *sorted(rated.keys() - inactive - {deps.currency})]
