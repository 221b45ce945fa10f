"""What the lists of traffic ask of the API, on an installation of 60 offers and 250 affiliates."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor, staff_visitor
from tests.support.traffic_pages import traffic_desk
from trackyard.store.tables import advertiser, affiliate, offer
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.response.envelope import encoded

_OFFERS: Final = 60
_AFFILIATES: Final = 250
_ADVERTISERS: Final = 40
_ROWS: Final = {
    "/console/conversions": "stats.conversions",
    "/console/clicks": "stats.clicks",
    "/console/postbacks": "stats.serverpostbacks",
    "/console/postbacks?tab=sent": "stats.affiliatepostbacks",
    "/console/ad-costs?offer=1": "adcosts.list",
}
"""The method that has the rows of a list."""


@dataclass
class Asked:
    """The methods that a page asked, and the bytes of their answers by method."""

    methods: Counter[str] = field(default_factory=Counter)
    sizes: Counter[str] = field(default_factory=Counter)


@contextmanager
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """What pages ask within."""
    seen, ask = Asked(), LocalCalls.ask

    def noted(calls: LocalCalls[Any], endpoint: Endpoint[Any, Any], *rest: Any) -> Any:
        answer = ask(calls, endpoint, *rest)
        seen.methods[endpoint.id] += 1
        seen.sizes[endpoint.id] += len(encoded(answer))
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(LocalCalls, "ask", noted)
        yield seen


def copied(api: Api, table: Any, count: int, **texts: str) -> None:
    """Add copies of the only row of a table; texts: of columns, with the number of the copy."""
    with api.deps.database.write() as conn:
        row = dict(conn.execute(table.select().limit(1)).one()._mapping)
        for number in range(1, count):
            own = {name: text.format(n=number) for name, text in texts.items()}
            key = f"{number:024x}" if isinstance(row["id"], str) else row["id"] + number
            conn.execute(table.insert().values({**row, "id": key, **own}))


def crowded(api: Api) -> Visitor:
    """Staff of an installation with many parties and a page of conversions."""
    desk = traffic_desk(api)
    for number in range(1, 31):
        desk.conversion(number)
    copied(api, offer, _OFFERS, title="Casino deposit Royal Reef {n}", hash="{n:024x}")
    copied(api, affiliate, _AFFILIATES, login="affiliate{n}", email="affiliate{n}@affiliates.example")
    copied(api, advertiser, _ADVERTISERS, title="Royal Reef Gaming Limited {n}", email="money{n}@advertisers.example")
    return staff_visitor(api)


def test_traffic_list_asks_for_what_it_shows(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor, seen = crowded(api), {}
    with asked(monkeypatch) as frame:
        visitor.read("/console/find")
    for path, rows in _ROWS.items():
        with asked(monkeypatch) as page:
            visitor.read(path)
        seen[path] = (
            (page.methods - frame.methods).total(),
            page.methods[rows],
            (page.sizes - frame.sizes).total() - page.sizes[rows],
        )
    assert len(seen) == 5
    assert all(calls <= 6 for calls, _, _ in seen.values()), seen
    assert all(of_rows == 1 for _, of_rows, _ in seen.values()), seen
    assert all(size <= 40_000 for _, _, size in seen.values()), seen


def test_traffic_selects_have_every_party_up_to_300(api: Api) -> None:
    choices, name = Counter[str](), ""
    for tag, given in crowded(api).read("/console/conversions").elements:
        name = given.get("name", "") if tag == "select" else name
        choices[name] += tag == "option" and bool(given.get("value"))
    assert {name: choices[name] for name in ("offer", "affiliate", "advertiser")} == {
        "offer": _OFFERS,
        "affiliate": _AFFILIATES,
        "advertiser": _ADVERTISERS,
    }
