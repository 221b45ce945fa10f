"""Examples of methods: a call with its answer, and the call as code."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote

from trackyard.wire.openapi.document import Schema
from trackyard.wire.openapi.tables import parameters, resolved, sample_value

ADDRESS: Final = "ADDRESS"
KEY: Final = "KEY"
"""What examples have for the address of the API and for a key."""

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A request. method: in upper case; path: with its version; public: whether no key is needed."""

    method: str
    path: str
    pairs: Pairs
    public: bool = False

    @property
    def target(self) -> str:
        """Return the path with the parameters that are sent in it."""
        query = "&".join(f"{name}={quote(value, safe='/:@., {}')}" for name, value in self.pairs)
        return f"{self.path}?{query}" if query and self.method != "POST" else self.path

    def under(self, prefix: str) -> "Call":
        """Return it under a version."""
        rest = self.path.removeprefix("/").partition("/")[2]
        return Call(self.method, f"/{prefix}/{rest}", self.pairs, self.public)


@dataclass(frozen=True, slots=True)
class Example:
    """A call that was made, and its answer, in which long lists and texts are cut."""

    call: Call
    answer: Any


Examples = Mapping[str, Example]
"""Id of a method to its example."""


def read_examples(text: str) -> Examples:
    """Return the examples of a file: id of a method to its call and answer."""
    return {
        name: Example(
            Call(each["method"], each["path"], tuple((key, value) for key, value in each["sent"]), each["public"]),
            each["answer"],
        )
        for name, each in json.loads(text).items()
    }


def sample_call(document: Schema, path: str, method: str, operation: Schema) -> Call:
    """Return a call with the required parameters, for a method without an example."""
    needed = [item for item in parameters(document, operation) if item.needed and not item.is_group]
    pairs = tuple(
        (f"{item.name}[]" if item.schema.get("type") == "array" else item.name, sample_value(document, item.schema))
        for item in needed
        if f"{{{item.name}}}" not in path
    )
    return Call(method.upper(), path, pairs, public=operation.get("security") == [])


def languages(call: Call) -> dict[str, str]:
    """Return the call as code, by the name of the language."""
    return {"curl": _curl(call), "Python": _python(call), "JavaScript": _javascript(call), "PHP": _php(call)}


def _curl(call: Call) -> str:
    key = "" if call.public else f" -H 'API-Key: {KEY}'"
    method = "" if call.method == "GET" else f" -X {call.method}"
    sent = call.pairs if call.method == "POST" else ()
    fields = "".join(f" \\\n  --data-urlencode {_shell(f'{name}={value}')}" for name, value in sent)
    return f"curl -g{key}{method} {_shell(ADDRESS + _encoded(call.target))}{fields}"


def _shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _encoded(target: str) -> str:
    return quote(target, safe="/:@.,?&=[]%{}")


def _python(call: Call) -> str:
    lines = ["import requests", "", f"answer = requests.{call.method.lower()}(", f'    "{ADDRESS}{call.path}",']
    if not call.public:
        lines.append(f'    headers={{"API-Key": "{KEY}"}},')
    if call.pairs:
        lines.append(f"    {'data' if call.method == 'POST' else 'params'}=[")
        lines += [f"        ({_quoted(name)}, {_quoted(value)})," for name, value in call.pairs]
        lines.append("    ],")
    return "\n".join([*lines, ")", "print(answer.status_code, answer.json())"])


def _javascript(call: Call) -> str:
    lines = []
    if call.pairs:
        lines += ["const sent = new URLSearchParams(["]
        lines += [f"  [{_quoted(name)}, {_quoted(value)}]," for name, value in call.pairs]
        lines += ["]);"]
    in_query = call.pairs and call.method != "POST"
    address = f'"{ADDRESS}{call.path}?" + sent' if in_query else f'"{ADDRESS}{call.path}"'
    lines.append(f"const answer = await fetch({address}, {{")
    if call.method != "GET":
        lines.append(f'  method: "{call.method}",')
    if not call.public:
        lines.append(f'  headers: {{ "API-Key": "{KEY}" }},')
    if call.pairs and call.method == "POST":
        lines.append("  body: sent,")
    return "\n".join([*lines, "});", "console.log(answer.status, await answer.json());"])


