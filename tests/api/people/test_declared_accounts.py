"""The plain fields of advertisers and affiliates are one declaration each (domain/people)."""

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Annotated, get_type_hints

import pytest
from sqlalchemy import String, Table, Text

import trackyard.api.people.account_fields as declared
from tests.support.api import Api
from trackyard.api.people.advertisers import AddAdvertiser, AdvertiserView, EditAdvertiser
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.people.affiliates import AddAffiliate, ContactParams, EditAffiliate
from trackyard.api.people.own_account import SignUp
from trackyard.api.plain_fields import add_answer_fields
from trackyard.api.texts import texts
from trackyard.base.plain_fields import DeclaredField, PlainField, declared_fields
from trackyard.console.forms.plain import names_in, plain_form_fields
from trackyard.console.staff.advertisers import editing as advertiser_form
from trackyard.console.staff.affiliates import editing as affiliate_form
from trackyard.domain.people.advertiser_fields import ADVERTISER_FIELDS
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.affiliate_fields import AFFILIATE_FIELDS, OWN_AFFILIATE_FIELDS, AffiliateField
from trackyard.domain.people.affiliates import Affiliate
from trackyard.store.tables import advertiser, affiliate
from trackyard.store.tables.plain_columns import column_of
from trackyard.wire.request import scalars
from trackyard.wire.request.params import Params, fields_of
from trackyard.wire.response.envelope import View

Fields = MappingProxyType[str, DeclaredField[PlainField]]
RECORDS = pytest.mark.parametrize(
    ("declaration", "record", "table", "models", "view", "form"),
    [
        (ADVERTISER_FIELDS, Advertiser, advertiser, (AddAdvertiser, EditAdvertiser), AdvertiserView, advertiser_form),
        (AFFILIATE_FIELDS, Affiliate, affiliate, (AddAffiliate, EditAffiliate), AffiliateView, affiliate_form),
    ],
)


@RECORDS
def test_every_plain_field_of_an_account_is_everywhere(
    declaration: Fields, record: type, table: Table, models: tuple[type[Params], ...], view: type[View], form: object
) -> None:
    assert len(declaration) >= 8
    defaults = {each.name: each.default for each in fields(record)}
    placed = [part.name for group in form.EDIT.groups for part in group.parts]  # type: ignore[attr-defined]
    for name, field in declaration.items():
        assert defaults[name] == field.default and placed.count(name) == 1
        assert name in view.__struct_fields__
        for model in models:
            assert model.model_fields[name].default == field.default
        assert table.c[name].nullable == field.is_optional
        made = column_of(field).type
        assert isinstance(table.c[name].type, String | Text if isinstance(made, String) else type(made))


@RECORDS
def test_views_of_accounts_that_state_a_plain_field_have_its_type(
    declaration: Fields, record: type, table: Table, models: tuple[type[Params], ...], view: type[View], form: object
) -> None:
    types = get_type_hints(add_answer_fields(View, declaration, is_placed=False))
    stated = get_type_hints(view)
    assert types.keys() == declaration.keys()
    assert {name: stated[name] for name in types} == types


def test_places_of_plain_fields_of_accounts_exist() -> None:
    for field in ADVERTISER_FIELDS.values():
        assert field.options.after in AddAdvertiser.model_fields
        assert (field.options.answer_after or field.options.after) in AdvertiserView.__struct_fields__
    for field in AFFILIATE_FIELDS.values():
        assert field.options.after in AddAffiliate.model_fields
        assert (field.options.answer_after or field.options.after) in AffiliateView.__struct_fields__


def test_affiliate_states_its_own_plain_fields_alone() -> None:
    assert 0 < len(OWN_AFFILIATE_FIELDS) < len(AFFILIATE_FIELDS)
    for model in (ContactParams, SignUp):
        assert OWN_AFFILIATE_FIELDS.keys() == AFFILIATE_FIELDS.keys() & model.model_fields.keys()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccountFields:
    """Fields of an account as someone may add them."""

    rating: Annotated[int | None, AffiliateField(text="Stars.", label="Rating", most=5, after="title")] = None
    is_trusted: Annotated[bool, AffiliateField(text="Whether staff trust it.", is_number=True)] = False
    remark: Annotated[str | None, AffiliateField(text="A remark.", longest=20_000, is_null=True)] = None


@pytest.mark.parametrize("name", ["advertiser", "affiliate"])
def test_new_field_of_an_account_needs_no_more_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new = declared_fields(NewAccountFields, AffiliateField)
    monkeypatch.setattr(declared, f"{name.upper()}_FIELDS", new)

    @getattr(declared, f"with_{name}_parameters")
    class WrittenAccount(Params):
        title: Annotated[str, scalars.BoundedText()] = ""

    @getattr(declared, f"with_{name}_fields")
    class ShownAccount(View, rename={"title": "name"}):
        title: str

    assert [field.name for field in fields_of(WrittenAccount)] == ["title", "rating", "is_trusted", "remark"]
    sent = WrittenAccount.model_validate({"rating": "4", "is_trusted": "1"}, context={})
    assert sent.model_dump(exclude_unset=True) == {"rating": 4, "is_trusted": True}
    assert texts().text_of(WrittenAccount, "rating") == texts().text_of(ShownAccount, "rating") == "Stars."
    assert texts().form_keys(WrittenAccount, "rating") == {"x-label": "Rating"}
    assert get_type_hints(ShownAccount) == {"title": str, "rating": int | None, "is_trusted": int, "remark": str | None}
    assert ShownAccount.__struct_encode_fields__ == ("name", "rating", "is_trusted", "remark")
    assert [(part.name, part.wide) for part in plain_form_fields(new, frozenset({"rating"}))] == [
        ("is_trusted", False), ("remark", True),
    ]  # fmt: skip


def test_forms_of_accounts_hold_no_field_twice() -> None:
    for form in (advertiser_form, affiliate_form):
        for plan in (form.NEW, form.EDIT):
            assert len(names_in(plan.groups)) == sum(len(group.parts) for group in plan.groups)


def test_plain_field_without_its_declaration_is_rejected() -> None:
    @dataclass(frozen=True, kw_only=True)
    class UndeclaredFields:
        rating: int = 0

    with pytest.raises(TypeError, match="rating"):
        declared_fields(UndeclaredFields, PlainField)


def test_plain_fields_of_accounts_are_written_and_shown(api: Api) -> None:
    number, _ = api.add_affiliate(company="Acme", server_clicks="1", notes="Calls on Monday")
    shown = api.admin.get(f"/3.1/admin/partner/{number}")["partner"]
    assert (shown["company"], shown["server_clicks"], shown["notes"]) == ("Acme", True, "Calls on Monday")
    assert (shown["phone"], shown["city"]) == (None, None)
    written = {"title": "Shop", "sees_affiliates": "1", "host_uniqueness_time_frame": "12", "contact": "Ada"}
    made = api.admin.post("/3.1/admin/advertiser", **written)["advertiser"]
    assert (made["sees_affiliates"], made["host_uniqueness_time_frame"], made["contact"]) == (1, 12, "Ada")
    assert (made["skype"], made["note"], made["hide_conversion_status"]) == ("", None, False)
