"""Columns that lists of money share."""

from dataclasses import replace
from decimal import Decimal
from typing import Final, Protocol

from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.lists import cells
from trackyard.console.lists.declared import ListColumn
from trackyard.console.lists.objects import AFFILIATES


class OfAffiliate(Protocol):
    """A row about an affiliate."""

    pid: int


class OfAmount(Protocol):
    """A row with an amount in its currency."""

    amount: Decimal
    currency: str


AFFILIATE: Final = ListColumn[OfAffiliate](
    title=lazy_gettext("Affiliate"),
    objects=AFFILIATES,
    key=lambda each: each.pid,
    cell=lambda each, on: on.object(AFFILIATES, each.pid),
)
AFFILIATE_TITLE: Final = replace(AFFILIATE, role="title")
AMOUNT: Final = ListColumn[OfAmount](
    title=lazy_gettext("Amount"), role="figure", cell=lambda each, _: cells.money(each.amount, each.currency)
)
