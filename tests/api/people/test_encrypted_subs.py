"""All places that give an advertiser codes of encrypted subs (docs/spec/people.md)."""

import re
from collections import defaultdict
from zoneinfo import ZoneInfo

from sqlalchemy import select

from tests.decision.target.test_target_url import make_target_hit
from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, conversion_of, load_clicks
from trackyard.actions.conversions.changes import DeliveryContext, record_changes
from trackyard.actions.offers.counters import CounterBatch
from trackyard.decision.target.url import impression_url
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.people.scope import Scope
from trackyard.store.people import advertisers
from trackyard.store.tables import delivery

DAYS = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
SUB = "news"

Codes = dict[str, dict[int, str]]
"""Codes by place and affiliate."""


def answered_codes(api: Api, advertiser: str, offer: int, pids: list[int]) -> Codes:
    """The codes in the answers of the advertiser's own methods."""
    client = api.advertiser_client(advertiser)
    stats = client.get("/3.1/advertiser/stats", **DAYS, **{"slice[]": ["sub1"]})["stats"]
    conversions = client.get("/3.1/advertiser/conversions", **DAYS)["conversions"]
    shown = client.get(f"/3.1/advertiser/offers/{offer}")["offer"]
    payouts = [each for each in shown["payouts"] if each["affiliates"]]
    targetings = [each for each in shown["targetings"] if each["subs"]]
    assert [each["affiliates"] for each in payouts] == [each["affiliate_id"] for each in targetings] == [pids]
    return {
        "statistics": {each["slice"]["affiliate"]: each["slice"]["sub1"] for each in stats},
        "conversions": {each["partner_id"]: each["sub1"] for each in conversions},
        "payouts": dict(zip(pids, payouts[0]["sub1"], strict=True)),
        "targeting": dict(zip(pids, (each[len("-sub1=") :] for each in targetings[0]["subs"]), strict=True)),
        "targeting, groups": dict(zip(pids, (each["sub1"] for each in targetings[0]["subs_deny_groups"]), strict=True)),
    }


def sent_codes(api: Api, advertiser: str, offer: int, pids: list[int]) -> Codes:
    """The codes in the URLs and the body that the advertiser's servers get."""
    found: Codes = defaultdict(dict)
    with api.deps.database.read() as conn:
        owner = advertisers.find_advertiser(conn, Scope.everything(), advertiser)
        assert owner is not None
        key = owner.code_key
    for number, pid in enumerate(pids, start=10):
        params = {"params[offer_id]": offer, "params[pid]": pid, "params[sub1]": SUB}
        target = str(api.admin.post("/3.1/admin/click-check", **params)["check"]["target"])
        found["target"][pid] = target.removeprefix("https://shop.example/")
        hit = make_target_hit({"sub1": SUB}, affiliate=pid, impressions_url="{sub1}", subs_key=key)
        found["impressions_url"][pid] = impression_url(*hit)
        made = conversion_of(new_click(number, offer=offer, affiliate=pid, sub1=SUB), number, advertiser_id=advertiser)
        context = DeliveryContext([], {offer: "Shoes"}, ZoneInfo("UTC"))
        with api.deps.database.write() as conn:
            changes = [ConversionChange(None, made, "call:x")]
            record_changes(conn, changes, context, CounterBatch(conn, {}, ()), made.created_at)
            query = select(delivery.c.url, delivery.c.body).where(delivery.c.subject_id == made.id)
            url, body = conn.execute(query).one()
        found["cross_postback_url"][pid] = url.removeprefix("https://cross.example/")
        found["cross_postback_body"][pid] = body
    return found


def test_codes_of_an_affiliate_are_equal_in_all_places_and_differ_from_those_of_others(api: Api) -> None:
    advertiser = api.add_advertiser(subaccounts_encryption=1, sees_affiliates=1)
    pids = [api.add_affiliate()[0], api.add_affiliate()[0]]
    offer = api.add_offer(
        advertiser=advertiser, privacy="public", url="https://shop.example/{sub1}",
        cross_postback_url="https://cross.example/{sub1}", cross_postback_method="post", cross_postback_body="{sub1}",
        **{"partner_payments[0][partners][]": pids, "partner_payments[0][sub1]": SUB},
        **{"partner_payments[0][total]": 3, "partner_payments[0][revenue]": 2},
    )  # fmt: skip
    for number, pid in enumerate(pids, start=1):
        load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser, sub1=SUB)])
        add_conversion(
            api.deps, number, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, click={"sub1": SUB}
        )
    codes = sent_codes(api, advertiser, offer, pids)
    deny = {
        "targeting[0][affiliate_id][]": pids,
        "targeting[0][sub][deny][1][]": SUB,
        "targeting[0][sub][deny_groups][0][1]": SUB,
    }
    api.admin.post(f"/3.0/admin/offer/{offer}", **deny)
    codes |= answered_codes(api, advertiser, offer, pids)
    assert len(codes) == 9
    first, second = (codes["target"][pid] for pid in pids)
    assert re.fullmatch("[0-9a-f]{16}", first) and re.fullmatch("[0-9a-f]{16}", second) and first != second
    assert codes == {place: {pids[0]: first, pids[1]: second} for place in codes}
