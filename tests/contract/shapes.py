"""The JSON types that existing clients decode (shapes.txt), and whether a view has them.

Notation: int, number, bool, string and its kinds (hex24, datetime, `string of int` …), null, mixed, `a | b`, `[T]`,
`[]`, `{name:T}`, `{<id>:T}` a map.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import inspect

_TOKEN = re.compile(r"[{}\[\]|:,]|<\w+>|[^{}\[\]|:,<>]+")
_KINDS = {"int": "integer", "number": "number", "bool": "boolean", "null": "null", "mixed": "mixed"}
"""Every other plain word is a kind of string."""

ABSENT, NULL = "absent", "null declared, never seen"


@dataclass(frozen=True)
class Shape:
    """The shape of a documented value.

    kinds: of JSON.
    fields: of an object.
    values: of a map, or of the items of a list.
    """

    kinds: frozenset[str]
    fields: dict[str, "Shape"] = field(default_factory=dict)
    values: "Shape | None" = None


def documented() -> dict[str, Shape]:
    """Return the shape of the answer by "METHOD /version/path"."""
    found = {}
    text = Path(__file__).with_name("shapes.txt").read_text()
    for heading, shape in re.findall(r"^(\S.*)\n  `(.*)`$", text, re.M):
        found[heading] = parse(shape)
    return found


def parse(text: str) -> Shape:
    """Return the shape of a notation."""
    tokens = _TOKEN.findall(text)
    shape, end = _either(tokens, 0)
    assert end == len(tokens), tokens[end:]
    return shape


def differences(shape: Shape, view: Any) -> Iterator[tuple[str, str]]:
    """Yield (place, difference) between a documented shape and a declared type."""
    yield from _differences(shape, inspect.type_info(view), "")


def _either(tokens: list[str], at: int) -> tuple[Shape, int]:
    shape, at = _one(tokens, at)
    while at < len(tokens) and tokens[at] == "|":
        other, at = _one(tokens, at + 1)
        shape = Shape(shape.kinds | other.kinds, shape.fields | other.fields, shape.values or other.values)
    return shape, at


def _one(tokens: list[str], at: int) -> tuple[Shape, int]:
    if tokens[at] == "[":
        if tokens[at + 1] == "]":
            return Shape(frozenset({"array"})), at + 2
        inner, at = _either(tokens, at + 1)
        return Shape(frozenset({"array"}), values=inner), at + 1
    if tokens[at] != "{":
        word = tokens[at].strip()
        return Shape(frozenset({_KINDS.get(word, "string")})), at + 1
    if tokens[at + 1] == "}":
        return Shape(frozenset({"object"})), at + 2
    fields: dict[str, Shape] = {}
    while tokens[at] != "}":
        name, (inner, at) = tokens[at + 1], _either(tokens, at + 3)
        if name.startswith("<"):
            return Shape(frozenset({"map"}), values=inner), at + 1
        fields[name] = inner
    return Shape(frozenset({"object"}), fields), at + 1


def _differences(shape: Shape, declared: Any, place: str) -> Iterator[tuple[str, str]]:
    options = [each for each in _options(declared) if not isinstance(each, inspect.NoneType)]
    if len(options) < len(_options(declared)) and not shape.kinds & {"null", "mixed"}:
        yield place, NULL
    kinds = {kind for each in options for kind in _kinds(each)}
    seen = shape.kinds - {"null"}
    if not seen or "mixed" in seen or "any" in kinds:
        return
    if not (seen & kinds or (seen == {"integer"} and "number" in kinds) or (seen == {"array"} and "map" in kinds)):
        yield place, f"{' | '.join(sorted(seen))} seen, {' | '.join(sorted(kinds))} declared"
        return
    for option in options:
        if isinstance(option, inspect.StructType) and shape.fields:
            declared_fields = {each.encode_name: each.type for each in option.fields}
            for name, inner in shape.fields.items():
                where = f"{place}.{name}".lstrip(".")
                if name in declared_fields:
                    yield from _differences(inner, declared_fields[name], where)
                else:
                    yield where, ABSENT
        elif isinstance(option, inspect.DictType) and shape.values is not None:
            yield from _differences(shape.values, option.value_type, f"{place}.*")
        elif isinstance(option, inspect.ListType | inspect.VarTupleType) and shape.values is not None:
            yield from _differences(shape.values, option.item_type, f"{place}[]")


def _options(declared: Any) -> tuple[Any, ...]:
    """Return the types without their metadata (msgspec's Meta, which files of rows read)."""
    if isinstance(declared, inspect.Metadata):
        return _options(declared.type)
    if isinstance(declared, inspect.UnionType):
        return tuple(option for each in declared.types for option in _options(each))
    return (declared,)


def _kinds(declared: Any) -> frozenset[str]:
    for type_, kinds in _DECLARED.items():
        if isinstance(declared, type_):
            return kinds
    return frozenset()


_DECLARED: dict[type, frozenset[str]] = {
    inspect.BoolType: frozenset({"boolean"}),
    inspect.IntType: frozenset({"integer"}),
    inspect.DecimalType: frozenset({"number"}),
    inspect.FloatType: frozenset({"number"}),
    inspect.StrType: frozenset({"string"}),
    inspect.LiteralType: frozenset({"string"}),
    inspect.EnumType: frozenset({"string"}),
    inspect.VarTupleType: frozenset({"array"}),
    inspect.ListType: frozenset({"array"}),
    inspect.DictType: frozenset({"map", "object"}),
    inspect.StructType: frozenset({"object"}),
    inspect.AnyType: frozenset({"any"}),
}
