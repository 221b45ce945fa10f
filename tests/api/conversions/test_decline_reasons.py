"""Staff choose whether affiliates see why their conversions were declined."""

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from tests.api.statistics.test_exports import csv_rows
from tests.domain.conversions.test_conversions import AT, make_conversion
from tests.support.api import NOW, Api
from tests.support.clicks.inbound_postbacks import make_click
from tests.support.client import ApiClient
from tests.support.models.events import NOON
from tests.support.models.history import add_conversion
from tests.support.pages import affiliate_visitor
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.actions.conversions.changes import DeliveryContext, new_deliveries_of
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.postbacks import Postback
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings

REASON = "The goods came back"


def test_reasons_of_declines_are_hidden_from_affiliates_when_staff_say_so(api: Api) -> None:
    api.clock.advance(NOON + 60_000 - NOW)
    pid, visitor = affiliate_visitor(api)
    offer = api.add_offer(title="Shoes", privacy="public")
    for number, status in enumerate((Status.CONFIRMED, Status.DECLINED, Status.NOT_FOUND), 1):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, status=status, comment=f"{REASON} {number}")
    affiliate = api.admin.with_key(api.admin.get(f"/3.1/admin/partner/{pid}")["partner"]["api_key"])
    period = {"date_from": "2023-11-14", "date_to": "2023-11-17"}

    def listed(caller: ApiClient, **filters: Any) -> list[str]:
        found = caller.get("/3.1/stats/conversions", **period, **filters)["conversions"]
        return [each["comment"] for each in found]

    whole = [f"{REASON} {number}" for number in (3, 2, 1)]
    assert listed(affiliate) == listed(api.admin) == whole
    assert f"why? {whole[1]}" in visitor.read("/portal/conversions").text
    api.admin.post("/3.1/admin/settings", show_decline_reasons=0)
    assert (listed(affiliate), listed(api.admin)) == (["", "", whole[2]], whole)
    assert (listed(affiliate, decline_reason=whole[1]), listed(affiliate, comment=REASON)) == ([], [whole[2]])
    assert [row["comment"] for row in csv_rows(affiliate, "/3.1/stats/conversions", **period)] == ["", "", whole[2]]
    assert affiliate.get("/3.1/stats/conversionsbyid", id=f"{2:024x}")["conversion"]["comment"] == ""
    for path in ("/portal/conversions", "/portal/"):
        page = visitor.get(path).text
        assert whole[0] not in page and whole[1] not in page and "why?" not in page, path
    api.admin.post("/3.1/admin/settings", show_decline_reasons=1)
    assert listed(affiliate) == whole


def test_postbacks_to_an_affiliate_hide_the_reason_and_those_of_the_offer_keep_it(database: Database) -> None:
    made = replace(make_conversion(), comment="Returned")
    made = replace(made, click=msgspec.structs.asdict(make_click(3, 7, made.advertiser_id)))
    url = "https://a.example/?c={comment}"
    with database.write() as conn:
        add_offer(conn, add_advertiser(conn, id=made.advertiser_id), cross_postback_url=url, id=3)
        add_affiliate(conn, id=7)
        own = Postback(add_postback(conn, 7, url), 7, None, url, None, None)
        context = DeliveryContext([own], {3: "Shoes"}, ZoneInfo("UTC"))

        def sent(status: Status) -> list[str]:
            change = ConversionChange(None, replace(made, status=status), "call:x")
            return [each.url.partition("=")[2] for each in new_deliveries_of(conn, [change], context, AT)]

        assert sent(Status.DECLINED) == ["Returned", "Returned"]
        settings.edit_setting(conn, settings.SHOW_DECLINE_REASONS, False)
        assert sent(Status.DECLINED) == sent(Status.NOT_FOUND) == ["", "Returned"]
        assert sent(Status.CONFIRMED) == ["Returned", "Returned"]
