"""Tracking: visitors, inbound postbacks, pages of other sites, and their conversions."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    Step,
    all_equal,
    body_has,
    each_row,
    equal,
    header,
    hides,
    only,
    sentence,
    shows,
    table,
    visit,
)
from tests.conformance.shared_steps import DAYS, VISITOR, admin, click, clicked, found_again, imported, listed, offer
from tests.conformance.world import PARIS, WINDOWS, FilledProgram

SECTION = "Tracking"
una = Caller("una")
SITE = {"Origin": "https://page.example"}
ANSWERED = [
    ("/postback", {"clickid": "broken"}),
    ("/success.jpg", {"clickid": "broken"}),
    ("/success.php", {"clickid": "broken"}),
    ("/track.js", {"clickid": "broken"}),
    ("/click", {"pid": "<una>", "offer_id": "<gloves>", "format": "json"}),
]
TIER = {
    "enabled_commission_tiers": 1,
    "commission_tiers[0][timeframe]": "all",
    "commission_tiers[0][type]": "conversions",
    "commission_tiers[0][value]": 1,
    "commission_tiers[0][modifier_type]": "by_fix",
    "commission_tiers[0][modifier_value]": 1,
}
EDIT = "/3.0/admin/offer/<made>"
TARGET, ELSEWHERE = "https://target.example/", "https://elsewhere.example/"


def reported(end: str, ip: str) -> SpecRequest:
    """The advertiser's call for the click of the row, from an address."""
    params = {"clickid": "<own>", "secure": "shop-code", "action_id": f"<unique>{end}", "status": "1"}
    return visit("/postback", params, {"X-Forwarded-For": ip})


def pays(end: str, amount: float) -> tuple[Step, ...]:
    """A conversion is imported, and it pays this amount."""
    return (imported(end), found_again(end), equal("conversions[0].payouts", amount))


def with_tier(*edits: Mapping[str, Any]) -> tuple[Step, ...]:
    """Make an offer with a tier, two conversions, and edits.

    The tier adds 1 to the payout of the second and later conversions.
    """
    return (offer(TIER), *pays("a", 1), *pays("b", 2), *[admin.post(EDIT, edit) for edit in edits])


