"""The answers that pages get from the methods of the API."""

import json
from contextlib import ExitStack
from dataclasses import replace
from decimal import Decimal

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.deps import Deps
from trackyard.api.money import currencies
from trackyard.api.offers import lists
from trackyard.base.errors import AccessDenied, BadInput, CallerNotAllowed, NotFound
from trackyard.base.logs.origin import RequestOrigin
from trackyard.wire.local_calls import CallContext, LocalCalls
from trackyard.wire.response.envelope import encoded


def calls_of(api: Api, client: ApiClient) -> LocalCalls[Deps]:
    return LocalCalls(CallContext(api.deps, api.clock), api.caller_of(client), RequestOrigin(id="7"), ExitStack)


def test_answer_is_the_view_of_its_caller(api: Api) -> None:
    offer = api.add_offer(title="Shoes")
    _, affiliate = api.add_affiliate()
    of_staff = calls_of(api, api.admin).ask(lists.get, path={"id": str(offer)})
    of_affiliate = calls_of(api, affiliate).ask(lists.get, path={"id": str(offer)})
    assert isinstance(of_staff, lists.OneOfferAnswer) and isinstance(of_affiliate, lists.AffiliateOfferAnswer)
    assert (of_staff.offer.title, of_affiliate.offer.title) == ("Shoes", "Shoes")
    assert hasattr(of_staff.offer, "advertiser") and not hasattr(of_affiliate.offer, "advertiser")


def test_answer_in_the_view_of_other_people_is_a_fault(api: Api) -> None:
    offer = {"id": str(api.add_offer(title="Shoes"))}
    _, affiliate = api.add_affiliate()
    assert calls_of(api, affiliate).ask_as(lists.AffiliateOfferAnswer, lists.get, path=offer).offer.title == "Shoes"
    with pytest.raises(TypeError, match=r"offer.get answers this caller with OneOfferAnswer, not AffiliateOfferAnswer"):
        calls_of(api, api.admin).ask_as(lists.AffiliateOfferAnswer, lists.get, path=offer)


def test_answer_equals_what_a_program_gets(api: Api) -> None:
    calls = calls_of(api, api.admin)
    asked = calls.ask(currencies.list_all, [("extended", "1")])
    assert isinstance(asked.quotes, list) and [each.code for each in asked.quotes] == ["USD"]
    assert json.loads(encoded(asked), parse_float=Decimal) == api.admin.get("/3.1/admin/currency", extended=1)


def test_warnings_of_answers_are_kept_once(api: Api) -> None:
    calls = calls_of(api, api.admin)
    answers = [calls.ask(currencies.list_all, [("limit", "7")]) for _ in range(2)]
    [warning] = answers[0].warnings or []
    assert warning == "limit is not a parameter of this method. It was ignored."
    assert calls.warnings == [warning]


@pytest.mark.parametrize("sent", [[("code", "EU\0R")], [("co\0de", "EUR")], [("code", "\ud800")]])
def test_text_that_no_form_could_carry_is_refused(api: Api, sent: list[tuple[str, str]]) -> None:
    with pytest.raises(BadInput, match=r"NUL|Unicode"):
        calls_of(api, api.admin).ask(currencies.add, [*sent, ("rate", "1")])


def test_answer_needs_the_rights_of_a_request_from_outside(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    with pytest.raises(CallerNotAllowed):
        calls_of(api, affiliate).ask(currencies.list_all)
    with pytest.raises(AccessDenied, match="nothing can be changed here"):
        replace(calls_of(api, api.admin), looks=True).ask(currencies.add, [("code", "EUR"), ("rate", "1")])
    with pytest.raises(NotFound):
        calls_of(api, api.admin).ask(lists.get, path={"id": "404"})
