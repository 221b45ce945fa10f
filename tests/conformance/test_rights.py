"""Rights: what each role opens and what it does not, beyond the roles' own lists."""

from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    equal,
    header,
    hides,
    is_,
    only,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.shared_steps import found_again, imported, offer
from tests.conformance.world import FilledProgram

SECTION = "Rights"
admin, ann, bob, clerk, mia, sam = (Caller(name) for name in ("admin", "ann", "bob", "clerk", "mia", "sam"))
DAYS = "filter[date_from]=<yesterday>&filter[date_to]=<tomorrow>"
PERIOD = "date_from=<yesterday>&date_to=<tomorrow>"
CONVERSION_ROLES = ("ROLE_SECTION_STATS", "ROLE_SECTION_STATS_CONVERSION")
READS = ("/3.0/stats/conversions", "/3.1/stats/conversions", "/3.1/stats/conversionsbyid?id=<red_conversion>")
WRITES = (
    ("/3.0/admin/conversion/edit", {"ids[]": "<red_conversion>", "comment": "x"}),
    ("/3.0/admin/conversion/import", {"offer": "<shoes>", "pid": "<una>"}),
    ("/3.0/admin/conversions/import", {"list[0][offer]": "<shoes>", "list[0][pid]": "<una>"}),
)
LISTS = {
    "/3.0/admin/currency": (
        ("ROLE_SECTION_SUPPLIER", "ROLE_SECTION_PAYMENT", "ROLE_MANAGER_SALES"),
        ("ROLE_SECTION_OFFER", "ROLE_SECTION_TICKET", "ROLE_MANAGER_AFFILIATE"),
    ),
    "/3.0/admin/payment_systems": (
        ("ROLE_SECTION_PARTNER", "ROLE_SECTION_PAYMENT", "ROLE_MANAGER_AFFILIATE"),
        ("ROLE_SECTION_OFFER", "ROLE_SECTION_TICKET", "ROLE_SECTION_SUPPLIER"),
    ),
    "/3.0/admin/tickets": (
        ("ROLE_SECTION_TICKET", "ROLE_SECTION_DASHBOARD", "ROLE_MANAGER_AFFILIATE"),
        ("ROLE_SECTION_OFFER", "ROLE_SECTION_PAYMENT"),
    ),
}
"""A list: roles that read it and roles that do not."""
ALL_ROLES = (
    *[f"ROLE_MANAGER_{each}" for each in ("AFFILIATE", "SALES")],
    *[
        f"ROLE_SECTION_{each}"
        for each in ("OFFER", "SUPPLIER", "STATS", "DASHBOARD", "NEWS", "CATEGORY", "PARTNER", "PAYMENT", "TICKET")
    ],
)
FIRST_PAGE = [
    *[f"/3.0/stats/{name}?{DAYS}" for name in ("getbydate", "getbyhour", "getbyprogram", "getbypartner")],
    *[f"/3.0/stats/{name}?{DAYS}" for name in ("getbyadvertiser", "getbycountries")],
    f"/3.0/stats/custom?slice[]=day&{DAYS}",
    *["/3.0/admin/tickets", "/3.0/news", "/3.0/news/<plain_news>"],
]
OTHER_PAGES = [
    *[f"/3.0/stats/{name}?{DAYS}" for name in ("getbyos", "getbygoal", "getbydevices", "getbytrafficback")],
    *[f"/3.0/stats/{name}?{PERIOD}" for name in ("clicks", "conversions", "serverpostbacks")],
    *["/3.0/admin/users", "/3.0/admin/partners", "/3.0/admin/advertisers", "/3.0/admin/payment_systems", "/3.0/offers"],
]
ADMIN_ONLY = [
    ("/3.0/stats/getbydate", "filter[advertiser]", "<shop>"),
    ("/3.0/stats/getbydate", "filter[advertiser_manager_id]", "<sam>"),
    ("/3.0/stats/getbydate", "filter[advertiser_tag]", "retail"),
    ("/3.1/stats/getbyprogram", "filter[advertiser][]", "<shop>"),
    ("/3.0/stats/custom?slice[]=day", "filter[advertiser]", "<shop>"),
]


def give(*roles: str) -> SpecRequest:
    """Give the clerk roles; without any it has none."""
    return admin.post("/3.0/admin/user/<clerk>", {"roles[]": roles or ""})