def _php(call: Call) -> str:
    lines = ["<?php"]
    if call.pairs:
        lines.append("$sent = implode('&', [")
        lines += [f"    {_php_text(f'{name}=')} . rawurlencode({_php_text(value)})," for name, value in call.pairs]
        lines.append("]);")
    in_query = call.pairs and call.method != "POST"
    headers = [] if call.public else [f"API-Key: {KEY}"]
    if call.pairs and not in_query:
        headers.append("Content-Type: application/x-www-form-urlencoded")
    lines += ["$context = stream_context_create(['http' => [", f"    'method' => '{call.method}',"]
    if headers:
        lines.append(f"    'header' => [{', '.join(map(_php_text, headers))}],")
    if call.pairs and not in_query:
        lines.append("    'content' => $sent,")
    query = "?' . $sent" if in_query else "'"
    lines += ["    'ignore_errors' => true,", "]]);"]
    lines.append(f"$answer = file_get_contents('{ADDRESS}{call.path}{query}, false, $context);")
    return "\n".join([*lines, "print_r(json_decode($answer, true));"])


def _php_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def body_of(pairs: Iterable[tuple[str, str]]) -> Any:
    """Return sent pairs as a JSON body: `{"caps": [{"type": "day"}]}` for `caps[0][type]=day`."""
    tree: dict[str, Any] = {}
    for name, value in pairs:
        keys = [key.removesuffix("]") for key in name.split("[")]
        at = tree
        for key in keys[:-1]:
            at = at.setdefault(key, {})
        at[keys[-1] or str(len(at))] = value
    return _listed(tree)


def _listed(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    inner = {key: _listed(value) for key, value in tree.items()}
    numbered = inner and list(inner) == [str(number) for number in range(len(inner))]
    return list(inner.values()) if numbered else inner


def add_examples(document: Schema, examples: Examples) -> None:
    """Add to a document the parameters of the examples, and their answers."""
    for item in document["paths"].values():
        for operation in item.values():
            if example := examples.get(operation["x-method-id"]):
                _add_example(document, operation, example)


def _add_example(document: Schema, operation: Schema, example: Example) -> None:
    operation["responses"]["200"]["content"]["application/json"]["example"] = example.answer
    sent = body_of(example.call.pairs)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        if sent and kind != "multipart/form-data":
            content["example"] = _as_declared(document, content["schema"], sent)
    for parameter in operation["parameters"]:
        values = [value for name, value in example.call.pairs if name.removesuffix("[]") == parameter["name"]]
        if values:
            value = values if parameter["schema"].get("type") == "array" else values[0]
            parameter["example"] = _as_declared(document, parameter["schema"], value)


def _as_declared(document: Schema, schema: Schema, value: Any) -> Any:
    """Return a sent value, which is a text, in the type that its schema has. Raises ValueError."""
    schema = resolved(document, schema)
    if "anyOf" in schema:
        return _as_first(document, schema["anyOf"], value)
    if isinstance(value, dict):
        inner, others = schema.get("properties", {}), schema.get("additionalProperties")
        other = others if isinstance(others, dict) else {}
        return {name: _as_declared(document, inner.get(name, other), each) for name, each in value.items()}
    if schema.get("type") == "array":
        items = value if isinstance(value, list) else value.split(",")
        return [_as_declared(document, schema.get("items") or {}, item) for item in items]
    if schema.get("type") in ("integer", "number"):
        number = Decimal(value)
        return int(number) if number == int(number) else float(number)
    return next((each for each in schema.get("enum", ()) if str(each) == value), value)


def _as_first(document: Schema, options: Sequence[Schema], value: Any) -> Any:
    """Return a sent value in the first type that can have it."""
    for option in options:
        with suppress(ValueError, ArithmeticError):
            return _as_declared(document, option, value)
    return value
