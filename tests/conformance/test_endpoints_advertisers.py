"""Endpoints: what administrators do with advertisers and invoices."""

from typing import Any

from tests.conformance.predicates import text
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    all_equal,
    before,
    each_row,
    empty,
    equal,
    exactly,
    hides,
    is_,
    narrowed,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: admin advertisers and invoices"
admin, sam = Caller("admin"), Caller("sam")
LIST, ONE, INVOICES, INVOICE = (
    "/3.0/admin/advertisers",
    "/3.0/admin/advertiser",
    "/3.0/admin/advertiser-invoices",
    "/3.0/admin/advertiser-invoice",
)
PAPER: dict[str, Any] = {
    "supplier_id": "<shop>",
    "currency": "USD",
    "detail[0][offer_id]": "<shoes>",
    "detail[0][payout_type]": "RPA",
    "detail[0][amount]": 5,
    "detail[0][actions]": 1,
}
FIELDS: list[tuple[str, Any, str, Any]] = [
    *[
        (name, "words", name, "words")
        for name in ("contact", "skype", "address_1", "address_2", "city", "zip_code", "vat_code")
    ],
    ("title", "<unique> b", "title", "<unique> b"),
    ("manager", "<sam>", "manager", "<sam>"),
    ("url", "https://b.example/", "url", "https://b.example/"),
    ("email", "<unique>@b.example", "email", "<unique>@b.example"),
    ("allowed_ip[]", "10.0.0.1", "allowed_ip", ["10.0.0.1"]),
    ("country", "DE", "country", "DE"),
    ("sub_account_1", "a,b", "sub_accounts.1.value", "a,b"),
    ("sub_account_2", "c", "sub_accounts.2.value", "c"),
    ("consider_personal_targeting_only", "true", "consider_personal_targeting_only", True),
    ("tags[]", "t", "tags", ["t"]),
]
LINES: list[tuple[str, Any, str]] = [
    ("start_date", "2022-01-01", "start_date"),
    ("status", "paid", "status"),
    ("comment", "c", "comment"),
    ("detail[0][payout_type]", "RPC", "detail[0].payout_type"),
    ("detail[0][actions]", 9, "detail[0].actions"),
    ("detail[0][amount]", 12.5, "detail[0].amount"),
    ("detail[0][comment]", "l", "detail[0].comment"),
    ("detail[0][offer_id]", "<socks>", "detail[0].offer_id"),
]

