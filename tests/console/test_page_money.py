"""Rows of pages add up as they are shown (docs/spec/console.md#words-and-numbers)."""

import re
from collections import Counter, deque
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from typing import Final
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, advertiser_visitor, affiliate_visitor, console_app, staff_visitor
from tests.support.traffic_pages import TrafficDesk, traffic_desk
from trackyard.console.frame import shown
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.units import places_of

pytestmark = pytest.mark.slow

_TABLE: Final = PageTable(PARTS)
_AMOUNTS: Final = (
    *(("USD", "213.1255", "137.7149"), ("USD", "123.0451", "89.5649"), ("USD", "12650.505", "7590.0449")),
    *(("USD", "1.0049", "1.0251"), ("USD", "0.0049", "0.0003"), ("USD", "0.0151", "0.0049")),
    *(("JPY", "166.6667", "52.5"), ("JPY", "12650.505", "7590.0449"), ("KWD", "1.2345", "0.0005")),
    *(("KWD", "0.0004", "1.2346"), ("EUR", "49.4249", "0.0351")),
)
"""Currency, charge and payout of conversions; the margin of some is negative."""
_SUMS: Final = (
    ("Margin", ("Charge", "Payout"), (1, -1)),
    ("Together", ("Available", "On hold"), (1, 1)),
    ("Balance", ("Available", "On hold"), (1, 1)),
    ("Profit", ("Margin", "Ad costs"), (1, -1)),
    ("Difference", ("Ours", "Theirs"), (1, -1)),
)
"""What the last of the figures of a row is made of, by the headings of a table or the labels of figures."""
_MONEY: Final = re.compile(
    r"(−?)([$€£]?)((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\N{NO-BREAK SPACE}([A-Z]{3}|[$€£]))?(?![\w%,.]*\d)"
)
_SIGNS: Final = {"$": "USD", "€": "EUR", "£": "GBP"}


