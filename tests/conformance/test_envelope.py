"""Envelope and pagination."""

from tests.conformance.predicates import array, hash_id, integer
from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    each_row,
    equal,
    exactly,
    hides,
    holds,
    is_,
    only,
    sentence,
    shows,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Envelope and pagination"
admin, ann = Caller("admin"), Caller("ann")
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>", "partner[]": ["<ann>", "<bob>"]}
FILTER_DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}

LISTS = {
    "offers": ("/3.0/offers", {}, 4),
    "partners": ("/3.0/admin/partners", {}, 6),
    "users": ("/3.0/admin/users", {}, 4),
    "advertisers": ("/3.0/admin/advertisers", {}, 2),
    "categories": ("/3.0/offer/categories", {}, 2),
    "cities": ("/3.0/cities", {"country": "EE"}, 10),
    "isp": ("/3.0/isp", {}, 4),
    "conversions": ("/3.0/stats/conversions", DAYS, 6),
    "clicks": ("/3.0/stats/clicks", DAYS, 6),
    "postbacks": ("/3.0/stats/serverpostbacks", DAYS, 6),
    "tickets": ("/3.0/admin/tickets", {}, 2),
    "message": ("/3.0/admin/advertiser-invoices", {}, 2),
    "stats": ("/3.0/stats/getbyprogram", FILTER_DAYS, 3),
    "subs": ("/3.0/stats/find-subs", {"sub1": "gr"}, 2),
}
"""Name of the list: its path, its parameters, and how many entities the world has at least."""


def rows_of(name: str) -> list[SpecSentence]:
    path, params, least = LISTS[name]
    call = admin.get(path, params)
    first = call.adding({"limit": 1})
    return [
        sentence(f"{path}: status is the integer 1", call, is_("status", integer), equal("status", 1)),
        sentence(f"{path}: pagination.per_page is the page size", first, equal("pagination.per_page", 1)),
        sentence(f"{path}: limit bounds the page", first, is_(name, lambda rows: len(rows) == 1)),
        sentence(
            f"{path}: pagination.total_count counts all entities, not those of the page",
            first,
            is_("pagination.total_count", lambda count: integer(count) and count >= least),
        ),
        sentence(
            f"{path}: pagination.page is the page", call.adding({"limit": 1, "page": 2}), equal("pagination.page", 2)
        ),
        sentence(
            f"{path}: pagination.next_page stands there when a further page exists",
            first,
            equal("pagination.next_page", 2),
        ),
        sentence(
            f"{path}: pagination.next_page is absent on the last page",
            call.adding({"limit": 500}),
            absent("pagination.next_page"),
        ),
        sentence(
            f"{path}: the second page shows other entities than the first",
            first.saving(first=f"{name}[0]"),
            call.adding({"limit": 1, "page": 2}),
            is_(name, lambda rows: len(rows) == 1),
            hides(name, "<first>"),
        ),
        sentence(
            f"{path}: a page after the last is empty",
            call.adding({"limit": 500, "page": 999}),
            is_(name, lambda rows: len(rows) == 0),
            equal("pagination.page", 999),
        ),
    ]


ROWS = table(
    [row for name in LISTS for row in rows_of(name)],
    typed(
        "Pagination",
        admin.get("/3.0/offers", {"limit": 1}),
        "pagination",
        dict.fromkeys(("per_page", "total_count", "page", "next_page"), integer),
    ),
    sentence(
        "the news list returns items, an object keyed by news id",
        admin.get("/3.0/news"),
        is_("items", lambda items: all(hash_id(key) for key in items)),
        equal("items.<plain_news>._id.$id", "<plain_news>"),
    ),
    sentence("the news list returns all_items, an integer total", admin.get("/3.0/news"), is_("all_items", integer)),
    sentence(
        "the invoice list returns its data in message",
        admin.get("/3.0/admin/advertiser-invoices", {"limit": 1000}),
        shows("message[].number", "<paid_invoice>", "<unpaid_invoice>"),
    ),
    sentence(
        "the invoice view returns its data in message",
        admin.get("/3.0/admin/advertiser-invoice/<paid_invoice>"),
        equal("message.number", "<paid_invoice>"),
    ),
    sentence(
        "the retention report returns a bare array without envelope",
        admin.get("/3.0/stats/retentionrate", {**DAYS, "offer": "<shoes>", "base_event": "a", "events": "b"}),
        holds(array),
    ),
    sentence(
        "the time-to-action report returns data, a pagination object and a body status of 200",
        admin.get("/3.0/stats/time-to-action", {**DAYS, "offer_id": "<shoes>", "timezone": "UTC"}),
        is_("data", array),
        equal("pagination.page", 1),
        equal("status", 200),
    ),
    sentence(
        "pages of one list are disjoint and complete",
        admin.get("/3.0/offers", {"int_id[]": ["<shoes>", "<hats>"], "limit": 1}).saving(a="offers[0].id"),
        admin.get("/3.0/offers", {"int_id[]": ["<shoes>", "<hats>"], "limit": 1, "page": 2}).saving(b="offers[0].id"),
        admin.get("/3.0/offers", {"int_id[]": ["<shoes>", "<hats>"], "limit": 2}),
        exactly("offers[].id", "<a>", "<b>"),
        only("offers[].id", "<shoes>", "<hats>"),
    ),
    sentence(
        "an affiliate's list has its own total_count",
        ann.get("/3.0/stats/conversions", DAYS),
        equal("pagination.total_count", 3),
    ),
)


@each_row(ROWS)
def test_envelope_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
