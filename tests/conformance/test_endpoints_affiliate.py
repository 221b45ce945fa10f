"""Endpoints: the methods of affiliates."""

from typing import Any

from tests.conformance.predicates import having, integer, mapping, text
from tests.conformance.sentence import (
    AnswerCheck,
    Caller,
    SpecRequest,
    SpecSentence,
    absent,
    answers,
    each_row,
    empty,
    equal,
    hides,
    holds,
    is_,
    narrowed,
    refused,
    sentence,
    shows,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Endpoints: affiliate methods"
admin, ann, bob, una = Caller("admin"), Caller("ann"), Caller("bob"), Caller("una")
LISTS = ("/3.0/partner/offers", "/3.0/partner/live-offers")
OFFER = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://a.example/",
    "status": "active",
    "privacy": "public",
}
PIXEL = {"offer_id": "<shoes>", "name": "<unique>", "code": "<img src='https://a.example/'>", "code_type": "image"}
OFFER_FILTERS: list[tuple[str, dict[str, Any], list[str], list[str], dict[str, Any]]] = [
    ("q", {"q": "Shoe"}, ["<shoes>"], ["<hats>"], {"q": "no such title"}),
    ("ids", {"ids[]": "<shoes_hash>"}, ["<shoes>"], ["<hats>"], {"ids[]": "<nothing_hash>"}),
    ("int_id", {"int_id[]": "<hats>"}, ["<hats>"], ["<shoes>"], {"int_id[]": 999999}),
    ("countries", {"countries[]": "DE"}, ["<shoes>"], ["<hats>"], {"countries[]": "JP"}),
    ("categories", {"categories[]": "<garden>"}, ["<hats>"], ["<shoes>"], {"categories[]": "<nothing_hash>"}),
]


def capped() -> SpecRequest:
    """Create an offer with a cap of clicks."""
    return admin.post(
        "/3.0/admin/offer", {**OFFER, "caps[0][period]": "day", "caps[0][type]": "clicks", "caps[0][value]": 5}
    ).saving(made="offer.id")


def new_affiliate() -> SpecRequest:
    """Create an affiliate."""
    return admin.post("/3.0/admin/partner", {"email": "<unique>@a.example", "password": "<password>"}).saving(
        made="partner.id"
    )


def sorted_by(key: str, down: bool) -> AnswerCheck:
    """The offers are sorted by a field."""

    def agree(body: Any) -> bool:
        values = [offer[key].lower() if key == "title" else offer[key] for offer in body["offers"]]
        return len(values) > 1 and values == sorted(values, reverse=down)

    return holds(agree)


