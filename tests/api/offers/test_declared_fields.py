"""The plain fields of an offer are one declaration (domain/offers/fields.py)."""

from typing import Annotated, get_type_hints

import msgspec
import pytest
from sqlalchemy import Boolean, Integer, String, Text

import trackyard.api.offers.declared as declared
from tests.support.api import Api
from trackyard.api.offers.declared import with_declared_fields, with_declared_parameters
from trackyard.api.offers.params import AddOffer, OfferParams
from trackyard.api.offers.tickets import TicketOfferView
from trackyard.api.offers.view import OfferFields
from trackyard.api.offers.view_affiliate import AffiliateOfferView, FullAffiliateOfferView
from trackyard.api.texts import texts
from trackyard.base.plain_fields import declared_fields
from trackyard.console.staff.offers.plan import GROUPS
from trackyard.domain.offers.fields import DECLARED, OfferField, PlainFields, Viewers
from trackyard.domain.offers.offers import Offer
from trackyard.store.tables import offer
from trackyard.store.tables.plain_columns import column_of
from trackyard.wire.request import scalars
from trackyard.wire.request.params import Params, fields_of
from trackyard.wire.response.envelope import View


def test_every_plain_field_is_in_offer_parameters_answers_table_and_form() -> None:
    assert len(DECLARED) >= 35
    parts = [part.name for group in GROUPS for part in group.parts]
    for name in DECLARED:
        assert name in Offer.__struct_fields__ and name in offer.c
        assert name in AddOffer.model_fields and name in OfferFields.__struct_fields__
        assert parts.count(name) == 1


def test_affiliates_see_the_plain_fields_that_are_declared_for_them() -> None:
    for name, field in DECLARED.items():
        viewers = field.options.viewers
        assert (name, name in AffiliateOfferView.__struct_fields__) == (name, viewers is Viewers.LISTS)
        assert (name, name in FullAffiliateOfferView.__struct_fields__) == (name, viewers is not Viewers.STAFF)


def test_views_that_state_a_plain_field_have_its_type() -> None:
    made = with_declared_fields(Viewers.STAFF)(View)
    types = get_type_hints(made)
    assert types.keys() == DECLARED.keys()
    for view in (OfferFields, AffiliateOfferView, FullAffiliateOfferView):
        stated = get_type_hints(view)
        assert {name: stated[name] for name in types.keys() & stated} == {
            name: types[name] for name in types.keys() & stated
        }


def test_every_stated_place_exists() -> None:
    for field in DECLARED.values():
        assert not field.options.after or field.options.after in OfferParams.model_fields
        assert not field.options.answer_after or field.options.answer_after in OfferFields.__struct_fields__


def test_plain_field_of_an_offer_has_its_text_in_its_declaration() -> None:
    """Two have one meaning in parameters and another in answers."""
    without = {name for name, field in DECLARED.items() if not field.options.text}
    assert without == {"strictly_country", "notice_percent_overcap"}
    for view in (OfferFields, AffiliateOfferView, FullAffiliateOfferView, TicketOfferView):
        for name in DECLARED.keys() & set(view.__struct_fields__) - without:
            assert texts().text_of(view, name) == DECLARED[name].options.text


def test_offer_of_a_ticket_has_the_types_of_other_views() -> None:
    types = get_type_hints(OfferFields) | get_type_hints(FullAffiliateOfferView)
    stated = get_type_hints(TicketOfferView)
    assert len(stated) >= 50 and {name: types[name] for name in stated} == stated


class NewFields(msgspec.Struct, frozen=True, kw_only=True):
    """Fields as someone may add them."""

    app_rating: Annotated[int | None, OfferField(text="Stars of the app.", label="Rating", most=5)] = None
    store_note: Annotated[str, OfferField(text="Note of the store.", viewers=Viewers.CARD, longest=20_000)] = ""
    is_boxed: Annotated[bool, OfferField(text="Whether it has a box.", is_number=True, after="title")] = False


@pytest.fixture
def new_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "DECLARED", declared_fields(NewFields, OfferField))


@pytest.mark.usefixtures("new_fields")
def test_new_field_is_a_parameter_and_an_answer_without_more_code() -> None:
    @with_declared_parameters
    class Written(Params):
        title: Annotated[str, scalars.BoundedText()] = ""
        url: Annotated[str, scalars.BoundedText()] = ""

    assert [field.name for field in fields_of(Written)] == ["title", "is_boxed", "url", "app_rating", "store_note"]
    sent = Written.model_validate({"app_rating": "4", "is_boxed": "1"}, context={})
    assert sent.model_dump(exclude_unset=True) == {"app_rating": 4, "is_boxed": True}
    with pytest.raises(ValueError, match="between 0 and 5"):
        Written.model_validate({"app_rating": "6"}, context={})
    assert texts().text_of(Written, "app_rating") == "Stars of the app."
    assert texts().form_keys(Written, "app_rating") == {"x-label": "Rating"}

    @with_declared_fields(Viewers.STAFF)
    class Shown(View):
        title: str
        url: str

    @with_declared_fields(Viewers.CARD)
    class ShownToAffiliates(View):
        title: str

    assert get_type_hints(Shown) == {
        "title": str, "is_boxed": int, "url": str, "app_rating": int | None, "store_note": str,
    }  # fmt: skip
    assert ShownToAffiliates.__struct_fields__ == ("title", "store_note")
    assert texts().text_of(Shown, "store_note") == "Note of the store."


def test_new_field_has_a_column_with_its_default() -> None:
    fields = declared_fields(NewFields, OfferField)
    made = {name: column_of(field) for name, field in fields.items()}
    assert [(type(column.type), column.nullable) for column in made.values()] == [
        (Integer, True), (Text, False), (Boolean, False),
    ]  # fmt: skip
    assert made["app_rating"].server_default is None and made["store_note"].server_default is not None
    assert isinstance(column_of(DECLARED["freshness"]).type, String)
    assert column_of(DECLARED["freshness"]).type.length == 16


def test_declaration_with_a_kind_that_has_no_form_is_rejected() -> None:
    class Wrong(msgspec.Struct, kw_only=True):
        prices: Annotated[tuple[int, ...], OfferField()] = ()

    with pytest.raises(TypeError, match="prices"):
        declared_fields(Wrong, OfferField)


def test_plain_fields_are_written_and_shown(api: Api) -> None:
    number = api.add_offer(skad_app_id="12", redirect_param="r", freshness="fresh", notice_percent_overcap="80")
    shown = api.admin.get(f"/3.1/offer/{number}")["offer"]
    assert [shown[name] for name in ("skad_app_id", "redirect_param", "freshness", "notice_percent_overcap")] == [
        "12", "r", "fresh", 80,
    ]  # fmt: skip
    defaults = msgspec.to_builtins(PlainFields())
    unset = api.admin.get(f"/3.1/offer/{api.add_offer()}")["offer"]
    assert {name: unset[name] or None for name in DECLARED} == {name: defaults[name] or None for name in DECLARED}
