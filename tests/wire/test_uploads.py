"""Uploads from bytes to parameters, and pages by the start of their path."""

import tempfile
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.testclient import TestClient

from trackyard.base.clock import SystemClock
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.wire.endpoint import MEGABYTE, ApiRequest, Endpoint
from trackyard.wire.http import dispatch
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.openapi.document import document
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer

KEY = "b" * 40


class UploadParams(Params):
    files: Seq[Annotated[File, s.FileUpload(("image/png", "image/gif"))]] = ()
    title: s.Text = ""


class UploadAnswer(Answer):
    names: list[str]
    sizes: list[int]
    title: str


handles: list[Any] = []


def count(_call: ApiRequest[str], params: UploadParams) -> UploadAnswer:
    """Count the files."""
    handles.extend(file.handle for file in params.files)
    sizes = [len(file.read()) for file in params.files]
    return UploadAnswer(names=[file.name for file in params.files], sizes=sizes, title=params.title)


ENDPOINT: Endpoint[str] = Endpoint(
    id="toy.upload", method="POST", path="/toy", permission=Permission.OFFERS_WRITE,
    params=UploadParams, answer=UploadAnswer, handle=count, body_max=4 * MEGABYTE,
)  # fmt: skip


def echo(rest: str, headers: Headers) -> Response:
    return Response(f"{rest} {headers.get('x-test')}", media_type="text/plain")


@pytest.fixture
def raw() -> Iterator[TestClient]:
    callers = {KEY: StaffCaller("0" * 24, frozenset({Role.ADMIN}))}
    handles.clear()
    with TestClient(Dispatch((ENDPOINT,), "deps", callers.get, {}, {"/tree/": echo}, clock=SystemClock())) as client:
        yield client


def upload(raw: TestClient, *contents: bytes, kind: str = "image/png", key: str = KEY) -> Any:
    files = [("files[]", (f"{number}.png", content, kind)) for number, content in enumerate(contents)]
    return raw.post("/3.0/toy", files=files, data={"title": "ä"}, headers={"API-Key": key})


def posted(raw: TestClient, part: str) -> Any:
    """Return a body of one part, written by hand."""
    body = f"--x\r\nContent-Disposition: form-data; {part}\r\n--x--\r\n".encode()
    headers = {"API-Key": KEY, "Content-Type": "multipart/form-data; boundary=x"}
    return raw.post("/3.0/toy", content=body, headers=headers)


def test_upload_files_arrive_whole_and_are_closed(raw: TestClient) -> None:
    answer = upload(raw, b"abc", b"x" * (2 * MEGABYTE))
    assert answer.json() == {"status": 1, "names": ["0.png", "1.png"], "sizes": [3, 2 * MEGABYTE], "title": "ä"}
    assert [handle.closed for handle in handles] == [True, True]


def test_upload_of_another_type_is_rejected(raw: TestClient) -> None:
    assert upload(raw, b"<svg/>", kind="image/svg+xml").status_code == 415


@pytest.mark.parametrize("kind", ["", "Content-Type: application/octet-stream\r\n"])
def test_upload_without_content_type_is_accepted(raw: TestClient, kind: str) -> None:
    answer = posted(raw, f'name="files"; filename="a"\r\n{kind}\r\nabc')
    assert answer.json()["sizes"] == [3]


def test_upload_field_without_chosen_file_is_ignored(raw: TestClient) -> None:
    answer = posted(raw, 'name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n')
    assert (answer.status_code, answer.json().get("names")) == (200, [])


def test_upload_over_limit_is_rejected(raw: TestClient) -> None:
    answer = upload(raw, b"x" * (4 * MEGABYTE))
    assert (answer.status_code, answer.json()["error"]) == (413, "The body is over the limit of 4 MB")


def test_upload_without_key_is_counted_and_discarded(raw: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0

    class CountingFile(tempfile.SpooledTemporaryFile):  # type: ignore[type-arg]
        def write(self, content: Any) -> Any:
            nonlocal written
            written += len(content)
            return super().write(content)

    monkeypatch.setattr(dispatch, "SpooledTemporaryFile", CountingFile)
    assert upload(raw, b"x" * MEGABYTE, key="unknown").status_code == 401
    assert written == 0
    assert upload(raw, b"x" * MEGABYTE).status_code == 200
    assert written > MEGABYTE

    def pieces() -> Iterator[bytes]:
        for _ in range(5):
            yield b"x" * MEGABYTE

    assert raw.post("/3.0/toy", content=pieces()).status_code == 413


def test_routing_branch_gets_rest_of_path(raw: TestClient) -> None:
    answer = raw.get("/tree/a/b", headers={"X-Test": "leaf"})
    assert (answer.status_code, answer.text) == (200, "a/b leaf")
    assert raw.get("/tree").status_code == 404
    assert raw.post("/tree/a").status_code == 405


def test_openapi_document_describes_uploads_in_multipart_only() -> None:
    from openapi_spec_validator import validate

    described = document((ENDPOINT,), version="1")
    validate(described)
    content = described["paths"]["/3.0/toy"]["post"]["requestBody"]["content"]
    assert content["multipart/form-data"]["encoding"] == {"files": {"contentType": "image/png, image/gif"}}
    for kind, names in (("application/json", set()), ("multipart/form-data", {"files"})):
        name = content[kind]["schema"]["$ref"].rpartition("/")[2]
        assert names == {"files"} & set(described["components"]["schemas"][name]["properties"])
