"""Currencies and their quotes (docs/api/currencies.md)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.money.currencies import (
    Quote,
    add_currency,
    edit_currency,
    get_quote,
    list_quotes,
    remove_currency,
)
from trackyard.api.paths import path_number
from trackyard.base.money import ZERO
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, Money, View, number

_RATE = re.compile(r"[0-9]{1,8}(\.[0-9]{1,10})?\Z")


@dataclass(frozen=True)
class RateNumber(s.Number):
    """A rate: a decimal above 0 with at most ten places."""

    def read(self, text: str, context: Mapping[str, Any]) -> Decimal:
        if not _RATE.match(text.strip()) or not (rate := Decimal(text.strip())):
            raise ValueError("This value must be a decimal number above 0 with at most ten places.")
        return rate

    def schema(self) -> s.Schema:
        return {"type": "number", "exclusiveMinimum": 0}


RateValue = Annotated[Decimal, RateNumber()]


class QuotesParams(Params):
    """How much is told of each."""

    extended: s.Flag = False


class AddCurrency(Params):
    """A new currency. rate: units of it for one of the platform's · min_payment: the least that is paid out in it."""

    code: s.Currency
    rate: RateValue
    active: s.Flag = True
    min_payment: s.Amount = ZERO


class EditCurrency(Params):
    """What changes of a currency; a rate holds from now on."""

    rate: RateValue | None = None
    active: s.Flag | None = None
    min_payment: s.Amount | None = None


class QuoteView(View, rename={"id": "_id"}):
    """A currency. id: its ISO 4217 number · rate: units of it for one of the platform's."""

    id: int
    code: str
    active: bool
    default: bool
    rate: Money | None
    min_payment: Money
    is_crypto: None


class QuotesAnswer(Answer):
    """Rates by code; with extended=1 a list with everything about each."""

    quotes: dict[str, Money] | list[QuoteView]


class CurrencyAnswer(Answer):
    """One currency."""

    currency: QuoteView


def list_all(call: Call[Deps], params: QuotesParams) -> QuotesAnswer:
    """List currency quotes: units of each active currency for one of the platform's. With extended=1 all of them."""
    quotes = list_quotes(call.deps)
    if params.extended:
        return QuotesAnswer(quotes=[quote_view(quote) for quote in quotes])
    active = {quote.code: quote.rate for quote in quotes if quote.active}
    return QuotesAnswer(quotes={code: number(rate) for code, rate in active.items() if rate is not None})


def add(call: Call[Deps], params: AddCurrency) -> CurrencyAnswer:
    """Add a currency with its rate."""
    made = add_currency(call.deps, params.code, params.rate, active=params.active, min_payment=params.min_payment)
    return CurrencyAnswer(currency=quote_view(made))


def edit(call: Call[Deps], params: EditCurrency) -> CurrencyAnswer:
    """Change a currency. A rate holds from now on; stored conversions keep theirs."""
    changed = edit_currency(call.deps, call.subject.number, **params.model_dump())
    return CurrencyAnswer(currency=quote_view(changed))


def remove(call: Call[Deps], _params: NoParams) -> CurrencyAnswer:
    """Remove a currency that nothing is paid or counted in. Answers with what it was."""
    return CurrencyAnswer(currency=quote_view(remove_currency(call.deps, call.subject.number)))


def quote_view(quote: Quote) -> QuoteView:
    """A currency on the wire."""
    return QuoteView(
        id=quote.number,
        code=quote.code,
        active=quote.active,
        default=quote.default,
        rate=None if quote.rate is None else number(quote.rate),
        min_payment=number(quote.min_payment),
        is_crypto=None,
    )


def _find(call: Call[Deps]) -> Quote:
    return get_quote(call.deps, path_number(call))


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.currency.list",
        method="GET",
        path="/admin/currency",
        audience="staff",
        permission=Permission.CURRENCIES_READ,
        params=QuotesParams,
        answer=QuotesAnswer,
        handle=list_all,
    ),
    Endpoint(
        id="admin.currency.add",
        method="POST",
        path="/admin/currencies",
        audience="staff",
        permission=Permission.CURRENCIES_WRITE,
        params=AddCurrency,
        answer=CurrencyAnswer,
        handle=add,
    ),
    Endpoint(
        id="admin.currency.edit",
        method="POST",
        path="/admin/currencies/{id}",
        audience="staff",
        permission=Permission.CURRENCIES_WRITE,
        params=EditCurrency,
        answer=CurrencyAnswer,
        find=_find,
        handle=edit,
    ),
    Endpoint(
        id="admin.currency.remove",
        method="POST",
        path="/admin/currencies/{id}/remove",
        audience="staff",
        permission=Permission.CURRENCIES_WRITE,
        answer=CurrencyAnswer,
        find=_find,
        handle=remove,
    ),
)
