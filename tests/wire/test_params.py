from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Annotated, Any

import pytest
from pydantic import Field

from trackyard.base.errors import BadInput, UnsupportedMediaType
from trackyard.wire.openapi.document import each_parameter
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import (
    AnyOf,
    Clearable,
    CommaList,
    Keyed,
    MayBeEmpty,
    Only,
    Params,
    RequiredFor,
    Seq,
    fields_of,
)
from trackyard.wire.request.parsing import read_params

PICTURE = File("a.png", "image/png", BytesIO(b"x"))


class GoalLineParams(Params):
    goal: s.Text
    countries: Seq[s.Text] = ()


class SampleParams(Params):
    title: s.Name
    number: s.Int | None = None
    amount: s.Amount | None = None
    flag: s.Flag = False
    word: s.TrueFalse | None = None
    day: s.Day | None = None
    zone: s.Zone | None = None
    duration: s.Duration = "1y"
    email: s.Email | None = None
    url: s.Url | None = None
    day_first: s.DayMonthYear | None = None
    logo: Annotated[File | None, s.FileUpload(("image/png",))] = None
    cleared: Annotated[s.Url | None, Clearable()] = None
    hour: s.Hour | None = None
    currency: s.Currency | None = None
    kind: Annotated[str, s.Choice(("a", "b"), admin=("c",), only_3_0=("d",), replacements={"old": "a"})] = "a"
    ids: Seq[s.Int] = ()
    networks: Seq[s.IpEntry] = ()
    states: AnyOf[Annotated[str, s.Choice(("a", "b"))]] = ()
    tags: CommaList[s.Text] = ()
    several: CommaList[s.Int] = ()
    names: Keyed[str, s.Text] = Field(default_factory=dict)
    lines: Seq[GoalLineParams] = Field(default=(), alias="detail")
    secret: Annotated[s.Text | None, Only(admin=True)] = None
    pid: Annotated[s.Int | None, RequiredFor(since="3.1")] = None


class ListParams(Params):
    ids: Seq[s.Int]


def read(staff: bool = True, version: str = "3.0", **tree: Any) -> SampleParams:
    return read_params(SampleParams, {"title": "t", **tree}, staff=staff, version=version)[0]


