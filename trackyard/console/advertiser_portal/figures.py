"""The figures of an advertiser, from its own statistics (docs/spec/callers.md#advertisers-as-callers)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.people.advertiser_side import figures as figures_api
from trackyard.console.charts.changes import change_text
from trackyard.console.frame.address import Pair
from trackyard.console.frame.figures import figure_change, value_of
from trackyard.console.frame.slice_keys import day_in
from trackyard.console.portal.words import STATUSES
from trackyard.domain.statistics.metrics import COUNTED, METRIC_BY_NAME, MetricDirection, MetricSums
from trackyard.wire.local_calls import LocalCalls

METHOD: Final = figures_api.stats
_DIRECTIONS: Final = {name: MetricDirection.UP if name == "confirmed" else MetricDirection.NEUTRAL for name in STATUSES}
"""Which way conversions of a status should go: a confirmed one more is one pending less."""
_PAGE: Final = 1000


@dataclass(frozen=True, slots=True)
class OwnFigures:
    """Sums of rows. charge, clickless: of conversions that count, which declined ones do not.

    clickless: conversions without a click.
    """

    clicks: int = 0
    unique: int = 0
    confirmed: int = 0
    pending: int = 0
    hold: int = 0
    declined: int = 0
    charge: Decimal = Decimal(0)
    clickless: int = 0
    confirmed_charge: Decimal = Decimal(0)
    pending_charge: Decimal = Decimal(0)
    hold_charge: Decimal = Decimal(0)
    declined_charge: Decimal = Decimal(0)

    def __add__(self, other: "OwnFigures") -> "OwnFigures":
        return OwnFigures(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def conversions(self) -> int:
        """Return the conversions that count."""
        return self.confirmed + self.pending + self.hold

    @property
    def cr(self) -> Decimal | None:
        """Return the conversions of clicks as a share of clicks; None without clicks."""
        found = self.for_charts().metric("cr")
        return None if found is None else Decimal(found)

    def change(self, name: str, latest: "OwnFigures", before: "OwnFigures") -> tuple[str, str]:
        """Return the change of a figure in words, and its tone; nothing where all are 0.

        latest: the part of the figures that is compared with earlier figures.
        """
        kind, each = METRIC_BY_NAME.get(name), (self, latest, before)
        if kind is not None:
            values = [figures.for_charts() for figures in each]
            return figure_change(kind, *values) if any(value_of(kind, of) for of in values) else ("", "neutral")
        shown, now, then = (figures.of_status(name) for figures in each)
        is_any = bool(shown or now or then)
        return change_text(now, then, _DIRECTIONS[name], shown=shown) if is_any else ("", "neutral")

    def of_status(self, status: str) -> int:
        """Return the number of conversions of a status."""
        return int(getattr(self, status))

    def charge_of(self, status: str) -> Decimal:
        """Return the charge of the conversions of a status."""
        return Decimal(getattr(self, f"{status}_charge"))

    @property
    def open_charge(self) -> Decimal:
        """Return the charge of pending and held conversions, which may come."""
        return self.pending_charge + self.hold_charge

    def for_charts(self) -> MetricSums:
        """Return the figures as charts take them."""
        return MetricSums(
            *(self.clicks, self.unique),
            conversions=self.conversions,
            charge=self.charge,
            clickless=self.clickless,
            confirmed_charge=self.confirmed_charge,
            pending_charge=self.pending_charge,
            hold_charge=self.hold_charge,
            declined_charge=self.declined_charge,
        )


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row of statistics. keys: the values of its slices."""

    keys: Mapping[str, int | str]
    figures: OwnFigures


@dataclass(frozen=True, slots=True)
class OwnPage:
    """Rows of statistics. total: the number of all rows."""

    rows: list[OwnRow]
    total: int
    currency: str


def days_of(first: date, last: date) -> list[Pair]:
    """Return the parameters of a period."""
    return [("date_from", first.isoformat()), ("date_to", last.isoformat())]


def read_page(calls: LocalCalls[Deps], sent: Sequence[Pair]) -> OwnPage:
    """Return the rows that parameters of the API ask for. Raises RequestError."""
    answer = calls.ask(METHOD, sent)
    rows = [OwnRow(row.slice, figures_of(row)) for row in answer.stats]
    return OwnPage(rows, answer.pagination.total_count, answer.currency)


def by_day(calls: LocalCalls[Deps], first: date, last: date) -> tuple[dict[date, OwnFigures], str]:
    """Return the figures of each day that has any, and their currency. Raises RequestError."""
    found = read_page(calls, [*days_of(first, last), ("slice[]", "day"), ("limit", str(_PAGE))])
    return {day_in(row.keys): row.figures for row in found.rows}, found.currency


def total(figures: Iterable[OwnFigures]) -> OwnFigures:
    """Return the sum."""
    return sum(figures, OwnFigures())


def figures_of(row: figures_api.OwnStatsRowView) -> OwnFigures:
    """Return the figures of a row of the API."""
    actions = row.actions
    counts = {name: actions[name].count for name in STATUSES if name in actions}
    charge = sum((actions[name].charge for name in COUNTED if name in actions), Decimal(0))
    clickless = sum(actions[name].without_click for name in COUNTED if name in actions)
    charges = {name: actions[name].charge for name in STATUSES if name in actions}
    nothing = Decimal(0)
    return OwnFigures(
        clicks=row.clicks,
        unique=row.unique,
        confirmed=counts.get("confirmed", 0),
        pending=counts.get("pending", 0),
        hold=counts.get("hold", 0),
        declined=counts.get("declined", 0),
        charge=charge,
        clickless=clickless,
        confirmed_charge=charges.get("confirmed", nothing),
        pending_charge=charges.get("pending", nothing),
        hold_charge=charges.get("hold", nothing),
        declined_charge=charges.get("declined", nothing),
    )
