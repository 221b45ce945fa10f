"""The list of error codes has each code that the program sends, and documents agree with it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from starlette.testclient import TestClient

from tests.arch.sources import nodes_of
from tests.contract.guides import ERROR_CODES_PAGE
from tests.support.api import Api
from trackyard.api.catalogue import CATALOGUE
from trackyard.base import errors
from trackyard.base.error_codes import ErrorCode
from trackyard.domain.people.key_limits import CREDENTIALS, SCOPES
from trackyard.wire.endpoint import VERSIONS
from trackyard.wire.openapi.conventions import ERROR_CODES
from trackyard.wire.openapi.document import document
from trackyard.wire.openapi.errors import ERRORS

ROOT: Final = Path(__file__).parents[2]
DYNAMIC: Final = {
    "code=endpoint.permission",
    "code=feature",
    "code=f'scope.{missing}'",
    "code=f'scope.{CREDENTIALS}'",
    "code=code",  # an error hands on what its subclass gave
}
"""Codes that are the name of what is missing."""
_CITED: Final = re.compile(r"\b(4\d\d|50\d)s? (?:with the code )?`([a-z_]+)`")


@cache
def _modules() -> list[Path]:
    return [path for path in sorted((ROOT / "trackyard").rglob("*.py")) if path.parent.name != "versions"]


def _error_classes() -> set[str]:
    """Return the names of the classes of errors of requests, found by their bases."""
    bases: dict[str, set[str]] = {}
    for path in _modules():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                bases[node.name] = {base.id for base in node.bases if isinstance(base, ast.Name)}
    found = {errors.RequestError.__name__}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def _codes_given() -> Iterator[tuple[str, ast.expr]]:
    """Yield the place and value of each code that is given to an error, or to a body of one."""
    classes = _error_classes() | {"ErrorBody"}
    for path in _modules():
        for node in nodes_of(path):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in classes or name == "__init__":
                    yield from ((str(path), each.value) for each in node.keywords if each.arg == "code")
                if name in ("error_response", "_reject") and len(node.args) > 2:
                    yield str(path), node.args[1]
            elif isinstance(node, ast.Dict):
                keys = [getattr(key, "value", None) for key in node.keys]
                if {"status", "error", "message", "code"} <= set(keys):
                    yield str(path), node.values[keys.index("code")]


def test_error_codes_in_the_program_are_members_of_the_list() -> None:
    given = list(_codes_given())
    assert len(given) >= 45
    strange = {
        f"{place}: code={ast.unparse(value)}"
        for place, value in given
        if not (isinstance(value, ast.Attribute) and ast.unparse(value).startswith("ErrorCode."))
        and f"code={ast.unparse(value)}" not in DYNAMIC | {"code=_NOT_AVAILABLE", "code=refusal.code"}
    }
    assert not strange


def test_every_error_code_is_sent_by_the_program() -> None:
    text = "\n".join(path.read_text() for path in _modules() if path.name != "error_codes.py")
    unsent = [code.name for code in ErrorCode if not re.search(rf"\bErrorCode\.{code.name}\b", text)]
    assert len(ErrorCode) >= 40 and not unsent


def test_error_class_has_a_code_of_the_list_and_one_of_its_statuses() -> None:
    classes: list[type[errors.RequestError]] = [errors.RequestError]
    for each in classes:
        classes += each.__subclasses__()
    assert len(classes) >= 20
    assert not [each for each in classes if each.status not in ErrorCode(each.code).statuses]


def test_error_code_says_when_and_what_to_do() -> None:
    for code in ErrorCode:
        assert re.fullmatch(r"[a-z_]+", code) and code.statuses
        assert not code.when.endswith(".") and not code.remedy.endswith("."), code


def test_error_codes_page_is_up_to_date() -> None:
    assert ERROR_CODES_PAGE.read_text() == ERROR_CODES.markdown, "script/docs writes it again"
    rows = re.findall(r"^\| `([a-z_]+)` \|", ERROR_CODES.markdown, re.MULTILINE)
    assert sorted(rows) == sorted(ErrorCode)


def test_error_codes_in_documents_exist() -> None:
    """A code that documents cite with its status has that status."""
    found = [each for page in (ROOT / "docs/spec").glob("*.md") for each in _CITED.findall(page.read_text())]
    cited = {(int(status), code) for status, code in found}
    assert len(cited) >= 8
    assert not [(status, code) for status, code in cited if code not in set(ErrorCode)]
    assert not [(status, code) for status, code in cited if status not in ErrorCode(code).statuses]


def test_statuses_of_the_specification_have_codes() -> None:
    specification = (ROOT / "docs/spec/api-conventions.md").read_text()
    table = specification.partition("## Errors")[2].partition("## Writes")[0]
    cells = re.findall(r"^\| ([0-9, ]+) \|", table, re.MULTILINE)
    listed = {int(status) for cell in cells for status in cell.split(",")}
    of_codes = {status for code in ErrorCode for status in code.statuses}
    assert len(listed) >= 10 and listed <= of_codes
    assert {int(status) for status in ERRORS} <= of_codes


def test_error_codes_in_openapi_are_the_list() -> None:
    schemas = document(CATALOGUE, version="1")["components"]["schemas"]
    assert schemas["ErrorCode"]["enum"] == list(ErrorCode)
    assert schemas["ErrorBody"]["properties"]["code"]["anyOf"][0] == {"$ref": "#/components/schemas/ErrorCode"}


def test_names_as_codes_are_not_codes_of_the_list() -> None:
    """A missing permission, feature or scope has a code of its own."""
    names = {str(each.permission) for each in CATALOGUE} | {name for each in CATALOGUE for name in each.features}
    names |= {f"scope.{name}" for name in (*SCOPES, CREDENTIALS)}
    assert len(names) > 70 and not names & set(ErrorCode)


def test_answers_of_errors_have_the_code_of_their_status(api: Api) -> None:
    admin = {"API-Key": api.admin._key}
    asked = {
        "/3.1/nothing": (ErrorCode.PAGE_NOT_FOUND, admin),
        "/3.1/offers": (ErrorCode.TOKEN_NECESSARY, {}),
        "/3.1/offer/7777": (ErrorCode.NOT_FOUND, admin),
        "/3.1/offers?limit=x": (ErrorCode.BAD_PARAMETERS, admin),
        "/3.1/partner/me": (ErrorCode.AUTH_DENIED, admin),
    }
    with TestClient(api.app) as client:
        answers = {path: client.get(path, headers=headers) for path, (_, headers) in asked.items()}
    found = {path: (answer.status_code, answer.json()["code"]) for path, answer in answers.items()}
    assert found == {path: (code.statuses[0], code) for path, (code, _) in asked.items()}


def test_openapi_document_of_a_version_is_found_by_query(api: Api) -> None:
    with TestClient(api.app) as client:
        whole = client.get("/openapi.json")
        for version in VERSIONS:
            one = client.get(f"/openapi.json?version={version}")
            assert one.json() == client.get(f"/openapi-{version}.json").json()
            assert len(one.content) < 0.7 * len(whole.content)
        assert client.get("/openapi.json?other=1").content == whole.content
        for query in ("version=2.0", "version=", "version=3.0&version=3.1"):
            refused = client.get(f"/openapi.json?{query}")
            sentences = {"version": ["This value must be one of 3.0, 3.1."]}
            assert (refused.status_code, refused.json()["fields"]) == (400, sentences)
