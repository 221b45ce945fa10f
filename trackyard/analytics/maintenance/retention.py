"""The removal of old months, and of old or erased personal data (docs/decisions/0029).

A month is dropped when all of it is too old. Mutations empty personal data in place and keep sums: no report reads it.
One thread of a process calls these functions; several machines may do the same work twice.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.schema import CLICK_ID_SECOND
from trackyard.domain.platform.erasures import PERSONAL_COLUMNS, ErasedSubjects
from trackyard.journal.records import Click

_LOOKUP: Final = "click_lookup"
_PERSONAL_TABLES: Final = ("click", "view", "server_log", "affiliate_log")
_CLICK_FIELDS: Final = Click.__struct_fields__
_PERSONAL_INDEXES: Final = tuple(_CLICK_FIELDS.index(name) + 1 for name in PERSONAL_COLUMNS["click"])
_EMPTIED_RECORD: Final = (
    f"concat('[', arrayStringConcat(arrayMap((x, i) -> if(has({list(_PERSONAL_INDEXES)}, i), '\"\"', x), "
    "JSONExtractArrayRaw(record), arrayEnumerate(JSONExtractArrayRaw(record))), ','), ']')"
)
_HAS_PERSONAL_DATA: Final = f"arrayExists(i -> JSONExtractString(record, i) != '', {list(_PERSONAL_INDEXES)})"
_POLL_S: Final = 0.05
_DROP_SETTINGS: Final = "SETTINGS max_partition_size_to_drop = 0"


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a table. id: YYYYMM; rows: their number."""

    id: str
    rows: int

    @property
    def end(self) -> int:
        """Return its end, UTC milliseconds."""
        year, month = int(self.id[:4]), int(self.id[4:])
        return int(datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp() * 1000)

    @property
    def start(self) -> int:
        """Return its begin, UTC milliseconds."""
        return int(datetime(int(self.id[:4]), int(self.id[4:]), 1, tzinfo=UTC).timestamp() * 1000)


def list_months(analytics: Analytics, table: str) -> list[Month]:
    """Return the months of a table with rows, the oldest first."""
    sql = (
        f"SELECT partition_id, sum(rows) FROM {analytics.layout.system_table('parts')} "
        "WHERE active AND database = currentDatabase() AND table = {table:String} "
        "GROUP BY partition_id ORDER BY partition_id"
    )
    stored = {"table": analytics.layout.stored_table(table)}
    return [Month(*row) for row in analytics.rows(sql, stored, tuple[str, int])]


def drop_before(analytics: Analytics, table: str, cut: int) -> int:
    """Drop the months of a table that ended by `cut` (UTC ms); return the number of rows.

    Raises StoreError.
    """
    dropped = 0
    for month in list_months(analytics, table):
        if month.end <= cut:
            analytics.run(analytics.layout.alter_table(table, f"DROP PARTITION ID '{month.id}' {_DROP_SETTINGS}"))
            dropped += month.rows
    return dropped


def empty_before(analytics: Analytics, cut: int, done: set[tuple[str, str]]) -> Mapping[str, int]:
    """Empty personal data from before `cut` (UTC ms); return the rows by table. Raises StoreError.

    done: the (table, month) without personal data, extended here. Each other month costs one read of its columns.
    """
    emptied: dict[str, int] = {}
    for table in (*_PERSONAL_TABLES, _LOOKUP):
        for month in list_months(analytics, table):
            if month.start >= cut or (table, month.id) in done:
                continue
            old = f"{CLICK_ID_SECOND} < {cut // 1000}" if table == _LOOKUP else f"time < {cut}"
            count = _empty(analytics, table, old, month)
            emptied[table] = emptied.get(table, 0) + count
            if month.end <= cut:
                done.add((table, month.id))
    return {table: count for table, count in emptied.items() if count}


def find_ids_of_user(analytics: Analytics, user_id: str, until: int) -> list[str]:
    """Return the clicks and impressions of a user id up to `until` (UTC ms, inclusive)."""
    asked = "SELECT id FROM `{}` WHERE user_id = {{user:String}} AND time <= {{until:Int64}}"
    sql = f"SELECT id FROM ({asked.format('click')} UNION DISTINCT {asked.format('view')}) ORDER BY id"
    return [row[0] for row in analytics.rows(sql, {"user": user_id, "until": until}, tuple[str])]