ROWS = table(
    [
        sentence(
            f"{name} of an offer does not refuse visitors",
            offer({name: value}),
            *clicked(),
        )
        for name, value in (("allowed_ip", "10.9.9.9"), ("disallowed_ip", "217.0.0.10"))
    ],
    [
        sentence(
            f"{name} of an offer says which callers report its conversions",
            offer({name: value}),
            *clicked(),
            reported("a", "217.0.0.10"),
            reported("b", "10.9.9.9"),
            found_again("b"),
            shows("conversions[].action_id", "<unique>b"),
            admin.get("/3.0/stats/conversions", {**DAYS, "offer[]": "<made>", "status[]": 1}),
            only("conversions[].action_id", "<unique>b"),
        )
        for name, value in (("allowed_ip", "10.9.9.9"), ("disallowed_ip", "217.0.0.10"))
    ],
    sentence(
        "uniqIpOnly knows a visitor by the address alone, whatever the browser",
        offer({"uniqIpOnly": 1, "rejectNotUniqIp": 1}),
        *clicked(),
        click({}, {**VISITOR, "User-Agent": WINDOWS}),
        equal("url", ELSEWHERE),
    ),
    sentence(
        "uniqIpOnly knows a visitor by the address alone, without the cookie",
        offer({"uniqIpOnly": 1, "rejectNotUniqIp": 1}),
        *clicked(),
        click({}, {**VISITOR, "X-Forwarded-For": PARIS, "Cookie": "afuniq_<made>=<own>; afclick_<made>=<own>"}),
        equal("url", TARGET),
    ),
    sentence(
        "tiers: other values of value and modifier_value keep what was counted",
        *with_tier({**TIER, "commission_tiers[0][modifier_value]": 5}),
        *pays("c", 6),
    ),
    [
        sentence(
            f"tiers: {what} counts conversions from the edit on",
            *with_tier(*edits),
            *pays("c", 1),
            *pays("d", 2),
        )
        for what, edits in (
            ("another timeframe", ({**TIER, "commission_tiers[0][timeframe]": "month"},)),
            ("another list of statuses", ({**TIER, "commission_tiers[0][conversion_status][]": "confirmed"},)),
            ("a tier that was removed and added again", ({"commission_tiers": ""}, TIER)),
        )
    ],
    [
        sentence(
            f"{method} {path} answers another site, which may read it",
            visit(path, params, SITE, method=method),
            header("Access-Control-Allow-Origin", "https://page.example"),
            header("Access-Control-Allow-Credentials", "true"),
        )
        for path, params in ANSWERED[:-1]
        for method in ("GET", "POST")
    ],
    [
        sentence(
            f"{method} /click?format=json answers another site, which may read it",
            offer(),
            visit(
                "/click", {"pid": "<una>", "offer_id": "<made>", "format": "json"}, {**VISITOR, **SITE}, method=method
            ).eventually(),
            equal("url", TARGET),
            header("Access-Control-Allow-Origin", "https://page.example"),
        )
        for method in ("GET", "POST")
    ],
    [
        sentence(
            f"OPTIONS {path} promises {method}",
            visit(path, {}, SITE, method="OPTIONS"),
            header("Access-Control-Allow-Methods", method),
            header("Access-Control-Allow-Origin", "https://page.example"),
        )
        for path, _ in ANSWERED
        for method in ("GET", "POST")
    ],
    [
        sentence(
            f"{method} {path} on the API's address makes a conversion",
            offer(),
            *clicked(),
            SpecRequest(
                "", method, path, {name: "<own>", "secure": "shop-code", "afsecure": "shop-code", action: "<unique>"}
            ),
            found_again(),
            equal("conversions[0].clickid", "<own>"),
        )
        for path, name, action in (
            ("/postback", "clickid", "action_id"),
            ("/success.jpg", "afclick", "afid"),
            ("/success.php", "afclick", "afid"),
        )
        for method in ("GET", "POST")
    ],
    [
        sentence(
            f"{path}: afcomment is the comment of the conversion",
            offer(),
            *clicked(),
            visit(
                path,
                {
                    "offer_id": "<made>",
                    "afclick": "<own>",
                    "afid": "<unique>",
                    "afsecure": "shop-code",
                    "afcomment": "well <unique>",
                },
            ),
            found_again(),
            equal("conversions[0].comment", "well <unique>"),
        )
        for path in ("/success.jpg", "/success.php", "/track.js")
    ],
    sentence(
        "/success.php with afclick alone shows the pixels of that click's affiliate, macros filled",
        offer(),
        admin.post(
            "/3.0/partner/pixel",
            {
                "pid": "<una>",
                "offer_id": "<made>",
                "name": "<unique>",
                "code": "<img src='https://a.example/?c={clickid}&s={sub1}&f={custom_field_1}'>",
                "code_type": "image",
                "is_active": 1,
                "moderation_status": 1,
            },
        ),
        *clicked({"sub1": "mine"}),
        visit("/success.php", {"afclick": "<own>", "custom_field1": "one"}).eventually(),
        body_has("https://a.example/?c=<own>&s=mine&f=one"),
    ),
    sentence(
        "a click through a transit landing sets prelanding_id, and no landing_id",
        offer(
            {
                "landings[0][title]": "Way",
                "landings[0][url]": "https://way.example/",
                "landings[0][url_preview]": "https://way.example/",
                "landings[0][type]": "transit",
            }
        ).saving(made="offer.id", way="offer.landings[0].id"),
        *clicked({"l": "<way>"}, "https://way.example/"),
        visit("/postback", {"clickid": "<own>", "secure": "shop-code", "action_id": "<unique>"}),
        found_again().saving(conversion="conversions[0].id"),
        equal("conversions[0].clickid", "<own>"),
        admin.get("/3.1/stats/conversionsbyid", {"id": "<conversion>"}),
        equal("conversion.prelanding_id", "<way>"),
        equal("conversion.landing_id", None),
    ),
    [
        sentence(
            f"3.1: a postback that is stored with {stored} is called for a conversion that becomes {status}",
            offer(),
            una.post(
                "/3.0/partner/postback",
                {"offer_id": "<made>", "url": "<receiver>/<unique>?s={status}", "status": stored},
            ),
            imported("", {"status": status}),
            admin.get("/3.1/stats/affiliatepostbacks", {**DAYS, "offer[]": "<made>"}).eventually(),
            all_equal("postbacks[].status", 3),
            equal("postbacks[0].http_code", 200),
        )
        for stored in ("not_found", "declined")
        for status in ("declined", "not_found")
    ],
    sentence(
        "a postback that is stored with not_found is not called for a conversion that is confirmed",
        offer(),
        una.post("/3.0/partner/postback", {"offer_id": "<made>", "url": "<receiver>/<unique>", "status": "not_found"}),
        una.post("/3.0/partner/postback", {"offer_id": "<made>", "url": "<receiver>/always"}),
        imported(),
        admin.get("/3.0/stats/affiliatepostbacks", {**DAYS, "offer[]": "<made>"}).eventually(),
        shows("postbacks[].postback_url", "<receiver>/always"),
        hides("postbacks[].postback_url", "<receiver>/<unique>"),
    ),
    sentence(
        "an import with click_id takes the affiliate's click, its subs and its device",
        offer(),
        *clicked({"sub1": "mine", "sub8": "last"}),
        *listed(),
        imported("", {"click_id": "<own>"}),
        found_again(),
        equal("conversions[0].sub1", "mine"),
        equal("conversions[0].clickid", "<own>"),
        equal("conversions[0].os", "iOS"),
        equal("conversions[0].device", "mobile"),
    ),
)


@each_row(ROWS)
def test_tracking_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
