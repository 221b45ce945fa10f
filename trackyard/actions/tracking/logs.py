"""The postback logs and the history of a conversion, for a caller's scope."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.names import EntityNames
from trackyard.analytics.reports import logs
from trackyard.analytics.reports.clicks import find_records
from trackyard.analytics.reports.logs import LogPage, list_affiliate_log, list_server_log
from trackyard.base.errors import NotFound
from trackyard.base.ids import is_hex24
from trackyard.domain.conversions.conversions import ConversionHistoryEntry
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog
from trackyard.journal.records import decode_click
from trackyard.store.conversions import conversions
from trackyard.store.offers import offers
from trackyard.store.people import affiliates


@dataclass(frozen=True, slots=True)
class ServerLogRecord:
    """A received postback. click: the record of its click by column name, or None."""

    log: ServerPostbackLog
    click: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class AffiliateLogRecord:
    """An attempt of an outbound postback. event: the conversion as it was then, or None."""

    log: AffiliatePostbackLog
    event: ConversionHistoryEntry | None


def list_server_records(deps: Deps, access: Access, query: LogQuery) -> tuple[list[ServerLogRecord], int, EntityNames]:
    """Return a page of the server postback log, the number of records, and their names.

    The query's scope becomes the caller's.
    """
    page: LogPage[ServerPostbackLog] = list_server_log(deps.analytics, _scoped(deps, access, query))
    loaded = find_records(deps.analytics, [log.click_id for log in page.records])
    clicks = {number: msgspec.structs.asdict(decode_click(record)) for number, record in loaded.items()}
    with deps.database.read() as conn:
        # The made-up click of an import is only in SQL.
        conversion_ids = {log.conversion_id for log in page.records if log.conversion_id and log.click_id not in clicks}
        imported = conversions.clicks_of(conn, conversion_ids)
        found = [
            ServerLogRecord(log, clicks.get(log.click_id) or imported.get(log.conversion_id)) for log in page.records
        ]
        mentioned = [item.click for item in found if item.click is not None]
        names = EntityNames(
            offers=offers.names_of(conn, {click["offer"] for click in mentioned}),
            affiliates=affiliates.names_of(conn, {click["affiliate"] for click in mentioned}),
        )
    return found, page.total_count, names


def list_refused_imports(deps: Deps, access: Access, query: LogQuery) -> tuple[Sequence[ServerPostbackLog], int]:
    """Return a page of the caller's imports that made no conversion, and their number.

    The query's scope becomes the caller's.
    """
    page = logs.list_refused_imports(deps.analytics, _scoped(deps, access, query), access.caller.name)
    return page.records, page.total_count


def list_affiliate_records(deps: Deps, access: Access, query: LogQuery) -> tuple[list[AffiliateLogRecord], int]:
    """Return a page of the affiliate postback log and the number of records.

    An affiliate sees only its own postbacks. The query's scope becomes the caller's.
    """
    query = replace(query, include_cross=access.affiliate_id is None)
    page = list_affiliate_log(deps.analytics, _scoped(deps, access, query))
    with deps.database.read() as conn:
        events = conversions.history_entries_of(conn, {(log.conversion_id, log.version) for log in page.records})
    found = [AffiliateLogRecord(log, events.get((log.conversion_id, log.version))) for log in page.records]
    return found, page.total_count


def get_conversion_id(deps: Deps, access: Access, conversion_id: str) -> str:
    """Return the id of a conversion in the caller's scope. Raises NotFound."""
    if not is_hex24(conversion_id):
        raise NotFound
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found = conversions.find_references(conn, scope, ids=[conversion_id], action_ids=(), click_ids=())
    if not found:
        raise NotFound
    return found[0].id


def list_conversion_events(
    deps: Deps, conversion_id: str, *, page: int, limit: int
) -> tuple[list[ConversionHistoryEntry], int]:
    """Return a page of the states of a conversion, oldest first, and the total."""
    with deps.database.read() as conn:
        return conversions.list_history(conn, conversion_id, page=page, limit=limit)


def _scoped(deps: Deps, access: Access, query: LogQuery) -> LogQuery:
    with deps.database.read() as conn:
        return replace(query, scope=scope_of(conn, access))
