"""Rates of the bank (docs/api/currencies.md)."""

from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money.exchange_rates import refresh_exchange_rates
from trackyard.base.zones import datetime_text
from trackyard.domain.money.exchange_rates import RateRefreshState
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class ExchangeRateStatusView(View):
    """The state of exchange rates; "" = unknown.

    day: the newest day of the bank that was entered.
    fault: the error of the last refresh.
    read_at: when that ended.
    is_requested: whether staff asked for a refresh that did not begin yet.
    """

    day: str
    fault: str
    read_at: str
    is_requested: bool


class ExchangeRatesAnswer(Answer):
    """The state of exchange rates."""

    quotes: ExchangeRateStatusView


@routes.post("/admin/exchange-rates/refresh", for_staff(Permission.CURRENCIES_WRITE), id="admin.exchange-rates.refresh")
def refresh(request: ApiRequest[Deps], _params: NoParams) -> ExchangeRatesAnswer:
    """Read the rates of the bank now, not only once an hour.

    A worker begins within seconds; `GET /admin/settings` has the time when it ended, and the error. What was read or
    asked for within a minute is not read again: `is_requested` is true while a reading is to come.
    """
    state = refresh_exchange_rates(request.deps)
    return ExchangeRatesAnswer(quotes=exchange_rate_status_view(state, request.deps.zone))


def exchange_rate_status_view(state: RateRefreshState, zone: ZoneInfo) -> ExchangeRateStatusView:
    """Return the view of a state, with its time in a zone."""
    read_at = "" if state.read_at is None else datetime_text(state.read_at, zone)
    return view_of(ExchangeRateStatusView, state, read_at=read_at)
