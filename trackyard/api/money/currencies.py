"""Currencies and their quotes (docs/api/currencies.md)."""

import re
from decimal import Decimal
from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.money import currencies
from trackyard.api.lookups import by_number
from trackyard.base.money import ZERO
from trackyard.domain.money.currencies import Currency
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find = by_number(currencies.get_currency)

_RATE = re.compile(r"[0-9]{1,8}(\.[0-9]{1,10})?\Z")


RateValue = Annotated[
    Decimal,
    s.TextForm(
        "float",
        "This value must be a decimal number above 0 with at most ten places.",
        lambda text: _RATE.match(text.strip()) and (Decimal(text.strip()) or None),
        {"type": "number", "exclusiveMinimum": 0},
    ),
]


class ListCurrencies(Params):
    """Parameters of the list.

    extended: everything about each. get_only_active: no others; rates are of active ones alone.
    """

    extended: s.Flag = False
    get_only_active: s.Flag = False


class AddCurrency(Params):
    """A new currency. min_payment: the least that is paid out in it.

    rate: units of it for one of the platform's.
    """

    code: s.Currency
    rate: RateValue
    active: s.Flag = True
    min_payment: s.Amount = ZERO


class EditCurrency(Params):
    """Changes of a currency; a rate holds from now on."""

    rate: RateValue | None = None
    active: s.Flag | None = None
    min_payment: s.Amount | None = None


class CurrencyView(View, rename={"id": "_id"}):
    """A currency. id: its ISO 4217 number. rate: units of it for one of the platform's."""

    id: int
    code: str
    active: bool
    default: bool
    rate: Money | None
    min_payment: Money
    is_crypto: None


class CurrenciesAnswer(Answer):
    """Rates by code; with extended=1 a list with everything about each."""

    quotes: dict[str, Money] | list[CurrencyView]


class CurrencyAnswer(Answer):
    """One currency."""

    currency: CurrencyView


@routes.get("/admin/currency", for_staff(Permission.CURRENCIES_READ), id="admin.currency.list")
def list_all(request: ApiRequest[Deps], params: ListCurrencies) -> CurrenciesAnswer:
    """List exchange rates: units of each active currency for one of the platform's.

    With extended=1 all currencies.
    """
    quotes = currencies.list_currencies(request.deps)
    if params.extended:
        shown = [record for record in quotes if record.active or not params.get_only_active]
        return CurrenciesAnswer(quotes=[currency_view(record) for record in shown])
    active = {record.code: record.rate for record in quotes if record.active}
    return CurrenciesAnswer(quotes={code: number(rate) for code, rate in active.items() if rate is not None})


@routes.post("/admin/currencies", for_staff(Permission.CURRENCIES_WRITE), id="admin.currency.add")
def add(request: ApiRequest[Deps], params: AddCurrency) -> CurrencyAnswer:
    """Add a currency with its rate."""
    made = currencies.add_currency(
        request.deps, params.code, params.rate, active=params.active, min_payment=params.min_payment
    )
    return CurrencyAnswer(currency=currency_view(made))


@routes.post("/admin/currencies/{id}", for_staff(Permission.CURRENCIES_WRITE), id="admin.currency.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditCurrency) -> CurrencyAnswer:
    """Change a currency. A rate holds from now on; stored conversions keep theirs."""
    changed = currencies.edit_currency(request.deps, request.subject.number, **params.model_dump())
    return CurrencyAnswer(currency=currency_view(changed))


@routes.post(
    "/admin/currencies/{id}/remove", for_staff(Permission.CURRENCIES_WRITE), id="admin.currency.remove", find=_find
)
def remove(request: ApiRequest[Deps], _params: NoParams) -> CurrencyAnswer:
    """Remove a currency in which nothing is paid or counted. Answers with the removed record."""
    return CurrencyAnswer(currency=currency_view(currencies.remove_currency(request.deps, request.subject.number)))


def currency_view(record: Currency) -> CurrencyView:
    """Return the view of a currency."""
    rate = None if record.rate is None else number(record.rate)
    return view_of(CurrencyView, record, id=record.number, rate=rate, is_crypto=None)
