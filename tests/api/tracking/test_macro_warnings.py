"""Writes warn of macros that are not filled, and store what was sent."""

from typing import Any

import pytest

from tests.contract.requests.rules import RULE
from tests.support.api import Api

WRONG = "There is no macro {clickidd}: it stays as text. Did you mean {clickid}?"
URL = "https://shop.example/?c={clickidd}"


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({"url": URL}, "url"),
        ({"trafficback_url": URL}, "trafficback_url"),
        ({"url_preview": URL}, "url_preview"),
        ({"macro_url": "&c={clickidd}"}, "macro_url"),
        ({"parallel_tracking_url": URL}, "parallel_tracking_url"),
        ({"cross_postback_url": URL}, "cross_postback_url"),
        ({"impressions_url": URL}, "impressions_url"),
        (
            {
                "additional_impression_destination_urls[0][url]": URL,
                "additional_impression_destination_urls[0][weight]": 5,
                "impressions_url": "https://shop.example/",
            },
            "additional_impression_destination_urls[0][url]",
        ),
        (
            {"landings[0][title]": "L", "landings[0][url]": URL, "landings[0][url_preview]": "https://shop.example/"},
            "landings[0][url]",
        ),
        ({"targeting[0][url]": URL, "targeting[0][country][allow][]": "DE"}, "targeting[0][url]"),
        ({"targeting[0][urls][0][url]": URL, "targeting[0][urls][0][weight]": 5}, "targeting[0][urls][0][url]"),
    ],
)
def test_offer_with_unknown_macro_is_stored_and_warned_of(api: Api, sent: dict[str, Any], name: str) -> None:
    base = {"title": "O", "advertiser": api.add_advertiser(), "url": "https://shop.example/?c={clickid}&s={sub1}"}
    made = api.admin.post("/3.0/admin/offer", **(base | sent))
    assert made["warnings"] == [f"[{name}] {WRONG}"]
    assert "{clickidd}" in str(made["offer"])
    edited = api.admin.post(f"/3.1/admin/offer/{made['id']}", **sent)
    assert edited["warnings"] == made["warnings"]
    assert "warnings" not in api.admin.post(f"/3.1/admin/offer/{made['id']}", title="Other")


def test_postback_with_macro_of_offers_is_stored_and_warned_of(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    url = "https://a.example/?c={clickid}&n={affiliate_name}&p={payout}"
    made = affiliate.post("/3.1/partner/postback", pid=pid, url=url)
    assert made["postback"]["url"] == url
    assert made["warnings"] == [
        "[url] The macro {affiliate_name} is filled in URLs of offers only and stays as text here.",
        "[url] There is no macro {payout}: it stays as text. Did you mean {sum}?",
    ]
    path = f"/3.0/partner/postback/{made['postback']['id']}"
    assert affiliate.post(path, url=URL)["warnings"] == [f"[url] {WRONG}"]
    assert "warnings" not in affiliate.post(path, url="https://a.example/?c={clickid}")


def test_trafficback_url_of_settings_with_unknown_macro_is_warned_of(api: Api) -> None:
    assert api.admin.post("/3.1/admin/settings", trafficback_url=URL)["warnings"] == [f"[trafficback_url] {WRONG}"]


def test_pixel_code_is_warned_of_names_like_a_macro_only(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    sent = {"offer_id": api.add_offer(), "name": "P", "code_type": "javascript"}
    code = "<script>function f(){return}; new Image().src='//a.example/?c={clickidd}'</script>"
    made = affiliate.post("/3.1/partner/pixel", pid=pid, code=code, **sent)
    assert made["warnings"] == [f"[code] {WRONG}"]
    changed = affiliate.post(f"/3.1/partner/pixel/{made['pixel']['id']}", code=code.replace("clickidd", "clickid"))
    assert "warnings" not in changed


def test_offer_with_deep_links_that_could_not_work_is_warned_of(api: Api) -> None:
    url = "https://shop.example/?c={clickid}"
    lost = (
        "[macro_url] A link with redirect= replaces the URL, so that the click id does not arrive. "
        "Move c={clickid} from the URL to macro_url, which such links get, too."
    )
    made = api.admin.post("/3.0/admin/offer", title="O", advertiser=api.add_advertiser(), url=url, allow_deeplink=1)
    assert made["warnings"] == [lost]
    path = f"/3.1/admin/offer/{made['id']}"
    assert "warnings" not in api.admin.post(path, title="Other")
    assert api.admin.post(path, url=f"{url}&s={{sub1}}")["warnings"] == [lost]
    assert "warnings" not in api.admin.post(path, url="https://shop.example/", macro_url="c={clickid}")
    assert "warnings" not in api.admin.post(path, url=url, macro_url="", allow_deeplink=0)


def test_webhook_of_a_rule_is_warned_of_macros_which_it_does_not_fill(api: Api) -> None:
    made = api.admin.post("/3.1/admin/rules", **RULE | {"webhook": "https://hooks.example/?o={offer_id}"})
    assert made["warnings"] == ["[webhook] Macros are not filled here: {offer_id} stays as text."]
    path = f"/3.1/admin/rules/{made['rule']['id']}"
    assert "warnings" not in api.admin.post(path, webhook="https://hooks.example/?o=%7Boffer%7D")
