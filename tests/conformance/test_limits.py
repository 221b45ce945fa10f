"""Limits: page sizes, ranges, lengths."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.sentence import Caller, SpecRequest, SpecSentence, each_row, equal, is_, refused, sentence, table
from tests.conformance.world import FilledProgram

SECTION = "Limits"
admin = Caller("admin")
PERIOD = "date_from=<yesterday>&date_to=<tomorrow>"
DAYS = "filter[date_from]=<yesterday>&filter[date_to]=<tomorrow>"


def add(params: Mapping[str, Any]) -> SpecRequest:
    """Create an offer."""
    return admin.post(
        "/3.0/admin/offer", {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/", **params}
    )


ROWS = table(
    [
        sentence(f"{path}: the default page size is 100", admin.get(path), equal("pagination.per_page", 100))
        for path in (
            "/3.0/stats/conversions",
            "/3.0/stats/find-subs?sub1=r",
            f"/3.0/stats/clicks?{PERIOD}",
            f"/3.0/stats/serverpostbacks?{PERIOD}",
            f"/3.0/stats/affiliatepostbacks?{PERIOD}",
            f"/3.0/stats/getbydate?{DAYS}",
            "/3.0/admin/advertiser-invoices",
            "/3.0/isp",
            "/3.0/cities?country=DE",
        )
    ],
    [
        sentence(
            f"{path}: limit is cut to {most}", admin.get(path, {"limit": 1000000}), equal("pagination.per_page", most)
        )
        for path, most in (
            ("/3.0/offers", 1000),
            ("/3.0/stats/conversions", 5000),
            (f"/3.0/stats/clicks?{PERIOD}", 5000),
            ("/3.0/isp", 10000),
            ("/3.0/admin/partners", 1000),
        )
    ],
    sentence(
        "news: limit is 10 by default and 100 at most",
        admin.get("/3.0/news", {"limit": 101}),
        is_("items", lambda items: len(items) <= 100),
    ),
    sentence(
        "stats/caps (3.0): 100 offers are accepted",
        admin.get("/3.0/stats/caps", {"offer_id[]": list(range(1, 101)), "fields[]": "descr"}),
        equal("status", 1),
    ),
    sentence(
        "stats/caps (3.0): 101 offers are refused",
        admin.get("/3.0/stats/caps", {"offer_id[]": list(range(1, 102)), "fields[]": "descr"}),
        refused(400, "offer_id"),
    ),
    [
        sentence(f"hold_period {days} is accepted", add({"hold_period": days}), equal("offer.hold_period", days))
        for days in (0, 60)
    ],
    [
        sentence(f"hold_period {days} is refused", add({"hold_period": days}), refused(400, "hold_period"))
        for days in (-1, 61)
    ],
    [
        sentence(
            f"a staff password of {length} characters is refused",
            admin.post(
                "/3.0/admin/user",
                {"email": "<unique>@s.example", "first_name": "F", "last_name": "L", "password": "x" * length},
            ),
            refused(400, "password"),
        )
        for length in (1, 4)
    ],
    [
        sentence(
            f"{path}: hour {hour} is accepted",
            admin.get(path, {"date_from": "<day>", "date_to": "<day>", "hour": hour}),
            equal("status", 1),
        )
        for path in ("/3.0/stats/clicks", "/3.0/stats/conversions")
        for hour in (0, 23)
    ],
    [
        sentence(
            f"{path}: hour {hour} is refused",
            admin.get(path, {"date_from": "<day>", "date_to": "<day>", "hour": hour}),
            refused(400, "hour"),
        )
        for path in ("/3.0/stats/clicks", "/3.0/stats/conversions")
        for hour in (-1, 24)
    ],
    sentence(
        "click_session is 1y and minimal_click_session 0s by default",
        add({}),
        equal("offer.click_session", "1y"),
        equal("offer.minimal_click_session", "0s"),
    ),
    sentence(
        "sub account values take letters a-z, digits and the signs that are listed",
        add({"sub_account_1": "abc019_-{}+=/:~."}),
        equal("offer.sub_accounts.1.value", "abc019_-{}+=/:~."),
    ),
    [
        sentence(f"sub account values refuse {what}", add({"sub_account_1": value}), refused(400, "sub_account_1"))
        for what, value in {
            "a capital letter": "A",
            "a space": "a b",
            "a question mark": "a?",
            "a letter outside a-z": "ä",
        }.items()
    ],
)


@each_row(ROWS)
def test_limits_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
