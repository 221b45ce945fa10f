"""The OpenAPI document has no error that linters look for.

They are those of Spectral (spectral:oas) and Redocly (recommended), as rules of our own.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

from tests.contract.test_openapi import described_by
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.documentation import examples
from trackyard.wire.http.routing import RouteTable
from trackyard.wire.openapi.examples import add_examples

AMBIGUOUS = 23
"""Pairs of paths of which one has a name where the other has an id. The public API has them; the name wins."""


@cache
def described() -> dict[str, Any]:
    """Return the document of 3.1 with its examples."""
    copy: dict[str, Any] = json.loads(json.dumps(described_by("3.1")))
    add_examples(copy, examples())
    return copy


def each_operation() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation."""
    for path, item in described()["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def each_request_example() -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield place, schema and value of each example of a parameter or body."""
    for path, method, operation in each_operation():
        for parameter in operation["parameters"]:
            if "example" in parameter:
                yield f"{method} {path} {parameter['name']}", parameter["schema"], parameter["example"]
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            if "example" in content:
                yield f"{method} {path} {kind}", content["schema"], content["example"]


def test_openapi_examples_of_requests_have_the_types_of_their_schemas() -> None:
    from jsonschema import Draft202012Validator

    components = {"components": described()["components"]}
    wrong = []
    found = list(each_request_example())
    assert len(found) >= 300
    for place, schema, value in found:
        faults = Draft202012Validator(schema | components).iter_errors(value)
        wrong += [f"{place}: {fault.message}" for fault in faults]
    assert not wrong


def test_openapi_document_names_licence_and_contact() -> None:
    info = described()["info"]
    assert info["license"] == {"name": "MIT", "identifier": "MIT"}
    assert info["contact"]["name"] and info["version"] and info["description"]
    assert described()["servers"]


def test_openapi_operations_have_what_linters_require() -> None:
    operations = list(each_operation())
    tags = {tag["name"] for tag in described()["tags"]}
    assert len(operations) >= 300
    for path, method, operation in operations:
        place = f"{method} {path}"
        assert operation["summary"] and operation["description"] and operation["operationId"], place
        assert operation["tags"] and set(operation["tags"]) <= tags, place
        statuses = set(operation["responses"])
        assert "200" in statuses and "400" in statuses, place
        in_path = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path)), place
        names = [(each["in"], each["name"]) for each in operation["parameters"]]
        assert len(names) == len(set(names)), place
        assert "requestBody" not in operation or method == "post", place


def test_openapi_components_are_all_used() -> None:
    """Schemas too, which other tests compare with the references to them."""
    text = json.dumps(described())
    components = described()["components"]
    assert set(components) == {"schemas", "responses", "headers", "securitySchemes"}
    for kind in ("schemas", "responses", "headers"):
        unused = [name for name in components[kind] if f'"#/components/{kind}/{name}"' not in text]
        assert not unused, kind
    secured = {name for each in described()["security"] for name in each}
    assert secured == set(components["securitySchemes"])


def test_openapi_paths_that_could_mean_two_methods_reach_the_one_with_the_earlier_name() -> None:
    """`/payments/delete/add-correction` is that of `/payments/delete/{id}`, whatever ids are like."""
    routes = RouteTable(CATALOGUE)
    paths = [path.split("/") for path in described()["paths"]]
    pairs = [pair for pair in combinations(paths, 2) if _are_ambiguous(*pair)]
    assert len(pairs) == AMBIGUOUS
    for first, second in pairs:
        asked = [b if a.startswith("{") else a for a, b in zip(first, second, strict=True)]
        named = first if _differences(first, second)[0] else second
        for method in described()["paths"]["/".join(named)]:
            assert routes.get(method.upper(), "/".join(asked)).endpoint.path == f"/{'/'.join(named[2:])}"


def _differences(first: list[str], second: list[str]) -> list[bool]:
    """Return for each segment that differs whether the name is in the first path."""
    return [b.startswith("{") for a, b in zip(first, second, strict=True) if a.startswith("{") != b.startswith("{")]


def _are_ambiguous(first: list[str], second: list[str]) -> bool:
    """Return whether a path can match both, and each has a name where the other has an id."""
    if len(first) != len(second):
        return False
    matches = all(a == b or a.startswith("{") or b.startswith("{") for a, b in zip(first, second, strict=True))
    return matches and len(set(_differences(first, second))) == 2
