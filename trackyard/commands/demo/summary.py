"""The end of a demonstration: each offer with its figures, and how to ask for them over the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from trackyard.domain.money.amounts import shown_amount
from trackyard.domain.statistics.metrics import COUNTED, MetricSums

_COLUMNS: Final = ("Offer", "Clicks", "Conversions", "CR", "Charge", "Payout", "Margin")
_BARS: Final = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class DemoAccess:
    """The URL, keys and query for requests to a demonstration that stays.

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

    offers: rows of `/3.0/stats/custom` by offer, with `without_click`; dates: rows of `/3.0/stats/getbydate`.
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


def _answer_row(title: str, sums: MetricSums) -> dict[str, Any]:
    return {
        "title": title,
        "clicks": sums.clicks,
        "conversions": sums.conversions,
        "charge": sums.charge,
        "payout": sums.payout,
        "margin": sums.metric("margin"),
    }


def offer_table(rows: Sequence[dict[str, Any]], currency: str) -> str:
    """Return a table of the rows of `/3.0/stats/custom`, with a line of totals."""
    figures = [(str(row["slice"]["offer"]["title"]), _figures(row)) for row in rows]
    figures.sort(key=lambda row: row[1].clicks, reverse=True)
    figures.append(("Total", sum((sums for _, sums in figures), MetricSums())))
    lines = [_COLUMNS, *(_cells(title, sums, currency) for title, sums in figures)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(_COLUMNS))]
    texts = [_line(line, widths) for line in lines]
    rule = "-" * max(map(len, texts))
    return "\n".join([texts[0], rule, *texts[1:-1], rule, texts[-1], f"Amounts in {currency}."])


def sparkline(values: Sequence[int]) -> str:
    """Return a line of bars, one for each value; the highest one is full."""
    highest = max(values, default=0)
    return "".join(_BARS[round(value / highest * (len(_BARS) - 1))] if highest else _BARS[0] for value in values)


def _figures(row: dict[str, Any]) -> MetricSums:
    """Return the sums of one row."""
    actions = [row["actions"][name] for name in COUNTED]
    charge, margin = (sum((Decimal(str(each[name])) for each in actions), Decimal()) for name in ("charge", "earning"))
    return MetricSums(
        clicks=int(row["traffic"]["raw"]),
        conversions=sum(int(each["count"]) for each in actions),
        charge=charge,
        payout=charge - margin,
        clickless=sum(int(each["without_click"]) for each in actions),
    )


def _cells(title: str, sums: MetricSums, currency: str) -> tuple[str, ...]:
    share = sums.metric("cr")
    charged, paid = shown_amount(sums.charge, currency), shown_amount(sums.payout, currency)
    amounts = (f"{each:,}" for each in (charged, paid, charged - paid))
    return title, f"{sums.clicks:,}", f"{sums.conversions:,}", "-" if share is None else f"{share:.1%}", *amounts


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first = cells[0].ljust(widths[0])
    return "  ".join([first, *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))])
