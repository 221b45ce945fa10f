"""Partner postback: its record."""

from tests.conformance.predicates import Predicate, boolean, date_and_time, either, integer, or_null, text
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, is_, refused, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "Partner postback"
admin = Caller("admin")
LIST = admin.get("/3.0/admin/postbacks", {"partner_id": "<ann>"})
NEW = {"pid": "<una>", "url": "<receiver>/una?c={clickid}"}
FIELDS: dict[str, Predicate] = {
    "id": integer,
    "url": text,
    "offer_id": or_null(either(text, integer)),
    "status": or_null(text),
    "goal": or_null(text),
    "created": date_and_time,
    "updated_at": date_and_time,
    "forced": either(text, integer, boolean),
    "pid": either(text, integer),
}

ROWS = table(
    typed("Postback", LIST, "postbacks[]", FIELDS),
    sentence(
        "Postback: offer_id is null for a global one", LIST, equal("postbacks[id=<ann_everywhere>].offer_id", None)
    ),
    sentence(
        "Postback: offer_id names the offer",
        LIST,
        is_("postbacks[id=<ann_shoes>].offer_id", lambda offer: str(offer) == "1"),
    ),
    [
        sentence(
            f"Postback: status accepts {status}",
            admin.post("/3.0/partner/postback", {**NEW, "status": status}),
            equal("postback.status", status),
        )
        for status in ("by_creating", "confirmed", "pending", "declined", "hold", "not_found")
    ],
    sentence(
        "Postback: status refuses another value",
        admin.post("/3.0/partner/postback", {**NEW, "status": "always"}),
        refused(400, "status"),
    ),
    sentence(
        "Postback: 3.1 takes not_found as declined",
        admin.post("/3.1/partner/postback", {**NEW, "status": "not_found"}),
        equal("postback.status", "declined"),
    ),
    sentence(
        "Postback: goal is what was sent",
        admin.post("/3.0/partner/postback", {**NEW, "goal": "7"}),
        equal("postback.goal", "7"),
    ),
    sentence(
        "Postback: pid is the affiliate's",
        admin.post("/3.0/partner/postback", NEW),
        is_("postback.pid", lambda pid: str(pid) == "3"),
    ),
    sentence(
        "Postback: url is what was sent",
        admin.post("/3.0/partner/postback", NEW),
        equal("postback.url", "<receiver>/una?c={clickid}"),
    ),
)


@each_row(ROWS)
def test_partner_postback_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
