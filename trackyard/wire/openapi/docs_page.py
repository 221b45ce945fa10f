"""The OpenAPI documents, and /docs: one HTML page without external assets."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import escape
from importlib import resources
from typing import Any, NamedTuple

from starlette.responses import Response

from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.http.health import Page
from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.records import AnswerRecord, FieldRow, answer_names, answer_records, joined

_METHODS = ("get", "post", "delete")
_CODE = re.compile(r"`([^`]+)`")


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


def openapi_page(document: Schema) -> Page:
    """Return the document as JSON."""
    content = json.dumps(document, ensure_ascii=False).encode()
    return lambda: Response(content, media_type="application/json")


def docs_page(document: Schema) -> Page:
    """Return the document as a page with search. Its policy admits the style and script of this page only."""
    style, script = _asset("docs.css"), _asset("docs.js")
    content = _html(document, style, script).encode()
    policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
    policy += f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    headers = {"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"}
    return lambda: Response(content, media_type="text/html", headers=headers)


def _asset(name: str) -> str:
    return resources.files("trackyard.wire.openapi").joinpath("assets", name).read_text()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _html(document: Schema, style: str, script: str) -> str:
    found = list(operations(document))
    links = []
    for tag in document["tags"]:
        links.append(f"<h2>{escape(tag['description'])}</h2>")
        links += [
            _link(path, method, operation) for path, method, operation in found if operation["tags"] == [tag["name"]]
        ]
    sections = [_section(document, path, method, operation) for path, method, operation in found]
    sections += [_record(record) for record in answer_records(document)]
    info = document["info"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}</title><style>{style}</style></head><body>"
        f"<nav><h1>{escape(info['title'])}</h1>"
        '<input id="search" type="search" placeholder="Search methods" aria-label="Search methods">'
        f"{''.join(links)}</nav><main><h1>{escape(info['title'])} {escape(info['version'])}</h1>"
        f"<p>{_prose(info['description'])}</p><p>OpenAPI documents: {_documents()}</p>"
        f"{_errors(document)}{''.join(sections)}</main><script>{script}</script></body></html>"
    )


def _documents() -> str:
    found = {"of both versions": "/openapi.json"} | {f"of /{prefix}": document_path(prefix) for prefix in VERSIONS}
    return " · ".join(f'<a href="{path}">{name}</a>' for name, path in found.items())


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


def _link(path: str, method: str, operation: Schema) -> str:
    text = escape(f"{method} {path} {operation['summary']}".lower())
    return f'<a data-text="{text}" href="#{_anchor(method, path)}">{_prose(operation["summary"])}</a>'


def _anchor(method: str, path: str) -> str:
    return escape(method + path.replace("/", "-").replace("{", "").replace("}", ""))


def _section(document: Schema, path: str, method: str, operation: Schema) -> str:
    text = escape(f"{method} {path} {operation['summary']}".lower())
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    rows = "".join(map(_row, table_rows(document, operation)))
    table = f"<table><tr><th>Parameter<th>Type<th>Meaning{rows}</table>" if rows else "<p>No parameters.</p>"
    example = json.dumps(_example(document, answer), indent=2, ensure_ascii=False)
    links = " or ".join(f'<a href="#record-{name}">{name}</a>' for name in answer_names(operation))
    return (
        f'<section id="{_anchor(method, path)}" data-text="{text}">'
        f'<h3><span class="method {method}">{method.upper()}</span>{escape(path)}</h3>'
        f"<p>{_prose(operation['summary'])}.</p>"
        f'<p class="faint">{_prose(operation["description"])}</p>{table}'
        f"<pre>{_curl_example(document, path, method, operation)}</pre>"
        f"<details><summary>Answer</summary><p>{links}</p><pre>{escape(example)}</pre></details></section>"
    )


def _prose(text: str) -> str:
    """Return text as HTML, with the parts in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def parameters(document: Schema, operation: Schema) -> list[Parameter]:
    """Return the parameters of a method, required ones first. The introduction describes its headers."""
    found = [
        Parameter(item["name"], item["schema"], item["required"], item.get("description", ""))
        for item in operation["parameters"]
        if item["in"] != "header"
    ]
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
        found += _fields(document, _resolved(document, content), "", needed=True)
    return sorted(found, key=lambda parameter: not parameter.needed)


