"""Conversions that come from the address of their click (docs/spec/conversions.md)."""

from prometheus_client import REGISTRY
from sqlalchemy import select

from tests.support.limited_offer import LimitedOffer
from trackyard.store.tables import conversion


def counted() -> float:
    return REGISTRY.get_sample_value("trackyard_conversions_from_click_address_total") or 0.0


def test_conversion_from_the_address_of_its_click_is_marked_and_counted(limited: LimitedOffer) -> None:
    click, before = limited.click(), counted()
    for action_id, caller in (("desk", click.ip), ("server", "192.0.2.9"), ("desk", click.ip)):
        assert limited.send(click, action_id=action_id, caller=caller, ip=click.ip) == click
        limited.settle()
    columns = conversion.c
    with limited.database.read() as conn:
        rows = conn.execute(select(columns.action_id, columns.from_click_address, columns.status)).all()
    assert sorted(tuple(row) for row in rows) == [("desk", True, "confirmed"), ("server", False, "confirmed")]
    assert counted() - before == 1