@pytest.mark.parametrize(
    ("name", "sent", "value"),
    [
        ("number", "7", 7),
        ("number", 7, 7),
        ("number", "", None),
        ("number", ["2", "2"], 2),
        ("number", [2, "2"], 2),
        ("states", "a", ("a",)),
        ("states", ["a", "b"], ("a", "b")),
        ("states", {"0": "b"}, ("b",)),
        ("states", "", ()),
        ("amount", "1.00005", Decimal("1.0000")),
        ("amount", Decimal("2.5"), Decimal("2.5")),
        ("flag", "1", True),
        ("flag", False, False),
        ("flag", "", False),
        ("word", "true", True),
        ("day", "2024-02-29", date(2024, 2, 29)),
        ("day_first", "29-02-2024", date(2024, 2, 29)),
        ("logo", PICTURE, PICTURE),
        ("duration", "1d12h", "1d12h"),
        ("email", " A@B.example ", "a@b.example"),
        ("url", "https://a.example/{clickid}?b={sub1}", "https://a.example/{clickid}?b={sub1}"),
        ("url", "http://[2001:db8::1]:8080/{clickid}", "http://[2001:db8::1]:8080/{clickid}"),
        ("currency", "usd", "USD"),
        ("kind", "c", "c"),
        ("kind", "old", "old"),
        ("ids", "1", (1,)),
        ("ids", ["1", "2"], (1, 2)),
        ("ids", {"0": "1", "10": "3", "2": "2"}, (1, 2, 3)),
        ("ids", {"0": ["1", "2"]}, (1, 2)),
        ("ids", "", ()),
        ("ids", ["", "2"], (2,)),
        ("ids", {"0": "", "1": "2", "2": ""}, (2,)),
        ("ids", ["", ""], ()),
        ("networks", ["", " 10.0.0.0/8 "], ("10.0.0.0/8",)),
        ("tags", "a,,b", ("a", "", "b")),
        ("tags", ["", "b"], ("", "b")),
        ("several", "1,,2,", (1, 2)),
        ("tags", "a, b", ("a", "b")),
        ("tags", ["a,b", "c"], ("a", "b", "c")),
        ("names", {"12": "x"}, {"12": "x"}),
        ("names", [], {}),
    ],
)
def test_parameter_values_are_parsed_by_type(name: str, sent: Any, value: Any) -> None:
    assert getattr(read(**{name: sent}), name) == value


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("number", "x"), ("number", "1.5"), ("number", "9" * 30), ("number", str(2**31)), ("number", {"0": "1"}),
        ("amount", "-1"), ("amount", "1e400"), ("amount", "nan"), ("flag", "2"), ("word", "maybe"),
        ("day", "2023-02-29"), ("day", "2023-2-1"), ("day", "1"),
        ("day_first", "2024-02-29"), ("logo", "x"), ("number", File("a", "b", BytesIO())),
        ("zone", "Mars/Base"), ("zone", "../etc/passwd"),
        ("duration", "1x"), ("email", "nobody"), ("url", "javascript:alert(1)"), ("url", "https://"),
        ("url", "http://[::1"), ("url", "http://[zz]/"), ("url", "http://[1.2.3.4]/"), ("url", "http://[::g]/"),
        ("hour", "24"),
        ("currency", "EURO"), ("kind", "z"), ("ids", ["1", "x"]), ("ids", {"a": "1"}), ("names", "x"),
        ("networks", "10.0.0.0/33"),
        ("detail", "x"), ("detail", {"0": {"countries": "DE"}}), ("title", ""), ("title", "x" * 201),
    ],
)  # fmt: skip
def test_parameter_with_invalid_value_is_rejected(name: str, sent: Any) -> None:
    with pytest.raises(BadInput) as refused:
        read(**{name: sent})
    assert refused.value.text.startswith(f"[{name}")


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (
            "https://shop.example/my page",
            "This URL has a space after https://shop.example/my: write it as %20, or remove it.",
        ),
        (
            "https://shop.example/a\tb",
            "This URL has a tab after https://shop.example/a: write it as %09, or remove it.",
        ),
        (
            "https://shop.example/a\u00a0b",
            "This URL has a line break or another blank after https://shop.example/a: write it as %C2%A0, or "
            "remove it.",
        ),
        ("HTTPS://user:pw@shop.example/", "This URL must have no name and password before its host."),
        ("https://shop.example/" + "x" * 8192, "This URL must have at most 8192 characters."),
        ("shop.example/my page", "This value must be a URL that begins with http:// or https://."),
        ("ftp://shop.example/", "This value must be a URL that begins with http:// or https://."),
        ("https:/shop.example/", "This value must be a URL that begins with http:// or https://."),
        ("https://", "This URL has no host."),
        ("https:///path", "This URL has no host."),
        ("https://?a=b", "This URL has no host."),
        ("https://:443/", "This URL has no host."),
        ("https://https://shop.example/", "This URL begins with http:// or https:// twice."),
        ("https://http//shop.example/", "This URL begins with http:// or https:// twice."),
        ("https://user@shop.example/", "This URL must have no name and password before its host."),
        ("https://shop.example:port/", "The port of this URL must be a number from 1 to 65535."),
        ("https://shop.example:/", "The port of this URL must be a number from 1 to 65535."),
        ("https://shop.example:99999/", "The port of this URL must be a number from 1 to 65535."),
        ("https://[::1]:0/", "The port of this URL must be a number from 1 to 65535."),
        ("https://[::1/", "The host of this URL has brackets, which only IPv6 addresses have."),
        ("https://[shop.example]/", "The host of this URL has brackets, which only IPv6 addresses have."),
        ("https://shop[1].example/", "The host of this URL has brackets, which only IPv6 addresses have."),
        (f"https://{'x' * 256}/", "The host of this URL must have at most 255 characters."),
        (
            "https://shop.example/a\u200bb",
            "This URL has a character that cannot be seen (U+200B) after https://shop.example/a: remove it.",
        ),
        (
            "https://shop.example/\x7f",
            "This URL has a character that cannot be seen (U+007F) after https://shop.example/: remove it.",
        ),
    ],
)
def test_parameter_with_wrong_url_is_rejected_with_what_is_wrong(sent: str, fault: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(url=sent)
    assert refused.value.fields == {"url": [fault]}


def test_parameter_scalar_sent_with_several_values_is_rejected() -> None:
    for sent in (["1", "2"], ["2", "2", "1"], ["", "2"]):
        with pytest.raises(BadInput) as refused:
            read(number=sent)
        assert refused.value.fields == {"number": ["This value must be sent once; several values were sent."]}


def test_parameter_list_with_empty_items_keeps_indexes() -> None:
    with pytest.raises(BadInput) as refused:
        read(ids=["", "1", "x"])
    assert list(refused.value.fields or ()) == ["ids[2]"]


def test_parameter_list_of_empty_items_counts_as_missing() -> None:
    for sent in ("", [], ["", ""], {"0": "", "1": ""}, {"0": ["", ""]}):
        with pytest.raises(BadInput) as refused:
            read_params(ListParams, {"ids": sent}, staff=True, version="3.0")
        assert refused.value.fields == {"ids": ["This value is required."]}


def test_parameter_errors_use_wire_names() -> None:
    with pytest.raises(BadInput) as refused:
        read_params(SampleParams, {"hour": "99", "detail": {"0": {}, "1": "x"}}, staff=True, version="3.1")
    assert set(refused.value.fields or ()) == {"title", "hour", "pid", "detail[0][goal]", "detail[1]"}
    assert len(refused.value.text.split("\n")) == 5


@pytest.mark.parametrize(("staff", "version", "kind"), [(False, "3.0", "c"), (True, "3.1", "d")])
def test_parameter_restricted_to_callers_and_versions_is_rejected(staff: bool, version: str, kind: str) -> None:
    with pytest.raises(BadInput, match=r"\[kind\]"):
        read(staff=staff, version=version, kind=kind, pid="1")


def test_parameters_ignored_are_named_as_sent() -> None:
    tree = {"title": "t", "filter": {"offer": "1", "os": ["a", "b"]}, "items": {"0": "1", "5": "2"}, "list": ["a"]}
    _, ignored = read_params(SampleParams, tree, staff=True, version="3.0")
    assert list(ignored) == ["filter[offer]", "filter[os]", "items", "list"]


def test_parameters_unused_are_named() -> None:
    tree = {"title": "t", "secret": "s", "x": "1", "detail": {"0": {"goal": "1", "y": "2"}}}
    params, ignored = read_params(SampleParams, tree, staff=False, version="3.0")
    assert ignored == {
        "secret": "secret is a parameter for staff only. It was ignored.",
        "x": "x is not a parameter of this method. It was ignored.",
        "detail[0][y]": "detail[0][y] is not a parameter of this method. It was ignored.",
    }
    assert params.secret is None
    params, ignored = read_params(SampleParams, tree, staff=True, version="3.0")
    assert set(ignored) == {"x", "detail[0][y]"}
    assert params.secret == "s"


def test_parameter_clearable_sent_empty_is_none() -> None:
    assert "cleared" in read(cleared="").model_fields_set
    assert "cleared" not in read().model_fields_set
    assert "url" not in read(url="").model_fields_set


def test_parameter_fields_have_wire_form() -> None:
    forms = {field.name: field.form for field in fields_of(SampleParams)}
    assert (forms["ids"], forms["tags"], forms["names"], forms["detail"]) == ("seq", "comma", "keyed", "seq")


def test_parameter_file_of_wrong_type_is_rejected() -> None:
    with pytest.raises(UnsupportedMediaType, match="one of image/png"):
        read(logo=File("a.exe", "application/x-msdownload", BytesIO(b"x")), number="no number")


class GroupParams(Params):
    places: Keyed[s.Text, Seq[s.Int]] = Field(default_factory=dict)
    pairs: Seq[Keyed[s.Text, s.Text]] = ()
    versions: Annotated[Seq[s.Text], MayBeEmpty()]


class NestedParams(Params):
    days: Annotated[Keyed[s.Text, Seq[GroupParams]], Only(since="3.1")] = Field(default_factory=dict)


def test_parameter_nested_containers_are_parsed() -> None:
    tree: dict[str, Any] = {"versions": "", "places": {"DE": {"0": "1", "1": "2"}}, "pairs": {"0": {"1": "", "2": "x"}}}
    params, ignored = read_params(NestedParams, {"days": {"6": {"0": tree | {"y": "1"}}}}, staff=True, version="3.1")
    assert params.days["6"][0].model_dump() == {
        "places": {"DE": (1, 2)}, "pairs": ({"1": "", "2": "x"},), "versions": (),
    }  # fmt: skip
    assert set(ignored) == {"days[6][0][y]"}
    with pytest.raises(BadInput) as caught:
        read_params(NestedParams, {"days": {"6": [{"places": {"DE": ["x"]}}]}}, staff=True, version="3.1")
    assert set(caught.value.fields or ()) == {"days[6][0][places][DE][0]", "days[6][0][versions]"}


def test_parameter_nested_containers_have_wire_names() -> None:
    names = {name: [marker.since for marker in field.markers if isinstance(marker, Only)]
             for name, field in each_parameter(NestedParams)}  # fmt: skip
    assert names == {
        "days[*][*][places][*][*]": ["3.1"], "days[*][*][pairs][*][*]": ["3.1"], "days[*][*][versions][*]": ["3.1"],
    }  # fmt: skip


@pytest.mark.parametrize("around", [" ", "\u200b", "\ufeff", "\u00a0 \u200b", "\t\n"])
def test_url_is_read_without_what_cannot_be_seen_around_it(around: str) -> None:
    assert read(url=f"{around}https://shop.example/{around}").url == "https://shop.example/"
