from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Annotated, Any

import pytest
from pydantic import Field

from trackyard.base.errors import BadInput, WrongMedia
from trackyard.wire.openapi.document import contract_type, each_name
from trackyard.wire.request import ip_addresses
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File
from trackyard.wire.request.params import (
    AnyOf,
    Clearable,
    CommaList,
    Keyed,
    MayBeEmpty,
    Needed,
    Only,
    Params,
    Seq,
    fields_of,
)
from trackyard.wire.request.parsing import read_params

PICTURE = File("a.png", "image/png", BytesIO(b"x"))


class Line(Params):
    goal: s.Text
    countries: Seq[s.Text] = ()


class Sent(Params):
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
    logo: Annotated[File | None, s.Upload(("image/png",))] = None
    cleared: Annotated[s.Url | None, Clearable()] = None
    hour: s.Hour | None = None
    currency: s.Currency | None = None
    kind: Annotated[str, s.Choice(("a", "b"), admin=("c",), only_3_0=("d",), becomes={"old": "a"})] = "a"
    ids: Seq[s.Int] = ()
    networks: Seq[Annotated[str, ip_addresses.IpEntry()]] = ()
    states: AnyOf[Annotated[str, s.Choice(("a", "b"))]] = ()
    tags: CommaList[s.Text] = ()
    several: CommaList[s.Int] = ()
    names: Keyed[str, s.Text] = Field(default_factory=dict)
    lines: Seq[Line] = Field(default=(), alias="detail")
    secret: Annotated[s.Text | None, Only(admin=True)] = None
    pid: Annotated[s.Int | None, Needed(since="3.1")] = None


class Listed(Params):
    ids: Seq[s.Int]


def read(staff: bool = True, version: str = "3.0", **tree: Any) -> Sent:
    return read_params(Sent, {"title": "t", **tree}, staff=staff, version=version)[0]


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
def test_values(name: str, sent: Any, value: Any) -> None:
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
def test_faults(name: str, sent: Any) -> None:
    with pytest.raises(BadInput) as refused:
        read(**{name: sent})
    assert refused.value.text.startswith(f"[{name}")


def test_scalar_sent_twice_with_different_values_is_refused() -> None:
    for sent in (["1", "2"], ["2", "2", "1"], ["", "2"]):
        with pytest.raises(BadInput) as refused:
            read(number=sent)
        assert refused.value.fields == {"number": ["This value must be sent once; several values were sent."]}


def test_filter_that_takes_any_of_several_has_the_contract_type_of_its_value() -> None:
    fields = {field.name: field for field in fields_of(Sent)}
    assert contract_type(fields["states"]) == "enum"
    assert contract_type(fields["ids"]) == "int-list"


def test_empty_items_keep_the_places_of_the_others() -> None:
    with pytest.raises(BadInput) as refused:
        read(ids=["", "1", "x"])
    assert list(refused.value.fields or ()) == ["ids[2]"]


def test_a_list_of_empty_items_is_not_sent() -> None:
    for sent in ("", [], ["", ""], {"0": "", "1": ""}, {"0": ["", ""]}):
        with pytest.raises(BadInput) as refused:
            read_params(Listed, {"ids": sent}, staff=True, version="3.0")
        assert refused.value.fields == {"ids": ["This value is required."]}


def test_every_fault_is_told_by_its_wire_name() -> None:
    with pytest.raises(BadInput) as refused:
        read_params(Sent, {"hour": "99", "detail": {"0": {}, "1": "x"}}, staff=True, version="3.1")
    assert set(refused.value.fields or ()) == {"title", "hour", "pid", "detail[0][goal]", "detail[1]"}
    assert len(refused.value.text.split("\n")) == 5


@pytest.mark.parametrize(("staff", "version", "kind"), [(False, "3.0", "c"), (True, "3.1", "d")])
def test_values_of_some_callers_and_versions(staff: bool, version: str, kind: str) -> None:
    with pytest.raises(BadInput, match=r"\[kind\]"):
        read(staff=staff, version=version, kind=kind, pid="1")


def test_ignored_unknown_parameters_are_named_as_they_were_sent() -> None:
    tree = {"title": "t", "filter": {"offer": "1", "os": ["a", "b"]}, "items": {"0": "1", "5": "2"}, "list": ["a"]}
    _, ignored = read_params(Sent, tree, staff=True, version="3.0")
    assert list(ignored) == ["filter[offer]", "filter[os]", "items", "list"]


def test_what_is_not_used_is_named() -> None:
    tree = {"title": "t", "secret": "s", "x": "1", "detail": {"0": {"goal": "1", "y": "2"}}}
    params, ignored = read_params(Sent, tree, staff=False, version="3.0")
    assert ignored == {
        "secret": "secret is a parameter for staff only. It was ignored.",
        "x": "x is not a parameter of this method. It was ignored.",
        "detail[0][y]": "detail[0][y] is not a parameter of this method. It was ignored.",
    }
    assert params.secret is None
    params, ignored = read_params(Sent, tree, staff=True, version="3.0")
    assert set(ignored) == {"x", "detail[0][y]"}
    assert params.secret == "s"


def test_an_empty_clearable_is_sent_and_none() -> None:
    assert "cleared" in read(cleared="").model_fields_set
    assert "cleared" not in read().model_fields_set
    assert "url" not in read(url="").model_fields_set


def test_fields_know_their_form() -> None:
    forms = {field.name: field.form for field in fields_of(Sent)}
    assert (forms["ids"], forms["tags"], forms["names"], forms["detail"]) == ("seq", "comma", "keyed", "seq")


def test_a_file_of_another_kind() -> None:
    with pytest.raises(WrongMedia, match="one of image/png"):
        read(logo=File("a.exe", "application/x-msdownload", BytesIO(b"x")), number="no number")


class Group(Params):
    places: Keyed[s.Text, Seq[s.Int]] = Field(default_factory=dict)
    pairs: Seq[Keyed[s.Text, s.Text]] = ()
    versions: Annotated[Seq[s.Text], MayBeEmpty()]


class Nested(Params):
    days: Annotated[Keyed[s.Text, Seq[Group]], Only(since="3.1")] = Field(default_factory=dict)


def test_containers_in_containers() -> None:
    tree: dict[str, Any] = {"versions": "", "places": {"DE": {"0": "1", "1": "2"}}, "pairs": {"0": {"1": "", "2": "x"}}}
    params, ignored = read_params(Nested, {"days": {"6": {"0": tree | {"y": "1"}}}}, staff=True, version="3.1")
    assert params.days["6"][0].model_dump() == {
        "places": {"DE": (1, 2)}, "pairs": ({"1": "", "2": "x"},), "versions": (),
    }  # fmt: skip
    assert set(ignored) == {"days[6][0][y]"}
    with pytest.raises(BadInput) as caught:
        read_params(Nested, {"days": {"6": [{"places": {"DE": ["x"]}}]}}, staff=True, version="3.1")
    assert set(caught.value.fields or ()) == {"days[6][0][places][DE][0]", "days[6][0][versions]"}


def test_names_of_containers_in_containers() -> None:
    names = {name: [marker.since for marker in field.markers if isinstance(marker, Only)]
             for name, field in each_name(Nested)}  # fmt: skip
    assert names == {
        "days[*][*][places][*][*]": ["3.1"], "days[*][*][pairs][*][*]": ["3.1"], "days[*][*][versions][*]": ["3.1"],
    }  # fmt: skip
