"""Endpoints: filters of lists of people, and what their passwords, logins and imports have to be."""

from typing import Any

from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    equal,
    narrowed,
    refused,
    sentence,
    shows,
    table,
    visit,
)
from tests.conformance.world import BERLIN, IPHONE, FilledProgram

SECTION = "Endpoints: admin affiliates and users, filters and checks"
admin = Caller("admin")
PARTNER, USER, IMPORT, SMART = (
    "/3.0/admin/partner",
    "/3.0/admin/user",
    "/3.0/admin/conversion/import",
    "/3.0/admin/smartlink/categor",
)
NEW = {"email": "<unique>@a.example", "password": "<password>"}
STAFF = {"email": "<unique>@staff.example", "password": "<password>", "first_name": "First", "last_name": "Last"}
PARTNER_FILTERS: list[tuple[str, dict[str, Any], list[str], list[str], dict[str, Any] | None]] = [
    ("id", {"id[]": "<ann>"}, ["<ann>"], ["<bob>"], {"id[]": 999999}),
    ("status", {"status": "banned"}, ["<ban>"], ["<ann>"], None),
    ("search", {"search": "ann@affiliate"}, ["<ann>"], ["<bob>"], {"search": "nothing@nowhere"}),
    ("updated_at", {"updated_at": "<yesterday>"}, ["<ann>"], [], {"updated_at": "<tomorrow>"}),
]


def found_again() -> SpecRequest:
    """The conversion of the row."""
    return admin.get("/3.0/stats/conversions", {"action_id": "<unique>"})


ROWS = table(
    sentence(
        "POST admin/user/ID/password sets the password that is sent",
        admin.post(USER, STAFF).saving(made="user.id"),
        admin.post(f"{USER}/<made>/password", {"password": "a new long password"}),
        Caller("").post("/3.1/auth", {"email": "<unique>@staff.example", "password": "a new long password"}),
        equal("status", 1),
    ),
    sentence(
        "POST admin/user/ID/password: a password of 5 characters is refused",
        admin.post(USER, STAFF).saving(made="user.id"),
        admin.post(f"{USER}/<made>/password", {"password": "abcde"}),
        refused(400, "password"),
    ),
    sentence(
        "POST admin/user/ID/password makes one when none is sent",
        admin.post(USER, STAFF).saving(made="user.id"),
        admin.post(f"{USER}/<made>/password"),
        equal("status", 1),
    ),
    sentence(
        "POST admin/conversion/import: click_id gives the dimensions of the click",
        admin.post(
            "/3.0/admin/offer",
            {
                "title": "<unique>",
                "advertiser": "<shop>",
                "url": "https://target.example/",
                "status": "active",
                "privacy": "public",
            },
        ).saving(made="offer.id"),
        visit(
            "/click",
            {"pid": "<una>", "offer_id": "<made>", "sub1": "mine", "format": "json"},
            {"User-Agent": IPHONE, "X-Forwarded-For": BERLIN},
        )
        .saving(own="clickid")
        .eventually(),
        equal("url", "https://target.example/"),
        admin.get(
            "/3.0/stats/clicks", {"date_from": "<yesterday>", "date_to": "<tomorrow>", "offer[]": "<made>"}
        ).eventually(),
        shows("clicks[].id", "<own>"),
        admin.post(IMPORT, {"offer": "<made>", "pid": "<una>", "action_id": "<unique>", "click_id": "<own>"}),
        found_again().eventually(),
        equal("conversions[0].sub1", "mine"),
        equal("conversions[0].country", "DE"),
    ),
    sentence(
        "POST admin/conversion/import: a click_id that names no click is refused",
        admin.post(IMPORT, {"offer": "<shoes>", "pid": "<una>", "click_id": "<nothing_hash>"}),
        refused(400, "click_id"),
    ),
    sentence(
        "POST admin/conversion/import: custom fields are stored",
        admin.post(
            IMPORT,
            {
                "offer": "<shoes>",
                "pid": "<una>",
                "action_id": "<unique>",
                **{f"custom_field_{n}": f"f{n}" for n in range(1, 8)},
            },
        ),
        found_again().eventually(),
        *[equal(f"conversions[0].custom_field_{n}", f"f{n}") for n in range(1, 8)],
    ),
    sentence(
        "POST admin/partner: a password of 5 characters is refused",
        admin.post(PARTNER, {**NEW, "password": "abcde"}),
        refused(400, "password"),
    ),
    sentence(
        "POST admin/partner: a login that is taken is a conflict",
        admin.post(PARTNER, {**NEW, "login": "ann-login"}),
        refused(409, "login"),
    ),
    sentence(
        "POST admin/partner: another's e-mail address as a login is a conflict",
        admin.post(PARTNER, {**NEW, "login": "ann@affiliate.example"}),
        refused(409, "login"),
    ),
    sentence(
        "POST admin/partner: two affiliates cannot refer each other",
        admin.post(PARTNER, NEW).saving(one="partner.id"),
        admin.post(PARTNER, {"email": "<unique>@b.example", "password": "<password>", "ref": "<one>"}).saving(
            two="partner.id"
        ),
        admin.post(f"{PARTNER}/<one>", {"ref": "<two>"}),
        refused(400, "ref"),
    ),
    sentence(
        "POST admin/partner: country refuses a code that does not exist",
        admin.post(PARTNER, {**NEW, "country": "XX"}),
        refused(400, "country"),
    ),
    [
        row
        for text_, params, shown, hidden, none in PARTNER_FILTERS
        for row in narrowed(
            f"GET admin/partners: {text_}",
            admin.get("/3.0/admin/partners", {"limit": 1000}),
            "partners[].id",
            by=params,
            shown=shown,
            hidden=hidden,
            none=none,
        )
    ],
    *[
        narrowed(
            "GET admin/users: q",
            admin.get("/3.0/admin/users", {"limit": 1000}),
            "users[].id",
            by={"q": "sam@staff"},
            shown=["<sam>"],
            hidden=["<mia>"],
            none={"q": "nothing@nowhere"},
        )
    ],
    *[
        narrowed(
            "GET admin/tickets: pid",
            admin.get("/3.0/admin/tickets", {"limit": 1000}),
            "tickets[].id",
            by={"pid": "<bob>"},
            shown=["<closed_ticket>"],
            hidden=["<open_ticket>"],
            none={"pid": "<ina>"},
        )
    ],
    *[
        narrowed(
            "GET admin/tickets: offer_id",
            admin.get("/3.0/admin/tickets", {"limit": 1000}),
            "tickets[].id",
            by={"offer_id": "<hats>"},
            shown=["<open_ticket>"],
            hidden=["<closed_ticket>"],
            none={"offer_id": "<socks>"},
        )
    ],
    *[
        narrowed(
            "GET admin/smartlink/categories: name",
            admin.get(SMART + "ies"),
            "data[]._id",
            by={"name": "Best"},
            shown=["<best>"],
            hidden=["<rest>"],
            none={"name": "no such name"},
        )
    ],
)


@each_row(ROWS)
def test_people_filter_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
