"""Reads the analytic store for `trackyard audit`."""

from decimal import Decimal
from typing import Final

import msgspec

from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.conversions.postbacks import PostbackError

MODULUS: Final = 2**64
_DIGEST_SUM: Final = "sum(reinterpretAsUInt64(reverse(unhex(substring(id, 9, 16)))))"
"""The sum of the last 8 bytes of ids as numbers, modulo 2**64.

Two sets of ids with the same count and sum are equal, except with a probability of 1 in 2**64.
"""


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
    """Return the number of one id in a sum of `sum_journal`."""
    return int(record_id[8:], 16)


def sum_journal(analytics: Analytics, table: str, journal: str, end: int) -> tuple[int, int]:
    """Return the number of rows of a journal before byte `end`, and the sum of their digests."""
    sql = (
        f"SELECT count(), {_DIGEST_SUM} FROM `{table}` WHERE journal = {{journal:String}} AND position < {{end:Int64}}"
    )
    [(count, total)] = analytics.rows(sql, {"journal": journal, "end": end}, tuple[int, int])
    return count, total % MODULUS


def ids_by_position(analytics: Analytics, table: str, journal: str, end: int) -> dict[int, str]:
    """Return the id of each row of a journal before byte `end`, by position."""
    sql = f"SELECT position, id FROM `{table}` WHERE journal = {{journal:String}} AND position < {{end:Int64}}"
    return dict(analytics.rows(sql, {"journal": journal, "end": end}, tuple[int, str]))


def find_logged_positions(analytics: Analytics, journal: str) -> set[int]:
    """Return the positions of the postbacks of a journal in the server postback log."""
    sql = (
        "SELECT DISTINCT position FROM server_log WHERE journal = {journal:String} AND method NOT IN ('EDIT', 'IMPORT')"
    )
    return {row[0] for row in analytics.rows(sql, {"journal": journal}, tuple[int])}


def effective_postbacks(analytics: Analytics, since: str) -> dict[str, str]:
    """Return the conversions that postbacks created or changed, by the postback's id from one on.

    The source is the server postback log.
    """
    sql = (
        "SELECT id, argMax(conversion_id, revision) FROM server_log "
        "WHERE method NOT IN ('EDIT', 'IMPORT') AND id >= {since:String} "
        "GROUP BY id HAVING argMax(response, revision) = ''"
    )
    return dict(analytics.rows(sql, {"since": since}, tuple[str, str]))


def refused_imports(analytics: Analytics, since: str) -> list[tuple[str, str]]:
    """Return the imports from an id on that made no conversion, with the reason; repeats made one before.

    The source is the server postback log.
    """
    sql = (
        "SELECT id, argMax(response, revision) AS reason FROM server_log "
        "WHERE method = 'IMPORT' AND id >= {since:String} "
        "GROUP BY id HAVING reason NOT IN ('', {repeat:String}) ORDER BY id"
    )
    return analytics.rows(sql, {"since": since, "repeat": PostbackError.EXISTS.value}, tuple[str, str])


def conversion_events_between(analytics: Analytics, since: int, until: int) -> list[ConversionEventRow]:
    """Return the events of conversions created from `since` to `until` (UTC ms, exclusive)."""
    columns = ", ".join(ConversionEventRow.__struct_fields__)
    sql = f"SELECT {columns} FROM fact WHERE time >= {{since:Int64}} AND time < {{until:Int64}}"
    return analytics.rows(sql, {"since": since, "until": until}, ConversionEventRow)
