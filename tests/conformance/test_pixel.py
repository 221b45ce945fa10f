"""Pixel: its record."""

from tests.conformance.predicates import Predicate, date_and_time, either, integer, one_of, text
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, is_, refused, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "Pixel"
admin = Caller("admin")
LIST = admin.get("/3.0/partner/pixels/<ann>")
NEW = {
    "pid": "<una>",
    "offer_id": "<shoes>",
    "name": "<unique>",
    "code": "<img src='https://a.example/'>",
    "code_type": "image",
}
FIELDS: dict[str, Predicate] = {
    "id": integer,
    "name": text,
    "code": text,
    "code_type": one_of("javascript", "iframe", "image"),
    "offer_id": either(text, integer),
    "pid": either(text, integer),
    "is_active": either(text, integer),
    "moderation_status": either(text, integer),
    "created_at": date_and_time,
    "updated_at": date_and_time,
}

ROWS = table(
    typed("Pixel", LIST, "pixel{}", FIELDS),
    [
        sentence(
            f"Pixel: code_type accepts {kind}",
            admin.post("/3.0/partner/pixel", {**NEW, "code_type": kind, "code": code}),
            equal("pixel.code_type", kind),
            equal("pixel.code", code),
        )
        for kind, code in {
            "javascript": "<script src='https://a.example/x.js'></script>",
            "iframe": "<iframe src='https://a.example/'></iframe>",
            "image": "<img src='https://a.example/'>",
        }.items()
    ],
    sentence(
        "Pixel: code_type refuses another value",
        admin.post("/3.0/partner/pixel", {**NEW, "code_type": "text"}),
        refused(400, "code_type"),
    ),
    sentence("Pixel: name is what was sent", admin.post("/3.0/partner/pixel", NEW), equal("pixel.name", "<unique>")),
    sentence(
        "Pixel: offer_id and pid name the offer and the affiliate",
        admin.post("/3.0/partner/pixel", NEW),
        is_("pixel.offer_id", lambda offer: str(offer) == "1"),
        is_("pixel.pid", lambda pid: str(pid) == "3"),
    ),
    [
        sentence(
            f"Pixel: is_active is {active} when it was sent",
            admin.post("/3.0/partner/pixel", {**NEW, "is_active": active}),
            is_("pixel.is_active", lambda found, sent=active: str(found) == str(sent)),
        )
        for active in (0, 1)
    ],
    sentence(
        "Pixel: offer is the nested offer",
        LIST,
        equal("pixel.<ann_pixel>.offer.id", "<shoes>"),
        equal("pixel.<ann_pixel>.offer.title", "Shoes"),
    ),
    sentence(
        "Pixel: moderation_status -1 means rejected",
        admin.post("/3.0/partner/pixel", {**NEW, "moderation_status": -1}),
        is_("pixel.moderation_status", lambda status: str(status) == "-1"),
    ),
)


@each_row(ROWS)
def test_pixel_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
