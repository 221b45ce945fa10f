"""Endpoints: affiliates, staff users, conversions by hand, reference lists."""

from typing import Any

from tests.conformance.predicates import Predicate, array, having, number, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    Step,
    all_equal,
    each_row,
    equal,
    exactly,
    hides,
    is_,
    narrowed,
    only,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import BERLIN, IPHONE, FilledProgram

SECTION = "Endpoints: admin affiliates, users, conversions, reference lists"
admin, mia = Caller("admin"), Caller("mia")
PARTNER, USER, EDIT, IMPORT, SMART = (
    "/3.0/admin/partner",
    "/3.0/admin/user",
    "/3.0/admin/conversion/edit",
    "/3.0/admin/conversion/import",
    "/3.0/admin/smartlink/categor",
)
NEW = {"email": "<unique>@a.example", "password": "<password>"}
STAFF = {"email": "<unique>@staff.example", "password": "<password>", "first_name": "First", "last_name": "Last"}
FIELDS: list[tuple[str, Any, str, Any]] = [
    ("ref_percent", 7, "ref_percent", "7"),
    ("notes", "n", "notes", "n"),
    ("status", "on moderation", "status", "on moderation"),
    ("level", 3, "level", "3"),
]


def same(wanted: Any) -> Predicate:
    """The value, as a number or as text."""
    return lambda value: str(value) == str(wanted)


def found_again() -> SpecRequest:
    """The conversion of the row."""
    return admin.get("/3.0/stats/conversions", {"action_id": "<unique>"})


def import_(status: str) -> tuple[Step, ...]:
    """Import a conversion, and wait for it."""
    given = {"offer": "<shoes>", "pid": "<una>", "action_id": "<unique>", "goal": 1, "status": status}
    return (
        admin.post(IMPORT, given),
        found_again().saving(made="conversions[0].id").eventually(),
        equal("conversions[0].offer_id", "<shoes>"),
    )


