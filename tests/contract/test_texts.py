"""Every parameter and every answer field has a meaning, in words of its own."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, Final, NamedTuple

import pytest
from msgspec import UNSET, Meta, UnsetType
from pydantic import Field

from tests.arch.words import BANNED_WORD
from tests.support.wording import adds_nothing
from trackyard.api.catalogue import CATALOGUE, TOPICS
from trackyard.api.texts import texts
from trackyard.wire.openapi.document import document, each_view, sent_views
from trackyard.wire.openapi.texts import FORM_SECTIONS, Place, Texts, label_of
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, fields_of
from trackyard.wire.response.envelope import View
from trackyard.wire.response.errors import ErrorBody

TEXTS: Final = texts()
LONGEST: Final = 250
"""Characters of a text: two short sentences, three at most."""


@lru_cache(maxsize=1)
def whole_document() -> dict[str, Any]:
    """Return the document, which is made by the first test that reads it."""
    return document(CATALOGUE, version="1", topics=TOPICS, texts=TEXTS)


class Named(NamedTuple):
    """A parameter, answer field or variable of a path, with its text and the place of that in a table."""

    owner: str
    name: str
    text: str
    place: Place | None


def each_model(model: type[Params]) -> Iterator[type[Params]]:
    yield model
    for field in fields_of(model):
        if field.model is not None:
            yield from each_model(field.model)


def named(model: type[Any], name: str) -> Named:
    return Named(model.__name__, name, TEXTS.text_of(model, name), TEXTS.place_of(model, name))


def each_named() -> Iterator[Named]:
    models = {model: None for endpoint in CATALOGUE for model in each_model(endpoint.params)}
    for model in models:
        yield from (named(model, each.name) for each in fields_of(model))
    for view in each_view([ErrorBody, *chain.from_iterable(map(sent_views, CATALOGUE))]):
        fields: Any = view
        yield from (named(view, each) for each in fields.__struct_encode_fields__)
    for endpoint in CATALOGUE:
        for name in endpoint.variables:
            text = TEXTS.path_text(endpoint.handle, name)
            yield Named(endpoint.id, name, text, TEXTS.path_place(endpoint.handle, name))


NAMED: Final = tuple(each_named())


def test_parameters_answer_fields_and_path_variables_all_have_text() -> None:
    assert len(NAMED) > 2000
    assert not [f"{each.owner}.{each.name}" for each in NAMED if not each.text]


def test_openapi_describes_every_parameter_and_answer_field() -> None:
    missing = [
        f"{name}.{field}"
        for name, schema in whole_document()["components"]["schemas"].items()
        for field, described in schema.get("properties", {}).items()
        if not described.get("description")
    ]
    missing += [
        f"{operation['operationId']} {parameter['name']}"
        for item in whole_document()["paths"].values()
        for operation in item.values()
        for parameter in operation["parameters"]
        if not parameter.get("description")
    ]
    assert not missing


def test_text_says_more_than_its_name() -> None:
    repeated = {f"{each.owner}.{each.name}: {each.text}" for each in NAMED if adds_nothing(each.name, each.text)}
    assert not repeated


@pytest.mark.parametrize(
    ("name", "text", "repeats"),
    [
        ("offer_id", "Id of the offer.", True),
        ("sub1", "The value of sub1.", True),
        ("createdAt", "Created at.", True),
        ("postbacks", "List of the postbacks that are given.", True),
        ("offer_id", "Number of the offer that the affiliate joins.", False),
    ],
)
def test_text_that_repeats_its_name_is_recognized(name: str, text: str, repeats: bool) -> None:
    assert adds_nothing(name, text) is repeats


def test_every_text_has_its_use() -> None:
    used = {each.place for each in NAMED}
    assert not [place for place in TEXTS.each_place() if place not in used]


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("begins with a capital letter, a name or a number", lambda text: bool(re.match(r'[A-Z0-9"]|[a-z_]+\b', text))),
        ("ends with a full stop", lambda text: text.endswith(".")),
        ("is short", lambda text: len(text) <= LONGEST),
        ("has no banned word", lambda text: not BANNED_WORD.search(text)),
        ("fits into a cell of a table", lambda text: not re.search(r"[|\n]", text)),
        ("has single blanks", lambda text: "  " not in text and text.strip() == text),
    ],
)
def test_text_follows_rule(rule: str, holds: Callable[[str], bool]) -> None:
    assert not {each.text for each in NAMED if not holds(each.text)}, rule


class Toy(Params):
    """A model of no subject."""

    size: s.Int = 0
    sub1: s.Text = ""
    kind: s.Text = Field(default="", alias="type")


class SmallToy(Toy):
    """A model with a text of its own."""


class ToyView(View):
    """A view of no subject."""

    size: int


class DescribedToy(Toy):
    """A model with a text in its declaration."""

    size: Annotated[s.Int, Field(description="declared")] = 0


class DescribedToyView(ToyView):
    """A view with texts in its declaration."""

    size: Annotated[int, Meta(description="declared, too")]
    other: Annotated[int | UnsetType, Meta(description="of no table")] = UNSET


TOY_TEXTS: Final = Texts(
    {
        "": {
            "fields": {"size": "shared", "sub[1-8]": "pattern", "type": "by wire name"},
            "answers": {"size": "of answers"},
            "SmallToy OtherToy": {"size": "of several classes"},
        }
    }
)


@pytest.mark.parametrize(
    ("model", "name", "expected"),
    [
        (Toy, "size", "shared"),
        (Toy, "sub1", "pattern"),
        (Toy, "type", "by wire name"),
        (Toy, "other", ""),
        (SmallToy, "size", "of several classes"),
        (SmallToy, "sub1", "pattern"),
        (ToyView, "size", "of answers"),
        (DescribedToy, "size", "declared"),
        (DescribedToy, "sub1", "pattern"),
        (DescribedToyView, "size", "declared, too"),
        (DescribedToyView, "other", "of no table"),
    ],
)
def test_text_of_class_comes_before_text_of_name(model: type[Any], name: str, expected: str) -> None:
    assert TOY_TEXTS.text_of(model, name) == expected


def test_text_of_subject_comes_before_shared_text() -> None:
    by_class = {each.place for each in NAMED if each.owner == "Pagination"}
    assert {place.subject for place in by_class if place} == {""}
    [page] = (each for each in NAMED if (each.owner, each.name) == ("ListConversions", "timezone"))
    assert page.place == Place("conversions", "ConversionFilters", "timezone")


PARAMETERS: Final = {(model, field.name) for each in CATALOGUE for model in each_model(each.params)
                     for field in fields_of(model)}  # fmt: skip


def test_label_of_every_parameter_has_at_most_four_words() -> None:
    labels = {TEXTS.form_keys(model, name)["x-label"] for model, name in PARAMETERS}
    assert len(labels) > 200
    assert not [label for label in labels if not re.fullmatch(r"[A-Z][\w.']*( [\w.']+){0,3}", label)]


def test_every_label_unit_and_group_has_its_use() -> None:
    shown = [TEXTS.form_keys(model, name) for model, name in PARAMETERS]
    unused = [
        place
        for place in TEXTS.each_form_place()
        if not any(keys.get(FORM_SECTIONS[place.section]) == TEXTS.text_at(place) for keys in shown)
    ]
    assert not unused


def test_openapi_parameters_have_labels_units_and_groups() -> None:
    offer = whole_document()["components"]["schemas"]["AddOffer"]["properties"]
    assert offer["hold_period"] | {"x-label": "Hold", "x-unit": "days", "x-group": "Payments"} == offer["hold_period"]
    listed = whole_document()["paths"]["/3.1/stats/custom"]["get"]["parameters"]
    assert {each["name"]: each.get("x-label") for each in listed}["filter[date_from]"] == "First day"


@pytest.mark.parametrize(
    ("name", "label"),
    [("minimal_click_session", "Minimal click session"), ("sub1", "Sub 1"), ("contactPerson", "Contact person"),
     ("is_cpi", "CPI"), ("allowed_ip", "Allowed IP"), ("From", "From")],
)  # fmt: skip
def test_label_is_name_in_words(name: str, label: str) -> None:
    assert label_of(name) == label
