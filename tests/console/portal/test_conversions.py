"""The conversions of an affiliate."""

import csv
from decimal import Decimal
from urllib.parse import urlencode

from tests.support.api import NOW, Api
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from tests.support.models.logs import server_row
from tests.support.pages import affiliate_visitor
from trackyard.analytics.load import load
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row

MARKUP = '"><script>alert(1)</script>'


def test_own_conversion_list_filters_and_has_the_rows_of_its_file(api: Api) -> None:
    api.clock.advance(NOON + 60_000 - NOW)
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    offer, second = api.add_offer(title=MARKUP, privacy="public"), api.add_offer(title="Boots", privacy="public")
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, payout=Decimal(5), click={"sub1": MARKUP})
    declined = {"status": Status.DECLINED, "comment": "Wrong country", "payout": Decimal(0)}
    add_conversion(api.deps, 2, offer_id=second, affiliate_id=pid, click={"country": "FR"}, **declined)
    add_conversion(api.deps, 3, offer_id=second, affiliate_id=other, payout=Decimal(77))
    answer = visitor.get("/portal/conversions")
    assert "<script>alert" not in answer.text
    text = visitor.read("/portal/conversions").text
    assert "2 conversions" in text and "$5.00" in text and "$77.00" not in text
    assert "why? Wrong country" in text
    for query, count in (
        ("status=declined", 1), (f"offer={offer}", 1), ("country=FR", 1), (f"sub1={MARKUP.replace('<', '%3C')}", 1),
        ("status=pending", 0), ("q=0", 0), ("period=yesterday", 0), ("status=x&offer=x&page=x", 2),
    ):  # fmt: skip
        assert f"{count} conversion" in visitor.read(f"/portal/conversions?{query}").text, query
    assert "Nothing meets these filters." in visitor.read("/portal/conversions?status=pending").text
    rows = list(
        csv.DictReader(visitor.get("/portal/conversions/file?status=declined").content.decode("utf-8-sig").splitlines())
    )
    assert [(row["id"], row["revenue"], row["earnings"]) for row in rows] == [(f"{2:024x}", "", "")]


def test_own_conversion_list_has_no_file_where_staff_deny_it(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][conversions-export][level]": "deny"})
    text = visitor.read("/portal/conversions").text
    assert "No conversion in these days." in text
    assert visitor.get("/portal/conversions/file").status_code == 403
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][conversions-list][level]": "deny"})
    page = visitor.read("/portal/")
    assert visitor.get("/portal/conversions").status_code == 403
    assert "/portal/conversions" not in page.links


def test_own_imports_without_a_conversion_have_a_page_with_their_reasons(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    other, _ = api.add_affiliate()
    page = "/portal/conversions/refused"
    assert page not in visitor.read("/portal/conversions").links and visitor.get(page).status_code == 403
    level = "permissions[stats][conversions-import][level]"
    api.admin.post(f"/3.1/user/{pid}/permissions", **{level: "write"})
    assert page in visitor.read("/portal/conversions").links
    assert "Each import of these days made a conversion." in visitor.read(page).text

    def refused(number: int, affiliate: int, author: str, action_id: str) -> ServerPostbackLog:
        query = urlencode({"by": author, "offer_id": 7, "action_id": action_id})
        sent = {"method": "IMPORT", "affiliate": affiliate, "offer": 7, "goal": "1", "action_id": "of another"}
        return server_row(number, **sent, query=query, response="Conversion exists")

    rows = [
        refused(1, pid, f"affiliate:{pid}", MARKUP),
        refused(2, pid, "staff:" + "6" * 24, "by staff"),
        refused(3, other, f"affiliate:{other}", "by another"),
        refused(4, pid, f"affiliate:{pid}0", "longer number"),
    ]
    load(api.deps.analytics, "server_log", [encode_row(each) for each in rows], "own")
    assert "<script>alert" not in visitor.get(page).text
    text = visitor.read(page).text
    assert MARKUP in text and "#7" in text
    assert "A conversion of this offer, goal and action id (or click) has this status already." in text
    assert not [word for word in ("by staff", "by another", "longer number", "of another") if word in text]
