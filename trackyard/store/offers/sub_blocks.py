"""Values of subs that rules block for an affiliate on an offer (docs/spec/automation.md#actions)."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select

from trackyard.store.tables import sub_block

BlockedSubs = dict[int, dict[int, tuple[str, ...]]]
"""Blocked values by affiliate and number of the sub."""


class SubBlock(NamedTuple):
    """A blocked value. firing_id: of the firing that blocks it. sub: its number."""

    firing_id: str
    offer_id: int
    affiliate_id: int
    sub: int
    value: str


def add_block(conn: Connection, block: SubBlock) -> None:
    """Block a value; the caller gives the offer's ruleset row a new version."""
    conn.execute(insert(sub_block).values(**block._asdict()))


def remove_blocks(conn: Connection, firing_ids: Collection[str]) -> list[int]:
    """Remove the blocks of firings and return their offers."""
    gone = delete(sub_block).where(sub_block.c.firing_id.in_(firing_ids)).returning(sub_block.c.offer_id)
    return sorted(set(conn.execute(gone).scalars()))


def blocks_of(conn: Connection, offer_ids: Sequence[int]) -> dict[int, BlockedSubs]:
    """Return the blocked values of offers, by offer."""
    columns = sub_block.c
    query = (
        select(columns.offer_id, columns.affiliate_id, columns.sub, columns.value)
        .where(columns.offer_id.in_(offer_ids))
        .distinct()
        .order_by(columns.offer_id, columns.affiliate_id, columns.sub, columns.value)
    )
    found: dict[int, BlockedSubs] = defaultdict(lambda: defaultdict(dict))
    for row in conn.execute(query):
        subs = found[row.offer_id][row.affiliate_id]
        subs[row.sub] = (*subs.get(row.sub, ()), row.value)
    return found
