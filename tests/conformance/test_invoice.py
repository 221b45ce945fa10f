"""Invoice: its record."""

from tests.conformance.predicates import (
    Predicate,
    array_of,
    currency_code,
    hash_id,
    integer,
    mapping,
    one_of,
    or_null,
    text,
)
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, refused, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "Invoice"
admin = Caller("admin")
LIST = admin.get("/3.0/admin/advertiser-invoices", {"limit": 1000})
BY_ID = admin.get("/3.0/admin/advertiser-invoice/<paid_invoice>")
FIELDS: dict[str, Predicate] = {
    "number": integer,
    "supplier_id": hash_id,
    "created_at": text,
    "updated_at": text,
    "start_date": or_null(text),
    "end_date": or_null(text),
    "status": one_of("paid", "unpaid"),
    "currency": currency_code,
    "comment": or_null(text),
    "detail": array_of(mapping),
}
LINE = {
    "supplier_id": "<shop>",
    "currency": "USD",
    "detail[0][offer_id]": "<shoes>",
    "detail[0][payout_type]": "RPA",
    "detail[0][amount]": 1,
}

ROWS = table(
    typed("Invoice", LIST, "message[]", FIELDS, form="list"),
    typed("Invoice", BY_ID, "message", FIELDS, form="by number"),
    [
        sentence(f"Invoice: {name} is what was sent", BY_ID, equal(f"message.{name}", value))
        for name, value in {
            "supplier_id": "<shop>",
            "start_date": "2020-01-01",
            "end_date": "2020-01-31",
            "status": "paid",
            "currency": "USD",
            "comment": "paid_invoice",
        }.items()
    ],
    [
        sentence(f"Invoice: detail has {name}", BY_ID, equal(f"message.detail[0].{name}", value))
        for name, value in {
            "offer_id": "<shoes>",
            "payout_type": "RPA",
            "actions": 3,
            "amount": 30,
            "comment": "line",
        }.items()
    ],
    [
        sentence(
            f"Invoice: payout_type accepts {kind}",
            admin.post(
                "/3.0/admin/advertiser-invoice",
                {
                    "supplier_id": "<shop>",
                    "currency": "USD",
                    "detail[0][offer_id]": "<shoes>",
                    "detail[0][payout_type]": kind,
                    "detail[0][amount]": 1,
                },
            ).saving(made="number"),
            admin.get("/3.0/admin/advertiser-invoice/<made>"),
            equal("message.detail[0].payout_type", kind),
        )
        for kind in ("RPA", "RPS", "RPA + RPS", "RPC", "RPM")
    ],
    sentence(
        "Invoice: payout_type refuses another value",
        admin.post(
            "/3.0/admin/advertiser-invoice",
            {
                "supplier_id": "<shop>",
                "currency": "USD",
                "detail[0][offer_id]": "<shoes>",
                "detail[0][payout_type]": "X",
                "detail[0][amount]": 1,
            },
        ),
        refused(400, "detail[0][payout_type]"),
    ),
    sentence(
        "Invoice: one that does not exist is not found", admin.get("/3.0/admin/advertiser-invoice/999999"), refused(404)
    ),
    [
        sentence(
            f"Invoice: {name} of a line is required",
            admin.post(
                "/3.0/admin/advertiser-invoice",
                {key: value for key, value in LINE.items() if key != f"detail[0][{name}]"},
            ),
            refused(400, f"detail[0][{name}]"),
        )
        for name in ("payout_type", "amount")
    ],
    sentence(
        "Invoice: an offer of another advertiser is refused in a line",
        admin.post("/3.0/admin/advertiser-invoice", {**LINE, "detail[0][offer_id]": "<hats>"}),
        refused(400, "detail[0][offer_id]"),
    ),
)


@each_row(ROWS)
def test_invoice_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
