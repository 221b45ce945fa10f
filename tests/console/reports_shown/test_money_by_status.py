"""Reports have money by status, which agrees with invoices (docs/spec/statistics.md#metrics)."""

import csv
import io
from decimal import Decimal
from random import Random

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversions, load_clicks
from tests.support.pages import Visitor, advertiser_visitor, affiliate_visitor, staff_visitor
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.metrics import BY_STATUS, METRIC_BY_NAME

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
SPAN = "from=2023-11-15&to=2023-11-16"
AMOUNTS = {
    # The status: its charges and payouts.
    Status.CONFIRMED: (("10.25", "4"), ("20.5", "9")),
    Status.PENDING: (("7", "3"),),
    Status.HOLD: (("5.75", "2.5"), ("1", "0.5")),
    Status.DECLINED: (("40", "20"),),
}


@pytest.fixture
def sold(api: Api) -> tuple[Api, str, Visitor]:
    """Conversions of each status, and clicks: the network, the advertiser, the affiliate at a browser."""
    api.clock.advance(NOON + 6 * HOUR_MS - NOW)
    advertiser = api.add_advertiser(title="Blue Shop")
    offer = api.add_offer(title="Shoes", advertiser=advertiser)
    pid, visitor = affiliate_visitor(api)
    load_clicks(
        api.deps, [new_click(n, offer=offer, affiliate=pid, advertiser=advertiser) for n in range(1, 9)]
    )  # fmt: skip
    money = [(status, *amounts) for status, found in AMOUNTS.items() for amounts in found]
    each = {
        number: {"status": status, "charge": Decimal(charge), "payout": Decimal(payout)}
        for number, (status, charge, payout) in enumerate(money, 1)
    }
    add_conversions(api.deps, each, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    return api, advertiser, visitor


def words_of(visitor: Visitor, path: str) -> str:
    """The words of a page with usual blanks."""
    return visitor.read(path).text.replace("\N{NO-BREAK SPACE}", " ").replace(" 100.0 % of all rows", "")


def test_report_has_charge_payout_margin_and_count_of_each_status(sold: tuple[Api, str, Visitor]) -> None:
    api, _, _ = sold
    figures = "&".join(f"figures={name}" for name in ("confirmed", "pending", "hold", "declined", *BY_STATUS))
    text = words_of(staff_visitor(api), f"/console/reports?by=offer&{SPAN}&compare=none&{figures}")
    for name in BY_STATUS:
        assert str(METRIC_BY_NAME[name].label) in text
    wanted = "2 1 2 1 $30.75 $13.00 $17.75 $7.00 $3.00 $4.00 $6.75 $3.00 $3.75 $40.00 $20.00 $20.00"
    assert wanted in text, text


def test_filter_by_status_counts_these_conversions_alone(sold: tuple[Api, str, Visitor]) -> None:
    api, _, _ = sold
    staff = staff_visitor(api)
    path = f"/console/reports?by=offer&{SPAN}&compare=none&figures=clicks&figures=conversions&figures=charge"
    for status, row in {"confirmed": "8 2 $30.75", "pending": "8 1 $7.00", "declined": "8 0 $0.00"}.items():
        text = words_of(staff, f"{path}&f.status={status}")
        assert row in text, text
    both = words_of(staff, f"{path}&f.status=pending&f.status=hold")
    assert "8 3 $13.75" in both
    assert "Status of conversions is Pending" in both
    links = staff.read(f"{path}&f.status=pending&f.status=hold").links
    assert any("status=pending&status=hold" in link and "status=confirmed" not in link for link in links)
    assert "A value of Status of conversions does not exist" in words_of(staff, f"{path}&f.status=nothing")
    form = words_of(staff, f"{path}&add=status")
    assert "Confirmed" in form and "Other values" not in form
    file = staff.get(f"/console/reports/file?by=offer&{SPAN}&f.status=confirmed&format=csv").content.decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(file))
    assert (row["total.count"], Decimal(row["total.charge"]), row["declined.count"]) == ("2", Decimal("30.75"), "0")


def test_affiliate_sees_its_payout_by_status_and_no_charge(sold: tuple[Api, str, Visitor]) -> None:
    _, _, own = sold
    figures = "&".join(f"figures={name}" for name in ("confirmed", *BY_STATUS))
    text = words_of(own, f"/portal/reports?by=offer&{SPAN}&compare=none&{figures}")
    assert "2 $13.00 $3.00 $3.00 $20.00" in text, text
    assert "Confirmed charge" not in text and "Declined margin" not in text
    filtered = words_of(own, f"/portal/reports?by=offer&{SPAN}&compare=none&figures=payout&f.status=confirmed")
    assert "$13.00" in filtered and "$19.00" not in filtered


