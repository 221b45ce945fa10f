"""The contract as data: endpoints and parameters, with includes resolved and `[*]` for placeholders."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackyard.api.catalogue import CATALOGUE
from trackyard.wire.openapi.document import each_parameter
from trackyard.wire.request.params import Field, Only, RequiredFor, fields_of
from trackyard.wire.request.scalars import Choice, WholeNumber

HERE = Path(__file__).parent
_PLACEHOLDER = re.compile(r"\[(?:i|j|g|n|G|d|CC|N|K|lang|key)\]")
_NUMBERED = re.compile(r"sub[NK]\b")


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text())


CONTRACT = _load("endpoints.toml")
BEYOND = _load("beyond.toml")
CONTRACT["endpoint"] += BEYOND["endpoint"]
EXTENSIONS = _load("extensions.toml")
SETS = {entry["name"]: entry for entry in CONTRACT["params_set"]}
DOCUMENTED = {entry["id"]: entry for entry in CONTRACT["endpoint"]}
DECLARED = {endpoint.id: endpoint for endpoint in CATALOGUE}


@dataclass(frozen=True)
class Param:
    """One parameter, of the contract or of the catalogue."""

    name: str
    type: str
    required: bool
    values: frozenset[str]
    default: Any
    minimum: int | None
    maximum: int | None
    admin_only: bool
    since: str | None
    required_for: frozenset[str]


def documented_params(endpoint_id: str) -> dict[str, Param]:
    """Return the parameters of an endpoint by the contract."""
    entry = DOCUMENTED[endpoint_id]
    raw = [param for name in entry.get("include", ()) for param in _set_params(name)] + entry.get("params", [])
    raw += [param for added in BEYOND.get("added", ()) if endpoint_id in added["ids"] for param in added["params"]]
    out = {}
    for param in raw:
        for name in _names(param):
            out[name] = _documented(entry, param, name)
    return out


def declared_params(endpoint_id: str) -> dict[str, Param]:
    """Return the parameters of an endpoint by the catalogue."""
    return {name: _declared(name, field) for name, field in each_parameter(DECLARED[endpoint_id].params)}


def _set_params(name: str) -> Iterator[dict[str, Any]]:
    for inner in SETS[name].get("include", ()):
        yield from _set_params(inner)
    yield from SETS[name].get("params", ())


def _names(param: dict[str, Any]) -> list[str]:
    name = _PLACEHOLDER.sub("[*]", param["name"]) + ("[*]" if param["type"] == "map" else "")
    if _NUMBERED.search(name):
        first, last = param["range"]
        return [_NUMBERED.sub(f"sub{number}", name) for number in range(first, last + 1)]
    return [name]


def _documented(entry: dict[str, Any], param: dict[str, Any], name: str) -> Param:
    values = [
        str(value)
        for key in ("values", "values_3_0", "values_3_1", "admin_values", "permission_values", "deprecated_values")
        for value in param.get(key, ())
    ]
    return Param(
        name=name,
        type=_documented_type(entry["id"], param, name),
        required=bool(param.get("required")) or name in entry.get("required", ()),
        values=frozenset(values),
        default=param.get("default"),
        minimum=param.get("min"),
        maximum=param.get("max"),
        admin_only=bool(param.get("admin_only")),
        since=param.get("since"),
        required_for=frozenset(param.get("required_for", ())),
    )


def _documented_type(endpoint_id: str, param: dict[str, Any], name: str) -> str:
    if takes_list(endpoint_id, name):
        kind = "string" if param["type"] == "flag" else param["type"]
        return f"{kind}-list"
    return "string" if param["type"] == "map" else str(param["type"])


def takes_list(endpoint_id: str, name: str) -> bool:
    """Return whether the catalogue takes a list where the contract shows a scalar."""
    return any(endpoint_id in entry["ids"] and name in entry["names"] for entry in EXTENSIONS.get("list", ()))


def contract_type(field: Field, *, element: bool = False) -> str:
    """Return the type of a parameter in the words of the contract."""
    assert field.scalar is not None
    word = "int" if getattr(field.scalar, "number", False) else field.scalar.contract
    if element or field.form in ("one", "any", "keyed"):
        return word
    if field.form == "comma":
        return "comma-list-int" if word == "int" else "comma-list"
    return {"int": "int-list", "float": "float-list", "enum": "enum-list", "file": "file"}.get(word, "string-list")


def _declared(name: str, field: Field) -> Param:
    scalar = field.scalar
    assert scalar is not None
    values: frozenset[str] = frozenset()
    if isinstance(scalar, Choice):
        values = frozenset((*scalar.values, *scalar.admin, *scalar.only_3_0, *scalar.permission, *scalar.replacements))
    bounded = scalar if isinstance(scalar, WholeNumber) else None
    only = next((marker for marker in field.markers if isinstance(marker, Only)), Only())
    default = int(field.default) if isinstance(field.default, bool) else field.default
    if isinstance(field.default, tuple) and len(field.default) == 1:  # the contract says the one value of a list
        [default] = field.default
    return Param(
        name=name,
        type=contract_type(field, element=name.endswith("[*]")),
        required=field.required,
        values=values,
        default=default,
        minimum=bounded.minimum if bounded else None,
        maximum=bounded.maximum if bounded else None,
        admin_only=only.admin,
        since=only.since,
        required_for=_required_for(field),
    )


def _required_for(field: Field) -> frozenset[str]:
    needed = next((marker for marker in field.markers if isinstance(marker, RequiredFor)), RequiredFor())
    return frozenset(({"admin"} if needed.staff else set()) | ({needed.since} if needed.since else set()))


def required_names(endpoint_id: str, version: str) -> frozenset[str]:
    """Return the parameters that a version requires of staff, by the first part of each name."""
    fields = fields_of(DECLARED[endpoint_id].params)
    return frozenset(
        field.name for field in fields if field.required or _required_for(field).intersection({"admin", version})
    )


def also_required(endpoint_id: str, name: str) -> bool:
    """Return whether the catalogue requires a parameter that the contract leaves open."""
    return any(entry["id"] == endpoint_id and name in entry["names"] for entry in EXTENSIONS["required"])


def made_optional(endpoint_id: str, name: str) -> bool:
    """Return whether a parameter that the contract requires is optional: another may be sent instead."""
    return any(entry["id"] == endpoint_id and name in entry["names"] for entry in EXTENSIONS["optional"])


def extended(endpoint_id: str) -> frozenset[str]:
    """Return the parameters of an endpoint that only Trackyard has."""
    return frozenset(
        name
        for entry in EXTENSIONS["param"]
        if endpoint_id in entry.get("ids", [entry.get("id")])
        for name in entry["names"]
    )


def further_values(endpoint_id: str, name: str) -> frozenset[str]:
    """Return the values of a parameter that only Trackyard has."""
    entries = EXTENSIONS.get("values", ())
    return frozenset(
        value for entry in entries if (entry["id"], entry["name"]) == (endpoint_id, name) for value in entry["values"]
    )


def takes_any_text(endpoint_id: str, name: str) -> bool:
    """Return whether a parameter takes more values or forms than the contract names."""
    return any(entry["id"] == endpoint_id and name in entry["names"] for entry in EXTENSIONS["any_text"])


def narrowed_to_admin(endpoint_id: str, name: str) -> bool:
    """Return whether only Trackyard restricts a parameter to staff."""
    return any(
        name in entry["names"] and entry.get("id", endpoint_id) == endpoint_id for entry in EXTENSIONS["admin_only"]
    )
