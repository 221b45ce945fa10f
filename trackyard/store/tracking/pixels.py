"""Pixels of affiliates (docs/api/pixels.md)."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.pixels import ACCEPTED
from trackyard.store.tables import pixel

_SHOWN: Final = (pixel.c.is_active, pixel.c.moderation_status == ACCEPTED)


@dataclass(frozen=True, slots=True)
class NewPixel:
    """What a new row holds. code_type, moderation_status: domain/tracking/pixels.py · times UTC ms."""

    affiliate_id: int
    offer_id: int
    name: str
    code: str
    code_type: str
    is_active: bool
    moderation_status: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixel(NewPixel):
    """A row of the table."""

    id: int


def add_pixel(conn: Connection, new: NewPixel) -> Pixel:
    """Stores a new one."""
    number = conn.execute(insert(pixel).values(**asdict(new)).returning(pixel.c.id)).scalar_one()
    return Pixel(id=int(number), **asdict(new))


def find_pixel(conn: Connection, scope: Scope, pixel_id: int, *, lock: bool = False) -> Pixel | None:
    """Return a pixel in scope; None when there is none. `lock`: until this transaction ends."""
    statement = select(pixel).where(pixel.c.id == pixel_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    if row is None or not scope.has_affiliate(row.affiliate_id):
        return None
    return Pixel(**row._mapping)


def list_pixels(
    conn: Connection, scope: Scope, affiliate_ids: Collection[int] = (), statuses: Collection[int] = ()
) -> list[Pixel]:
    """Return the pixels of the affiliates in scope, oldest first. affiliate_ids, statuses: none = all."""
    query = select(pixel).order_by(pixel.c.id)
    if affiliate_ids:
        query = query.where(pixel.c.affiliate_id.in_(affiliate_ids))
    if statuses:
        query = query.where(pixel.c.moderation_status.in_(statuses))
    if scope.affiliate_ids is not None:
        query = query.where(pixel.c.affiliate_id.in_(scope.affiliate_ids))
    return [Pixel(**row._mapping) for row in conn.execute(query)]


def edit_pixel(conn: Connection, pixel_id: int, values: Mapping[str, Any]) -> None:
    """Sets columns of a pixel."""
    conn.execute(update(pixel).where(pixel.c.id == pixel_id).values(**values))


def remove_pixel(conn: Connection, pixel_id: int) -> None:
    """Removes it."""
    conn.execute(delete(pixel).where(pixel.c.id == pixel_id))


def rule_key(offer_id: int, affiliate_id: int) -> str:
    """Return the key of the ruleset row of an affiliate's pixels for an offer."""
    return f"{offer_id}-{affiliate_id}"


def parse_rule_key(key: str) -> tuple[int, int]:
    """The offer and the affiliate of a rule's key."""
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
    """The keys of every rule that has pixels to show."""
    columns = pixel.c
    pairs = select(columns.offer_id, columns.affiliate_id).where(*_SHOWN).distinct()
    rows = conn.execute(pairs.order_by(columns.offer_id, columns.affiliate_id))
    return [rule_key(row.offer_id, row.affiliate_id) for row in rows]
