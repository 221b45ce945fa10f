"""The currency of figures, which the address of a page holds (docs/spec/console.md#urls)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.statistics.day_rates import currencies_with_rates
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.request import PageRequest

PARAMETER: Final = "currency"
"""The name in addresses."""
_API: Final = "in_currency"


@dataclass(frozen=True, slots=True)
class CurrencyChoice:
    """The currency that an address selects.

    code: "" = none; amounts are then as the API returns them without a currency. shown: the code that pages write.
    known: the currencies to choose from, the platform's first.
    fault: a sentence about a currency in the address that has no exchange rate.
    """

    code: str
    shown: str
    known: tuple[str, ...]
    fault: str = ""

    @property
    def pairs(self) -> list[Pair]:
        """Return the parameters of the API."""
        return [(_API, self.code)] if self.code else []

    @property
    def query(self) -> str:
        """Return the query for addresses of pages in the same currency; "" without one."""
        return f"?{PARAMETER}={self.code}" if self.code else ""

    def menu(self, address: PageAddress) -> list[tuple[str, PageAddress, bool]]:
        """Return each currency, the page in it, and whether it is the chosen one; [] for one alone."""
        if len(self.known) == 1:
            return []
        return [(code, address.set(PARAMETER, code), code == self.shown) for code in self.known]


def read_currency(request: PageRequest) -> CurrencyChoice:
    """Return the currency that a page's address selects."""
    known = tuple(currencies_with_rates(request.deps))
    asked = request.address.get(PARAMETER).strip().upper()
    if asked in known:
        return CurrencyChoice(asked, asked, known)
    fault = ""
    if asked:
        fault = gettext(
            "There is no exchange rate of %(code)s: amounts are in %(currency)s.", code=asked[:10], currency=known[0]
        )
    return CurrencyChoice("", known[0], known, fault)


def without_currency(filters: Sequence[Pair]) -> list[Pair]:
    """Return parameters of the API without a currency, for methods that have no amounts."""
    return [pair for pair in filters if pair[0] != _API]
