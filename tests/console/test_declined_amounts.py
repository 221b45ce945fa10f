"""What declined conversions were worth, on every page that shows amounts of conversions."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.page_world import READ, PageWorld, page_world
from trackyard.domain.conversions.statuses import Status

DAYS = "from=2023-11-15&to=2023-11-15"
AMOUNTS = ("$311.13", "$211.07", "$100.06")
"""Charge, payout and margin of the declined conversion: no other figure of the installation is like them."""
SHOWN_ON = {
    "/console/conversions", "/console/conversions/{id}", "/portal/", "/portal/conversions", "/advertiser/",
    "/advertiser/conversions",
}  # fmt: skip


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path_factory.mktemp("declined")) as made:
        yield made


def test_amount_of_a_declined_conversion_is_struck_out_on_each_page_that_shows_it(world: PageWorld) -> None:
    worth = {"charge": Decimal("311.13"), "payout": Decimal("211.07")}
    made = world.desk.conversion(99, status=Status.DECLINED, **worth)
    met = set()
    for route in READ:
        address = world.address(route).replace(str(world.ids["/console/conversions"]), made.id)
        page = world.visitor(route).get(f"{address}{'&' if '?' in address else '?'}{DAYS}").text
        page = page.replace("\N{NO-BREAK SPACE}", " ")
        plain = re.sub(r'<s class="second">was [^<]*</s>|(charge|payout) was \S+', "", page)
        if page != plain and any(amount in page for amount in AMOUNTS):
            met.add(route.path)
        found = [
            plain[max(plain.find(amount) - 60, 0) : plain.find(amount) + 30] for amount in AMOUNTS if amount in plain
        ]
        assert found == [], route.path
    assert met == SHOWN_ON


def test_declined_conversion_is_never_paid_for_its_affiliate(world: PageWorld) -> None:
    page = world.people["affiliate"].read(f"/portal/conversions?{DAYS}&status=declined")
    assert "Declined" in page.text and "was $7.00" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert "paid" not in page.words
