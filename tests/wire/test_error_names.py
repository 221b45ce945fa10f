"""Faults have the names that were sent, whatever numbers a list has."""

from typing import Any

import pytest
from pydantic import Field

from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import CommaList, Keyed, Params, Seq
from trackyard.wire.request.parsing import as_sent


class NamedItem(Params):
    offer: s.Int
    goals: Seq[s.Text] = ()


class NamingParams(Params):
    offer: s.Int | None = None
    items: Seq[NamedItem] = Field(default=(), alias="list")
    ids: CommaList[s.Int] = ()
    days: Keyed[s.Int, Seq[NamedItem]] = Field(default_factory=dict)


ITEM = {"offer": "1"}


@pytest.mark.parametrize(
    ("tree", "found", "sent"),
    [
        ({"list": {"1": ITEM, "5": ITEM}}, "list[1][offer]", "list[5][offer]"),
        ({"list": {"10": ITEM, "9": ITEM}}, "list[0][offer]", "list[9][offer]"),
        ({"list": {"10": ITEM, "9": ITEM}}, "list[1]", "list[10]"),
        ({"list": {"0": ITEM, "1": ITEM}}, "list[1][offer]", "list[1][offer]"),
        ({"list": [ITEM, {"goals": {"3": "x", "4": "y"}}]}, "list[1][goals][1]", "list[1][goals][4]"),
        ({"list": {"7": {"goals": {"3": "x"}}}}, "list[0][goals][0]", "list[7][goals][3]"),
        ({"list": {"7": ITEM}}, "list", "list"),
        ({"list": {"7": ITEM}}, "list[4][offer]", "list[4][offer]"),
        ({"ids": {"2": "1,x", "3": "4"}}, "ids[1]", "ids[1]"),
        ({"ids": {"0": ["1", "x"]}}, "ids[1]", "ids[1]"),
        ({"ids": "1,x"}, "ids[1]", "ids[1]"),
        ({"days": {"6": {"2": ITEM}}}, "days[6][0][offer]", "days[6][2][offer]"),
        ({"days": {"0": {"2": ITEM}, "6": {}}}, "days[6]", "days[6]"),
        ({"offer": "x"}, "offer", "offer"),
        ({"list": {"3": ITEM}}, "body", "body"),
        ({"list": {"3": ITEM}}, "Idempotency-Key", "Idempotency-Key"),
    ],
)
def test_parameter_errors_use_sent_names(tree: dict[str, Any], found: str, sent: str) -> None:
    assert as_sent(NamingParams, tree, {found: ["A sentence."]}) == {sent: ["A sentence."]}
