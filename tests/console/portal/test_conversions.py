"""The conversions of an affiliate."""

import csv
from decimal import Decimal

from tests.support.api import NOW, Api
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from tests.support.pages import affiliate_visitor
from trackyard.domain.conversions.statuses import Status

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
    assert "No conversion meets these filters." in visitor.read("/portal/conversions?status=pending").text
    rows = list(csv.DictReader(visitor.get("/portal/conversions/file?status=declined").text.splitlines()))
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
