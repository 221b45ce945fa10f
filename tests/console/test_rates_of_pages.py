"""CR and EPC of every page count the conversions of clicks (docs/spec/console.md#figures)."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.test_figures import SheetReader
from tests.support.models.events import NOON
from tests.support.page_world import READ, PageWorld, page_world
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.conversions.statuses import Status

pytestmark = pytest.mark.slow

RATES = ("CR", "EPC", "Expected EPC")
FIGURES = "figures=clicks&figures=conversions&figures=cr&figures=epc&figures=expected_epc"
VIEWS = (
    ("staff", "/console/?show=cr"),
    ("staff", f"/console/reports?by=offer&{FIGURES}"),
    ("staff", f"/console/reports?by=day&period=30d&{FIGURES}&show=epc"),
    ("staff", "/console/reports?by=offer&by=country&view=pivot&show=cr"),
    ("staff", "/console/reports?by=offer&view=heat&show=epc"),
    ("staff", "/console/reports?view=funnel"),
    ("staff", "/console/offers?period=30d&format=csv"),
    ("affiliate", "/portal/?show=epc"),
    ("affiliate", f"/portal/reports?by=offer&{FIGURES}"),
    ("affiliate", "/portal/reports?by=country&by=offer&view=pivot&show=expected_epc"),
    ("affiliate", "/portal/offers?period=7d&sort=epc-desc"),
    ("affiliate", "/portal/offers?mine=1&sort=cr"),
    ("affiliate", "/portal/offers?format=csv"),
    ("advertiser", "/advertiser/statistics?by=offer"),
    ("advertiser", "/advertiser/statistics?by=country"),
)
"""Paths with CR or EPC that `page_world` does not have."""
PAGES = {
    *("/console/", "/console/reports", "/console/offers", "/console/offers/2", "/console/affiliates/2"),
    *("/portal/", "/portal/offers", "/portal/reports", "/advertiser/statistics"),
}
"""Pages with CR or EPC, and that of an advertiser, which has another address each time."""
APART = "without a click"


@pytest.fixture
def world(migrated_sqlite: Path, tmp_path: Path) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path) as made:
        yield made


def addresses(world: PageWorld) -> list[tuple[str, str]]:
    """Return the audience and the address of each page."""
    pages = [
        (each.audience, world.address(each)) for each in READ if each.audience in ("staff", "affiliate", "advertiser")
    ]
    return [*pages, *VIEWS]


def read_rates(world: PageWorld, audience: str, address: str) -> tuple[list[tuple[str, str, str]], str]:
    """Return the rates of a page, and its text.

    Rates are the name of a row, the label and the value. A view of a report has nothing but its figure.
    """
    answer = world.people[audience].get(address)
    kind = answer.headers.get("content-type", "")
    if "csv" in kind:
        lines = csv.DictReader(answer.content.decode("utf-8-sig").splitlines())
        return [
            (str(place), name, str(line[name])) for place, line in enumerate(lines) for name in RATES if name in line
        ], ""
    if not kind.startswith("text/html"):
        return [], ""
    rows = SheetReader(answer.text).rows
    if "view=" in address:
        return [(name, label, value) for name, cells in rows for label, value in cells.items()], answer.text
    return [
        (name, label, value)
        for name, cells in rows
        for label, value in cells.items()
        if label.removesuffix(" 30 days") in RATES and value != "—"
    ], answer.text


def without_click(number: int) -> str:
    return f"{NOON // 1000:08x}{IMPORT_EDGE:02x}{number:014x}"


def test_rates_of_every_page_leave_out_conversions_without_a_click_and_say_so(world: PageWorld) -> None:
    desk = world.desk
    for number in range(500, 508):
        desk.click(number)
    before = {place: read_rates(world, *place) for place in addresses(world)}
    shown = {place: rates for place, (rates, _) in before.items() if rates}
    assert [place for place in shown if APART in before[place][1]] == []
    for number, status in enumerate((Status.CONFIRMED, Status.CONFIRMED, Status.PENDING, Status.DECLINED), 600):
        desk.conversion(number, status=status, click={"id": without_click(number)}, created_at=NOON)
    after = {place: read_rates(world, *place) for place in shown}
    moved = {place: (rates, after[place][0]) for place, rates in shown.items() if rates != after[place][0]}
    assert moved == {}
    pages = [place for place in shown if "format=csv" not in place[1]]
    assert [place for place in pages if f"3 conversions {APART}" not in after[place][1]] == []
    own = f"/console/advertisers/{desk.advertiser}"
    assert {address.partition("?")[0] for _, address in shown} == {*PAGES, own}
    assert (len(shown), len(pages)) == (25, 23)
