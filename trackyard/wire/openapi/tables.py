"""The methods of a document, and the parameters of each, as rows of tables for people."""

from collections.abc import Iterator
from typing import NamedTuple

from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.records import FieldRow, joined

_METHODS = ("get", "post", "delete")


class Parameter(NamedTuple):
    """One row of a method's table.

    needed: whether every call must have it.
    is_group: whether the rows after it are its parts.
    """

    name: str
    schema: Schema
    needed: bool
    description: str
    is_group: bool = False


def document_path(prefix: str) -> str:
    """Return the path of the document of one version."""
    return f"/openapi-{prefix}.json"


def operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield each method once, by its 3.1 path, or by its 3.0 path when it has no other."""
    listed: set[str] = set()
    for prefix in reversed(VERSIONS):
        for path, item in document["paths"].items():
            for method in _METHODS if path.startswith(f"/{prefix}/") else ():
                name = item.get(method, {}).get("x-method-id")
                if name and name not in listed:
                    listed.add(name)
                    yield path, method, item[method]


def parameters(document: Schema, operation: Schema) -> list[Parameter]:
    """Return the parameters of a method, required ones first. The introduction describes its headers."""
    found = [
        Parameter(item["name"], item["schema"], item["required"], item.get("description", ""))
        for item in operation["parameters"]
        if item["in"] != "header"
    ]
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
        found += _fields(document, resolved(document, content), "", needed=True)
    return sorted(found, key=lambda parameter: not parameter.needed)


def _fields(document: Schema, schema: Schema, prefix: str, *, needed: bool) -> Iterator[Parameter]:
    for name, inner in schema.get("properties", {}).items():
        full = f"{prefix}[{name}]" if prefix else name
        required = name in schema.get("required", ())
        found = resolved(document, inner)
        description = inner.get("description", "")
        if required and not needed:
            description = f"Required in each. {description}".strip()
        place, part = _part(document, found, full)
        yield Parameter(full, found, needed and required, description, is_group=part is not None)
        if part is not None:
            yield from _fields(document, part, place, needed=needed and required)


def _part(document: Schema, schema: Schema, place: str) -> tuple[str, Schema | None]:
    """Return the place of a part of a list, map or record, and its schema; None for a value."""
    while "properties" not in schema:
        if schema.get("type") == "array":
            schema, place = resolved(document, schema.get("items") or {}), f"{place}[0]"
        elif isinstance(schema.get("additionalProperties"), dict):
            schema, place = resolved(document, schema["additionalProperties"]), f"{place}[KEY]"
        else:
            return place, None
    return place, schema


def sample_value(document: Schema, schema: Schema) -> str:
    """Return an example value of a parameter."""
    schema = resolved(document, schema)
    if schema.get("type") == "array":
        return sample_value(document, schema["items"])
    if "enum" in schema:
        return str(schema["enum"][0])
    if schema.get("type") in ("integer", "number"):
        return str(max(1, schema.get("minimum", 1)))
    by_form = {"date": "2026-01-31", "email": "name@example.org"}
    by_pattern = {"^https?://": "https://example.org/", "^[0-9a-fA-F]{24}$": "65f0c0ffee0123456789abcd"}
    return by_form.get(schema.get("format", "")) or by_pattern.get(schema.get("pattern", ""), "text")


def resolved(document: Schema, schema: Schema) -> Schema:
    """Return the schema to which another refers, without the option of null."""
    if "$ref" in schema:
        found: Schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return resolved(document, found)
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) != 1:
        return schema
    return resolved(document, options[0]) | {key: schema[key] for key in ("default", "description") if key in schema}


def described(parameter: Parameter) -> tuple[str, str]:
    """Return the type of a parameter and its meaning, as text."""
    meaning = f"Required. {parameter.description}" if parameter.needed else parameter.description
    schema = parameter.schema
    kind = str(schema.get("type", "any"))
    if parameter.is_group:
        kind = {"array": "list of objects", "object": "map of objects"}.get(kind, kind)
        kind = "object" if "properties" in schema else kind
    elif kind == "array":
        kind = f"list of {schema['items'].get('type', 'any')}"
        schema = schema["items"] | {key: value for key, value in schema.items() if key == "default"}
    if "format" in schema:
        kind = f"{kind} ({schema['format']})"
    if "enum" in schema:
        kind = f"{kind}: {', '.join(str(value) for value in schema['enum'])}"
    if schema.get("default") not in (None, "", [], {}):
        meaning += f" Default {schema['default']}."
    return kind, meaning.strip()


def table_rows(document: Schema, operation: Schema) -> Iterator[FieldRow]:
    """Yield the rows of a method's table of parameters."""
    return joined(FieldRow(each.name, *described(each)) for each in parameters(document, operation))
