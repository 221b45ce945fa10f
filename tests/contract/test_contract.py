"""The catalogue equals the contract in both directions, except for extensions.toml."""

from functools import cache
from typing import Any

import msgspec
import pytest

from tests.contract.declared import (
    BEYOND,
    CONTRACT,
    DECLARED,
    DOCUMENTED,
    EXTENSIONS,
    also_required,
    declared_params,
    documented_params,
    extended,
    further_values,
    made_optional,
    narrowed_to_admin,
    required_names,
)
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.roles import ROLE_PERMISSIONS, Permission, Role
from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.openapi.document import document
from trackyard.wire.request.params import fields_of
from trackyard.wire.request.scalars import FileUpload

AUDIENCES = {"any": "any", "affiliate": "affiliate", "admin": "staff", "advertiser": "advertiser", "anyone": "anyone"}


def test_catalogue_methods_equal_contract_and_extensions() -> None:
    own = [entry["id"] for entry in EXTENSIONS["endpoint"]]
    assert not set(own) & set(DOCUMENTED)
    assert set(DECLARED) == set(DOCUMENTED) | set(own)
    assert len(DECLARED) == len(CATALOGUE) == len(DOCUMENTED) + len(own), "an id occurs twice"


def test_catalogue_versions_equal_contract() -> None:
    shared = {(entry["method"], entry["path"]) for entry in CONTRACT["endpoint"]}
    apart = {place: [each for each in CATALOGUE if (each.method, each.path) == place] for place in shared}
    narrowed = {each.id: each.versions for found in apart.values() if len(found) > 1 for each in found}
    assert narrowed == {"stats.caps": ("3.0",), "stats.caps31": ("3.1",)}
    assert all(each.versions == VERSIONS for each in CATALOGUE if each.id not in narrowed)


@pytest.mark.parametrize("endpoint_id", sorted(DOCUMENTED))
def test_catalogue_method_equals_contract(endpoint_id: str) -> None:
    documented, declared = DOCUMENTED[endpoint_id], DECLARED[endpoint_id]
    changed = {entry["id"]: entry["caller"] for entry in EXTENSIONS["changed_caller"]}
    caller = changed.get(endpoint_id, documented["caller"])
    assert (declared.method, declared.path) == (documented["method"], documented["path"])
    assert declared.audience == AUDIENCES[caller]
    shown = {field.encode_name for field in msgspec.structs.fields(declared.answer)}
    assert set(documented["returns"]) <= shown
    more = {each for entry in EXTENSIONS["paginated"] for each in entry["ids"]}
    assert ("pagination" in shown) == ("pagination" in documented["returns"] or endpoint_id in more)


@pytest.mark.parametrize("endpoint_id", sorted(DOCUMENTED))
def test_catalogue_parameters_equal_contract(endpoint_id: str) -> None:
    documented, declared = documented_params(endpoint_id), declared_params(endpoint_id)
    assert set(declared) == set(documented) | extended(endpoint_id)
    for name in sorted(documented):
        said, done = documented[name], declared[name]
        assert (name, done.type) == (name, said.type)
        required = (said.required or also_required(endpoint_id, name)) and not made_optional(endpoint_id, name)
        assert (name, done.required) == (name, required)
        assert (name, done.values) == (name, said.values | further_values(endpoint_id, name))
        assert (name, done.admin_only) == (name, said.admin_only or narrowed_to_admin(endpoint_id, name))
        assert (name, done.since) == (name, said.since)
        assert (name, done.required_for) == (name, said.required_for)
        if said.default is not None:
            assert (name, done.default) == (name, said.default)
        if said.minimum is not None:
            assert (name, done.minimum, done.maximum) == (name, said.minimum, said.maximum)


@pytest.mark.parametrize("endpoint_id", sorted(DOCUMENTED))
def test_catalogue_required_parameters_since_3_1_equal_contract(endpoint_id: str) -> None:
    wanted = set(DOCUMENTED[endpoint_id].get("required_3_1", ()))
    assert wanted <= required_names(endpoint_id, "3.1") - required_names(endpoint_id, "3.0")


