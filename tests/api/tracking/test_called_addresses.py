"""Each URL that the server calls is refused at saving when its host names a private address."""

from dataclasses import replace
from ipaddress import ip_network
from typing import Any, get_args

import pytest
from sqlalchemy import text

from tests.contract.requests.rules import RULE
from tests.support.api import Api
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.errors import BadInput
from trackyard.outbound.interactive import OnDemandClient
from trackyard.wire.request.params import fields_of
from trackyard.wire.request.scalars import Url

SPELLINGS = ("http://127.0.0.1:9/p", "http://2130706433/", "http://[::ffff:10.0.0.1]/", "http://localhost./")
CALLED = {
    ("partner.postback.add", "url"),
    ("partner.postback.edit", "url"),
    ("admin.offer.add", "cross_postback_url"),
    ("admin.offer.add", "parallel_tracking_url"),
    ("admin.offer.add", "creativeDownloads"),
    ("admin.offer.edit", "cross_postback_url"),
    ("admin.offer.edit", "parallel_tracking_url"),
    ("admin.offer.edit", "creativeDownloads"),
    ("admin.rule.add", "webhook"),
    ("admin.rule.edit", "webhook"),
    ("admin.product-feed.add", "url"),
    ("admin.product-feed.edit", "url"),
}
"""Method and parameter of each URL that is stored and called later."""

NOT_CALLED = {
    "url", "url_preview", "trafficback_url", "impressions_url", "creativeUrls", "terms_url",
}  # fmt: skip
"""Names of URLs that visitors and people open."""
UNSTORED = {
    "partner.postback.test", "admin.rule.try", "admin.offer.estimate.conversions", "admin.offer.estimate.clicks",
    "admin.offer.click-check",
}  # fmt: skip
"""Methods that store nothing: they try what is sent."""


def test_every_url_parameter_is_called_or_opened_by_people() -> None:
    scalar = get_args(Url)[1]
    found = {(each.id, field.name) for each in CATALOGUE for field in fields_of(each.params) if field.scalar is scalar}
    feeds = {pair for pair in CALLED if pair[0].startswith("admin.product-feed")}  # another type, without macros
    assert feeds | (CALLED & found) == CALLED
    others = {name for method, name in found - CALLED if method not in UNSTORED}
    assert others == NOT_CALLED


def senders(api: Api) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the path and the other parameters by method."""
    pid, _ = api.add_affiliate()
    offer = api.add_offer()
    postback = api.admin.post("/3.1/partner/postback", pid=pid, url="https://a.example/")["postback"]["id"]
    rule = api.admin.post("/3.1/admin/rules", **RULE)["rule"]["id"]
    feed = api.admin.post("/3.1/admin/product-feed", name="F", url="https://a.example/f.csv")["product_feed"]["id"]
    new_offer = {
        "title": "T", "advertiser": api.add_advertiser(), "url": "https://shop.example/",
        "payments[0][total]": "1", "payments[0][revenue]": "1",
    }  # fmt: skip
    return {
        "partner.postback.add": ("/3.1/partner/postback", {"pid": pid}),
        "partner.postback.edit": (f"/3.1/partner/postback/{postback}", {}),
        "admin.offer.add": ("/3.1/admin/offer", new_offer),
        "admin.offer.edit": (f"/3.1/admin/offer/{offer}", {}),
        "admin.rule.add": ("/3.1/admin/rules", RULE),
        "admin.rule.edit": (f"/3.1/admin/rules/{rule}", {}),
        "admin.product-feed.add": ("/3.1/admin/product-feed", {"name": "G"}),
        "admin.product-feed.edit": (f"/3.1/admin/product-feed/{feed}", {}),
    }


def test_private_address_is_refused_in_every_url_that_is_called(shared_api: Api) -> None:
    paths, seen = senders(shared_api), 0
    for method, name in sorted(CALLED):
        path, others = paths[method]
        for url in SPELLINGS:
            field = f"{name}[0]" if name == "creativeDownloads" else name
            answer = shared_api.admin.call("POST", path, data=others | {field: url})
            assert (method, name, url, answer.status_code) == (method, name, url, 400)
            [(fault, [sentence])] = answer.json()["fields"].items()
            assert fault == field and "private IP address" in sentence
            seen += 1
        answer = shared_api.admin.call("POST", path, data=others | {field: "https://public.example/x"})
        assert (method, name, answer.status_code) == (method, name, 200)
    assert seen == len(CALLED) * len(SPELLINGS) == 48


STORED = [
    ("affiliate_postback", "url", "partner.postback.edit", "url"),
    ("offer", "cross_postback_url", "admin.offer.edit", "cross_postback_url"),
    ("offer", "parallel_tracking_url", "admin.offer.edit", "parallel_tracking_url"),
    ("automation_rule", "webhook", "admin.rule.edit", "webhook"),
    ("product_feed", "url", "admin.product-feed.edit", "url"),
]
"""Table and column of each stored URL, and the method and parameter that change it."""


def test_stored_private_address_stays_and_is_saved_again_with_a_warning(api: Api) -> None:
    paths = senders(api)
    for table, column, method, name in STORED:
        with api.deps.database.write() as conn:
            conn.execute(text(f"UPDATE {table} SET {column} = 'http://10.0.0.1/p'"))
        again = api.admin.call("POST", paths[method][0], data={name: "http://10.0.0.1/p"})
        assert (method, again.status_code) == (method, 200)
        assert any(f"[{name}] 10.0.0.1 is a private IP address" in each for each in again.json()["warnings"])
        assert api.admin.refusal("POST", paths[method][0], data={name: "http://10.0.0.1/q"}) == (400, [name])
    assert len(STORED) == 5


def test_allowed_network_may_be_saved(api: Api) -> None:
    allowed = OnDemandClient([ip_network("10.0.0.0/8")])
    found = replace(api.deps, trials=allowed)
    check_called(found, {"url": "http://10.0.0.1/"}, {}, fail)
    with pytest.raises(BadInput):
        check_called(found, {"url": "http://127.0.0.1/"}, {}, fail)


def fail(sentence: str) -> None:
    """Fail a test that expects no warning."""
    raise AssertionError(sentence)
