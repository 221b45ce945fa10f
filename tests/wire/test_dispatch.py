"""The rules of every request, on a catalogue of sample endpoints."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from tests.support.client import ApiClient
from tests.support.counted import counted
from trackyard.base.errors import Conflict, NotFound, Unavailable
from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.wire.endpoint import ApiRequest, Endpoint, Topic
from trackyard.wire.http import handler_run
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.http.health import Readiness, health, metrics_moved, ready
from trackyard.wire.openapi.viewer.site import Documented, OpenApiPages, docs_branch
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import FormLimits
from trackyard.wire.request.params import Only, Params, Seq
from trackyard.wire.response.envelope import Answer

CALLERS: dict[str, Caller] = {
    "a" * 40: AffiliateCaller(7),
    "b" * 40: StaffCaller("0" * 24, frozenset({Role.ADMIN})),
    "c" * 40: StaffCaller("1" * 24, frozenset({Role.SECTION_NEWS})),
}
AFFILIATE, ADMIN, EDITOR = CALLERS


class ToyParams(Params):
    number: s.Int
    words: Seq[s.Text] = ()
    secret: Annotated[s.Text | None, Only(admin=True)] = None


class ToyAnswer(Answer):
    number: int
    words: tuple[str, ...]
    secret: str | None
    subject: str | None
    thread: bool


def show(call: ApiRequest[str], params: ToyParams) -> ToyAnswer:
    """Show what was read."""
    if params.number == 13:
        raise ZeroDivisionError("a fault of ours with secret-words")
    if params.number == 14:
        raise Conflict({"number": ["It is taken."]})
    return ToyAnswer(
        number=params.number,
        words=params.words,
        secret=params.secret,
        subject=call.subject,
        thread=threading.current_thread() is not threading.main_thread(),
    )


def find_one(call: ApiRequest[str]) -> str:
    if call.path["id"] != "1":
        raise NotFound
    return call.path["id"]


def toy(name: str, method: Any, path: str, **more: Any) -> Endpoint[str]:
    return Endpoint(
        id=name, method=method, path=path, permission=Permission.OFFERS_READ, params=ToyParams, answer=ToyAnswer,
        handle=show, **more,
    )  # fmt: skip


CATALOGUE = (
    toy("toy.get", "GET", "/toy"),
    toy("toy.add", "POST", "/toy"),
    toy("toy.remove", "DELETE", "/toy/{id}/remove", find=find_one),
    toy("toy.special", "POST", "/toy/special"),
    toy("toy.edit", "POST", "/toy/{id}", find=find_one),
    toy("toy.staff", "GET", "/admin/toy", audience="staff"),
    toy("toy.self", "GET", "/partner/toy", audience="affiliate"),
    toy("toy.new", "GET", "/newer", versions=("3.1",)),
)


@pytest.fixture
def app() -> Dispatch[str]:
    described = Documented((Topic("toys", "Toys", CATALOGUE),), version="0")
    pages = {
        "/healthz": health,
        "/readyz": ready(lambda: Readiness(("the journal is full",), lags={"inbox": 2.5})),
        "/metrics": metrics_moved,
    }
    branches = {"/docs": docs_branch(described), "/openapi": OpenApiPages(described).by_path}
    return Dispatch(CATALOGUE, "deps", CALLERS.get, pages, branches)


@pytest.fixture
def api(app: Dispatch[str]) -> ApiClient:
    return ApiClient(app, CATALOGUE, ADMIN)


@pytest.fixture
def raw(app: Dispatch[str]) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path", "status", "text"),
    [
        ("GET", "/", 404, "Page Not Found"),
        ("GET", "/3.0", 404, "Page Not Found"),
        ("GET", "/3.2/toy?number=1", 404, "Page Not Found"),
        ("GET", "/3.0/" + "x" * 5000, 404, "Page Not Found"),
        ("GET", "/3.0/newer?number=1", 404, "Page Not Found"),
        ("GET", "/3.1/newer?number=1", 200, ""),
        ("DELETE", "/3.0/toy", 405, "Method Not Allowed"),
        ("PATCH", "/3.0/toy", 405, "Method Not Allowed"),
        ("GET", "/3.0/toy", 400, "[number] This value is required."),
        ("GET", "/3.0/toy?number=x&words=%00", 400, "[words] This value must not contain NUL."),
        ("GET", "/3.0/toy?number=13", 500, "Server error, Please contact your administrator"),
        ("GET", "/3.0/toy?number=14", 409, "Conflict: [number] It is taken."),
        ("GET", "/3.0/toy?number=1", 200, ""),
        ("GET", "/3.1/toy/?number=1", 200, ""),
        ("POST", "/3.1/toy/special?number=1", 200, ""),
        ("POST", "/3.0/toy/1?number=1", 200, ""),
        ("POST", "/3.0/toy/2", 404, "Resource Not Found"),
        ("DELETE", "/3.0/toy/1/remove/?number=1", 200, ""),
        ("GET", "/3.0/partner/toy?number=1", 403, "Auth Denied"),
        ("OPTIONS", "/3.0/toy", 200, ""),
        ("OPTIONS", "/nowhere", 200, ""),
        ("HEAD", "/3.0/toy?number=1", 200, ""),
    ],
)
def test_api_request_gets_expected_status(api: ApiClient, method: str, path: str, status: int, text: str) -> None:
    response = api.call(method, path)
    assert response.status_code == status
    if text:
        assert response.json()["error"] == text


@pytest.mark.parametrize(
    ("key", "path", "status", "code"),
    [
        (None, "/3.0/toy?number=1", 401, "token_necessary"),
        ("f" * 40, "/3.0/toy?number=1", 401, "token_necessary"),
        ("", "/3.0/toy?number=1", 401, "token_necessary"),
        ("f" * 5000, "/3.0/toy?number=1", 401, "token_necessary"),
        (AFFILIATE, "/3.0/admin/toy", 403, "auth_denied"),
        (EDITOR, "/3.0/admin/toy", 403, "offers.read"),
        (AFFILIATE, "/3.0/partner/toy?number=1", 200, None),
        (ADMIN, "/3.0/admin/toy?number=1", 200, None),
        (None, "/3.0/nowhere", 404, "page_not_found"),
    ],
)
def test_api_key_decides_access(api: ApiClient, key: str | None, path: str, status: int, code: str | None) -> None:
    response = api.with_key(key).call("GET", path)
    assert (response.status_code, response.json().get("code")) == (status, code)


@pytest.mark.parametrize(
    ("key", "method", "path", "places"),
    [
        (ADMIN, "GET", "/3.0/toy", ["/docs/3.0/toy.get#p-number"]),
        (ADMIN, "GET", "/3.1/toy?number=1&words[7]=%00&words[9]=%00", ["/docs/3.1/toy.get#p-words%5B0%5D"]),
        (ADMIN, "GET", "/3.1/toy?number=14", ["/docs/3.1/toy.get#p-number"]),
        (ADMIN, "POST", "/3.0/toy/2", ["/docs/3.0/toy.edit"]),
        (AFFILIATE, "GET", "/3.0/admin/toy", ["/docs/3.0/toy.staff"]),
        (None, "GET", "/3.1/toy", ["/docs/3.1/guides/authentication"]),
    ],
)  # fmt: skip
def test_error_links_to_documentation(
    api: ApiClient, raw: TestClient, key: str | None, method: str, path: str, places: list[str]
) -> None:
    answer = api.with_key(key).call(method, path)
    assert answer.status_code >= 400
    links = answer.headers["link"].split(", ")
    assert sorted(links) == sorted(f'<{place}>; rel="help"' for place in places)
    assert "guides" in links[0] or raw.get(links[0].partition("#")[0].strip("<>;").partition(">")[0]).status_code == 200


def test_answer_without_error_and_unknown_path_have_no_link(api: ApiClient) -> None:
    assert "link" not in api.call("GET", "/3.1/toy?number=1").headers
    assert "link" not in api.call("GET", "/3.1/nowhere").headers


@pytest.mark.parametrize("name", ["API-Key", "api-key", "Api-kEY"])
def test_api_key_header_name_ignores_case(raw: TestClient, name: str) -> None:
    assert raw.get("/3.0/toy?number=1", headers={name: ADMIN}).status_code == 200


@pytest.mark.parametrize("name", ["API-Key", "api-key"])
def test_api_key_in_query_is_accepted(raw: TestClient, name: str) -> None:
    response = raw.get(f"/3.0/toy?number=1&{name}={ADMIN}")
    assert response.status_code == 200
    assert "x-ignored-parameters" not in response.headers


def test_api_key_is_not_logged(raw: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        raw.get(f"/3.0/toy?number=1&api-key={ADMIN}")
        raw.get("/3.0/toy?number=x", headers={"API-Key": ADMIN})
    ours = [record for record in caplog.records if record.name.startswith("trackyard")]
    assert len(ours) == 2
    assert all(ADMIN not in str(record.__dict__) for record in ours)


def test_api_program_error_is_logged_and_not_exposed(api: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    response = api.call("GET", "/3.0/toy?number=13", headers={"X-Request-Id": "given-1"})
    assert "secret-words" not in response.text
    assert response.json()["request_id"] == response.headers["x-request-id"] == "given-1"
    assert any(record.exc_info for record in caplog.records)


@pytest.mark.parametrize(
    ("scheme", "seconds", "sent"), [("https", 86_400, "max-age=86400"), ("http", 86_400, None), ("https", 0, None)]
)
def test_api_answer_by_https_makes_browsers_keep_to_it(scheme: str, seconds: int, sent: str | None) -> None:
    app = Dispatch([], "deps", lambda _key: None, {"/healthz": health}, hsts_seconds=seconds)
    client = TestClient(app, base_url=f"{scheme}://api.example")
    for path in ("/healthz", "/3.0/nowhere"):
        assert client.get(path).headers.get("strict-transport-security") == sent


@pytest.mark.parametrize(
    ("path", "level"), [("/healthz", "DEBUG"), ("/readyz", "DEBUG"), ("/metrics", "DEBUG"), ("/nothing", "INFO")]
)
def test_api_probe_is_logged_for_debug(
    raw: TestClient, caplog: pytest.LogCaptureFixture, path: str, level: str
) -> None:
    caplog.set_level(logging.DEBUG, "trackyard.api")
    raw.get(path)
    assert [line.levelname for line in caplog.records if line.message == "request"] == [level]


@pytest.mark.parametrize(
    ("refusal", "level"), [(Unavailable(), "DEBUG"), (Unavailable("Full", code="disk_full"), "WARNING")]
)
def test_api_refusal_of_store_is_one_line_without_traceback(
    caplog: pytest.LogCaptureFixture, refusal: Unavailable, level: str
) -> None:
    caplog.set_level(logging.DEBUG, "trackyard.api")
    dispatch = Dispatch([], "subject", lambda key: None, {}, refusal_of=lambda fault: refusal)
    request = Request({"type": "http", "method": "GET", "path": "/3.1/offers", "headers": []})
    assert dispatch._failure_response(OSError("away\nDetails"), request).status_code == 503
    (line,) = [line for line in caplog.records if line.message == "request refused"]
    assert (line.levelname, line.exc_info, line.__dict__["error"]) == (level, None, "away")


def test_api_405_lists_allowed_methods(api: ApiClient) -> None:
    assert api.call("DELETE", "/3.0/toy").headers["allow"] == "GET, HEAD, OPTIONS, POST"


@pytest.mark.parametrize(
    "request_",
    [
        {"params": {"number": "1", "words[]": ["a", "b"]}},
        {"data": {"number": "1", "words[0]": "a", "words[1]": "b"}},
        {"files": [("number", (None, "1")), ("words", (None, "a")), ("words", (None, "b"))]},
        {"json": {"number": 1, "words": ["a", "b"]}},
        {"params": {"number": "2", "words": "a"}, "json": {"number": "1", "words": ["a", "b"]}},
    ],
)
@pytest.mark.parametrize(("method", "path"), [("POST", "/3.0/toy"), ("DELETE", "/3.0/toy/1/remove")])
def test_api_parameters_come_from_query_and_body(
    api: ApiClient, method: str, path: str, request_: dict[str, Any]
) -> None:
    body = api.call(method, path, **request_).json()
    assert (body["number"], body["words"], body["thread"]) == (1, ["a", "b"], True)


def test_api_unused_parameters_are_named_in_header(api: ApiClient) -> None:
    query = "number=1&secret=s&words=a&typo=1&%C3%A4=2"
    assert api.call("GET", f"/3.0/toy?{query}").headers["x-ignored-parameters"] == "typo,%C3%A4"
    response = api.with_key(AFFILIATE).call("GET", f"/3.0/toy?{query}")
    assert response.headers["x-ignored-parameters"] == "secret,typo,%C3%A4"
    assert response.json()["secret"] is None
    many = "&".join(f"x{n}=1" for n in range(30))
    assert len(api.call("GET", f"/3.0/toy?number=1&{many}").headers["x-ignored-parameters"].split(",")) == 20


def test_api_large_body_is_rejected_before_key_check(raw: TestClient) -> None:
    response = raw.post("/3.0/toy", content=b"a" * (1024 * 1024 + 1))
    assert response.status_code == 413


def test_api_endless_body_is_cut_off(app: Dispatch[str]) -> None:
    read = 0

    def pieces() -> Iterator[bytes]:
        nonlocal read
        for _ in range(100):
            read += 1
            yield b"a" * 1024 * 1024

    with TestClient(app) as client:
        assert client.post("/3.0/toy", content=pieces()).status_code == 413


def test_api_head_has_headers_of_get(raw: TestClient) -> None:
    got = raw.get("/3.0/toy?number=1", headers={"API-Key": ADMIN})
    head = raw.head("/3.0/toy?number=1", headers={"API-Key": ADMIN})
    assert head.content == b""
    assert head.headers["content-length"] == got.headers["content-length"]


def test_api_operator_pages_need_no_key(raw: TestClient) -> None:
    assert raw.get("/healthz").json() == {"status": 1}
    ready = raw.get("/readyz/")
    assert (ready.status_code, ready.json()) == (503, {"status": 2})
    moved = raw.get("/metrics")
    assert (moved.status_code, moved.json()["code"]) == (404, "not_found")
    assert "TRACKYARD_MONITORING_LISTEN" in moved.json()["error"] and "trackyard_" not in moved.text
    assert raw.post("/healthz").status_code == 405


@pytest.mark.parametrize(
    "sent",
    [
        {"data": {"number": "1"}},
        {"json": {"number": 1}},
        {"data": {"number": "1"}, "files": {"words": ("a.txt", b"a", "text/plain")}},
    ],
)
def test_api_bodies_are_parsed_outside_event_loop(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, sent: dict[str, Any]
) -> None:
    read = handler_run.body_tree
    loops: list[bool] = []

    def watched(content_type: str, body: BinaryIO, limits: FormLimits) -> Any:
        try:
            asyncio.get_running_loop()
            loops.append(True)
        except RuntimeError:
            loops.append(False)
        return read(content_type, body, limits)

    monkeypatch.setattr(handler_run, "body_tree", watched)
    assert api.with_key(ADMIN).call("POST", "/3.1/toy", **sent).status_code in (200, 400)
    assert loops == [False]


def test_api_docs_page_may_not_be_framed(raw: TestClient) -> None:
    assert "frame-ancestors 'none'" in raw.get("/docs").headers["content-security-policy"].split("; ")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/3.1/toy?number=1", 200),
        ("GET", "/3.1/toy", 400),
        ("GET", "/3.1/toy?number=13", 500),
        ("GET", "/3.1/nowhere", 404),
        ("PUT", "/3.1/toy", 405),
        ("OPTIONS", "/3.1/toy", 200),
        ("GET", "/healthz", 200),
        ("GET", "/readyz", 503),
        ("GET", "/openapi.json", 200),
    ],
)
def test_api_json_answer_is_kept_by_no_cache_and_never_sniffed(
    app: Dispatch[str], method: str, path: str, status: int
) -> None:
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.request(method, path, headers={"API-Key": ADMIN})
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")


def test_api_openapi_document_is_valid(raw: TestClient) -> None:
    from openapi_spec_validator import validate

    described = json.loads(raw.get("/openapi.json").content)
    validate(described)
    assert set(described["paths"]) >= {"/3.0/toy", "/3.1/toy", "/3.1/newer"}
    assert "/3.0/newer" not in described["paths"]


@pytest.mark.parametrize(("key", "staff_only"), [(ADMIN, []), (AFFILIATE, ["secret is a parameter for staff only."])])
def test_api_get_names_ignored_parameters_in_header_and_warnings(
    api: ApiClient, key: str, staff_only: list[str]
) -> None:
    answer = api.with_key(key).call("GET", "/3.0/toy?number=1&filter[x]=2&secret=s")
    reasons = ["filter[x] is not a parameter of this method.", *staff_only]
    assert answer.json()["warnings"] == [f"{reason} It was ignored." for reason in reasons]
    assert answer.headers["x-ignored-parameters"] == ",".join(reason.partition(" ")[0] for reason in reasons)


def test_api_answer_without_ignored_parameters_has_no_warnings(api: ApiClient) -> None:
    assert "warnings" not in api.call("GET", "/3.0/toy?number=1").json()


@pytest.mark.parametrize(
    ("method", "path", "kind", "label"),
    [
        ("GET", "/3.1/toy?number=1", "read", "/toy"),
        ("POST", "/3.1/toy/1?number=1", "write", "/toy/{id}"),
        ("GET", "/healthz", "page", "unrouted"),
        ("GET", "/nowhere", "page", "unrouted"),
    ],
)
def test_api_request_is_timed_by_kind_and_summed_by_path(
    raw: TestClient, method: str, path: str, kind: str, label: str
) -> None:
    before = counted("trackyard_api_request_duration_seconds_count", kind=kind)
    seconds = counted("trackyard_api_request_seconds_total", path=label)
    raw.request(method, path, headers={"API-Key": ADMIN})
    assert counted("trackyard_api_request_duration_seconds_count", kind=kind) == before + 1
    assert counted("trackyard_api_request_seconds_total", path=label) > seconds
