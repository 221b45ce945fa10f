"""The eight subs of a click are stated once in each record that has them."""

import ast
from typing import Annotated, get_type_hints

import msgspec

from tests.arch.sources import nodes_of
from tests.arch.test_code_rules import PACKAGE
from trackyard.api.every_sub import with_every_sub
from trackyard.domain.offers.payments import Payment
from trackyard.domain.tracking.subs import SUBS, with_subs
from trackyard.wire.request import scalars
from trackyard.wire.request.params import Params, fields_of

LEFT = {"Click"}
"""The compiled record of a click states each sub: some have slices (domain/statistics/click_columns.py)."""


def test_struct_with_subs_has_all_in_the_place_of_the_first() -> None:
    @with_subs
    class Counted(msgspec.Struct, frozen=True, kw_only=True):
        """Counted clicks."""

        title: str
        sub1: str = ""
        count: int

    assert Counted.__struct_fields__ == ("title", *SUBS, "count")
    assert get_type_hints(Counted)["sub8"] is str and Counted.__doc__ == "Counted clicks."
    made = msgspec.convert({"title": "a", "sub8": "x", "count": 2}, Counted)
    assert msgspec.to_builtins(made)["sub8"] == "x" and msgspec.to_builtins(made)["sub2"] == ""
    assert made.__struct_config__.frozen


def test_stored_payments_read_each_sub() -> None:
    stored = {"currency": "USD", **{name: f"{name} value" for name in SUBS}}
    assert msgspec.to_builtins(msgspec.convert(stored, Payment)).items() >= stored.items()


def test_parameters_with_every_sub_keep_the_ones_that_they_state() -> None:
    @with_every_sub
    class Chosen(Params):
        goal: scalars.Text = ""
        sub1: Annotated[str, scalars.BoundedText(maximum=3)] = ""
        sub7: scalars.LongText = "seven"
        title: scalars.Text = ""

        def subs(self) -> list[str]:
            return [getattr(self, name) for name in SUBS]

    names = [field.name for field in fields_of(Chosen)]
    assert names[0] == "goal" and names[-1] == "title" and sorted(names[1:-1]) == list(SUBS)
    sent = Chosen.model_validate({"sub3": "abc"}, context={})
    assert sent.subs() == ["", "", "abc", "", "", "", "seven", ""]


def test_no_other_record_states_several_subs() -> None:
    found = {
        node.name
        for path in PACKAGE
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
        and {"sub1", "sub2", "sub3"}
        <= {
            each.target.id
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
    }
    assert found == LEFT
