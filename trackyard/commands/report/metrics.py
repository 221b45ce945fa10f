"""The metrics of `trackyard report`: the API's metrics, and metrics in the terms of docs/glossary.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from typing import Any, Final

from trackyard.base.texts.marks import source_of
from trackyard.domain.money.amounts import rate_places, shown_amount
from trackyard.domain.statistics.metrics import COUNTED, Metric, MetricSums, Unit
from trackyard.domain.statistics.metrics import METRICS as REGISTERED

Row = Mapping[str, Any]
"""A row of the API."""
Value = Decimal | str | None
CONVERSION_TYPES: Final = ("total", "confirmed", "pending", "declined", "hold")


class Form(Enum):
    """How a metric is printed."""

    COUNT = auto()
    AMOUNT = auto()
    RATE = auto()
    PERCENT = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class PrintedMetric:
    """A metric.

    value: returns the value of a row of the API; None where the row has none.
    less: the parts of an amount that is a difference: the first less the others.
    """

    name: str
    title: str
    form: Form
    value: Callable[[Row], Value]
    less: tuple[Callable[[Row], Value], ...] = ()

    def text_of(self, row: Row, currency: str) -> str:
        """Return the value of a row as it is printed. A difference is taken of printed values."""
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


def _counted(name: str) -> Callable[[Row], Decimal]:
    parts = [_action(kind, name) for kind in COUNTED]

    def value(row: Row) -> Decimal:
        return sum((found for part in parts if isinstance(found := part(row), Decimal)), Decimal(0))

    return value


def _payout(row: Row, kind: str) -> Decimal:
    """Return the payout of the conversions of a type.

    `plain` rows have no `payouts` (docs/compatibility.md): there it is the charge less the margin, and the revenue of
    an affiliate, who sees neither.
    """
    actions = row["actions"]
    action = actions.get(kind, {}) if isinstance(actions, Mapping) else {}
    if "payouts" in action:
        return _number(action["payouts"])
    charge, earning = _number(action.get("charge")), _number(action.get("earning"))
    return charge - earning if charge or earning else _number(action.get("revenue"))


def _cr(kind: str) -> Callable[[Row], Value]:
    return lambda row: _number(row["cr"][kind]) if row.get("cr") else None


def _ratio(row: Row) -> Value:
    found = row.get("ratio")
    return None if found is None else str(found)


def _sums(row: Row) -> MetricSums:
    """Return the sums of a row."""
    count = {kind: _number(_action(kind, "count")(row)) for kind in (*COUNTED, "declined")}
    return MetricSums(
        clicks=int(_number(row["traffic"]["raw"])),
        unique=int(_number(row["traffic"]["uniq"])),
        rejected=int(_number(row.get("trafficback"))),
        impressions=int(_number(row.get("views"))),
        conversions=int(sum(count[kind] for kind in COUNTED)),
        confirmed=int(count["confirmed"]),
        pending=int(count["pending"]),
        hold=int(count["hold"]),
        declined=int(count["declined"]),
        charge=_counted("charge")(row),
        payout=sum((_payout(row, kind) for kind in COUNTED), Decimal(0)),
        **{f"{kind}_charge": _number(_action(kind, "charge")(row)) for kind in count},
        **{f"{kind}_payout": _payout(row, kind) for kind in count},
        cost=_number(row.get("cost")),
        clickless=int(_counted("without_click")(row)),
        clickless_payout=_counted("payouts_without_click")(row),
        clickless_confirmed=int(_number(_action("confirmed", "without_click")(row))),
        clickless_confirmed_payout=_number(_action("confirmed", "payouts_without_click")(row)),
    )


def _value(metric: Metric) -> Callable[[Row], Value]:
    """Return a function that computes a metric; None for a row that lacks one of its sums."""
    needed = [_OF_SUMS[name] for name in metric.reads if name in _OF_SUMS]
    scale = 100 if metric.unit is Unit.SHARE else 1

    def value(row: Row) -> Value:
        if any(row.get(name) is None for name in needed):
            return None
        return scale * Decimal(metric.value(_sums(row)) or 0)

    return value


def _parts(metric: Metric) -> tuple[Callable[[Row], Value], ...]:
    return tuple(lambda row, name=name: Decimal(getattr(_sums(row), name)) for name in metric.less)


_OF_SUMS: Final = {"impressions": "views", "rejected": "trafficback", "cost": "cost"}
"""Sums that a row may lack, by the fields that have them."""
_FORM_OF: Final = {
    Unit.COUNT: Form.COUNT,
    Unit.MONEY: Form.AMOUNT,
    Unit.RATE: Form.RATE,
    Unit.SHARE: Form.PERCENT,
}
_WORDS: Final = (
    *(
        PrintedMetric(name, source_of(metric.label), _FORM_OF[metric.unit], _value(metric), _parts(metric))
        for metric in REGISTERED
        for name in (metric.name, *metric.old)
    ),
    PrintedMetric("ratio", "Ratio", Form.TEXT, _ratio),
)
_FORMS: Final = {"count": Form.COUNT, "null": Form.COUNT}
_OF_API: Final = (
    PrintedMetric("traffic.raw", "traffic.raw", Form.COUNT, _traffic("raw")),
    PrintedMetric("traffic.uniq", "traffic.uniq", Form.COUNT, _traffic("uniq")),
    PrintedMetric("views", "views", Form.COUNT, _field("views")),
    PrintedMetric("trafficback", "trafficback", Form.COUNT, _field("trafficback")),
    *(
        PrintedMetric(f"{kind}.{name}", f"{kind}.{name}", _FORMS.get(name, Form.AMOUNT), _action(kind, name))
        for kind in CONVERSION_TYPES
        for name in ("count", "charge", "payouts", "revenue", "earning", "null")
    ),
    *(PrintedMetric(f"cr_{kind}", f"cr_{kind}", Form.PERCENT, _cr(kind)) for kind in CONVERSION_TYPES),
)

METRICS: Final = {metric.name: metric for metric in (*_WORDS, *_OF_API)}
"""Every metric by name. Metrics of the API have the names of the columns of its CSV."""
DEFAULT: Final = ("clicks", "uniques", "conversions", "cr", "charge", "payout", "margin")
DEFAULT_OF_REJECTIONS: Final = ("rejected",)