def test_catalogue_file_kinds_equal_contract() -> None:
    [raw] = [entry["params"] for entry in CONTRACT["params_set"] if entry["name"] == "offer.write"]
    wanted = {param["name"]: set(param["mime"]) for param in raw if param["type"] == "file"}
    for endpoint_id in ("admin.offer.add", "admin.offer.edit"):
        fields = fields_of(DECLARED[endpoint_id].params)
        kinds = {field.name: set(field.scalar.kinds) for field in fields if isinstance(field.scalar, FileUpload)}
        assert kinds == wanted


def test_catalogue_spellings_of_paths_equal_contract() -> None:
    wanted = {(entry["id"], entry["path"]) for entry in BEYOND["spelling"]}
    assert {(each.id, path) for each in CATALOGUE for path in each.also} == wanted


def test_catalogue_newer_methods_have_a_source() -> None:
    for entry in (*BEYOND["endpoint"], *BEYOND["spelling"], *BEYOND.get("added", ())):
        assert set(entry["source"]) <= {"OAS", "PM", "GO", "PHP", "MCP"}
        assert entry["source"]


def test_catalogue_page_limits_equal_contract() -> None:
    reference = ("cities.list", "isp.list", "oses.list", "oses.versions", "browsers.list")
    larger = {"stats.conversions": 5000, "stats.clicks": 5000} | dict.fromkeys(("news.list", "payments.list"), 100)
    larger |= dict.fromkeys(reference, 10_000)
    larger |= dict.fromkeys(("automation.kpi.list", "automation.kpi.blocks", "automation.cr-and-sub.blocks"), 500)
    assert {endpoint.id: endpoint.page_max for endpoint in CATALOGUE if endpoint.page_max != 1000} == larger


def test_catalogue_roles_equal_contract() -> None:
    [roles] = [
        param["values"] for entry in CONTRACT["params_set"] for param in entry["params"] if param["name"] == "roles"
    ]
    assert {role.value for role in Role} == set(roles)
    assert set(ROLE_PERMISSIONS) == set(Role)


def test_every_staff_permission_is_given_by_a_role_or_listed_as_admin_only() -> None:
    others = frozenset[Any]().union(*(given for role, given in ROLE_PERMISSIONS.items() if role is not Role.ADMIN))
    needed = {endpoint.permission for endpoint in CATALOGUE if endpoint.audience != "anyone"}
    own = {Permission.USERS_WRITE, Permission.SETTINGS_WRITE, Permission.AUDIT_READ, Permission.PAYMENTS_CONFIRM}
    own |= {Permission.RULES_WRITE}
    assert needed - others == own


@cache
def whole_document() -> dict[str, Any]:
    """Return the document, which is made once. tests/contract/test_openapi.py shows that it is valid."""
    return document(CATALOGUE, version="1")


def test_openapi_document_has_every_path_and_error() -> None:
    described = whole_document()
    assert {path.partition("/")[2].partition("/")[0] for path in described["paths"]} == {"3.0", "3.1"}
    for path, item in described["paths"].items():
        for operation in item.values():
            assert operation["x-permission"], path
            assert set(operation["responses"]) >= {"200", "400", "401", "403", "404", "500"}


def test_openapi_document_has_every_parameter() -> None:
    described = whole_document()
    for endpoint in CATALOGUE:
        operation = described["paths"][f"/{endpoint.versions[-1]}{endpoint.path}"][endpoint.method.lower()]
        named = {parameter["name"] for parameter in operation["parameters"]}
        if "requestBody" in operation:
            schema = described["components"]["schemas"][endpoint.params.__name__]
            named |= set(schema["properties"])
        wanted = {
            name.partition("[*]")[0] if endpoint.method == "GET" else name.partition("[")[0]
            for name in declared_params(endpoint.id)
        }
        assert wanted <= named