def _fields(document: Schema, schema: Schema, prefix: str, *, needed: bool) -> Iterator[Parameter]:
    for name, inner in schema.get("properties", {}).items():
        full = f"{prefix}[{name}]" if prefix else name
        required = name in schema.get("required", ())
        found = _resolved(document, inner)
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
            schema, place = _resolved(document, schema.get("items") or {}), f"{place}[0]"
        elif isinstance(schema.get("additionalProperties"), dict):
            schema, place = _resolved(document, schema["additionalProperties"]), f"{place}[KEY]"
        else:
            return place, None
    return place, schema


def _curl_example(document: Schema, path: str, method: str, operation: Schema) -> str:
    """Return a call with the required parameters, to be copied into a terminal."""
    needed = [
        item
        for item in parameters(document, operation)
        if item.needed and not item.is_group and f"{{{item.name}}}" not in path
    ]
    pairs = [
        f"{item.name}{'[]' if item.schema.get('type') == 'array' else ''}={_value(document, item.schema)}"
        for item in needed
    ]
    target = f'<span class="origin">ADDRESS</span>{escape(path)}'
    begin = "curl -g -H 'API-Key: KEY'"
    if method == "get":
        query = escape("&".join(pairs))
        return f"{begin} '{target}{'?' if query else ''}{query}'"
    sent = "".join(f" \\\n  -d '{escape(pair)}'" for pair in pairs)
    return f"{begin} -X {method.upper()} '{target}'{sent}"


def _value(document: Schema, schema: Schema) -> str:
    """Return an example value of a parameter."""
    schema = _resolved(document, schema)
    if schema.get("type") == "array":
        return _value(document, schema["items"])
    if "enum" in schema:
        return str(schema["enum"][0])
    if schema.get("type") in ("integer", "number"):
        return str(max(1, schema.get("minimum", 1)))
    by_form = {"date": "2026-01-31", "email": "name@example.org"}
    by_pattern = {"^https?://": "https://example.org/", "^[0-9a-fA-F]{24}$": "65f0c0ffee0123456789abcd"}
    return by_form.get(schema.get("format", "")) or by_pattern.get(schema.get("pattern", ""), "text")


def _resolved(document: Schema, schema: Schema) -> Schema:
    if "$ref" in schema:
        found: Schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return _resolved(document, found)
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) != 1:
        return schema
    return _resolved(document, options[0]) | {key: schema[key] for key in ("default", "description") if key in schema}


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


def _row(row: FieldRow) -> str:
    kind = re.sub(r"\[(\w+)\]", r'<a href="#record-\1">\1</a>', escape(row.kind))
    return f"<tr><td><code>{escape(row.name)}</code><td>{kind}<td>{_prose(row.meaning)}"


def _record(record: AnswerRecord) -> str:
    text = escape(f"{record.name} {' '.join(row.name for row in record.fields)}".lower())
    rows = "".join(map(_row, record.fields))
    return (
        f'<section id="record-{record.name}" data-text="{text}"><h3>{record.name}</h3>'
        f"<table><tr><th>Field<th>Type<th>Meaning{rows}</table></section>"
    )


def _errors(document: Schema) -> str:
    responses = document["components"]["responses"].items()
    rows = "".join(f"<tr><td>{code}<td>{_prose(operation['description'])}" for code, operation in responses)
    return f"<details><summary>Errors</summary><table>{rows}</table></details>"


def _example(document: Schema, schema: Schema) -> Any:
    """Return an example of an answer: names and types."""
    schema = _resolved(document, schema)
    records = [option for option in schema.get("anyOf", ()) if "$ref" in option]
    if len(records) > 1:  # staff and affiliates get different views; the first is the whole one
        return _example(document, records[0])
    if "properties" in schema:
        return {name: _example(document, inner) for name, inner in schema["properties"].items()}
    if schema.get("type") == "array":
        return [_example(document, schema.get("items") or {})]
    if isinstance(schema.get("additionalProperties"), dict):
        return {"…": _example(document, schema["additionalProperties"])}
    kinds = [option.get("type", "any") for option in schema.get("anyOf", ())]
    return " or ".join(kinds) if kinds else schema.get("type", "any")
