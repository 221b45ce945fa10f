"""The metrics of `trackyard report`: those of the API, and those in the words of the house."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from typing import Any, Final

from trackyard.domain.money.amounts import rate_places, shown_amount

Row = Mapping[str, Any]
"""A row of the API."""
Value = Decimal | str | None
CONVERSION_TYPES: Final = ("total", "confirmed", "pending", "declined", "hold")
COUNTED: Final = ("confirmed", "pending", "hold")
"""The types that conversions, charge, payout and margin count (docs/commands.md): declined is a figure of its own."""


class Form(Enum):
    """How a metric is printed."""

    COUNT = auto()
    AMOUNT = auto()
    RATE = auto()
    PERCENT = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric.

    value: of a row of the API; None where the row has none.
    less: of an amount that is a difference, what it is of: the first less the others.
    """

    name: str
    title: str
    form: Form
    value: Callable[[Row], Value]
    less: tuple[Callable[[Row], Value], ...] = ()

    def text_of(self, row: Row, currency: str) -> str:
        """Return the value of a row as it is printed; a difference is that of printed values."""
        if not self.less or self.value(row) is None:
            return self.text(self.value(row), currency)
        first, *others = (shown_amount(_number(part(row)), currency) for part in self.less)
        return f"{first - sum(others, Decimal(0)):,}"

    def text(self, value: Value, currency: str) -> str:
        """Return a value as it is printed: an amount in the places of its currency."""
        if value is None:
            return "-"
        if isinstance(value, str):
            return value
        if self.form is Form.COUNT:
            return f"{value:,.0f}"
        if self.form is Form.PERCENT:
            return f"{value:,.2f}%"
        places = rate_places(value, currency) if self.form is Form.RATE else None
        return f"{shown_amount(value, currency, places):,}"


def _number(value: Any) -> Decimal:
    return Decimal(str(value or 0))


def _field(name: str) -> Callable[[Row], Value]:
    return lambda row: None if row.get(name) is None else _number(row[name])


def _traffic(name: str) -> Callable[[Row], Value]:
    return lambda row: _number(row["traffic"][name])


def _action(kind: str, name: str) -> Callable[[Row], Value]:
    def value(row: Row) -> Value:
        actions = row["actions"]
        found = actions.get(kind, {}).get(name) if isinstance(actions, Mapping) else None
        return _number(found)

    return value


def _counted(name: str) -> Callable[[Row], Value]:
    parts = [_action(kind, name) for kind in COUNTED]

    def value(row: Row) -> Value:
        return sum((found for part in parts if isinstance(found := part(row), Decimal)), Decimal(0))

    return value


def _rate(row: Row) -> Value:
    clicks, conversions = _traffic("raw")(row), _counted("count")(row)
    assert isinstance(clicks, Decimal) and isinstance(conversions, Decimal)
    return 100 * conversions / clicks if clicks else Decimal(0)


def _profit(row: Row) -> Value:
    cost, margin = _field("cost")(row), _counted("earning")(row)
    return margin - cost if isinstance(cost, Decimal) and isinstance(margin, Decimal) else None


def _roi(row: Row) -> Value:
    cost, profit = _field("cost")(row), _profit(row)
    if not isinstance(cost, Decimal) or not isinstance(profit, Decimal):
        return None
    return 100 * profit / cost if cost else Decimal(0)


def _cr(kind: str) -> Callable[[Row], Value]:
    return lambda row: _number(row["cr"][kind]) if row.get("cr") else None


def _ratio(row: Row) -> Value:
    found = row.get("ratio")
    return None if found is None else str(found)


_WORDS: Final = (
    Metric("clicks", "Clicks", Form.COUNT, _traffic("raw")),
    Metric("uniques", "Uniques", Form.COUNT, _traffic("uniq")),
    Metric("impressions", "Impressions", Form.COUNT, _field("views")),
    Metric("conversions", "Conversions", Form.COUNT, _counted("count")),
    Metric("declined", "Declined", Form.COUNT, _action("declined", "count")),
    Metric("cr", "CR", Form.PERCENT, _rate),
    Metric("charge", "Charge", Form.AMOUNT, _counted("charge")),
    Metric("payout", "Payout", Form.AMOUNT, _counted("payouts")),
    Metric("margin", "Margin", Form.AMOUNT, _counted("earning"), (_counted("charge"), _counted("payouts"))),
    Metric("cost", "Ad costs", Form.AMOUNT, _field("cost")),
    Metric(
        "profit",
        "Profit",
        Form.AMOUNT,
        _profit,
        (_counted("charge"), _counted("payouts"), _field("cost")),
    ),
    Metric("roi", "ROI", Form.PERCENT, _roi),
    Metric("rejected", "Rejected", Form.COUNT, _field("trafficback")),
    Metric("ctr", "CTR", Form.PERCENT, _field("ctr")),
    Metric("epc", "EPC", Form.RATE, _field("epc")),
    Metric("ecpm", "eCPM", Form.RATE, _field("ecpm")),
    Metric("ratio", "Ratio", Form.TEXT, _ratio),
)
_FORMS: Final = {"count": Form.COUNT, "null": Form.COUNT}
_OF_API: Final = (
    Metric("traffic.raw", "traffic.raw", Form.COUNT, _traffic("raw")),
    Metric("traffic.uniq", "traffic.uniq", Form.COUNT, _traffic("uniq")),
    Metric("views", "views", Form.COUNT, _field("views")),
    Metric("trafficback", "trafficback", Form.COUNT, _field("trafficback")),
    *(
        Metric(f"{kind}.{name}", f"{kind}.{name}", _FORMS.get(name, Form.AMOUNT), _action(kind, name))
        for kind in CONVERSION_TYPES
        for name in ("count", "charge", "payouts", "revenue", "earning", "null")
    ),
    *(Metric(f"cr_{kind}", f"cr_{kind}", Form.PERCENT, _cr(kind)) for kind in CONVERSION_TYPES),
)

METRICS: Final = {metric.name: metric for metric in (*_WORDS, *_OF_API)}
"""Every metric by name; those of the API have the names of the columns of its CSV."""
DEFAULT: Final = ("clicks", "uniques", "conversions", "cr", "charge", "payout", "margin")
DEFAULT_OF_REJECTIONS: Final = ("rejected",)
