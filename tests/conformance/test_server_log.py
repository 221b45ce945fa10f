"""Server postback log: its records."""

from tests.conformance.predicates import hash_id, mapping, mapping_or_empty, moment, or_null, text
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, every, is_, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "Server postback log record"
DAYS = {"date_from": "<yesterday>", "date_to": "<tomorrow>"}
PATH = "/3.0/stats/serverpostbacks"
admin = Caller("admin")
LIST = admin.get(PATH, {**DAYS, "limit": 1000})
RED = admin.get(PATH, {**DAYS, "action_id": "order-red"})

ROWS = table(
    typed(
        "Server log",
        LIST,
        "postbacks[]",
        {
            "_get": mapping_or_empty,
            "_post": mapping_or_empty,
            "date": moment,
            "get": text,
            "post": text,
            "server": text,
            "response": text,
            "track": or_null(mapping),
        },
    ),
    sentence("Server log: _id.$id is the record's id", LIST, every("postbacks[]._id.$id", hash_id)),
    sentence(
        "Server log: _get has the parameters of the call",
        RED,
        equal("postbacks[0]._get.action_id", "order-red"),
        equal("postbacks[0]._get.clickid", "<red>"),
    ),
    sentence(
        "Server log: get is the query string",
        RED,
        is_("postbacks[0].get", lambda query: "action_id=order-red" in query),
    ),
    sentence(
        "Server log: the postback code is not shown",
        RED,
        is_("postbacks[0]", lambda record: "shop-code" not in str(record)),
    ),
    sentence(
        "Server log: response is empty for a call that made a conversion", RED, equal("postbacks[0].response", "")
    ),
    sentence(
        "Server log: response says why a call made none",
        admin.get(PATH, {**DAYS, "action_id": "order-broken"}),
        equal("postbacks[0].response", "Broken clickid"),
    ),
    [
        sentence(f"Server log: track.{name} is the click's", RED, equal(f"postbacks[0].track.{name}", value))
        for name, value in {
            "click_id": "<red>",
            "country": "DE",
            "city": "Berlin",
            "device": "mobile",
            "os": "iOS",
            "sub1": "red",
            "partner.login": "ann-login",
            "partner.email": "ann@affiliate.example",
            "offer.title": "Shoes",
            "offer.preview_url": "https://shoes.example/preview",
        }.items()
    ],
    sentence(
        "Server log: track.partner has the id", RED, is_("postbacks[0].track.partner.id", lambda pid: str(pid) == "1")
    ),
)


@each_row(ROWS)
def test_server_log_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
