"""The pages at /docs, for a catalogue of sample endpoints."""

import re
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import Field
from starlette.testclient import TestClient

from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint, Topic
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.openapi.conventions import CONVENTIONS
from trackyard.wire.openapi.examples import Call, Example, body_of
from trackyard.wire.openapi.fields import each_node, parameter_tree
from trackyard.wire.openapi.texts import Texts
from trackyard.wire.openapi.viewer.methods import is_destructive
from trackyard.wire.openapi.viewer.site import Documented, OpenApiPages, docs_branch
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, View


class WheelSent(Params):
    size: s.Int = 7
    kind: Annotated[str, s.Choice(("round", "square"))] = Field(default="round", alias="type")


class CarSent(Params):
    title: s.Text
    wheels: Seq[WheelSent] = ()


class WheelView(View):
    size: int
    rim: str


class CarAnswer(Answer):
    title: str
    wheels: tuple[WheelView, ...]


def drive(call: ApiRequest[str], params: CarSent) -> CarAnswer:
    """Drive a car. It is <fast>."""
    return CarAnswer(title=params.title, wheels=())


def car(name: str, method: Any, path: str, **more: Any) -> Endpoint[str]:
    return Endpoint(
        id=name, method=method, path=path, permission=Permission.OFFERS_READ, params=CarSent, answer=CarAnswer,
        handle=drive, **more,
    )  # fmt: skip


CARS = (
    car("car.drive", "POST", "/car/{id}"),
    car("car.list", "GET", "/cars"),
    car("car.remove", "DELETE", "/car/{id}"),
    car("car.new", "GET", "/new", versions=("3.1",)),
)
TEXTS = Texts({"": {"fields": {"title": "Name of `the` car.", "wheels": "What it stands on.", "size": "In inches."}}})
EXAMPLE = Example(Call("POST", "/3.1/car/5", (("title", "it's"), ("wheels[0][size]", "9"))), {"title": "<b>"})


@pytest.fixture
def docs() -> Iterator[TestClient]:
    described = Documented(
        (Topic("cars", "Cars & more", CARS[:3]), Topic("others", "Others", CARS[3:])),
        version="7",
        texts=TEXTS,
        guides=lambda: CONVENTIONS,
        examples=lambda: {"car.drive": EXAMPLE},
    )
    branches = {"/docs": docs_branch(described), "/openapi": OpenApiPages(described).by_path}
    with TestClient(Dispatch(CARS, "deps", {}.get, {}, branches)) as client:
        yield client


def test_docs_pages_name_every_method_by_topic_and_version(docs: TestClient) -> None:
    newest, older = docs.get("/docs").text, docs.get("/docs/3.0").text
    assert newest == docs.get("/docs/").text == docs.get("/docs/3.1").text
    assert "<h3>Cars &amp; more</h3>" in newest and "<h3>Others</h3>" in newest
    assert "<h3>Others</h3>" not in older and "car.new" not in older, "a topic without methods has no heading"
    assert re.findall(r'href="(/docs/3\.0/car[^"]*)"', older) == [
        f"/docs/3.0/car.{name}"
        for name in ("drive", "list", "remove") * 2  # in the menu and in the page
    ]
    assert docs.get("/docs/3.0/car.new").status_code == 404
    assert 'href="/docs/3.0/car.list"' in docs.get("/docs/3.1/car.list").text, "the other version is a link away"


