"""Landing item of an offer."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.predicates import integer, one_of, text
from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    each_row,
    equal,
    refused,
    sentence,
    table,
    typed,
)
from tests.conformance.world import FilledProgram

SECTION = "Landing item"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {"title": "<unique>", "advertiser": "<shop>", "url": "https://a.example/"}
WHOLE = {"title": "A", "url": "https://a.example/l", "url_preview": "https://a.example/p"}


def add(landing: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with one landing."""
    return admin.post("/3.0/admin/offer", {**NEW, **{f"landings[0][{name}]": value for name, value in landing.items()}})


ROWS = table(
    typed(
        "Landing",
        CAPES,
        "offer.landings[]",
        {"id": integer, "title": text, "url": text, "url_preview": text, "type": one_of("landing", "transit")},
    ),
    sentence(
        "Landing: what was sent is shown",
        CAPES,
        equal("offer.landings[0].title", "First"),
        equal("offer.landings[0].url", "https://capes.example/first"),
        equal("offer.landings[0].url_preview", "https://capes.example/first-preview"),
    ),
    sentence("Landing: type is transit when it was sent", CAPES, equal("offer.landings[1].type", "transit")),
    [
        sentence(
            f"Landing: {name} is required",
            add({key: value for key, value in WHOLE.items() if name != key}),
            refused(400, f"landings[0][{name}]"),
        )
        for name in ("title", "url", "url_preview")
    ],
    sentence("Landing: type is landing by default", add(WHOLE), equal("offer.landings[0].type", "landing")),
    sentence("Landing: type refuses another value", add({**WHOLE, "type": "page"}), refused(400, "landings[0][type]")),
)


@each_row(ROWS)
def test_offer_landing_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