ROWS = table(
    sentence(
        "GET admin/partners: with_balance=1 shows balances",
        admin.get("/3.0/admin/partners", {"with_balance": 1}),
        is_("partners[id=<ann>].balance", having("USD")),
    ),
    sentence(
        "GET admin/partners: without it balances are empty",
        admin.get("/3.0/admin/partners"),
        is_("partners[id=<ann>].balance", lambda balance: not balance),
    ),
    sentence(
        "GET admin/partners: an affiliate manager sees its own",
        mia.get("/3.0/admin/partners"),
        shows("partners[].id", "<ann>"),
        hides("partners[].id", "<bob>"),
    ),
    sentence(
        "GET admin/partner/ID returns partner and id",
        admin.get("/3.0/admin/partner/<ann>"),
        equal("partner.id", "<ann>"),
        equal("id", "<ann>"),
    ),
    [
        sentence(
            f"POST admin/partner: {name} is required",
            admin.post(PARTNER, {key: value for key, value in NEW.items() if key != name}),
            refused(400, name),
        )
        for name in NEW
    ],
    sentence(
        "POST admin/partner stores every field that is sent",
        admin.post(PARTNER, {**NEW, **{name: value for name, value, _, _ in FIELDS}}),
        *[is_(f"partner.{shown}", same(wanted)) for _, _, shown, wanted in FIELDS],
    ),
    sentence(
        "POST admin/partner/ID changes every field that is sent",
        admin.post(PARTNER, NEW).saving(made="partner.id"),
        admin.post(f"{PARTNER}/<made>", {name: value for name, value, _, _ in FIELDS}),
        *[is_(f"partner.{shown}", same(wanted)) for _, _, shown, wanted in FIELDS],
    ),
    sentence(
        "POST admin/partner: login is stored",
        admin.post(PARTNER, {**NEW, "login": "<unique>-login"}),
        equal("partner.login", "<unique>-login"),
    ),
    sentence(
        "POST admin/partner: manager_id is stored",
        admin.post(PARTNER, {**NEW, "manager_id": "<mia>"}),
        equal("partner.manager.id", "<mia>"),
    ),
    sentence(
        "POST admin/partner: ref names the referrer",
        admin.post(PARTNER, {**NEW, "ref": "<ann>"}),
        is_("partner.ref", same("1")),
    ),
    sentence(
        "POST admin/partner: payment_systems are stored",
        admin.post(
            PARTNER,
            {
                **NEW,
                "payment_systems[0][system_id]": "<bank>",
                "payment_systems[0][currency]": "USD",
                "payment_systems[0][fields][<bank_field>]": "DE00",
            },
        ),
        is_("partner.payment_systems", lambda systems: "DE00" in str(systems)),
    ),
    sentence(
        "POST admin/partner: custom_fields are stored",
        admin.post(PARTNER, {**NEW, "custom_fields[<messenger>]": "me"}),
        shows("partner.customFields[].value", "me"),
    ),
    [
        sentence(
            f"POST admin/partner: {name} refuses {value!r}", admin.post(PARTNER, {**NEW, name: value}), refused(400)
        )
        for name, value in (
            ("status", "asleep"),
            ("email", "no address"),
            ("manager_id", "<nothing_hash>"),
            ("ref", 999999),
            ("ref_percent", "much"),
            ("level", "high"),
            ("payment_systems[0][system_id]", 999999),
        )
    ],
    sentence(
        "POST admin/partner: an e-mail address that is taken is a conflict",
        admin.post(PARTNER, {"email": "ann@affiliate.example", "password": "<password>"}),
        refused(409, "email"),
    ),
    sentence(
        "POST admin/partner/password/ID returns the new password",
        admin.post(PARTNER, NEW).saving(made="partner.id"),
        admin.post("/3.0/admin/partner/password/<made>"),
        is_("password", text),
    ),
    sentence(
        "GET admin/postbacks: partner_id is required", admin.get("/3.0/admin/postbacks"), refused(400, "partner_id")
    ),
    sentence(
        "GET admin/postbacks: partner_id shows this affiliate's alone",
        admin.get("/3.0/admin/postbacks", {"partner_id": "<ann>"}),
        only("postbacks[].id", "<ann_everywhere>", "<ann_shoes>"),
    ),
    sentence(
        "GET admin/users lists staff users",
        admin.get("/3.0/admin/users"),
        shows("users[].id", "<sam>", "<mia>", "<clerk>"),
    ),
    [
        sentence(
            f"POST admin/user: {name} is required",
            admin.post(USER, {key: value for key, value in STAFF.items() if key != name}),
            refused(400, name),
        )
        for name in STAFF
    ],
    sentence(
        "POST admin/user: a password of 4 characters is refused",
        admin.post(USER, {**STAFF, "password": "abcd"}),
        refused(400, "password"),
    ),
    sentence(
        "POST admin/user: roles refuses another value",
        admin.post(USER, {**STAFF, "roles[]": "ROLE_KING"}),
        refused(400),
    ),
    sentence(
        "POST admin/user: an e-mail address that is taken is a conflict",
        admin.post(USER, {**STAFF, "email": "sam@staff.example"}),
        refused(409, "email"),
    ),
    sentence(
        "POST admin/user/ID changes every field that is sent",
        admin.post(USER, STAFF).saving(made="user.id"),
        admin.post(
            f"{USER}/<made>",
            {
                "first_name": "A",
                "last_name": "B",
                "skype": "s",
                "work_hours": "w",
                "email": "<unique>@new.example",
                "roles[]": "ROLE_SECTION_NEWS",
            },
        ),
        equal("user.first_name", "A"),
        equal("user.last_name", "B"),
        equal("user.skype", "s"),
        equal("user.work_hours", "w"),
        equal("user.email", "<unique>@new.example"),
        exactly("user.roles", "ROLE_SECTION_NEWS"),
    ),
    sentence(
        "POST admin/user/api_key/ID returns user with a new api_key, and the old one stops",
        admin.post(USER, {**STAFF, "roles[]": "ROLE_ADMIN"}).saving(made="user.id", old_key="user.api_key"),
        admin.post("/3.0/admin/user/api_key/<made>").saving(new_key="user.api_key"),
        equal("user.id", "<made>"),
        Caller("old").get("/3.0/offers"),
        refused(401),
        Caller("new").get("/3.0/offers"),
        equal("status", 1),
    ),
    [
        sentence(
            f"POST admin/conversion/edit: {name} is changed to {value} after a while",
            *import_("confirmed"),
            admin.post(EDIT, {"ids[]": "<made>", name: value}),
            is_("message", text),
            found_again().eventually(),
            equal(f"conversions[0].{shown}", value),
        )
        for name, value, shown in (
            ("status", "declined", "status"),
            ("status", "pending", "status"),
            ("status", "hold", "status"),
            ("status", "not_found", "status"),
            ("payouts", 4, "payouts"),
            ("revenue", 12, "revenue"),
            ("comment", "by hand", "comment"),
            ("currency", "EUR", "currency"),
        )
    ],
    sentence(
        "POST admin/conversion/edit: ids is required", admin.post(EDIT, {"status": "declined"}), refused(400, "ids")
    ),
    [
        sentence(
            f"POST admin/conversion/edit: {name} refuses {value!r}",
            admin.post(EDIT, {"ids[]": "<red_conversion>", name: value}),
            refused(400, name),
        )
        for name, value in (("status", "gone"), ("payouts", "x"), ("revenue", "x"), ("currency", "Euro"))
    ],
    [
        sentence(
            f"POST admin/conversion/import: {name} is required",
            admin.post(
                IMPORT, {key: value for key, value in {"offer": "<shoes>", "pid": "<una>"}.items() if key != name}
            ),
            refused(400, name),
        )
        for name in ("offer", "pid")
    ],
    [
        sentence(
            f"POST admin/conversion/import: status {status} makes a conversion that is {shown}",
            *import_(status),
            found_again(),
            equal("conversions[0].status", shown),
        )
        for status, shown in {
            "confirmed": "confirmed",
            "pending": "pending",
            "declined": "declined",
            "not_found": "not_found",
            "hold": "hold",
            "pending_cap": "pending",
        }.items()
    ],
    sentence(
        "POST admin/conversion/import answers with a message that it takes a few minutes",
        admin.post(IMPORT, {"offer": "<shoes>", "pid": "<una>", "action_id": "<unique>"}),
        is_("message", lambda answer: "few minutes" in answer),
    ),
    sentence(
        "POST admin/conversion/import: goal, ip and ua give payment and dimensions",
        admin.post(
            IMPORT, {"offer": "<shoes>", "pid": "<una>", "action_id": "<unique>", "goal": 2, "ip": BERLIN, "ua": IPHONE}
        ),
        found_again().eventually(),
        equal("conversions[0].goal_value", "2"),
        equal("conversions[0].payouts", 3),
        equal("conversions[0].country", "DE"),
        equal("conversions[0].os", "iOS"),
    ),
    sentence(
        "POST admin/conversion/import: sum is what a percent payment counts from",
        admin.post(
            IMPORT, {"offer": "<hats>", "pid": "<una>", "action_id": "<unique>", "sum": 200, "status": "declined"}
        ),
        found_again().eventually(),
        equal("conversions[0].revenue", 40),
        equal("conversions[0].payouts", 20),
    ),
    sentence(
        "POST admin/conversion/import: status refuses another value",
        admin.post(IMPORT, {"offer": "<shoes>", "pid": "<una>", "status": "gone"}),
        refused(400, "status"),
    ),
    sentence(
        "POST admin/conversion/import: an offer that does not exist is refused",
        admin.post(IMPORT, {"offer": 999999, "pid": "<una>"}),
        refused(400, "offer"),
    ),
    sentence(
        "POST admin/conversions/import returns the echo of the list and a message",
        admin.post(
            "/3.0/admin/conversions/import",
            {"list[0][offer]": "<shoes>", "list[0][pid]": "<una>", "list[0][action_id]": "<unique>"},
        ),
        is_("message", text),
        is_("data.list", array),
        found_again().eventually(),
        equal("conversions[0].partner.id", "<una>"),
    ),
    sentence(
        "POST admin/conversions/import: a fault in one makes none",
        admin.post(
            "/3.0/admin/conversions/import",
            {"list[0][offer]": "<shoes>", "list[0][pid]": "<una>", "list[1][offer]": "<shoes>"},
        ),
        refused(400),
    ),
    sentence("GET admin/currency returns quotes", admin.get("/3.0/admin/currency"), is_("quotes.EUR", number)),
    sentence(
        "GET admin/payment_systems returns payment_systems",
        admin.get("/3.0/admin/payment_systems"),
        shows("payment_systems[].id", "<bank>"),
    ),
    sentence(
        "GET admin/custom_fields returns fields",
        admin.get("/3.0/admin/custom_fields"),
        shows("fields[].id", "<messenger>"),
    ),
    sentence(
        "GET admin/domains returns domains",
        admin.get("/3.0/admin/domains"),
        equal("domains.<domain>.url", "go.example"),
    ),
    sentence(
        "GET admin/tickets: status open shows open ones",
        admin.get("/3.0/admin/tickets", {"status": "open"}),
        all_equal("tickets[].status", "open"),
        shows("tickets[].id", "<open_ticket>"),
        hides("tickets[].id", "<closed_ticket>"),
    ),
    sentence(
        "GET admin/tickets: status closed shows closed ones",
        admin.get("/3.0/admin/tickets", {"status": "closed", "limit": 1000}),
        all_equal("tickets[].status", "closed"),
        shows("tickets[].id", "<closed_ticket>"),
    ),
    sentence(
        "GET admin/tickets: status refuses another value",
        admin.get("/3.0/admin/tickets", {"status": "lost"}),
        refused(400, "status"),
    ),
    sentence(
        "POST admin/ticket/ID/offer: do is required",
        admin.post("/3.0/admin/ticket/<open_ticket>/offer"),
        refused(400, "do"),
    ),
    sentence(
        "POST admin/ticket/ID/offer: do refuses another value",
        admin.post("/3.0/admin/ticket/<open_ticket>/offer", {"do": "wait"}),
        refused(400, "do"),
    ),
    *[
        narrowed(
            "GET admin/smartlink/categories: id",
            admin.get(SMART + "ies"),
            "data[]._id",
            by={"id[]": "<best>"},
            shown=["<best>"],
            hidden=["<rest>"],
            none={"id[]": "<nothing_hash>"},
        )
    ],
    sentence(
        "POST admin/smartlink/category: name is required",
        admin.post(SMART + "y", {"description": "d"}),
        refused(400, "name"),
    ),
    sentence(
        "POST admin/smartlink/category: name, domain_id and description are stored",
        admin.post(SMART + "y", {"name": "<unique>", "domain_id": "<domain>", "description": "d"}),
        equal("category.name", "<unique>"),
        equal("category.description", "d"),
        equal("category.domain", "go.example"),
        is_("category.domain_id", same("1")),
    ),
    sentence(
        "POST admin/smartlink/category: an empty domain_id is the default domain",
        admin.post(SMART + "y", {"name": "<unique>", "domain_id": ""}),
        equal("category.domain_id", None),
    ),
    sentence(
        "POST admin/smartlink/category/ID changes it",
        admin.post(SMART + "y", {"name": "<unique>"}).saving(made="category._id"),
        admin.post(SMART + "y/<made>", {"name": "<unique> b", "description": "new"}),
        equal("category.name", "<unique> b"),
        equal("category.description", "new"),
    ),
    sentence(
        "POST admin/smartlink/category/ID/remove returns the removed category",
        admin.post(SMART + "y", {"name": "<unique>"}).saving(made="category._id"),
        admin.post(SMART + "y/<made>/remove"),
        equal("category._id", "<made>"),
        admin.post(SMART + "y/<made>/remove"),
        refused(404),
    ),
)


@each_row(ROWS)
def test_people_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