@pytest.mark.parametrize("path", ["/docs", "/docs/3.1/car.drive", "/docs/3.0/car.list", "/docs/3.1/guides/errors"])
def test_docs_page_loads_and_runs_nothing_from_elsewhere(docs: TestClient, path: str) -> None:
    page = docs.get(path)
    policy = dict(part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert not re.search(r"<script(?! type=\"module\" src=\"/docs/)|<style|\son\w+=|\sstyle=|javascript:", page.text)
    loaded = re.findall(r'(?:src|href)="([^"]*)"', page.text)
    assert all(each.startswith(("/docs", "/openapi", "#", "data:,")) for each in loaded)


def test_docs_scripts_and_styles_load_nothing_from_elsewhere(docs: TestClient) -> None:
    page = docs.get("/docs").text
    folder = re.findall(r'src="(/docs/assets/\w+)/docs.js"', page)[0]
    for name, kind in (
        ("docs.js", "javascript"),
        ("search.js", "javascript"),
        ("trial.js", "javascript"),
        ("docs.css", "css"),
    ):
        answer = docs.get(f"{folder}/{name}")
        assert kind in answer.headers["content-type"] and "immutable" in answer.headers["cache-control"]
        assert not re.search(r"https?://|url\(|@import|//\w+\.\w+/|eval\(|new Function", answer.text)
    assert docs.get("/docs/assets/0000/docs.js").status_code == 404


def test_docs_page_is_compressed_and_asked_for_again_only_when_it_changed(docs: TestClient) -> None:
    whole = docs.get("/docs", headers={"Accept-Encoding": "identity"})
    small = docs.get("/docs", headers={"Accept-Encoding": "br, gzip;q=0.5"})
    assert "content-encoding" not in whole.headers and small.headers["content-encoding"] == "gzip"
    assert small.text == whole.text
    assert int(small.headers["content-length"]) < int(whole.headers["content-length"]) / 2
    assert docs.get("/docs", headers={"Accept-Encoding": "gzip;q=0"}).headers.get("content-encoding") is None
    again = docs.get("/docs", headers={"If-None-Match": small.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == small.headers["etag"]
    assert docs.get("/docs", headers={"If-None-Match": '"other"'}).status_code == 200
    head = docs.head("/docs")
    assert (head.status_code, head.content) == (200, b"")
    assert docs.get("/openapi.json", headers={"Accept-Encoding": "gzip"}).headers["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    "path",
    ["/docsx", "/docs/3.2", "/docs/3.1/none", "/docs/assets/", "/docs/3.1/guides/none", "/docs/3.1/car.list/more",
     "/openapi", "/openapi-9.json", "/openapix"],
)  # fmt: skip
def test_docs_address_of_nothing_is_404(docs: TestClient, path: str) -> None:
    assert docs.get(path).status_code == 404


def test_docs_page_of_method_shows_parameters_level_by_level(docs: TestClient) -> None:
    page = docs.get("/docs/3.1/car.drive").text
    names = re.findall(r'<li id="p-([^"]+)"', page)
    assert names == ["id", "title", "wheels", "wheels[0][size]", "wheels[0][type]"]
    assert "<summary>2 fields in <code>wheels</code></summary>" in page
    assert "Name of <code>the</code> car." in page
    assert "one of <code>round</code> <code>square</code> · default <code>round</code>" in page
    assert re.findall(r'<li id="a-([^"]+)"', page)[:4] == ["title", "wheels", "wheels[].size", "wheels[].rim"]
    assert "It is &lt;fast&gt;." in page and "&lt;b&gt;" in page, "texts are not HTML"


def test_docs_method_without_example_has_one_of_its_required_parameters(docs: TestClient) -> None:
    address = '<span class="origin">ADDRESS</span>'
    page = docs.get("/docs/3.1/car.list").text
    assert f"curl -g -H &#x27;API-Key: KEY&#x27; &#x27;{address}/3.1/cars?title=text&#x27;" in page
    shown = docs.get("/docs/3.0/car.drive").text
    assert f"curl -g -H &#x27;API-Key: KEY&#x27; -X POST &#x27;{address}/3.0/car/5&#x27;" in shown
    assert "it&#x27;\\&#x27;&#x27;s" in shown, "quoted for the shell"
    assert re.findall(r'class="block|<pre data-language="(\w+)"', shown) == ["curl", "Python", "JavaScript", "PHP"]


def test_docs_form_has_variables_of_path_and_values_of_example(docs: TestClient) -> None:
    form = re.findall(r"<form.*?</form>", docs.get("/docs/3.1/car.drive").text)[0]
    rows = re.findall(
        r'data-kind="(\w+)"><input class="name"[^>]*value="([^"]*)"[^>]*><input[^>]*value="([^"]*)"', form
    )
    assert rows == [("path", "id", "5"), ("sent", "title", "it&#x27;s"), ("sent", "wheels[0][size]", "9")]
    assert re.findall(r'<option value="([^"]+)">([^<]*)', form) == [
        ("title", ""), ("wheels[0][size]", ""), ("wheels[0][type]", "round, square"),
    ]  # fmt: skip
    assert 'data-asks="false"' in form
    assert 'data-asks="true"' in docs.get("/docs/3.1/car.remove").text


@pytest.mark.parametrize(
    ("method", "name", "asks"),
    [
        ("GET", "admin.offer.delete", False),
        ("DELETE", "admin.signing-secret", True),
        ("POST", "admin.offer.delete", True),
        ("POST", "partner.postbacks.remove-by-offers", True),
        ("POST", "partner.api_key.renew", True),
        ("POST", "admin.payments.add", True),
        ("POST", "admin.offer.add", False),
        ("POST", "admin.click-check", False),
    ],
)
def test_docs_try_asks_before_methods_that_take_away(method: str, name: str, asks: bool) -> None:
    assert is_destructive(method, name) is asks


def test_docs_index_lists_parameters_answer_fields_and_guides(docs: TestClient) -> None:
    index = docs.get("/docs/3.1/search.json").json()
    drive = next(each for each in index["methods"] if each[0] == "car.drive")
    texts = index["texts"]
    sent = {drive[6][at]: texts[drive[6][at + 1]] for at in range(0, len(drive[6]), 2)}
    answered = {drive[7][at]: texts[drive[7][at + 1]] for at in range(0, len(drive[7]), 2)}
    assert sent["title"] == "Name of `the` car." and "`square`" in sent["wheels[0][type]"]
    assert answered["wheels[].size"] == "In inches."
    assert ["errors", "Errors"] in [each[:2] for each in index["guides"]]
    assert index["topics"] == ["Cars & more", "Others"]
    assert "car.new" not in [each[0] for each in docs.get("/docs/3.0/search.json").json()["methods"]]


def test_docs_tree_of_parameters_marks_required_ones() -> None:
    described = Documented((Topic("cars", "Cars", CARS),), version="7", texts=TEXTS)
    found = described.of_method(CARS[0])
    nodes = parameter_tree(found, found["paths"]["/3.1/car/{id}"]["post"])
    assert [(node.path, node.kind, node.needed) for node in each_node(nodes)] == [
        ("id", "string", True),
        ("title", "string", True),
        ("wheels", "list of objects", False),
        ("wheels[0][size]", "integer", False),
        ("wheels[0][type]", "string", False),
    ]


@pytest.mark.parametrize(
    ("pairs", "body"),
    [
        ([("a", "1")], {"a": "1"}),
        ([("a[b]", "1"), ("a[c]", "2")], {"a": {"b": "1", "c": "2"}}),
        ([("a[0][b]", "1"), ("a[1][b]", "2")], {"a": [{"b": "1"}, {"b": "2"}]}),
        ([("a[]", "1"), ("a[]", "2")], {"a": ["1", "2"]}),
        ([("a[12]", "1")], {"a": {"12": "1"}}),
    ],
)
def test_example_pairs_become_nested_body(pairs: list[tuple[str, str]], body: Any) -> None:
    assert body_of(pairs) == body
