"""Pixels of affiliates (docs/api/pixels.md)."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Final

from sqlalchemy import Connection, func, select

from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.pixels import ACCEPTED, NewPixel, Pixel
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import pixel

_SHOWN: Final = (pixel.c.is_active, pixel.c.moderation_status == ACCEPTED)
_ROWS: Final = Rows[Pixel, int](pixel, Pixel)
edit_pixel = _ROWS.edit
remove_pixel = _ROWS.remove


def add_pixel(conn: Connection, new: NewPixel) -> Pixel:
    """Store a new pixel and return it with its id."""
    return Pixel(id=_ROWS.add_numbered(conn, new), **asdict(new))


def count_of_affiliate(conn: Connection, affiliate_id: int) -> int:
    """Return the number of an affiliate's pixels."""
    return conn.execute(select(func.count()).where(pixel.c.affiliate_id == affiliate_id)).scalar_one()


def find_pixel(conn: Connection, scope: Scope, pixel_id: int, *, lock: bool = False) -> Pixel | None:
    """Return the pixel of an id in scope, or None; `lock` works as in `Rows.find`."""
    found = _ROWS.find(conn, pixel_id, lock=lock)
    return found if found is not None and scope.has_affiliate(found.affiliate_id) else None


def list_pixels(
    conn: Connection, scope: Scope, affiliate_ids: Collection[int] = (), statuses: Collection[int] = ()
) -> list[Pixel]:
    """Return the pixels of the affiliates in scope, oldest first. affiliate_ids, statuses: none = all."""
    conditions = in_scope(scope, affiliate=pixel.c.affiliate_id)
    if affiliate_ids:
        conditions.append(pixel.c.affiliate_id.in_(affiliate_ids))
    if statuses:
        conditions.append(pixel.c.moderation_status.in_(statuses))
    return _ROWS.read(conn, select(pixel).where(*conditions).order_by(pixel.c.id))


def rule_key(offer_id: int, affiliate_id: int) -> str:
    """Return the key of the ruleset row of an affiliate's pixels for an offer."""
    return f"{offer_id}-{affiliate_id}"


def parse_rule_key(key: str) -> tuple[int, int]:
    """Return the offer and the affiliate of such a key."""
    offer_id, _, affiliate_id = key.partition("-")
    return int(offer_id), int(affiliate_id)


def shown_pixels(conn: Connection, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[str]]:
    """Return the code of active, accepted pixels, oldest first, by (offer, affiliate)."""
    columns = pixel.c
    wanted = set(pairs)
    rows = conn.execute(
        select(columns.offer_id, columns.affiliate_id, columns.code)
        .where(columns.affiliate_id.in_({affiliate_id for _, affiliate_id in wanted}))
        .where(columns.offer_id.in_({offer_id for offer_id, _ in wanted}), *_SHOWN)
        .order_by(columns.id)
    )
    shown: dict[tuple[int, int], list[str]] = defaultdict(list)
    for row in rows:
        if (row.offer_id, row.affiliate_id) in wanted:
            shown[row.offer_id, row.affiliate_id].append(row.code)
    return shown


def list_rule_keys(conn: Connection) -> list[str]:
    """Return the keys of all ruleset rows with pixels to show."""
    columns = pixel.c
    pairs = select(columns.offer_id, columns.affiliate_id).where(*_SHOWN).distinct()
    rows = conn.execute(pairs.order_by(columns.offer_id, columns.affiliate_id))
    return [rule_key(row.offer_id, row.affiliate_id) for row in rows]
