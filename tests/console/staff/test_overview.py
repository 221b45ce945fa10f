"""The overview of staff."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import PageReader, Visitor, staff_visitor
from trackyard.console.staff.tops.ranks import TOP
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind

DAY_MS = 86_400_000
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def busy(api: Api) -> Api:
    """Traffic of two days at noon; it is 18:00 of the second."""
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, title=HOSTILE)
    pid, _ = api.add_affiliate(name=HOSTILE)
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    clicks = [new_click(number, **own) for number in range(1, 9)]
    clicks += [new_click(number, **own, time=NOON - DAY_MS) for number in range(11, 15)]
    clicks += [new_click(21, **own, time=NOON - DAY_MS + 8 * 3_600_000)]  # at 20:00, which is still to come today
    clicks += [new_click(number, **own, reason="bot") for number in (31, 32)]
    load_clicks(api.deps, clicks)
    for number, status in enumerate((Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.DECLINED), 1):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, status=status)
    return api


def tiles(page: PageReader) -> str:
    """The words of the figures on top."""
    return page.text.partition("Overview ")[2]


def test_overview_counts_conversions_that_are_not_declined(busy: Api) -> None:
    text = staff_visitor(busy).read("/console/?period=today").text
    sent = {"slice[]": "day", "filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    [row] = busy.admin.get("/3.1/stats/custom", **sent)["stats"]
    counted = [row["actions"][kind] for kind in ("confirmed", "pending", "hold")]
    charge = sum(Decimal(str(each["charge"])) for each in counted)
    margin = sum(Decimal(str(each["earning"])) for each in counted)
    assert f"Clicks {row['traffic']['raw']} " in text
    assert f"Conversions {sum(each['count'] for each in counted)} " in text
    assert f"Charge ${charge:.2f} " in text
    assert f"Payout ${charge - margin:.2f} " in text
    assert f"${margin:.2f} " in text
    assert "Rejected 20.0" in text


def test_overview_has_conversions_by_status_and_what_a_click_brings(busy: Api) -> None:
    page = staff_visitor(busy).read("/console/?period=today&show=epc")
    sent = {"slice[]": "day", "filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    [row] = busy.admin.get("/3.1/stats/custom", **sent)["stats"]
    said = {"confirmed": "Confirmed", "pending": "Pending", "hold": "On hold", "declined": "Declined"}
    for kind, word in said.items():
        assert f"{word} {row['actions'][kind]['count']} new" in page.text
    confirmed = row["actions"]["confirmed"]
    epc = (Decimal(str(confirmed["charge"])) - Decimal(str(confirmed["earning"]))) / int(row["traffic"]["raw"])
    counted = sum(row["actions"][kind]["count"] for kind in ("confirmed", "pending", "hold"))
    assert f"CR {counted * 100 / int(row['traffic']['raw']):.1f} % ↑ " in page.text
    assert f"EPC ${epc:.4f} " in page.text
    chosen = [given["href"] for tag, given in page.elements if tag == "a" and "aria-current" in given]
    assert "/console/?period=today&show=epc" in chosen


def test_overview_says_how_late_the_system_is_to_those_who_may_see_it(api: Api) -> None:
    lags = {"journal": 2.0, "outbox": 754.0}
    machine = replace(api.deps.machine(), lags=lags)
    late = replace(api, deps=replace(api.deps, machine=lambda: machine))
    page = staff_visitor(late).read("/console/")
    assert "Conversions and logs to load: late by 12 min 34 s. Reports are late by as much." in page.text
    assert "/console/health" in page.links
    in_time = replace(api, deps=replace(api.deps, machine=lambda: replace(machine, lags={"journal": 2.0})))
    assert "Nothing is late: the longest delay is 2 s." in staff_visitor(in_time).read("/console/").text
    assert "longest delay" not in staff_visitor(in_time, Role.MANAGER_AFFILIATE).read("/console/").text


def test_overview_compares_unfinished_day_up_to_the_same_hour(busy: Api) -> None:
    """The four clicks of yesterday noon count, the one of 20:00 does not."""
    text = staff_visitor(busy).read("/console/?period=today").text
    assert "Clicks 8 ↑ 100 % up to 18:00 against the day before" in text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("compare", "days", "said"),
    [("week", 7, "week before"), ("month", 31, "same days 1 month before"), ("none", 1, "day before")],
)
def test_overview_compares_with_the_days_that_the_address_names(busy: Api, compare: str, days: int, said: str) -> None:
    load_clicks(busy.deps, [new_click(40, offer=1, affiliate=1, time=NOON - days * DAY_MS)])
    page = staff_visitor(busy).read(f"/console/?period=today&compare={compare}")
    counted = 700 if days > 1 else 60
    assert f"Clicks 8 ↑ {counted} % up to 18:00 against the {said}" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    assert "/console/?period=today&compare=week" in page.links
    assert f"vs the {said}, up to 18:00" in page.text


def test_overview_shows_hostile_names_as_text(busy: Api) -> None:
    visitor = staff_visitor(busy)
    for path in ("/console/?period=today", "/console/?period=today&by=advertiser&who=sub1", "/console/?by=country"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
    assert HOSTILE in visitor.read("/console/?period=today").text


def test_overview_charts_the_chosen_figure_and_keeps_the_rest_of_its_address(busy: Api) -> None:
    page = staff_visitor(busy).read("/console/?period=7d&show=margin&by=country")
    assert "/console/?period=7d&by=country&show=clicks" in page.links
    assert "/console/?period=7d&show=margin&by=advertiser" in page.links
    chosen = [given["href"] for tag, given in page.elements if tag == "a" and "aria-current" in given]
    assert "/console/?period=7d&by=country&show=margin" in chosen


@pytest.mark.parametrize("query", ["show=nothing&by=nothing&who=nothing&period=nothing", "from=x&to=y", "show=cr"])
def test_overview_takes_wrong_values_for_the_usual_ones(busy: Api, query: str) -> None:
    assert staff_visitor(busy).get(f"/console/?{query}").status_code == 200


def test_overview_of_an_empty_installation_says_so(api: Api) -> None:
    text = staff_visitor(api).read("/console/").text
    assert "No clicks in this period." in text
    assert "No click was rejected in this period." in text
    assert "Nothing waits for you." in text


def test_overview_lists_what_waits(api: Api) -> None:
    api.add_affiliate(name="Blue Harbor", status="on moderation")
    text = staff_visitor(api).read("/console/").text
    assert "1 affiliate waits for approval Blue Harbor Decide : 1 affiliate waits for approval" in text, (
        "a link has a name"
    )
    assert "Needs you 1 open" in text


def test_rail_counts_what_waits_and_what_the_checks_found(api: Api) -> None:
    offer, (_, affiliate) = api.add_offer(privacy="protected"), api.add_affiliate()
    for number in range(2):
        api.add_affiliate(name=f"Harbor {number}", status="on moderation")
    affiliate.post("/3.1/partner/activation/offer", offer_id=offer, comment="push traffic")
    failing = Finding(FindingKind.DELIVERIES_FAIL, "shop.example", {"waiting": 7, "minutes": 3})
    deps = replace(api.deps, checks=lambda: [CheckFindings("deliveries", "postbacks", (failing,))])
    checked = replace(api, deps=deps)
    visitor = staff_visitor(checked)
    assert rail_of(visitor.read("/console/offers")) == {
        "/console/affiliates": "2 affiliates wait for approval",
        "/console/requests": "1 request of affiliates",
    }
    page = visitor.read("/console/")
    assert "7 postbacks to shop.example wait after failed attempts" in page.text
    assert "/console/postbacks?tab=sent" in page.links
    after = rail_of(visitor.read("/console/offers"))
    assert after["/console/postbacks"] == "1 host does not take postbacks"
    assert after["/console/health"] == "1 finding"
    assert rail_of(staff_visitor(checked, Role.MANAGER_AFFILIATE).read("/console/offers")) == {}


def rail_of(page: PageReader) -> dict[str, str]:
    """What the links of the rail count, by their paths."""
    content = page.source.partition("</nav>")[0]
    links = [part.partition("</a>")[0] for part in content.split('<li><a href="')[1:]]
    return {
        link.partition('"')[0]: PageReader("<p>" + link.partition('class="hidden">')[2]).text
        for link in links
        if 'class="waits' in link
    }


def test_overview_of_a_manager_counts_own_affiliates_alone(busy: Api) -> None:
    visitor: Visitor = staff_visitor(busy, Role.MANAGER_AFFILIATE)
    text = visitor.read("/console/?period=today").text
    assert "Clicks 0 " in text
    assert HOSTILE not in text


def test_overview_has_at_most_five_rows_in_a_table(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    load_clicks(api.deps, [new_click(number, country=f"A{chr(65 + number)}") for number in range(9)])
    page = staff_visitor(api).read("/console/?period=today&by=country")
    rows = [given for tag, given in page.elements if tag == "th" and given.get("scope") == "row"]
    assert len([given for given in rows if "bar" in given.get("class", "").split()]) <= 3 * TOP


@pytest.fixture
def ranked(busy: Api) -> Api:
    """Three offers with a margin of 3, 6 and 0 today; the second one had 12 yesterday, the third one 3."""
    offers = [busy.add_offer(title=title) for title in ("Small", "Large", "Gone")]
    pid, _ = busy.add_affiliate(name="Seller")
    number = 100
    for offer, today, yesterday in zip(offers, (1, 2, 0), (0, 4, 1), strict=True):
        for count, time in ((today, NOON), (yesterday, NOON - DAY_MS)):
            for _ in range(count):
                number += 1
                add_conversion(busy.deps, number, offer_id=offer, affiliate_id=pid, created_at=time)
    return busy


def offers_of(page: PageReader) -> list[str]:
    """The offers of the table of offers, in its order."""
    rows = page.source.partition("Open as report")[2].partition("</table>")[0].split("<tr>")[2:]
    return [PageReader(row.partition("</th>")[0]).text.strip() for row in rows]


@pytest.mark.parametrize(
    ("order", "first", "said"),
    [
        ("margin", "Large", "highest margin"),
        ("least", "Small", "lowest margin"),
        ("up", "Small", "↑"),
        ("down", "Large", "↓"),
    ],
)
def test_overview_orders_a_table_by_margin_and_by_its_change(ranked: Api, order: str, first: str, said: str) -> None:
    page = staff_visitor(ranked).read(f"/console/?period=today&by_order={order}&not.offer=1")
    assert offers_of(page)[0] == first
    assert said in page.text


def test_overview_shows_managers_of_affiliates(ranked: Api) -> None:
    page = staff_visitor(ranked).read("/console/?period=today&who=manager")
    assert "Managers" in page.text and "No manager" in page.text


def test_overview_narrows_every_figure_with_its_filters(ranked: Api) -> None:
    staff = staff_visitor(ranked)
    page = staff.read("/console/?period=today&f.offer=1")
    assert "Clicks 8 " in page.text and "Conversions 3 " in page.text and "Rejected 20.0" in page.text
    assert any(link.startswith("/console/reports?by=offer") and "f.offer=1" in link for link in page.links)
    other = staff.read("/console/?period=today&f.offer=2").text
    assert "Clicks 0 " in other and "Conversions 1 " in other and "No click was rejected" in other
    assert (
        staff.get("/console/?period=today&filter=offer&value=2").headers["location"].endswith("period=today&f.offer=2")
    )
    assert "Filter by" in staff.read("/console/?period=today&add=offer").text
