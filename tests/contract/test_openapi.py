"""The OpenAPI documents, as generators of clients read them."""

import asyncio
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.api import Api
from trackyard.api.catalogue import CATALOGUE, TOPICS
from trackyard.api.documentation import examples
from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.openapi.document import document, document_of_version

NAMES = ("whole", *VERSIONS)
every_document = pytest.mark.parametrize("name", NAMES)
SCHEMAS = {"schema", "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"}
LISTS_OF_SCHEMAS = {"anyOf", "oneOf", "allOf", "prefixItems"}
GENERATED_BY_DEFAULT = "whole"
TYPESCRIPT = ("openapi-typescript@7.13.0", "typescript@5.9.3")


@lru_cache
def described_by(name: str) -> dict[str, Any]:
    """Return a document, which is made by the first test that reads it."""
    if name == "whole":
        return document(CATALOGUE, version="1", servers=("https://api.example",), topics=TOPICS)
    return document_of_version(described_by("whole"), name)


def operations_of(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in described["paths"].values():
        yield from item.values()


def each_schema(part: Any) -> Iterator[Any]:
    """Yield every schema in a part of a document."""
    if isinstance(part, list):
        for inner in part:
            yield from each_schema(inner)
    elif isinstance(part, dict):
        for key, inner in part.items():
            if key in SCHEMAS:
                yield inner
            elif key in LISTS_OF_SCHEMAS:
                yield from inner
            elif key in ("properties", "schemas") and isinstance(inner, dict):
                yield from inner.values()
            yield from each_schema(inner)


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_openapi_document_of_each_version_is_valid(version: str) -> None:
    from openapi_spec_validator import validate

    validate(json.loads(json.dumps(described_by(version))))


def test_openapi_whole_document_is_the_valid_versions_together() -> None:
    """Schemas that no operation refers to are validated here.

    To validate the whole document takes as long as to validate both versions.
    """
    from openapi_spec_validator import validate

    whole, versions = described_by("whole"), [described_by(version) for version in VERSIONS]
    for each in versions:
        assert set(each) == set(whole)
        own = ("info", "tags", "paths", "components")
        assert [name for name in whole if name not in own and each[name] != whole[name]] == []
        assert each["info"] == whole["info"] | {"title": each["info"]["title"]}
        assert each["components"] | {"schemas": {}} == whole["components"] | {"schemas": {}}
    schemas = whole["components"]["schemas"]
    described = _merged(each["components"]["schemas"] for each in versions)
    assert described == {name: schemas[name] for name in described}
    unused = _with_references(schemas, set(schemas) - set(described))
    validate(json.loads(json.dumps(whole | {"tags": [], "paths": {}, "components": {"schemas": unused}})))
    assert _merged({tag["name"]: tag for tag in each["tags"]} for each in versions) == {
        tag["name"]: tag for tag in whole["tags"]
    }
    assert _merged(map(_without_ids, versions)) == _without_ids(whole)


def _merged(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return all parts, which must be the same where they have the same name."""
    found: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            assert found.setdefault(name, value) == value, name
    return found


def _with_references(schemas: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """Return schemas and those that they refer to."""
    found: dict[str, Any] = {}
    while names:
        name = names.pop()
        found[name] = schemas[name]
        names |= set(re.findall('"#/components/schemas/([^"]+)"', json.dumps(schemas[name]))) - set(found)
    return found


def _without_ids(described: dict[str, Any]) -> dict[str, Any]:
    """Return the paths of a document without the ids of operations, which each document has of its own."""
    return {
        path: {method: each | {"operationId": ""} for method, each in item.items()}
        for path, item in described["paths"].items()
    }


@every_document
def test_openapi_document_has_no_boolean_schema(name: str) -> None:
    found = list(each_schema(described_by(name)))
    assert len(found) > 1000
    assert not [schema for schema in found if not isinstance(schema, dict)]


@every_document
def test_openapi_operation_ids_are_words_and_unique(name: str) -> None:
    ids = [operation["operationId"] for operation in operations_of(described_by(name))]
    assert all(re.fullmatch(r"[A-Za-z0-9_]+", each) for each in ids)
    assert len({each.lower() for each in ids}) == len(ids)


def test_openapi_operation_ids_have_version_in_whole_document_only() -> None:
    documents = {name: described_by(name) for name in NAMES}
    ids = {name: {each["operationId"] for each in operations_of(described)} for name, described in documents.items()}
    assert {"partner_me_get_3_0", "partner_me_get_3_1"} <= ids["whole"]
    assert "partner_me_get" in ids["3.0"] & ids["3.1"]
    expected = {f"{each}_{version.replace('.', '_')}" for version in VERSIONS for each in ids[version]}
    assert ids["whole"] == expected


@every_document
def test_openapi_schema_names_are_words_and_equal_titles(name: str) -> None:
    schemas = described_by(name)["components"]["schemas"]
    assert {key: schema["title"] for key, schema in schemas.items()} == {key: key for key in schemas}
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9]*", key) for key in schemas)


@every_document
def test_openapi_methods_have_tag_of_their_topic(name: str) -> None:
    described = described_by(name)
    topic_of = {endpoint.id: topic.name for topic in TOPICS for endpoint in topic.endpoints}
    tags = {tag["name"]: tag["description"] for tag in described["tags"]}
    assert tags == {topic.name: topic.title for topic in TOPICS}
    for operation in operations_of(described):
        assert operation["tags"] == [topic_of[operation["x-method-id"]]]


@pytest.mark.parametrize("version", VERSIONS)
def test_openapi_document_of_version_has_its_paths_and_schemas_only(version: str) -> None:
    described = described_by(version)
    assert set(described["paths"]) == {
        path for path in described_by("whole")["paths"] if path.startswith(f"/{version}/")
    }
    text = json.dumps(described)
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert used == set(described["components"]["schemas"])
    assert described["info"]["title"] == f"Trackyard API {version}"


def test_openapi_documents_have_address_of_api(api: Api) -> None:
    with TestClient(api.app) as client:
        served = {path: client.get(path).json() for path in ("/openapi.json", "/openapi-3.0.json", "/openapi-3.1.json")}
        page = client.get("/docs").text
    for path, described in served.items():
        assert described["servers"] == [{"url": "http://api.example"}], path
        assert f'href="{path}"' in page
    for version in VERSIONS:
        assert set(served[f"/openapi-{version}.json"]["paths"]) == set(described_by(version)["paths"])


def test_openapi_methods_have_valid_examples(api: Api) -> None:
    from jsonschema import Draft202012Validator

    with TestClient(api.app) as client:
        described = client.get("/openapi-3.1.json").json()
    schemas = {"components": described["components"]}
    found = [each for each in operations_of(described) if each["x-method-id"] in examples()]
    assert len(found) >= 310
    for operation in found:
        answer = operation["responses"]["200"]["content"]["application/json"]
        Draft202012Validator(answer["schema"] | schemas).validate(answer["example"])
        named = {each["name"] for each in operation["parameters"] if "example" in each}
        bodies = [
            each["example"]
            for each in operation.get("requestBody", {}).get("content", {}).values()
            if "example" in each
        ]
        sent = examples()[operation["x-method-id"]].call.pairs
        assert (named or bodies) if sent else not (named or bodies), operation["x-method-id"]


@every_document
def test_openapi_affiliate_only_methods_are_described_so(name: str) -> None:
    found = [each for each in operations_of(described_by(name)) if each["x-callers"] == "affiliate"]
    assert {each["x-method-id"] for each in found} == {
        "affiliate.conversion.import",
        "affiliate.conversions.import",
        "affiliate.refused-imports.list",
        "partner.me.get",
        "partner.api_key.renew",
        "partner.email.change",
        "partner.offer.click-check",
        "partner.terms.accept",
        "partner.payment-request.add",
        "partner.payment-request.withdraw",
        "partner.payment-requests.list",
        "partner.payment.document",
        "partner.payment.entries",
        "partner.payment_systems.edit",
        "partner.payment_systems.list",
        "partner.payments.list",
        "partner.postbacks.list",
        "partner.ticket.add",
        "partner.tickets.list",
        "messages.list",
        "message.get",
        "message.read",
    }
    assert all("Callers: affiliates only." in each["description"] for each in found)


def generate_python(described: dict[str, Any], directory: Path) -> Path:
    """Return the package that openapi-python-client writes. Any other output is a failure."""
    source, package = directory / "document.json", directory / "generated_client"
    source.write_text(json.dumps(described))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    done = subprocess.run(
        [*command, "--path", source, "--output-path", package],
        capture_output=True,
        text=True,
        check=False,
        # the generator formats what it writes with the ruff that it finds
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    said = f"{done.stdout}{done.stderr}".strip()
    assert (done.returncode, said) == (0, f"Generating {package}"), said[-4000:]
    return package


@pytest.mark.long
@pytest.mark.slow
def test_openapi_python_client_is_generated_without_warning_and_reads_answers(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = generate_python(described_by(GENERATED_BY_DEFAULT), tmp_path)
    monkeypatch.syspath_prepend(package.parent)
    before = set(sys.modules)
    try:
        asyncio.run(_call_generated(api))
    finally:
        for name in set(sys.modules) - before:
            if name.startswith(package.name):
                del sys.modules[name]


async def _call_generated(api: Api) -> None:
    from httpx import ASGITransport

    async def call(name: str, **params: Any) -> Any:
        method = importlib.import_module(f"generated_client.api.{name}")
        return await method.asyncio(client=client, **params)

    generated = importlib.import_module("generated_client")
    key = api.admin._key
    client = generated.AuthenticatedClient(
        base_url="http://api.example",
        token=key,
        prefix="",
        auth_header_name="API-Key",
        raise_on_unexpected_status=True,
        httpx_args={"transport": ASGITransport(api.app)},
    )
    models = importlib.import_module("generated_client.models")
    advertiser = await call("advertisers.admin_advertiser_add_3_1", body=models.AddAdvertiser(title="Shop"))
    shown = await call("advertisers.admin_advertiser_get_3_0", id=advertiser.advertiser.id)
    assert (shown.status, shown.advertiser.title) == (1, "Shop")
    listed = await call("advertisers.admin_advertisers_list_3_1")
    assert advertiser.advertiser.id in {each.id for each in listed.advertisers}
    refused = await call("own_account.partner_me_get_3_1")
    assert isinstance(refused, models.ErrorBody) and refused.status == 2


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if name != GENERATED_BY_DEFAULT])
def test_openapi_python_client_of_other_documents_is_generated_without_warning(name: str, tmp_path: Path) -> None:
    generate_python(described_by(name), tmp_path)


@pytest.fixture(scope="module")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of openapi-typescript and TypeScript, from the registry that npm uses."""
    npm = shutil.which("npm")
    assert npm is not None, "npm is missing: the long tests generate TypeScript types, which needs Node.js and npm"
    directory = tmp_path_factory.mktemp("typescript")
    install = [npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", directory, *TYPESCRIPT]
    done = subprocess.run(install, capture_output=True, text=True, check=False, cwd=directory)
    assert done.returncode == 0, f"npm could not install {' and '.join(TYPESCRIPT)}: {done.stderr[-2000:]}"
    return directory / "node_modules" / ".bin"


@pytest.mark.long
@every_document
def test_openapi_typescript_types_are_generated_without_warning(name: str, typescript: Path, tmp_path: Path) -> None:
    source, types = tmp_path / "document.json", tmp_path / "document.d.ts"
    source.write_text(json.dumps(described_by(name)))
    generate = [typescript / "openapi-typescript", source, "--output", types]
    done = subprocess.run(generate, capture_output=True, text=True, check=False, cwd=tmp_path)
    said = f"{done.stdout}{done.stderr}"
    assert done.returncode == 0 and "⚠" not in said and "warn" not in said.lower(), said
    compiled = subprocess.run(
        [typescript / "tsc", "--noEmit", "--strict", types], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert compiled.returncode == 0, compiled.stdout[-2000:]


def test_openapi_answer_field_with_default_is_required() -> None:
    landing = described_by("whole")["components"]["schemas"]["Landing"]
    assert "type" in landing["required"]
    assert "default" not in landing["properties"]["type"]
