"""Authentication: keys, caller kinds, roles."""

from tests.conformance.predicates import having, integer, map_of
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    equal,
    hides,
    is_,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Authentication"
admin, ann, bob, sam, mia, clerk = (
    Caller("admin"),
    Caller("ann"),
    Caller("bob"),
    Caller("sam"),
    Caller("mia"),
    Caller("clerk"),
)
DAYS = "filter[date_from]=<yesterday>&filter[date_to]=<tomorrow>"
PERIOD = "date_from=<yesterday>&date_to=<tomorrow>"
FOR_STAFF = [
    *[
        ("GET", f"/3.0/admin/{path}")
        for path in (
            "offer/sources",
            "advertisers",
            "advertiser/<shop>",
            "advertiser-invoices",
            "advertiser-invoice/<paid_invoice>",
            "partners",
            "partner/<ann>",
            "postbacks",
            "users",
            "currency",
            "payment_systems",
            "custom_fields",
            "domains",
            "tickets",
            "smartlink/categories",
        )
    ],
    *[
        ("POST", f"/3.0/admin/{path}")
        for path in (
            "offer",
            "offer/<shoes>",
            "offer/delete",
            "offer/mass-update",
            "offer/<shoes>/disable-affiliates",
            "affiliate/<ann>/disable-offers",
            "offer/source",
            "offer/source/<mail>",
            "category",
            "category/<fashion>",
            "advertiser",
            "advertiser/<shop>",
            "advertiser/<shop>/sendpass",
            "advertiser/enable-affiliate",
            "advertiser/disable-affiliate",
            "advertiser-invoice",
            "advertiser-invoice/<paid_invoice>",
            "partner",
            "partner/<ann>",
            "partner/password/<ann>",
            "user",
            "user/<sam>",
            "user/api_key/<sam>",
            "conversion/edit",
            "conversion/import",
            "conversions/import",
            "ticket/<open_ticket>/offer",
            "smartlink/category",
            "smartlink/category/<best>",
            "smartlink/category/<best>/remove",
        )
    ],
    ("POST", "/3.0/offer/enable-affiliate"),
    ("POST", "/3.0/offer/disable-affiliate"),
    ("DELETE", "/3.0/admin/offer/<shoes>/remove-creative"),
    ("DELETE", "/3.0/admin/offer/source/<mail>"),
    ("GET", "/3.0/stats/serverpostbacks"),
]
ROLES = {
    "OFFER": ("/3.0/offers", "/3.0/admin/users"),
    "SUPPLIER": ("/3.0/admin/advertisers", "/3.0/admin/users"),
    "NEWS": ("/3.0/news", "/3.0/admin/users"),
    "PARTNER": ("/3.0/admin/partners", "/3.0/admin/users"),
    "PAYMENT": ("/3.0/admin/currency", "/3.0/admin/users"),
    "TICKET": ("/3.0/admin/tickets", "/3.0/admin/users"),
    "STATS": (f"/3.0/stats/getbydate?{DAYS}", "/3.0/admin/users"),
    "STATS_COMMON": (f"/3.0/stats/getbydate?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_CONVERSION": ("/3.0/stats/conversions", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_SUPPLIER": (f"/3.0/stats/getbyadvertiser?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_OFFER": (f"/3.0/stats/getbyprogram?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_PARTNER": (f"/3.0/stats/getbypartner?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_COUNTRY": (f"/3.0/stats/getbycountries?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_CITY": (f"/3.0/stats/getbycities?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_OS": (f"/3.0/stats/getbyos?{DAYS}", f"/3.0/stats/getbygoal?{DAYS}"),
    "STATS_GOAL": (f"/3.0/stats/getbygoal?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_DEVICE": (f"/3.0/stats/getbydevices?{DAYS}", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_LIMITS": ("/3.1/stats/caps?offer_id[]=1", f"/3.0/stats/getbyos?{DAYS}"),
    "STATS_PARTNER_POSTBACK": (f"/3.0/stats/affiliatepostbacks?{PERIOD}", f"/3.0/stats/serverpostbacks?{PERIOD}"),
    "STATS_SERVER_POSTBACK": (f"/3.0/stats/serverpostbacks?{PERIOD}", f"/3.0/stats/affiliatepostbacks?{PERIOD}"),
}


def give(role: str) -> SpecRequest:
    """Give the clerk one role."""
    return admin.post("/3.0/admin/user/<clerk>", {"roles[]": role})


ROWS = table(
    sentence(
        "the key may come in the header API-Key",
        Caller("").get("/3.0/offers").with_headers({"API-Key": "<admin_key>"}),
        equal("status", 1),
    ),
    sentence(
        "the header's name may be written in any case",
        Caller("").get("/3.0/offers").with_headers({"api-key": "<admin_key>"}),
        equal("status", 1),
    ),
    sentence(
        "the key may come in the query parameter API-Key",
        Caller("").get("/3.0/offers", {"API-Key": "<admin_key>"}),
        equal("status", 1),
    ),
    sentence("a call without a key is refused", Caller("").get("/3.0/offers"), refused(401)),
    sentence(
        "a call with a wrong key is refused",
        Caller("").get("/3.0/offers").with_headers({"API-Key": "f" * 40}),
        refused(401),
    ),
    [
        sentence(f"the key of an affiliate that is {status} is refused", Caller(name).get("/3.0/offers"), refused(401))
        for name, status in {"ban": "banned", "ina": "not active", "mod": "on moderation"}.items()
    ],
    sentence(
        "an affiliate's key is in its record",
        admin.get("/3.0/admin/partner/<ann>"),
        equal("partner.api_key", "<ann_key>"),
    ),
    sentence(
        "a staff user's key is in its record",
        admin.get("/3.0/admin/users"),
        equal("users[id=<sam>].api_key", "<sam_key>"),
    ),
    [
        sentence(
            f"{method} {path} is for administrators: an affiliate is refused",
            SpecRequest("ann", method, path),
            refused(403),
        )
        for method, path in FOR_STAFF
    ],
    [
        sentence(f"{method} {path} needs a key", SpecRequest("", method, path), refused(401))
        for method, path in FOR_STAFF
    ],
    [
        sentence(
            f"{path} shows an affiliate its own data alone",
            bob.get(path, {"date_from": "<yesterday>", "date_to": "<tomorrow>"}),
            hides(values, "<red>", "<red_conversion>", "<ann>"),
        )
        for path, values in (
            ("/3.0/stats/clicks", "clicks[].id"),
            ("/3.0/stats/conversions", "conversions[].id"),
            ("/3.0/stats/affiliatepostbacks", "postbacks[].pid"),
        )
    ],
    sentence(
        "filter[partner] of another affiliate is not honoured for an affiliate",
        bob.get(
            "/3.0/stats/getbypartner",
            {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>", "filter[partner]": "<ann>"},
        ),
        hides("stats[].slice.affiliate.id", "<ann>"),
    ),
    sentence("ROLE_ADMIN may everything", admin.get("/3.0/admin/users"), equal("status", 1)),
    [
        sentence(
            f"ROLE_SECTION_{role} opens {allowed.partition('?')[0]}",
            give(f"ROLE_SECTION_{role}"),
            clerk.get(allowed),
            is_("status", integer),
        )
        for role, (allowed, _) in ROLES.items()
    ],
    [
        sentence(
            f"ROLE_SECTION_{role} does not open {denied.partition('?')[0]}",
            give(f"ROLE_SECTION_{role}"),
            clerk.get(denied),
            refused(403),
        )
        for role, (_, denied) in ROLES.items()
    ],
    sentence(
        "ROLE_SECTION_CATEGORY writes categories",
        give("ROLE_SECTION_CATEGORY"),
        clerk.post("/3.0/admin/category", {"title": "<unique>"}),
        equal("category.title", "<unique>"),
    ),
    sentence(
        "ROLE_SECTION_NEWS does not write categories",
        give("ROLE_SECTION_NEWS"),
        clerk.post("/3.0/admin/category", {"title": "<unique>"}),
        refused(403),
    ),
    sentence(
        "ROLE_MANAGER_AFFILIATE sees the affiliates it manages",
        mia.get("/3.0/admin/partners"),
        shows("partners[].id", "<ann>"),
        hides("partners[].id", "<bob>"),
    ),
    sentence("ROLE_MANAGER_AFFILIATE does not see others", mia.get("/3.0/admin/partner/<bob>"), refused(404)),
    sentence("ROLE_MANAGER_AFFILIATE may not list users", mia.get("/3.0/admin/users"), refused(403)),
    sentence(
        "ROLE_MANAGER_SALES sees the advertisers it manages",
        sam.get("/3.0/admin/advertisers"),
        shows("advertisers[].id", "<shop>"),
        hides("advertisers[].id", "<mill>"),
    ),
    sentence("ROLE_MANAGER_SALES does not see others", sam.get("/3.0/admin/advertiser/<mill>"), refused(404)),
    sentence("ROLE_MANAGER_SALES may not list users", sam.get("/3.0/admin/users"), refused(403)),
    sentence(
        "staff without the permission are told which one it is",
        mia.get("/3.0/admin/users"),
        refused(403),
        refused(403, text="Access denied"),
    ),
    sentence(
        "permissions of an affiliate are in its self record",
        ann.get("/3.1/partner/me"),
        is_("user.permissions.stats", map_of(having("level"))),
    ),
)


@each_row(ROWS)
def test_authentication_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
