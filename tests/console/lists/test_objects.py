"""Objects that filters offer and cells show: how they are found by name and by id."""

from typing import Final

import pytest

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.console.lists import objects
from trackyard.console.lists.objects import AnyObjects
from trackyard.wire.request.params import fields_of

KINDS: Final = {name: each for name, each in vars(objects).items() if isinstance(each, objects.Objects)}


def test_kinds_of_objects_are_found() -> None:
    assert len(KINDS) >= 6


@pytest.mark.parametrize("name", KINDS)
def test_objects_are_read_with_parameters_that_their_methods_have(name: str) -> None:
    each: AnyObjects = KINDS[name]
    taken = {field.name for field in fields_of(each.method.params)}
    sent = {each.by, *(key for key, _ in (*each.chosen, *each.every))} - {""}
    assert {key.partition("[")[0] for key in sent} <= taken
    assert {each.search} - {""} <= {field.name for field in fields_of((each.finder or each.method).params)}


def test_filter_takes_the_name_of_an_affiliate_or_of_an_advertiser(api: Api) -> None:
    (first, _), (second, _) = api.add_affiliate(name="Harbor"), api.add_affiliate(name="Lighthouse")
    visitor = staff_visitor(api)
    text = visitor.read("/console/conversions?affiliate=harbo").text
    assert f"Affiliate is Harbor (#{first})" in text and f"#{second})" not in text.partition("Affiliate is")[2][:40]
    assert "A value of Affiliate does not exist" in visitor.read("/console/conversions?affiliate=pier").text
    for title in ("Boots", "Shoes"):
        api.admin.post("/3.1/admin/advertiser", title=title)
    assert "Advertiser is Boots" in visitor.read("/console/conversions?advertiser=boot").text
    assert "A value of Advertiser does not exist" in visitor.read("/console/conversions?advertiser=pier").text
