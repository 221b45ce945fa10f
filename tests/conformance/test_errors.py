"""Errors: status, body and the fields it names."""

from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    answers,
    each_row,
    equal,
    header,
    holds,
    refused,
    sentence,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Errors"
admin = Caller("admin")
IDS = [
    *[
        ("GET", path)
        for path in (
            "/3.0/offer/999999",
            "/3.0/offer/<nothing_hash>",
            "/3.0/news/<nothing_hash>",
            "/3.0/admin/advertiser/<nothing_hash>",
            "/3.0/admin/advertiser-invoice/999999",
            "/3.0/admin/partner/999999",
            "/3.0/admin/user/<nothing_hash>",
        )
    ],
    *[
        ("POST", path)
        for path in (
            "/3.0/admin/offer/999999",
            "/3.0/admin/category/<nothing_hash>",
            "/3.0/admin/offer/source/<nothing_hash>",
            "/3.0/admin/advertiser/<nothing_hash>",
            "/3.0/admin/advertiser-invoice/999999",
            "/3.0/admin/partner/999999",
            "/3.0/admin/user/<nothing_hash>",
            "/3.0/admin/ticket/999999/offer",
            "/3.0/admin/smartlink/category/<nothing_hash>",
            "/3.0/partner/postback/999999",
            "/3.0/partner/pixel/999999",
        )
    ],
    *[
        ("DELETE", path)
        for path in (
            "/3.0/partner/postback/999999/remove",
            "/3.0/partner/pixel/999999/remove",
            "/3.0/admin/offer/source/<nothing_hash>",
        )
    ],
]


def is_error_with_code(status: int) -> AnswerCheck:
    return holds(lambda body: isinstance(body["code"], str) and bool(body["code"]), status)


ROWS = table(
    sentence("a required field that is missing is named", admin.post("/3.0/admin/category"), refused(400, "title")),
    sentence("each fault is named", admin.get("/3.0/stats/clicks"), refused(400, "date_from", "date_to")),
    sentence(
        "a value that is not allowed is named with what is allowed",
        admin.get(
            "/3.0/stats/getbydate", {"filter[date_from]": "<today>", "filter[date_to]": "<today>", "orderType": "up"}
        ),
        refused(400, "orderType", text="asc"),
    ),
    sentence(
        "an error's body has status 2 and the same text as error and message",
        admin.get("/3.0/offer/999999"),
        refused(404),
    ),
    sentence(
        "an error's body has a machine code", admin.get("/3.0/offer/999999"), refused(404), is_error_with_code(404)
    ),
    sentence(
        "a path that does not exist is a JSON 404",
        admin.get("/3.0/nowhere"),
        refused(404),
        header("Content-Type", "application/json", 404),
    ),
    sentence("a path that does not exist is a 404 without a key, too", Caller("").get("/3.0/nowhere"), answers(404)),
    sentence(
        "a method that a path does not have is a 405 that allows others",
        admin.delete("/3.0/offers"),
        refused(405),
        header("Allow", "GET", 405),
    ),
    [
        sentence(
            f"{method} {path}: an id that names nothing is a 404",
            SpecRequest(
                "admin",
                method,
                path,
                {"title": "x", "name": "x", "do": "approve", "url": "https://a.example/", "supplier_id": "<shop>"},
            ),
            refused(404),
        )
        for method, path in IDS
    ],
    sentence(
        "a write with one fault changes nothing",
        admin.post(
            "/3.0/admin/offer", {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
        ).saving(made="offer.id"),
        admin.post("/3.0/admin/offer/<made>", {"title": "changed", "status": "open"}),
        refused(400, "status"),
        admin.get("/3.0/offer/<made>"),
        equal("offer.title", "<unique>"),
    ),
    sentence(
        "a broken JSON body is a 400",
        SpecRequest("admin", "POST", "/3.0/admin/category", headers={"Content-Type": "application/json"}, body=b"{"),
        refused(400),
    ),
)


@each_row(ROWS)
def test_errors_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