ROWS = table(
    [
        sentence(f"{role} reads {path.partition('?')[0]}", give(role), clerk.get(path), equal("status", 1))
        for role in CONVERSION_ROLES
        for path in READS
    ],
    [
        sentence(f"{role} may not call {path}", give(role), clerk.post(path, params), refused(403))
        for role in (*CONVERSION_ROLES, "ROLE_SECTION_OFFER", "ROLE_MANAGER_AFFILIATE")
        for path, params in WRITES
    ],
    sentence(
        "a sales manager changes conversions of its advertisers",
        offer(),
        imported(),
        found_again().saving(conversion="conversions[0].id"),
        equal("conversions[0].status", "confirmed"),
        sam.post("/3.0/admin/conversion/edit", {"ids[]": "<conversion>", "status": "declined"}),
        found_again(),
        equal("conversions[0].status", "declined"),
    ),
    [
        sentence(f"{role} lists {path}", give(role), clerk.get(path), equal("status", 1))
        for path, (roles, _) in LISTS.items()
        for role in roles
    ],
    [
        sentence(f"{role} does not list {path}", give(role), clerk.get(path), refused(403))
        for path, (_, roles) in LISTS.items()
        for role in roles
    ],
    [
        sentence(f"{role} reads published news", give(role), clerk.get("/3.0/news"), shows("items{}.title", "Plain"))
        for role in ALL_ROLES
    ],
    sentence(
        "a staff user without a role reads published news, and no drafts",
        give(),
        clerk.get("/3.0/news", {"limit": 100}),
        shows("items{}.title", "Plain"),
        hides("items{}.title", "Draft"),
        clerk.get("/3.0/news/<draft_news>"),
        refused(404),
    ),
    sentence(
        "who writes news reads drafts",
        give("ROLE_SECTION_NEWS"),
        clerk.get("/3.0/news/<draft_news>"),
        equal("news.title", "Draft"),
    ),
    [
        sentence(
            f"ROLE_SECTION_DASHBOARD reads {path.partition('?')[0]}",
            give("ROLE_SECTION_DASHBOARD"),
            clerk.get(path),
            equal("status", 1),
        )
        for path in FIRST_PAGE
    ],
    [
        sentence(
            f"ROLE_SECTION_DASHBOARD does not read {path.partition('?')[0]}",
            give("ROLE_SECTION_DASHBOARD"),
            clerk.get(path),
            refused(403),
        )
        for path in OTHER_PAGES
    ],
    sentence(
        "ROLE_SECTION_DASHBOARD decides no tickets",
        give("ROLE_SECTION_DASHBOARD"),
        clerk.post("/3.0/admin/ticket/<open_ticket>/offer", {"do": "approve"}),
        refused(403),
    ),
    sentence(
        "ROLE_SECTION_DASHBOARD does not widen what a manager's role gives",
        give("ROLE_SECTION_DASHBOARD", "ROLE_MANAGER_SALES"),
        clerk.get(f"/3.0/stats/getbyadvertiser?{DAYS}"),
        hides("stats[].slice.advertiser.id", "<mill>", "<shop>"),
    ),
    [
        sentence(
            f"{name} by an affiliate on {path.partition('?')[0]} is named as ignored in the header and in warnings",
            ann.get(f"{path}{'&' if '?' in path else '?'}{DAYS}", {name: value}),
            header("X-Ignored-Parameters", name.removesuffix("[]")),
            is_("warnings", lambda found, name=name: any(name.removesuffix("[]") in each for each in found)),
        )
        for path, name, value in ADMIN_ONLY
    ],
    sentence(
        "filter[partner] by an affiliate never shows another's rows",
        bob.get(f"/3.0/stats/getbyprogram?{DAYS}", {"filter[partner]": "<ann>", "filter[offer]": "<hats>"}),
        hides("stats[].slice.offer.id", "<hats>"),
        header("X-Ignored-Parameters", "filter[partner]"),
    ),
    sentence(
        "an affiliate manager reads tickets of its affiliates alone",
        mia.get("/3.0/admin/tickets", {"limit": 1000}),
        hides("tickets[].id", "<open_ticket>", "<closed_ticket>"),
    ),
    sentence("partner/me is for affiliates: staff are refused", mia.get("/3.1/partner/me"), refused(403)),
    sentence(
        "an affiliate's pixels are its own, whatever it asks for",
        ann.get("/3.0/partner/pixels", {"pid": "<bob>"}),
        only("pixel{}.pid", "<ann>"),
    ),
)


@each_row(ROWS)
def test_rights_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
