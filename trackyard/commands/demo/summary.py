"""The end of a demonstration: each offer with its figures, and how to ask for them over the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from trackyard.domain.money.amounts import shown_amount

_COLUMNS: Final = ("Offer", "Clicks", "Conversions", "CR", "Charge", "Payout", "Margin")
_BARS: Final = "▁▂▃▄▅▆▇█"
_COUNTED: Final = ("confirmed", "pending", "hold")
"""Statuses of conversions that figures count; declined ones are not."""


@dataclass(frozen=True, slots=True)
class DemoAccess:
    """The address, keys and query for requests to a demonstration that stays.

    key: the administrator's API key; affiliate_key: the API key of an affiliate with a balance.
    query: the query that selects the days with traffic.
    """

    url: str
    key: str
    affiliate_key: str
    query: str

    def text(self) -> str:
        """Return the requests for people."""
        return (
            "The same figures over the API, and the balance of an affiliate:\n"
            f"  curl -g -H 'API-Key: {self.key}' '{self.url}/3.0/stats/getbyprogram?{self.query}'\n"
            f"  curl -H 'API-Key: {self.affiliate_key}' {self.url}/3.0/balance"
        )


@dataclass(frozen=True, slots=True)
class DemoSummary:
    """The figures of a demonstration.

    offers: rows of `/3.0/stats/getbyprogram`; dates: rows of `/3.0/stats/getbydate`.
    postbacks: that reached affiliates.
    access: None when the server ends with the command.
    """

    days: int
    currency: str
    offers: Sequence[dict[str, Any]]
    dates: Sequence[dict[str, Any]]
    postbacks: int
    access: DemoAccess | None

    def text(self) -> str:
        """Return the figures for people."""
        clicks = sparkline([each["clicks"] for each in self._clicks_by_day()])
        text = (
            f"\n{self.days} days of a made-up network\n\n{offer_table(self.offers, self.currency)}\n"
            f"Clicks by day  {clicks}\n{self.postbacks:,} postbacks reached affiliates."
        )
        return f"{text}\n{self.access.text()}" if self.access else text

    def answer(self) -> dict[str, Any]:
        """Return the figures for programs: offers with the most clicks first, and days in their order."""
        rows = [_answer_row(str(row["slice"]["offer"]["title"]), _figures(row)) for row in self.offers]
        rows.sort(key=lambda row: row["clicks"], reverse=True)
        access = self.access
        return {
            "days": self.days,
            "currency": self.currency,
            "offers": rows,
            "clicks_by_day": self._clicks_by_day(),
            "postbacks": self.postbacks,
            "url": access.url if access else None,
            "api_key": access.key if access else None,
            "affiliate_api_key": access.affiliate_key if access else None,
        }

    def _clicks_by_day(self) -> list[dict[str, Any]]:
        days = [(tuple(int(row["slice"][part]) for part in ("year", "month", "day")), row) for row in self.dates]
        ordered = sorted(days, key=lambda day: day[0])
        return [
            {"date": f"{day[0]:04}-{day[1]:02}-{day[2]:02}", "clicks": int(row["traffic"]["raw"])}
            for day, row in ordered
        ]


def _answer_row(title: str, figures: tuple[int, int, Decimal, Decimal]) -> dict[str, Any]:
    clicks, conversions, charge, margin = figures
    return {
        "title": title,
        "clicks": clicks,
        "conversions": conversions,
        "charge": charge,
        "payout": charge - margin,
        "margin": margin,
    }


def offer_table(rows: Sequence[dict[str, Any]], currency: str) -> str:
    """Return a table of the rows of `/3.0/stats/getbyprogram`, with a line of totals."""
    figures = [(str(row["slice"]["offer"]["title"]), *_figures(row)) for row in rows]
    figures.sort(key=lambda row: row[1], reverse=True)
    total = ("Total", *(sum((row[place] for row in figures), type(figures[0][place])()) for place in range(1, 5)))
    lines = [_COLUMNS, *(_cells(row, currency) for row in figures), _cells(total, currency)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_COLUMNS))]
    texts = [_line(line, widths) for line in lines]
    rule = "-" * max(map(len, texts))
    return "\n".join([texts[0], rule, *texts[1:-1], rule, texts[-1], f"Amounts in {currency}."])


def sparkline(values: Sequence[int]) -> str:
    """Return a line of bars, one for each value; the highest one is full."""
    highest = max(values, default=0)
    return "".join(_BARS[round(value / highest * (len(_BARS) - 1))] if highest else _BARS[0] for value in values)


def _figures(row: dict[str, Any]) -> tuple[int, int, Decimal, Decimal]:
    """Return clicks, conversions, charge and margin of one row."""
    actions = [row["actions"][name] for name in _COUNTED]
    return (
        int(row["traffic"]["raw"]),
        sum(int(action["count"]) for action in actions),
        sum((Decimal(str(action["charge"])) for action in actions), Decimal()),
        sum((Decimal(str(action["earning"])) for action in actions), Decimal()),
    )


def _cells(row: Sequence[Any], currency: str) -> tuple[str, ...]:
    title, clicks, conversions, charge, margin = row
    rate = f"{conversions / clicks:.1%}" if clicks else "-"
    charged, paid = shown_amount(charge, currency), shown_amount(charge - margin, currency)
    return title, f"{clicks:,}", f"{conversions:,}", rate, f"{charged:,}", f"{paid:,}", f"{charged - paid:,}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "  ".join([first, *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))])