def test_statistics_of_the_advertiser_have_its_charge_by_status_and_the_filter(api: Api) -> None:
    number, visitor = _advertiser(api)
    text = words_of(visitor, f"/advertiser/statistics?by=offer&{SPAN}")
    assert "Confirmed charge" in text and "$30.75 $7.00 $6.75 was $40.00" in text, text
    narrowed = words_of(visitor, f"/advertiser/statistics?by=offer&{SPAN}&status=confirmed")
    assert "$30.75 $30.75" in narrowed and "$44.50" not in narrowed, narrowed
    assert number


def _advertiser(api: Api) -> tuple[str, Visitor]:
    """An advertiser who is signed in, with the conversions of AMOUNTS."""

    api.clock.advance(NOON + 6 * HOUR_MS - NOW)
    number, visitor = advertiser_visitor(api, title="Blue Shop")
    offer, (pid, _) = api.add_offer(title="Shoes", advertiser=number), api.add_affiliate()
    money = [(status, *amounts) for status, found in AMOUNTS.items() for amounts in found]
    each = {
        place: {"status": status, "charge": Decimal(charge), "payout": Decimal(payout)}
        for place, (status, charge, payout) in enumerate(money, 1)
    }
    add_conversions(api.deps, each, offer_id=offer, affiliate_id=pid, advertiser_id=number)
    return number, visitor


def test_home_of_the_advertiser_says_what_it_pays_and_what_may_come(api: Api) -> None:
    _, visitor = _advertiser(api)
    text = words_of(visitor, "/advertiser/")
    assert "You pay for this month $30.75 2 confirmed conversions" in text
    assert "May come $13.75 3 pending or held conversions" in text
    assert "You pay $30.75 $30.75 $30.75 May come $13.75 $13.75 $13.75" in text
    links = visitor.read("/advertiser/").links
    listed = next(link for link in links if "status=confirmed&" in link + "&" and "period=month" in link)
    assert "2 conversions" in words_of(visitor, listed)
    waiting = next(link for link in links if "status=pending&status=hold" in link)
    assert "3 conversions" in words_of(visitor, waiting)


def test_confirmed_charge_of_a_report_is_the_sum_of_the_invoice(api: Api) -> None:
    random = Random(7)
    api.clock.advance(NOON + 3 * DAY_MS - NOW)
    advertiser = api.add_advertiser(title="Blue Shop")
    offers = [api.add_offer(advertiser=advertiser, title=f"Shoes {each}") for each in range(3)]
    pid, _ = api.add_affiliate()
    statuses = (*AMOUNTS, Status.CONFIRMED)
    each = {
        number: {
            "status": random.choice(statuses),
            "charge": Decimal(random.randrange(1, 90_000)) / 100,
            "created_at": NOON + random.randrange(2 * DAY_MS),
            "offer_id": random.choice(offers),
        }
        for number in range(1, 41)
    }
    add_conversions(api.deps, each, affiliate_id=pid, advertiser_id=advertiser)
    sent = {"supplier_id": advertiser, "currency": "USD", "start_date": "2023-11-15", "end_date": "2023-11-16"}
    number = api.admin.post("/3.0/admin/advertiser-invoice", **sent)["number"]
    detail = api.admin.get(f"/3.0/admin/advertiser-invoice/{number}")["message"]["detail"]
    billed = sum(Decimal(str(line["amount"])) for line in detail)
    first, last = (NOON // DAY_MS * DAY_MS, NOON // DAY_MS * DAY_MS + 2 * DAY_MS)
    assert billed == sum(
        made["charge"]
        for made in each.values()
        if made["status"] is Status.CONFIRMED and first <= made["created_at"] < last
    )
    path = f"/console/reports?by=offer&{SPAN}&compare=none&f.advertiser={advertiser}&figures=confirmed_charge"
    for more in ("", "&f.status=confirmed"):
        text = words_of(staff_visitor(api), f"{path}{more}")
        assert f"${billed:,.2f}" in text
    charge = words_of(staff_visitor(api), f"{path.replace('confirmed_charge', 'charge')}&f.status=confirmed")
    assert f"${billed:,.2f}" in charge