def empty_erased(analytics: Analytics, erased: ErasedSubjects) -> Mapping[str, int]:
    """Empty the personal data of erased subjects; return the rows by table. Raises StoreError.

    `erased.clicks` must have the clicks and impressions of the erased user ids: logs have no user ids.
    """
    if not erased:
        return {}
    affiliates = _affiliate_conditions(erased)
    visits = _visit_condition(erased)
    clicks = _sql_list(erased.clicks)
    conversions = f"conversion_id IN (SELECT conversion_id FROM fact WHERE click_id IN {clicks})"
    conditions = {
        # The look-up is first: it has the id alone, and needs the columns of the clicks.
        _LOOKUP: f"id IN (SELECT toFixedString(unhex(id), 12) FROM click WHERE {visits})",
        "click": visits,
        "view": visits,
        "server_log": " OR ".join([*([f"click_id IN {clicks}"] if erased.clicks else []), *affiliates]),
        "affiliate_log": " OR ".join([*([conversions] if erased.clicks else []), *affiliates]),
    }
    emptied = {table: _empty(analytics, table, where) for table, where in conditions.items() if where}
    return {table: count for table, count in emptied.items() if count}


def count_erased(analytics: Analytics, erased: ErasedSubjects) -> Mapping[str, int]:
    """Return the rows that `empty_erased` would empty, of clicks and impressions by table.

    Raises ReportTooHeavy.
    """
    counts = {}
    for table in ("click", "view"):
        where = f"({_visit_condition(erased)}) AND ({_personal_data_condition(table)})"
        [(counts[table],)] = analytics.rows(f"SELECT count() FROM `{table}` WHERE {where}", {}, tuple[int])
    return counts


def _affiliate_conditions(erased: ErasedSubjects) -> list[str]:
    return [f"(affiliate = {number} AND time <= {at})" for number, at in erased.affiliates.items()]


def _visit_condition(erased: ErasedSubjects) -> str:
    """Return the condition that a click or impression is erased."""
    ids = [f"id IN {_sql_list(erased.clicks)}"] if erased.clicks else []
    users = [f"(user_id = {_sql_text(name)} AND time <= {at})" for name, at in erased.users.items() if name]
    return " OR ".join([*ids, *users, *_affiliate_conditions(erased)])


def _empty(analytics: Analytics, table: str, where: str, month: Month | None = None) -> int:
    """Empty personal data of rows of a table, or of one of its months; return their number."""
    condition = f"({where}) AND ({_personal_data_condition(table)})"
    of_month = f" AND _partition_id = '{month.id}'" if month else ""
    [(count,)] = analytics.rows(f"SELECT count() FROM `{table}` WHERE {condition}{of_month}", {}, tuple[int])
    if count:
        emptied = (
            f"record = {_EMPTIED_RECORD}"
            if table == _LOOKUP
            else ", ".join(f"{n} = ''" for n in PERSONAL_COLUMNS[table])
        )
        partition = f" IN PARTITION ID '{month.id}'" if month else ""
        analytics.run(analytics.layout.alter_table(table, f"UPDATE {emptied}{partition} WHERE {condition}"))
        _wait_for_mutations(analytics, table)
    return count


def _personal_data_condition(table: str) -> str:
    """Return the condition that a row has personal data."""
    return _HAS_PERSONAL_DATA if table == _LOOKUP else " OR ".join(f"{name} != ''" for name in PERSONAL_COLUMNS[table])


def _wait_for_mutations(analytics: Analytics, table: str) -> None:
    """Wait until the mutations of a table are done. Raises StoreError.

    They continue by themselves, also after a restart.
    """
    sql = (
        "SELECT mutation_id, latest_fail_reason "
        f"FROM {analytics.layout.system_table('mutations', every_replica=True)} "
        "WHERE database = currentDatabase() AND table = {table:String} AND NOT is_done"
    )
    stored = {"table": analytics.layout.stored_table(table)}
    while left := analytics.rows(sql, stored, tuple[str, str]):
        for mutation, reason in left:
            if reason:
                analytics.run(analytics.layout.kill_mutation(table, mutation))
                raise StoreError(f"personal data in {table} is not emptied: {reason}")
        time.sleep(_POLL_S)


def _sql_list(texts: Iterable[str]) -> str:
    """Return a list of ids, which are hex digits."""
    return f"({', '.join(_sql_text(text) for text in sorted(texts))})"


def _sql_text(text: str) -> str:
    """Return any text as SQL."""
    return f"unhex('{text.encode().hex()}')" if not text.isalnum() or not text.isascii() else f"'{text}'"
