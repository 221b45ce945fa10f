"""Which offers have caps of conversions or of a budget that refuse clicks now (behaviour.md §5, Caps)."""

from collections.abc import Sequence

from sqlalchemy import Connection

from trackyard.domain.rules import FullCaps


def compile_full_caps(conn: Connection, offer_ids: Sequence[int]) -> list[FullCaps]:
    """The full caps of these offers; an offer without any is absent."""
    return []
