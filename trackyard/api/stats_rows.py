"""Statistics rows on the wire (spec: Statistics row)."""

from collections.abc import Callable, Collection
from typing import Any

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.actions.statistics import Names, Question, ask
from trackyard.stats.dimensions import NO_MANAGER
from trackyard.stats.reports import Action, StatsRow
from trackyard.wire.endpoint import Call
from trackyard.wire.envelope import Answer, Money, Pagination, View, number, pagination

Value = int | str | dict[str, int | str]


class TrafficView(View):
    """Clicks; numbers as text, as existing programs read them."""

    raw: str
    uniq: str


class ActionView(View):
    """Conversions of one type."""

    revenue: Money
    charge: Money
    earning: Money
    payouts: Money
    null: int
    count: int


class StatsRowView(View):
    """One row. Of refused clicks (a slice by trafficback_reason) `actions` is empty and `trafficback` counts them."""

    slice: dict[str, Value]
    traffic: TrafficView
    actions: dict[str, ActionView] | list[ActionView]
    views: int
    ctr: Money
    cr: Money
    epc: Money
    ecpm: Money
    ratio: str
    trafficback: int | UnsetType = UNSET


class StatsAnswer(Answer):
    """A page of rows; amounts are in `currency`."""

    stats: list[StatsRowView]
    pagination: Pagination
    currency: str


REASON = "trafficback_reason"


def stats_answer(call: Call[Deps], question: Question, types: Collection[str] = ()) -> StatsAnswer:
    """The answer to a question. `types`: the conversion types to show; none = all."""
    page, names = ask(call.deps, call.caller, call.permission, question)
    return StatsAnswer(
        stats=[row_view(row, names, types) for row in page.rows],
        pagination=pagination(page=question.page, per_page=question.limit, total=page.total_count),
        currency=page.currency or call.deps.currency,
    )


def row_view(row: StatsRow, names: Names, types: Collection[str]) -> StatsRowView:
    """A row on the wire. `types`: the conversion types to show; none = all."""
    shown = {kind: _action(action) for kind, action in row.actions.items() if not types or kind in types}
    refused = REASON in row.keys
    return StatsRowView(
        slice={name: _NAMED[name](value, names) if name in _NAMED else value for name, value in row.keys.items()},
        traffic=TrafficView(raw=str(row.raw), uniq=str(row.uniq)),
        actions=[] if refused else shown,
        views=row.views,
        ctr=number(row.ctr),
        cr=number(row.cr),
        epc=number(row.epc),
        ecpm=number(row.ecpm),
        ratio=row.ratio,
        trafficback=row.trafficback if refused else UNSET,
    )


def _action(action: Action) -> ActionView:
    return ActionView(
        revenue=number(action.revenue),
        charge=number(action.charge),
        earning=number(action.earning),
        payouts=number(action.payouts),
        null=action.null,
        count=action.count,
    )


def _offer(value: Any, names: Names) -> dict[str, int | str]:
    found = names.offers.get(value)
    return {"id": value, "offer_id": found.hash if found else "", "title": found.title if found else ""}


def _affiliate(value: Any, names: Names) -> dict[str, int | str]:
    found = names.affiliates.get(value)
    if found is None:
        return {"id": value, "email": "", "login": "", "name": ""}
    return {"id": value, "email": found.email, "login": found.login, "name": found.name}


def _advertiser(value: Any, names: Names) -> dict[str, int | str]:
    return {"id": value, "title": names.advertisers.get(value, "")}


def _manager(value: Any, names: Names) -> dict[str, int | str]:
    found = names.managers.get(value)
    if found is None:  # nobody, or one who was removed while the report was made
        return {"id": NO_MANAGER, "first_name": "Undefined", "last_name": "Undefined"}
    return {"id": value, "first_name": found.first_name, "last_name": found.last_name}


def _city(value: Any, names: Names) -> str:
    return names.cities.get(str(value), str(value))


_NAMED: dict[str, Callable[[Any, Names], Value]] = {
    "city": _city,
    "offer": _offer,
    "affiliate": _affiliate,
    "advertiser": _advertiser,
    "affiliate_manager_id": _manager,
    "advertiser_manager_id": _manager,
}
"""Slices whose value is shown with its names."""
