"""News item: its record."""

from tests.conformance.predicates import Predicate, either, having, integer, moment, text
from tests.conformance.sentence import Caller, SpecSentence, each_row, equal, sentence, table, typed
from tests.conformance.world import FilledProgram

SECTION = "News item"
admin = Caller("admin")
LIST = admin.get("/3.0/news")
ONE = admin.get("/3.0/news/<plain_news>")
FIELDS: dict[str, Predicate] = {
    "_id": having("$id"),
    "title": text,
    "small_desc": text,
    "desc": text,
    "status": either(text, integer),
    "created_at": moment,
}

ROWS = table(
    typed("News", LIST, "items{}", FIELDS, form="list"),
    typed("News", ONE, "news", FIELDS, form="by id"),
    sentence("News: _id.$id is its id", ONE, equal("news._id.$id", "<plain_news>")),
    [
        sentence(f"News: {name} is what was sent", ONE, equal(f"news.{name}", value))
        for name, value in {"title": "Plain", "small_desc": "Short", "desc": "Long"}.items()
    ],
)


@each_row(ROWS)
def test_news_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
