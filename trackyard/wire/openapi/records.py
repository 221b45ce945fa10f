"""The records of answers and their fields, as rows of tables for people."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Schema = dict[str, Any]
_CODE = re.compile(r"[0-9]+|[a-z]{3}$")


class FieldRow(NamedTuple):
    """A field of a record. kind: its type in words, with each record in brackets: `list of [OfferView]`."""

    name: str
    kind: str
    meaning: str


class AnswerRecord(NamedTuple):
    """A record of answers with its fields."""

    name: str
    fields: tuple[FieldRow, ...]


def answer_records(document: Schema) -> list[AnswerRecord]:
    """Return the records that answers are made of, by name."""
    schemas = document["components"]["schemas"]
    waiting = [operation["responses"] for item in document["paths"].values() for operation in item.values()]
    waiting.append(document["components"]["responses"])
    names: set[str] = set()
    while waiting:
        found = {each for each in _references(waiting.pop()) if each in schemas} - names
        names |= found
        waiting += [schemas[each] for each in found]
    named = [name for name in sorted(names) if "properties" in schemas[name]]
    return [AnswerRecord(name, tuple(_rows(document, schemas[name]))) for name in named]


def answer_names(operation: Schema) -> list[str]:
    """Return the records that a method answers with, by name."""
    return list(_references(operation["responses"]["200"]["content"]["application/json"]))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"].rpartition("/")[2]
        part = list(part.values())
    if isinstance(part, list | tuple):
        for inner in part:
            yield from _references(inner)


def _rows(document: Schema, schema: Schema) -> Iterator[FieldRow]:
    fields = schema["properties"].items()
    yield from joined(FieldRow(name, _kind(document, each), each.get("description", "")) for name, each in fields)


def joined(rows: Iterable[FieldRow]) -> Iterator[FieldRow]:
    """Yield rows, with alike ones joined: `sub1 … sub8`.

    Records are alike that differ only in a number or a currency in their name.
    """
    groups: dict[tuple[str, str, str], list[FieldRow]] = {}
    for row in rows:
        alike = _CODE.sub("", row.name) if row.meaning else row.name
        groups.setdefault((alike, row.kind, row.meaning), []).append(row)
    for group in groups.values():
        first, last = group[0], group[-1]
        yield first if len(group) == 1 else first._replace(name=f"{first.name} … {last.name}")


def _kind(document: Schema, schema: Schema) -> str:
    """Return the type of a field in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        found = document["components"]["schemas"][name]
        return f"[{name}]" if "properties" in found else _kind(document, found)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(document, option) for option in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(document, schema.get('items') or {})}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map of {_kind(document, schema['additionalProperties'])}"
    if "enum" in schema:
        return f"one of {', '.join(str(value) for value in schema['enum'])}"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