ROWS = table(
    [
        sentence(
            f"GET admin/advertisers: order {order} sorts {way}",
            admin.get(LIST, {"order": order, "orderType": way, "limit": 1000}),
            before("advertisers[].id", *pair),
        )
        for order, way, pair in (
            ("title", "asc", ("<mill>", "<shop>")),
            ("title", "desc", ("<shop>", "<mill>")),
            ("email", "asc", ("<mill>", "<shop>")),
            ("email", "desc", ("<shop>", "<mill>")),
        )
    ],
    [
        sentence(
            f"GET admin/advertisers: order _id sorts {way}",
            admin.get(LIST, {"order": "_id", "orderType": way, "limit": 1000}),
            is_("advertisers[].id", lambda ids, way=way: ids == sorted(ids, reverse=way == "desc")),
        )
        for way in ("asc", "desc")
    ],
    sentence(
        "GET admin/advertisers: order email is accepted",
        admin.get(LIST, {"order": "email"}),
        shows("advertisers[].id", "<shop>"),
    ),
    [
        sentence(
            f"GET admin/advertisers: {name} refuses another value", admin.get(LIST, {name: "x"}), refused(400, name)
        )
        for name in ("order", "orderType", "updated_at")
    ],
    sentence(
        "GET admin/advertisers: updated_at shows what changed since",
        admin.get("/3.1/admin/advertisers", {"updated_at": "<yesterday>"}),
        shows("advertisers[].id", "<shop>", "<mill>"),
    ),
    sentence(
        "GET admin/advertisers: updated_at in the future shows none",
        admin.get("/3.1/admin/advertisers", {"updated_at": "<tomorrow>"}),
        empty("advertisers"),
    ),
    sentence(
        "GET admin/advertisers: a sales manager sees its own",
        sam.get(LIST),
        shows("advertisers[].id", "<shop>"),
        hides("advertisers[].id", "<mill>"),
    ),
    sentence("POST admin/advertiser: title is required", admin.post(ONE), refused(400, "title")),
    [
        sentence(
            f"POST admin/advertiser: {name} is stored",
            admin.post(ONE, {"title": "<unique>", name: value}),
            equal(f"advertiser.{shown}", wanted),
        )
        for name, value, shown, wanted in FIELDS
    ],
    [
        sentence(
            f"POST admin/advertiser/ID: {name} is changed and the rest stays",
            admin.post(
                ONE, {"title": "<unique>", "skype": "kept"} if name != "skype" else {"title": "<unique>"}
            ).saving(made="advertiser.id"),
            admin.post(f"{ONE}/<made>", {name: value}),
            equal(f"advertiser.{shown}", wanted),
            admin.get(f"{ONE}/<made>"),
            equal(f"advertiser.{shown}", wanted),
        )
        for name, value, shown, wanted in [*FIELDS, ("note", "n", "note", "n")]
    ],
    [
        sentence(
            f"POST admin/advertiser: {name} refuses {value!r}",
            admin.post(ONE, {"title": "<unique>", name: value}),
            refused(400),
        )
        for name, value in (
            ("email", "no address"),
            ("manager", "<nothing_hash>"),
            ("allowed_ip[]", "x"),
            ("sub_account_1_except", 2),
            ("consider_personal_targeting_only", "maybe"),
            ("sub_account_1", "A b"),
        )
    ],
    sentence(
        "POST admin/advertiser/ID: tags overwrite the previous tags",
        admin.post(ONE, {"title": "<unique>", "tags[]": ["a", "b"]}).saving(made="advertiser.id"),
        admin.post(f"{ONE}/<made>", {"tags[]": "c"}),
        exactly("advertiser.tags", "c"),
    ),
    sentence(
        "POST admin/advertiser/ID: one that does not exist is not found",
        admin.post(f"{ONE}/<nothing_hash>", {"title": "x"}),
        refused(404),
    ),
    sentence(
        "POST admin/advertiser/ID/sendpass answers",
        admin.post(ONE, {"title": "<unique>", "email": "<unique>@adv.example"}).saving(made="advertiser.id"),
        admin.post(f"{ONE}/<made>/sendpass"),
        equal("status", 1),
    ),
    [
        sentence(
            f"POST admin/advertiser/{word}-affiliate: {name} is required",
            admin.post(
                f"{ONE}/{word}-affiliate",
                {
                    key: value
                    for key, value in {"advertisers_id[]": "<mill>", "pid": "<una>"}.items()
                    if not key.startswith(name)
                },
            ),
            refused(400, name),
        )
        for word in ("enable", "disable")
        for name in ("advertisers_id", "pid")
    ],
    sentence(
        "GET admin/advertiser-invoices: status paid shows paid ones",
        admin.get(INVOICES, {"status": "paid", "limit": 1000}),
        all_equal("message[].status", "paid"),
        shows("message[].number", "<paid_invoice>"),
    ),
    sentence(
        "GET admin/advertiser-invoices: status unpaid shows unpaid ones",
        admin.get(INVOICES, {"status": "unpaid", "limit": 1000}),
        all_equal("message[].status", "unpaid"),
        shows("message[].number", "<unpaid_invoice>"),
    ),
    sentence(
        "GET admin/advertiser-invoices: status refuses another value",
        admin.get(INVOICES, {"status": "lost"}),
        refused(400, "status"),
    ),
    *[
        narrowed(
            "GET admin/advertiser-invoices: start_date and end_date",
            admin.get(INVOICES, {"limit": 1000}),
            "message[].number",
            by={"start_date": "2020-01-01", "end_date": "2020-12-31"},
            shown=["<paid_invoice>"],
            hidden=["<unpaid_invoice>"],
            none={"start_date": "2010-01-01", "end_date": "2010-12-31"},
        )
    ],
    [
        sentence(
            f"POST admin/advertiser-invoice: {name} is required",
            admin.post(INVOICE, {key: value for key, value in PAPER.items() if key != name}),
            refused(400, name),
        )
        for name in ("supplier_id", "currency")
    ],
    sentence("POST admin/advertiser-invoice returns message", admin.post(INVOICE, PAPER), is_("message", text)),
    [
        sentence(
            f"POST admin/advertiser-invoice: {name} is stored",
            admin.post(INVOICE, {**PAPER, name: value}).saving(made="number"),
            admin.get(f"{INVOICE}/<made>"),
            equal(f"message.{shown}", value),
        )
        for name, value, shown in LINES
    ],
    [
        sentence(
            f"POST admin/advertiser-invoice/number: {name} is changed",
            admin.post(INVOICE, PAPER).saving(made="number"),
            admin.post(f"{INVOICE}/<made>", {**PAPER, name: value}),
            admin.get(f"{INVOICE}/<made>"),
            equal(f"message.{shown}", value),
        )
        for name, value, shown in LINES
    ],
    sentence(
        "POST admin/advertiser-invoice/number: supplier_id is required",
        admin.post(INVOICE, PAPER).saving(made="number"),
        admin.post(f"{INVOICE}/<made>", {"status": "paid"}),
        refused(400, "supplier_id"),
    ),
    sentence(
        "POST admin/advertiser-invoice: currency has to be an active code",
        admin.post(INVOICE, {**PAPER, "currency": "XXX"}),
        refused(400, "currency"),
    ),
    sentence(
        "POST admin/advertiser-invoice: an advertiser that does not exist is refused",
        admin.post(INVOICE, {**PAPER, "supplier_id": "<nothing_hash>"}),
        refused(400, "supplier_id"),
    ),
)


@each_row(ROWS)
def test_advertiser_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
