"""Parameters and answer fields as trees, for people."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.tables import resolved

_LARGE: Final = 2**31 - 1
"""Limits from here on come from the type, not from the field."""
_PATTERNS: Final = {
    "^https?://": "begins with http:// or https://",
    "^[0-9a-fA-F]{24}$": "24 hexadecimal digits",
    "^[A-Za-z]{2}$": "two letters",
    "^[A-Za-z]{3}$": "three letters",
    r"^([0-9]+[ymwdhis])+$": "numbers, each with one of y m w d h i s: 1d12h",
    r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$": "YYYY-MM-DD HH:MM:SS",
    r"^\d{2}-\d{2}-\d{4}$": "DD-MM-YYYY",
}
_FORMATS: Final = {"date": "YYYY-MM-DD", "email": "an e-mail address", "binary": "a file"}
_ALIKE: Final = re.compile(r"[0-9]+|_[a-z]{3}$")


class FieldNode(NamedTuple):
    """A parameter, or a field of an answer, with its parts.

    path: the name as it is sent (`caps[0][type]`), or the place in the answer (`stats[].slice`).
    above: the beginning of `path` that the node above has too.
    kind: its type in words.
    facts: what is allowed besides `allowed`, and the default.
    """

    path: str
    above: str
    kind: str
    meaning: str
    needed: bool
    allowed: tuple[str, ...]
    facts: tuple[str, ...]
    is_file: bool = False
    parts: "tuple[FieldNode, ...]" = ()


def parameter_tree(document: Schema, operation: Schema) -> list[FieldNode]:
    """Return the parameters of a method, required ones first; parameters of a query have no parts."""
    found = [
        _node(
            document,
            item["schema"] | {"x-unit": item.get("x-unit")},
            item["name"],
            "",
            item.get("description", ""),
            needed=item["required"],
        )
        for item in operation["parameters"]
        if item["in"] != "header"
    ]
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
        found += _parts(document, resolved(document, content), "", "[{}]", ())
    return sorted(found, key=lambda node: not node.needed)


def answer_tree(document: Schema, schema: Schema) -> list[FieldNode]:
    """Return the fields of an answer."""
    place, whole = _within(document, schema, "", ".{}")
    return list(_parts(document, whole, place, ".{}", ()))


def answer_views(document: Schema, operation: Schema) -> list[Schema]:
    """Return the schema of an answer: of staff, then of affiliates where it differs."""
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    views = [option for option in schema.get("anyOf", ()) if "$ref" in option]
    return views or [schema]


def each_node(nodes: "list[FieldNode] | tuple[FieldNode, ...]") -> Iterator[FieldNode]:
    """Yield nodes, each followed by its parts."""
    for node in nodes:
        yield node
        yield from each_node(node.parts)


def alike(nodes: "list[FieldNode] | tuple[FieldNode, ...]") -> Iterator[list[FieldNode]]:
    """Yield nodes in groups. Nodes of a group differ only in a number or currency of their name.

    Such a group is sub1 to sub8.
    """
    groups: dict[tuple[Any, ...], list[FieldNode]] = {}
    for node in nodes:
        name = _ALIKE.sub("", node.path) if node.meaning else node.path
        groups.setdefault((name, *node[2:]), []).append(node)
    yield from groups.values()


def _parts(document: Schema, schema: Schema, place: str, joint: str, within: tuple[str, ...]) -> Iterator[FieldNode]:
    for name, inner in schema.get("properties", {}).items():
        path = f"{place}{joint.format(name)}" if place else name
        needed = name in schema.get("required", ()) and joint != ".{}"
        yield _node(
            document, inner, path, place, inner.get("description", ""), needed=needed, joint=joint, within=within
        )


def _node(
    document: Schema,
    sent: Schema,
    path: str,
    above: str,
    meaning: str,
    *,
    needed: bool,
    joint: str = "",
    within: tuple[str, ...] = (),
) -> FieldNode:
    place, part = _within(document, sent, path, joint) if joint else (path, {})
    name = part.get("title", "")
    parts = () if name in within else tuple(_parts(document, part, place, joint, (*within, name)))
    schema = resolved(document, sent)
    inner = resolved(document, schema["items"]) if schema.get("type") == "array" and schema.get("items") else schema
    default = schema.get("default", sent.get("default"))
    unit = [f"in {sent['x-unit']}"] if sent.get("x-unit") else []
    facts = [*unit, *_limits(inner), *([f"default {_shown(default)}"] if default not in (None, "", [], {}, ()) else [])]
    allowed = tuple(str(value) for value in inner.get("enum", ()))
    is_file = inner.get("format") == "binary"
    kind = _kind(document, sent if joint == ".{}" else schema)
    return FieldNode(path, above, kind, meaning, needed, allowed, tuple(facts), is_file, parts)


def _within(document: Schema, schema: Schema, place: str, joint: str) -> tuple[str, Schema]:
    """Return the record in lists and maps, and its place; {} for a value."""
    item, key = ("[]", ".KEY") if joint == ".{}" else ("[0]", "[KEY]")
    schema = resolved(document, schema)
    while "properties" not in schema:
        if schema.get("type") == "array":
            schema, place = resolved(document, schema.get("items") or {}), f"{place}{item}"
        elif isinstance(schema.get("additionalProperties"), dict):
            schema, place = resolved(document, schema["additionalProperties"]), f"{place}{key}"
        else:
            records = [option for option in schema.get("anyOf", ()) if "$ref" in option]
            return (place, {}) if not records else _within(document, records[0], place, joint)
    return place, schema


def _kind(document: Schema, schema: Schema) -> str:
    """Return a type in words: `list of objects or null`."""
    if "$ref" in schema:
        return _kind(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(document, option) for option in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_many(_kind(document, schema.get('items') or {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map of {_many(_kind(document, schema['additionalProperties']))}"
    kind = schema.get("type", "any value")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _many(kind: str) -> str:
    first, _, rest = kind.partition(" ")
    plural = {"list": "lists", "map": "maps", "any": "any"}.get(first, f"{first}s")
    return f"{plural} {rest}".strip()


def _limits(schema: Schema) -> Iterator[str]:
    least, most = schema.get("minimum"), schema.get("maximum")
    least = None if least is None or least <= -_LARGE else least
    most = None if most is None or most >= _LARGE else most
    yield from _range(least, most, "")
    if "exclusiveMinimum" in schema:
        yield f"above {_shown(schema['exclusiveMinimum'])}"
    shortest, longest = schema.get("minLength") or None, schema.get("maxLength")
    if "pattern" not in schema:
        yield from _range(shortest, longest, " characters")
    if "pattern" in schema:
        pattern = schema["pattern"]
        yield _PATTERNS.get(pattern, f"matches `{pattern}`")
        yield from _range(None, longest, " characters")
    if schema.get("format") in _FORMATS:
        yield _FORMATS[schema["format"]]


def _range(least: Any, most: Any, unit: str) -> Iterator[str]:
    if least is not None and most is not None:
        yield f"{_shown(least)}{unit}" if least == most else f"{_shown(least)} to {_shown(most)}{unit}"
    elif most is not None:
        yield f"at most {_shown(most)}{unit}"
    elif least is not None:
        yield f"at least {_shown(least)}{unit}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    whole = isinstance(value, float) and value == int(value)
    return f"{int(value) if whole else value:,}" if isinstance(value, int | float) else f"`{value}`"
