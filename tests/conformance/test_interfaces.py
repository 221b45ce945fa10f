"""Interfaces: the documents that describe each version of the API."""

import re
from collections.abc import Iterator
from typing import Any

from tests.conformance.sentence import (
    Caller,
    SpecSentence,
    absent,
    answers,
    each_row,
    header,
    holds,
    is_,
    present,
    sentence,
    table,
)
from tests.conformance.world import FilledProgram

SECTION = "Interfaces"
anyone = Caller("")
DOCUMENTS = {"openapi": r"/3\.[01]/", "openapi-3.0": r"/3\.0/", "openapi-3.1": r"/3\.1/"}
IN_BOTH = ("partner/offers", "stats/getbydate", "stats/conversions", "admin/partners", "offer/{id}")


def operations(document: Any) -> Iterator[dict[str, Any]]:
    """Each operation of a document."""
    for item in document["paths"].values():
        yield from item.values()


def boolean_schemas(value: Any) -> list[Any]:
    """Schemas of a document that are true or false in place of an object."""
    if isinstance(value, list):
        return [each for item in value for each in boolean_schemas(item)]
    if not isinstance(value, dict):
        return []
    own = [value[name] for name in ("schema", "items") if isinstance(value.get(name), bool)]
    own += [each for each in dict(value.get("properties") or {}).values() if isinstance(each, bool)]
    return own + [each for item in value.values() for each in boolean_schemas(item)]


def plain_ids(document: Any) -> bool:
    ids = [operation["operationId"] for operation in operations(document)]
    return len(ids) == len({*ids}) and all(re.fullmatch(r"[A-Za-z0-9_]+", each) for each in ids)


def has_tags(document: Any) -> bool:
    tags = {tag["name"] for tag in document["tags"]}
    return len(tags) > 10 and all({*operation["tags"]} <= tags for operation in operations(document))


ROWS = table(
    [
        sentence(
            f"/{name}.json is served to everybody as JSON",
            anyone.get(f"/{name}.json"),
            header("Content-Type", "application/json"),
            present("info.title", "servers", "components.schemas"),
        )
        for name in DOCUMENTS
    ],
    [
        sentence(
            f"/{name}.json has the paths of its versions alone",
            anyone.get(f"/{name}.json"),
            is_("paths", lambda paths, own=own: bool(paths) and all(re.match(own, path) for path in paths)),
        )
        for name, own in DOCUMENTS.items()
    ],
    [
        sentence(
            f"/openapi-{version}.json describes /{version}/{path}",
            anyone.get(f"/openapi-{version}.json"),
            holds(lambda document, key=f"/{version}/{path}": "get" in document["paths"][key]),
        )
        for version in ("3.0", "3.1")
        for path in IN_BOTH
    ],
    [
        sentence(f"/{name}.json: {what}", anyone.get(f"/{name}.json"), holds(judge))
        for name in DOCUMENTS
        for what, judge in (
            ("operation ids are unique and of letters, digits and _", plain_ids),
            ("every operation has a tag by topic", has_tags),
            ("no schema is true or false", lambda document: not boolean_schemas(document)),
            ("servers name an address", lambda document: str(document["servers"][0]["url"]).startswith("http")),
        )
    ],
    [
        sentence(
            f"operation ids of /openapi-{version}.json have no version",
            anyone.get(f"/openapi-{version}.json"),
            holds(
                lambda document: not any(re.search(r"_3_[01]$", each["operationId"]) for each in operations(document))
            ),
        )
        for version in ("3.0", "3.1")
    ],
    sentence(
        "partner/me is for affiliates alone in the documents",
        anyone.get("/openapi-3.1.json"),
        holds(lambda document: "staff" not in document["paths"]["/3.1/partner/me"]["get"]["description"].lower()),
    ),
    sentence("there is no document of a version that does not exist", anyone.get("/openapi-9.9.json"), answers(404)),
    sentence("/openapi.json has no errors", anyone.get("/openapi.json"), absent("error")),
)


@each_row(ROWS)
def test_interfaces_conform_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