class _Tables(HTMLParser):
    """The tables of a page as texts, a list of rows each, and pairs of labels with figures."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.titles: list[str] = []
        self.faults: list[str] = []
        self._open: list[list[list[str]]] = []
        self._in_cell = False
        self.words: list[str] = []
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.faults += [f"{tag} {name}" for name, value in given.items() if "<span" in value or "class=exact" in value]
        if given.get("class") == "exact":
            self.titles.append(given["title"])
        if tag == "table":
            self._open.append([])
        elif tag == "tr" and self._open:
            self._open[-1].append([])
        elif tag in ("td", "th") and self._open and self._open[-1]:
            self._open[-1][-1].append("")
            self._in_cell = True
        elif tag == "br" and self._in_cell:
            self._open[-1][-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False
        elif tag == "table" and self._open:
            self.tables.append(self._open.pop())

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self._open[-1][-1][-1] += data
        if data.strip():
            self.words.append(data.strip())


def _amounts(text: str) -> list[tuple[Decimal, str]]:
    """The amounts of a text that name their currency, with it."""
    found = []
    for minus, sign, digits, code in _MONEY.findall(text):
        currency = _SIGNS.get(sign or code, code)
        if currency:
            found.append((Decimal(digits.replace(",", "")) * (-1 if minus else 1), currency))
    return found


def _sums_of(page: _Tables) -> Iterator[tuple[str, list[Decimal], Decimal]]:
    """Yield what should add up: its place, its parts, its sum."""
    for rows in page.tables:
        heads = [" ".join(each.split()).rstrip(" ↑↓") for each in rows[0]] if rows else []
        for name, parts, signs in _SUMS:
            if name not in heads or not all(part in heads for part in parts):
                continue
            for row in rows[1:]:
                if len(row) != len(heads):
                    continue
                cells = [_amounts(row[heads.index(each)]) for each in (*parts, name)]
                for each in zip(*cells, strict=False):
                    if len({currency for _, currency in each}) == 1:
                        *given, (total, _) = each
                        signed = [amount * sign for (amount, _), sign in zip(given, signs, strict=True)]
                        yield f"{name} of {row}", signed, total
    values = {label: _amounts(text) for label, text in zip(page.words, page.words[1:], strict=False)}
    for name, parts, signs in _SUMS:
        cells = [values.get(each, []) for each in (*parts, name)]
        if all(len(each) == 1 for each in cells) and len({each[0][1] for each in cells}) == 1:
            *given, total = (each[0][0] for each in cells)
            yield f"{name} of cards", [amount * sign for amount, sign in zip(given, signs, strict=True)], total


def _kind(address: str) -> str:
    path = urlsplit(address).path
    return next((each.path for each in _TABLE.routes if each.method == "GET" and each.pattern.match(path)), "")


def _pages(visitor: Visitor, start: str, *more: str) -> Iterator[tuple[str, str]]:
    """Yield the pages that links lead to, at most two of each kind, and their content."""
    queue, seen, alike = deque([start, *more]), {start, *more}, Counter[str]()
    while queue:
        address = queue.popleft()
        answer = visitor.get(address)
        assert answer.status_code < 500, address
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        yield address, answer.text
        for link in re.findall(r'href="(/[^"#]*)', answer.text):
            path = link.replace("&amp;", "&")
            kind = _kind(path)
            names = f"{kind}?{sorted(parse_qs(urlsplit(path).query))}"
            is_new = kind and path not in seen and "lang=" not in path and "format=" not in path
            if is_new and alike[kind] < 2 and alike[names] < 1:
                seen.add(path)
                alike.update((kind, names))
                queue.append(path)


def _world(api: Api) -> TrafficDesk:
    desk = traffic_desk(api)
    for number, (currency, charge, payout) in enumerate(_AMOUNTS, 1):
        rate = {"USD": "1", "EUR": "0.9", "JPY": "150", "KWD": "0.3"}[currency]
        status = Status.HOLD if number % 3 == 0 else Status.CONFIRMED
        desk.conversion(
            number,
            currency=currency,
            rate=Decimal(rate),
            charge=Decimal(charge),
            payout=Decimal(payout),
            status=status,
        )
    for currency, amount in (("USD", "-0.0151"), ("JPY", "0.4"), ("KWD", "-1.0005"), ("USD", "12650.505")):
        sent = {"pid": desk.pid, "currency": currency, "amount": amount, "comment": "odd"}
        api.admin.post("/3.1/admin/corrections", **sent)
    return desk


def _check(visitor: Visitor, start: str, *more: str) -> tuple[set[str], Counter[str], int]:
    """Return the pages with amounts, the rows by figure, and amounts with a hover."""
    kinds, rows, exact, faults = set(), Counter[str](), 0, []
    for address, content in _pages(visitor, start, *more):
        page = _Tables(content)
        exact += len(page.titles)
        faults += [f"{address}: markup in an attribute: {each}" for each in page.faults]
        texts = [cell for table in page.tables for row in table for cell in row]
        if any(_amounts(text) for text in (*texts, *page.words)):
            kinds.add(_kind(address))
        if "statement" not in address:  # it has the digits of the ledger
            faults += [
                f"{address}: {text!r} has not the places of {currency}"
                for text in texts
                for amount, currency in _amounts(text)
                if -int(amount.as_tuple().exponent) != places_of(currency) and not 0 < abs(amount) < 1
            ]
        for name, parts, total in _sums_of(page):
            rows[name.partition(" ")[0]] += 1
            if sum(parts) != total:
                faults.append(f"{address}: {name}: {parts} are not {total}")
    assert faults == []
    return kinds, rows, exact


def test_rows_of_all_pages_of_staff_add_up(api: Api) -> None:
    desk = _world(api)
    days = "from=2023-11-01&to=2023-11-14"
    columns = "figures=charge&figures=payout&figures=margin"
    reports = [f"/console/reports?by={each}&{days}&{columns}" for each in ("day", "offer", "affiliate", "country")]
    more = [*reports, *(f"{each}&currency={code}" for each in reports for code in ("JPY", "KWD"))]
    things = [f"/console/{name}?{days}" for name in (f"offers/{desk.offer}", f"affiliates/{desk.pid}", "affiliates")]
    kinds, rows, exact = _check(
        staff_visitor(api), "/console/", *more, *things, "/console/balances", f"/console/?{days}"
    )
    assert len(kinds) >= 12, sorted(kinds)
    assert rows["Margin"] >= 10, rows
    assert rows["Together"] + rows["Balance"] >= 3, rows
    assert exact >= 20


def test_rows_of_all_pages_of_affiliates_and_advertisers_add_up(api: Api) -> None:
    desk = _world(api)
    pid, visitor = affiliate_visitor(api)
    for number, (currency, charge, payout) in enumerate(_AMOUNTS, 30):
        amounts = {"charge": Decimal(charge), "payout": Decimal(payout)}
        desk.conversion(number, affiliate_id=pid, currency=currency, rate=Decimal(1), **amounts)
    days = "from=2023-11-01&to=2023-11-14"
    kinds, _, exact = _check(visitor, "/portal/", f"/portal/reports?by=day&{days}", "/portal/payments")
    assert len(kinds) >= 4, sorted(kinds)
    assert exact >= 5
    number, owner = advertiser_visitor(api, console_app(api))
    for place, (currency, charge, payout) in enumerate(_AMOUNTS, 50):
        amounts = {"charge": Decimal(charge), "payout": Decimal(payout)}
        desk.conversion(place, advertiser_id=number, currency=currency, rate=Decimal(1), **amounts)
    kinds, _, exact = _check(owner, "/advertiser/", f"/advertiser/statistics?{days}")
    assert len(kinds) >= 2, sorted(kinds)
    assert exact >= 1


@pytest.mark.parametrize(
    ("value", "currency", "text", "exact"),
    [
        ("12650.505", "USD", "$12,650.51", "$12,650.505"),
        ("-0.0049", "USD", "$0.00", "−$0.0049"),
        ("166.6667", "JPY", "167\N{NO-BREAK SPACE}JPY", "166.6667\N{NO-BREAK SPACE}JPY"),
        ("1.2345", "KWD", "1.235\N{NO-BREAK SPACE}KWD", "1.2345\N{NO-BREAK SPACE}KWD"),
        ("3", "EUR", "€3.00", ""),
    ],
)
def test_amount_has_the_places_of_its_currency_and_the_exact_value(
    value: str, currency: str, text: str, exact: str
) -> None:
    amount = shown.money(Decimal(value), currency)
    assert (amount, amount.exact) == (text, exact)
    assert (f'title="{exact}"' in amount.__html__()) is bool(exact)


def test_sum_of_shown_amounts_is_what_they_add_up_to() -> None:
    margin = shown.together((Decimal("213.1255"), -Decimal("137.7149")), "USD")
    assert (margin, margin.exact) == ("$75.42", "$75.4106")
    assert str(shown.rate(Decimal("0.0234"), "USD")) == "$0.0234"
    assert str(shown.rate(Decimal("3.75"), "EUR")) == "€3.75"
    assert str(shown.exact_money(Decimal("1.005"), "USD")) == "$1.005"