ROWS = table(
    sentence("GET /3.1/partner/me returns user", ann.get("/3.1/partner/me"), equal("user.partner_id", "<ann>")),
    [
        sentence(
            f"{path} shows {caller.name} public offers and its private one",
            caller.get(path),
            shows("offers[].id", *shown),
            hides("offers[].id", *hidden),
        )
        for path in LISTS
        for caller, shown, hidden in (
            (ann, ("<shoes>", "<hats>"), ("<socks>", "<boots>", "<gloves>")),
            (bob, ("<shoes>", "<socks>"), ("<boots>", "<gloves>")),
        )
    ],
    sentence(
        "live-offers hides what the caller may not send traffic to",
        bob.get("/3.0/partner/live-offers"),
        hides("offers[].id", "<hats>"),
    ),
    sentence(
        "partner/offers shows protected offers that need approval",
        bob.get("/3.0/partner/offers"),
        equal("offers[id=<hats>].required_approval", True),
    ),
    [
        row
        for path in LISTS
        for text_, params, shown, hidden, none in OFFER_FILTERS
        for row in narrowed(
            f"{path}: {text_}", ann.get(path), "offers[].id", by=params, shown=shown, hidden=hidden, none=none
        )
    ],
    [
        sentence(
            f"{path}: sort[{key}]={way} sorts",
            ann.get(path, {f"sort[{key}]": way, "int_id[]": ["<shoes>", "<hats>"]}),
            sorted_by(key, way == "desc"),
        )
        for path in LISTS
        for key in ("id", "title", "cr", "epc")
        for way in ("asc", "desc")
    ],
    [
        sentence(f"{path}: sort refuses another key", ann.get(path, {"sort[colour]": "asc"}), answers(400))
        for path in LISTS
    ],
    [
        sentence(
            f"{path}: caps_type {kind} shows offers with such a cap alone",
            ann.get(path, {"caps_type": kind}),
            hides("offers[].id", "<shoes>", "<hats>"),
        )
        for path in LISTS
        for kind in ("clicks", "conversions", "budget")
    ],
    [
        sentence(
            f"{path}: caps_country shows offers with such a cap alone",
            ann.get(path, {"caps_country": "ES"}),
            hides("offers[].id", "<shoes>"),
        )
        for path in LISTS
    ],
    sentence(
        "partner/offers: caps_type finds an offer with this cap",
        capped(),
        ann.get("/3.0/partner/offers", {"caps_type": "clicks"}),
        shows("offers[].id", "<made>"),
    ),
    sentence(
        "partner/offers: caps_type may name several",
        capped(),
        ann.get("/3.0/partner/offers", {"caps_type": "clicks,budget"}),
        shows("offers[].id", "<made>"),
    ),
    sentence(
        "partner/offers: with a cap filter the other filters are ignored",
        capped(),
        ann.get("/3.0/partner/offers", {"caps_type": "clicks", "q": "no such title"}),
        shows("offers[].id", "<made>"),
    ),
    sentence(
        "activation/offer makes a request that staff see",
        admin.post("/3.0/admin/offer", {**OFFER, "privacy": "protected"}).saving(made="offer.id"),
        una.post("/3.0/partner/activation/offer", {"offer_id": "<made>", "comment": "<unique> please"}),
        is_("message", text),
        admin.get("/3.0/admin/tickets", {"status": "open"}),
        shows("tickets[].offer.id", "<made>"),
        shows("tickets[].description", "<unique> please"),
    ),
    [
        sentence(
            f"activation/offer: {name} is required",
            una.post(
                "/3.0/partner/activation/offer",
                {key: value for key, value in {"offer_id": "<hats>", "comment": "x"}.items() if key != name},
            ),
            refused(400, name),
        )
        for name in ("offer_id", "comment")
    ],
    sentence(
        "activation/offer: an offer that the caller cannot see is refused",
        una.post("/3.0/partner/activation/offer", {"offer_id": "<socks>", "comment": "x"}),
        answers(400),
    ),
    sentence(
        "POST partner/postback adds a postback that the list shows",
        una.post("/3.0/partner/postback", {"url": "<receiver>/una/<unique>"}).saving(made="postback.id"),
        admin.get("/3.0/admin/postbacks", {"partner_id": "<una>"}),
        equal("postbacks[id=<made>].url", "<receiver>/una/<unique>"),
        equal("postbacks[id=<made>].offer_id", None),
    ),
    sentence(
        "POST partner/postback: offer_id makes it of one offer",
        una.post("/3.0/partner/postback", {"url": "<receiver>/una", "offer_id": "<shoes>"}),
        is_("postback.offer_id", lambda offer: str(offer) == "1"),
    ),
    sentence(
        "POST partner/postback: url is required",
        una.post("/3.0/partner/postback", {"offer_id": "<shoes>"}),
        refused(400, "url"),
    ),
    sentence(
        "POST partner/postback: pid is required of an administrator",
        admin.post("/3.0/partner/postback", {"url": "<receiver>/una"}),
        refused(400, "pid"),
    ),
    sentence(
        "POST partner/postback (3.1): pid is required",
        una.post("/3.1/partner/postback", {"url": "<receiver>/una"}),
        refused(400, "pid"),
    ),
    sentence(
        "POST partner/postback (3.1): the caller's pid is accepted",
        una.post("/3.1/partner/postback", {"url": "<receiver>/una", "pid": "<una>"}),
        equal("postback.url", "<receiver>/una"),
    ),
    sentence(
        "POST partner/postback (3.1): another's pid is not found",
        una.post("/3.1/partner/postback", {"url": "<receiver>/una", "pid": "<ann>"}),
        refused(404),
    ),
    [
        sentence(
            f"POST partner/postback/ID changes {name}",
            una.post("/3.0/partner/postback", {"url": "<receiver>/una"}).saving(made="postback.id"),
            una.post("/3.0/partner/postback/<made>", {"url": "<receiver>/una", name: value}),
            equal(f"postback.{name}", value),
        )
        for name, value in {"url": "<receiver>/una/b", "status": "pending", "goal": "5"}.items()
    ],
    sentence(
        "POST partner/postback/ID: url is required",
        una.post("/3.0/partner/postback", {"url": "<receiver>/una"}).saving(made="postback.id"),
        una.post("/3.0/partner/postback/<made>", {"goal": "5"}),
        refused(400, "url"),
    ),
    sentence(
        "POST partner/postback/ID: another's postback is not found",
        una.post("/3.0/partner/postback/<ann_shoes>", {"url": "<receiver>/una"}),
        refused(404),
    ),
    sentence(
        "DELETE partner/postback/ID/remove removes it, once",
        una.post("/3.0/partner/postback", {"url": "<receiver>/una"}).saving(made="postback.id"),
        una.delete("/3.0/partner/postback/<made>/remove"),
        equal("postback.id", "<made>"),
        una.delete("/3.0/partner/postback/<made>/remove"),
        refused(404),
    ),
    sentence(
        "DELETE partner/postback/ID/remove: another's postback is not found",
        una.delete("/3.0/partner/postback/<ann_shoes>/remove"),
        refused(404),
    ),
    sentence(
        "DELETE postbacks/by-affiliates removes those of the affiliates that ids name",
        new_affiliate(),
        admin.post("/3.0/partner/postback", {"pid": "<made>", "url": "<receiver>/una"}),
        admin.delete("/3.0/partner/postbacks/by-affiliates", {"ids": "<made>"}),
        admin.get("/3.0/admin/postbacks", {"partner_id": "<made>"}),
        empty("postbacks"),
        admin.get("/3.0/admin/postbacks", {"partner_id": "<ann>"}),
        shows("postbacks[].id", "<ann_shoes>"),
    ),
    sentence(
        "DELETE postbacks/by-offers removes those of the offers that ids name",
        admin.post("/3.0/admin/offer", OFFER).saving(made="offer.id"),
        admin.post("/3.0/partner/postback", {"pid": "<una>", "url": "<receiver>/una", "offer_id": "<made>"}).saving(
            first="postback.id"
        ),
        admin.post("/3.0/partner/postback", {"pid": "<una>", "url": "<receiver>/una"}).saving(second="postback.id"),
        admin.delete("/3.0/partner/postbacks/by-offers", {"ids": "<made>"}),
        admin.get("/3.0/admin/postbacks", {"partner_id": "<una>", "limit": 1000}),
        hides("postbacks[].id", "<first>"),
        shows("postbacks[].id", "<second>"),
    ),
    sentence(
        "GET news returns items and all_items", ann.get("/3.0/news"), is_("items", mapping), is_("all_items", integer)
    ),
    sentence(
        "GET news: an affiliate sees what is published alone",
        ann.get("/3.0/news", {"limit": 100}),
        shows("items{}.title", "Pinned", "Plain"),
        hides("items{}.title", "Draft"),
    ),
    sentence(
        "GET news: fixed=1 shows pinned news",
        ann.get("/3.0/news", {"fixed": 1}),
        shows("items{}.title", "Pinned"),
        hides("items{}.title", "Plain"),
    ),
    sentence(
        "GET news: fixed=0 shows news that are not pinned",
        ann.get("/3.0/news", {"fixed": 0}),
        shows("items{}.title", "Plain"),
        hides("items{}.title", "Pinned"),
    ),
    sentence(
        "GET news: limit bounds the items",
        ann.get("/3.0/news", {"limit": 1}),
        is_("items", lambda items: len(items) == 1),
        is_("all_items", lambda total: total >= 2),
    ),
    sentence(
        "GET news: skip leaves out the first ones", ann.get("/3.0/news", {"skip": 1}), hides("items{}.title", "Pinned")
    ),
    sentence("GET news: limit above 100 is cut to 100", ann.get("/3.0/news", {"limit": 1000}), is_("items", mapping)),
    sentence("GET news/ID returns news", ann.get("/3.0/news/<plain_news>"), equal("news.title", "Plain")),
    sentence("GET news/ID: a draft is not found for an affiliate", ann.get("/3.0/news/<draft_news>"), refused(404)),
    sentence("GET news/ID: one that does not exist is not found", ann.get("/3.0/news/<nothing_hash>"), refused(404)),
    sentence(
        "GET partner/pixels returns the caller's pixels keyed by id",
        ann.get("/3.0/partner/pixels"),
        equal("pixel.<ann_pixel>.id", "<ann_pixel>"),
        absent("pixel.<bob_pixel>"),
    ),
    sentence(
        "GET partner/pixels/ID returns the affiliate's pixels",
        admin.get("/3.0/partner/pixels/<bob>"),
        equal("pixel.<bob_pixel>.id", "<bob_pixel>"),
        absent("pixel.<ann_pixel>"),
    ),
    [
        sentence(
            f"POST partner/pixel: {name} is required",
            una.post("/3.0/partner/pixel", {key: value for key, value in PIXEL.items() if key != name}),
            refused(400, name),
        )
        for name in PIXEL
    ],
    sentence(
        "POST partner/pixel: pid is required of an administrator",
        admin.post("/3.0/partner/pixel", PIXEL),
        refused(400, "pid"),
    ),
    sentence(
        "POST partner/pixel adds a pixel that the list shows",
        una.post("/3.0/partner/pixel", PIXEL).saving(made="pixel.id"),
        una.get("/3.0/partner/pixels"),
        equal("pixel.<made>.name", "<unique>"),
    ),
    [
        sentence(
            f"POST partner/pixel/ID changes {name}",
            una.post("/3.0/partner/pixel", PIXEL).saving(made="pixel.id"),
            una.post("/3.0/partner/pixel/<made>", {name: value}),
            equal(f"pixel.{name}", value),
        )
        for name, value in {"name": "other", "code": "<img src='https://other.example/'>", "code_type": "image"}.items()
    ],
    [
        sentence(
            f"POST partner/pixel/ID: an administrator changes {name}",
            una.post("/3.0/partner/pixel", PIXEL).saving(made="pixel.id"),
            admin.post("/3.0/partner/pixel/<made>", {name: value}),
            is_(f"pixel.{name}", lambda found_, value=value: str(found_) == str(value)),
        )
        for name, value in {"is_active": 0, "moderation_status": 1}.items()
    ],
    sentence(
        "DELETE partner/pixel/ID/remove removes it",
        una.post("/3.0/partner/pixel", PIXEL).saving(made="pixel.id"),
        una.delete("/3.0/partner/pixel/<made>/remove"),
        equal("pixel.id", "<made>"),
        una.get("/3.0/partner/pixels"),
        absent("pixel.<made>"),
    ),
    sentence(
        "DELETE partner/pixel/ID/remove: another's pixel is not found",
        una.delete("/3.0/partner/pixel/<ann_pixel>/remove"),
        refused(404),
    ),
    sentence(
        "GET balance returns balance", ann.get("/3.0/balance"), is_("balance", having("balance", "hold", "available"))
    ),
    sentence(
        "GET partner/offers: required_approval is true for one who was taken off a public offer",
        admin.post("/3.0/admin/offer", OFFER).saving(made="offer.id"),
        admin.post("/3.0/offer/disable-affiliate", {"offer_id": "<made>", "pid": "<una>", "notice": 0}),
        una.get("/3.0/partner/offers", {"int_id[]": "<made>"}),
        equal("offers[0].required_approval", True),
    ),
)


@each_row(ROWS)
def test_affiliate_endpoints_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
