"""What the analytic store says for `trackyard audit`."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics

MODULUS: Final = 2**64
_DIGEST_SUM: Final = "sum(reinterpretAsUInt64(reverse(unhex(substring(id, 9, 16)))))"
"""Adds the last 8 bytes of ids as numbers, modulo 2**64: two sets of ids with the same count and sum are the same but
by a chance of 1 in 2**64."""


class ConversionEventRow(msgspec.Struct, array_like=True, frozen=True):
    """A signed row of one conversion's version."""

    conversion_id: str
    version: int
    sign: int
    status: int
    offer: int
    affiliate: int
    currency: str
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal


def digest(record_id: str) -> int:
    """What one id adds to a sum of `sum_journal`."""
    return int(record_id[8:], 16)


def sum_journal(analytics: Analytics, table: str, journal: str, end: int) -> tuple[int, int]:
    """Rows of `click` or `view` from a journal before byte `end`: how many, and the sum of their ids' digests."""
    sql = (
        f"SELECT count(), {_DIGEST_SUM} FROM `{table}` WHERE journal = {{journal:String}} AND position < {{end:Int64}}"
    )
    [(count, total)] = analytics.rows(sql, {"journal": journal, "end": end}, tuple[int, int])
    return count, total % MODULUS


def ids_by_position(analytics: Analytics, table: str, journal: str, end: int) -> dict[int, str]:
    """By position the id of each row of a journal before byte `end`."""
    sql = f"SELECT position, id FROM `{table}` WHERE journal = {{journal:String}} AND position < {{end:Int64}}"
    return dict(analytics.rows(sql, {"journal": journal, "end": end}, tuple[int, str]))


def find_logged_positions(analytics: Analytics, journal: str) -> set[int]:
    """Where the calls of a journal stand that the server postback log tells of."""
    sql = (
        "SELECT DISTINCT position FROM server_log WHERE journal = {journal:String} AND method NOT IN ('EDIT', 'IMPORT')"
    )
    return {row[0] for row in analytics.rows(sql, {"journal": journal}, tuple[int])}


def effective_postbacks(analytics: Analytics, since: str) -> dict[str, str]:
    """By id of a call, from one on, the conversion that it made or changed, as the server postback log tells."""
    sql = (
        "SELECT id, argMax(conversion_id, revision) FROM server_log "
        "WHERE method NOT IN ('EDIT', 'IMPORT') AND id >= {since:String} "
        "GROUP BY id HAVING argMax(response, revision) = ''"
    )
    return dict(analytics.rows(sql, {"since": since}, tuple[str, str]))


def conversion_events_between(analytics: Analytics, since: int, until: int) -> list[ConversionEventRow]:
    """The rows of `fact` for conversions created from `since` to `until` (UTC ms, exclusive)."""
    columns = ", ".join(ConversionEventRow.__struct_fields__)
    sql = f"SELECT {columns} FROM fact WHERE time >= {{since:Int64}} AND time < {{until:Int64}}"
    window: Mapping[str, int] = {"since": since, "until": until}
    return analytics.rows(sql, window, ConversionEventRow)
