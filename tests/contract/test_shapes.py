"""Answers have the types that existing clients decode (tests/contract/shapes.txt).

docs/spec/types.md names the exceptions.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.shapes import ABSENT, NULL, Shape, differences, documented
from trackyard.api.catalogue import CATALOGUE

AFFILIATES = {"affiliate key offer by id": "GET /3.0/offer/{id}", "affiliate key offers list": "GET /3.0/offers"}
"""Headings of answers that an affiliate's key gets."""

SPECIFIED: dict[str, set[str]] = {
    "GET /3.0/admin/currency": {"quotes[]"},
    "GET /3.0/admin/domains": {"domains"},
    "GET /3.0/balance": {"balance"},
    "GET /3.0/offers": {"offers[].payments[].cities[]"},
    "GET /3.0/stats/clicks": {"clicks[].uniq", "clicks[].partner_id"},
    "GET /3.0/admin/ticket/{id}": {"ticket.offer"},
    "GET /3.0/admin/tickets": {
        "tickets[].offer",
        *("tickets[].offer.targeting[].block_proxy", "tickets[].offer.targeting[].url"),
        *("tickets[].offer.schedule.enabled", "tickets[].offer.schedule.date_start"),
    },
    "affiliate key offer by id": {
        *("offer.targeting[].block_proxy", "offer.allow_deeplink"),
        *("offer.schedule.enabled", "offer.schedule.date_start"),
    },
}
"""Places with a type stated in docs/spec/types.md, because an answer has two forms or the affiliate's form of an offer
says less.
"""

KEPT_BACK = re.compile(r"(^|\.)manager\.api_key$")
"""Null in every nested record (docs/spec/callers.md#api-keys-in-answers)."""

NOWHERE = {
    *("disabled_choice_postback_status", "hosts_only", "impressions_link", "reject_not_unique_ip"),
    *("last_login_at", "type", "avatar", "cap"),
}
"""Last parts of fields that the public API does not name, so that no answer has them."""

OFFERS = ("offer", "ticket", "source", "categor", "smartlink", "cities", "isp", "domain", "activation")
"""Parts of the headings of offers and related answers, which lack no documented field."""


def _answers() -> Iterator[tuple[str, Shape, Any]]:
    """Heading, shape, and the view of the method that answers it."""
    methods = {(str(each.method), f"/{v}{_bare(each.path)}"): each for each in CATALOGUE for v in each.versions}
    for heading, shape in documented().items():
        method, _, path = AFFILIATES.get(heading, heading).partition(" ")
        found = methods.get((method, _bare(path.partition("?")[0])))
        if found is not None and "?" not in heading:
            yield heading, shape, (found.affiliate_answer if heading in AFFILIATES else None) or found.answer


def _bare(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


ANSWERS = list(_answers())


@pytest.mark.parametrize(("heading", "shape", "view"), ANSWERS, ids=[heading for heading, _, _ in ANSWERS])
def test_view_types_equal_recorded_shapes(heading: str, shape: Shape, view: Any) -> None:
    found = {place: kind for place, kind in differences(shape, view) if kind not in (ABSENT, NULL)}
    excused = {place for place in found if place in SPECIFIED.get(heading, set()) or KEPT_BACK.search(place)}
    assert {place: kind for place, kind in found.items() if place not in excused} == {}


NULLABLE = {
    *("start_at", "stop_at", "link", "description"),
    *("name", "manager", "contactPerson", "country", "api_key", "date_start", "date_to"),
}
"""Last parts of fields of related answers that may be null, though not every answer shows it."""

STAFFS = [each for each in ANSWERS if each[0] not in AFFILIATES and any(word in each[0] for word in OFFERS)]


@pytest.mark.parametrize(("heading", "shape", "view"), STAFFS, ids=[heading for heading, _, _ in STAFFS])
def test_offer_related_fields_equal_recorded_shapes(heading: str, shape: Shape, view: Any) -> None:
    found = list(differences(shape, view))
    absent = {place for place, kind in found if kind == ABSENT} - SPECIFIED.get(heading, set())
    null = {place for place, kind in found if kind == NULL} - SPECIFIED.get(heading, set())
    assert {place for place in absent if place.rpartition(".")[2] not in NOWHERE} == set()
    assert {place for place in null if place.rpartition(".")[2] not in NULLABLE} == set()
