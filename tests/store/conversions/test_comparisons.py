"""Comparisons of files and the conversions that they name, on both engines."""

from typing import Any

from tests.support.models.events import new_click
from tests.support.models.history import conversion_of
from trackyard.domain.conversions.comparisons.matching import Side
from trackyard.domain.conversions.comparisons.records import Comparison
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.people.scope import Scope
from trackyard.store.conversions import comparisons, conversions
from trackyard.store.engine.database import Database

MADE = Comparison(
    id="a" * 24, side=Side.AFFILIATE, subject_id="7", file_name="f", created_by="staff:1", created_at=5,
    day_from="2023-11-14", day_to="2023-11-15", zone="UTC", columns={"sum": "Sum"}, words={"hold": ["x"]},
    sums=[{"currency": "USD"}], rows=1, differences=[{"class": "other_sum", "our_sum": "1.0000"}], accepted=[],
)  # fmt: skip


def test_comparison_is_read_by_its_maker(database: Database) -> None:
    with database.write() as conn:
        comparisons.add_comparison(conn, MADE)
        assert comparisons.find_comparison(conn, MADE.id, "staff:1", lock=True) == MADE
        assert comparisons.find_comparison(conn, MADE.id, None) == MADE
        assert comparisons.find_comparison(conn, MADE.id, "staff:2") is None
        comparisons.set_accepted(conn, MADE.id, ["c"])
        own = [comparisons.of_subject(Side.AFFILIATE, "7"), comparisons.by("staff:1")]
        [listed], total = comparisons.list_comparisons(conn, own, page=1, limit=9)
        assert (listed.accepted, listed.differences, total) == (["c"], [], 1)


def test_named_conversions_are_found_in_scope(database: Database) -> None:
    changes = []
    for number, affiliate in ((1, 7), (2, 8)):
        click = new_click(number, offer=3, affiliate=affiliate)
        changes.append(ConversionChange(None, conversion_of(click, number, action_id=f"a{number}"), "test"))
    named: dict[str, Any] = {"ids": [f"{1:024x}"], "click_ids": [], "action_ids": ["a2", "a9"]}
    with database.write() as conn:
        conversions.record_changes(conn, changes)
        found = comparisons.list_named(conn, Scope(), Side.AFFILIATE, "8", **named)
        assert [(each.action_id, each.is_own, each.was_reported) for each in found] == [
            ("a2", True, False), ("a1", False, False),
        ]  # fmt: skip
        scope = Scope(affiliate_ids=frozenset({7}))
        assert [each.action_id for each in comparisons.list_named(conn, scope, Side.AFFILIATE, "8", **named)] == ["a1"]
        whole = (0, 2**52)
        assert len(comparisons.list_of_side(conn, Scope(), Side.AFFILIATE, "8", whole, 9)) == 1
        assert len(comparisons.list_of_side(conn, Scope(), Side.ADVERTISER, "", whole, 9)) == 2
