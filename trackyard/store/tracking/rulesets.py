"""The ruleset in SQL: the versions of its rows, and their compilation.

docs/spec/engine.md#rulesets. Every write that changes a row calls `touch` in its transaction. The clock is one row, and
its lock is held to the commit. So versions become visible in their order: a reader of version n has missed none below.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, select, update

from trackyard.domain.offers.offers import SubAccountList
from trackyard.domain.people.advertisers import AffiliateLists
from trackyard.domain.tracking.ruleset import (
    UNIQUE_HOURS,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetPixels,
    RulesetPlatform,
    RulesetRow,
    RulesetSmartLink,
    RulesetSmartLinkOffer,
)
from trackyard.store.engine.dialect import upsert
from trackyard.store.offers import full_caps, smartlinks
from trackyard.store.people import blacklist
from trackyard.store.platform import settings
from trackyard.store.tables import (
    advertiser,
    affiliate,
    connection,
    offer,
    offer_label,
    rule_change,
    rule_clock,
    smartlink_category,
)
from trackyard.store.tracking import pixels, ruleset_offers

PLATFORM_KEY = "platform"

_CHUNK = 500
_NONE: Final = AffiliateLists()


@dataclass(frozen=True, slots=True)
class RulesetChange:
    """A ruleset row, and the version of its last change."""

    version: int
    kind: str
    key: str


def touch(conn: Connection, kind: str, key: str | int) -> None:
    """Give the ruleset row of (kind, key) a new version, in the transaction that changes it."""
    touch_all(conn, kind, [key])


def touch_all(conn: Connection, kind: str, keys: Iterable[str | int]) -> None:
    """Give the ruleset rows of several keys of one kind new versions."""
    wanted = list(dict.fromkeys(str(key) for key in keys))
    if not wanted:
        return
    last = conn.execute(
        update(rule_clock)
        .where(rule_clock.c.id == 1)
        .values(version=rule_clock.c.version + len(wanted))
        .returning(rule_clock.c.version)
    ).scalar_one()
    first = int(last) - len(wanted) + 1
    rows = [{"kind": kind, "key": key, "version": first + place} for place, key in enumerate(wanted)]
    for start in range(0, len(rows), _CHUNK):
        statement = upsert(conn, rule_change).values(rows[start : start + _CHUNK])
        conn.execute(
            statement.on_conflict_do_update(
                index_elements=["kind", "key"], set_={"version": statement.excluded.version}
            )
        )


def ruleset_version(conn: Connection) -> int:
    """Return the version of the last change; 0 without one."""
    return int(conn.execute(select(rule_clock.c.version).where(rule_clock.c.id == 1)).scalar_one())


def changes_since(conn: Connection, since: int, limit: int) -> list[RulesetChange]:
    """Return at most `limit` changes after version `since`, oldest first."""
    rows = conn.execute(
        select(rule_change.c.version, rule_change.c.kind, rule_change.c.key)
        .where(rule_change.c.version > since)
        .order_by(rule_change.c.version)
        .limit(limit)
    )
    return [RulesetChange(row.version, row.kind, row.key) for row in rows]


def compile_row(conn: Connection, kind: str, key: str) -> RulesetRow | None:
    """Return the row of (kind, key) now; None when there is none (a tombstone)."""
    return compile_rows(conn, kind, [key]).get(key)


def compile_rows(conn: Connection, kind: str, keys: Sequence[str]) -> dict[str, RulesetRow]:
    """Return the rows of several keys of one kind; a key without a row is absent."""
    compiled: dict[str, RulesetRow] = {}
    for start in range(0, len(keys), _CHUNK):
        compiled.update(_COMPILERS[kind](conn, keys[start : start + _CHUNK]))
    return compiled


def each_row(conn: Connection) -> Iterator[tuple[str, str, RulesetRow]]:
    """Yield every row as (kind, key, row); `ruleset_version` of the same transaction makes it a snapshot."""
    for kind in _COMPILERS:
        keys = _list_keys(conn, kind)
        for start in range(0, len(keys), _CHUNK):
            for key, row in _COMPILERS[kind](conn, keys[start : start + _CHUNK]).items():
                yield kind, key, row


def _platform(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    if PLATFORM_KEY not in keys:
        return {}
    return {
        PLATFORM_KEY: RulesetPlatform(
            trafficback_url=settings.find_setting(conn, settings.TRAFFICBACK_URL) or "",
            timezone=settings.find_setting(conn, settings.TIMEZONE) or "UTC",
            refuse_bots=settings.find_setting(conn, settings.REFUSE_BOTS) is not False,
        )
    }


def _advertisers(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    columns = advertiser.c
    rows = conn.execute(
        select(
            *(columns.id, columns.sub_accounts, columns.consider_personal_targeting_only),
            *(columns.subaccounts_encryption, columns.subs_key),
            *(columns.host_uniqueness_number_unique_clicks, columns.host_uniqueness_time_frame),
        )
        .where(columns.id.in_(keys))
        .order_by(columns.id)
    ).all()
    named = blacklist.lists_of(conn, [row.id for row in rows])
    return {
        row.id: RulesetAdvertiser(
            id=row.id,
            blacklist=frozenset(named.get(row.id, _NONE).disabled),
            enabled=frozenset(named.get(row.id, _NONE).enabled),
            sub_accounts={
                number: SubAccountList(values=_values(held["value"]), exclude=bool(held["except"]))
                for number, held in row.sub_accounts.items()
                if held["value"]
            },
            personal_only=row.consider_personal_targeting_only,
            subs_key=(row.subs_key or "") if row.subaccounts_encryption else "",
            unique_clicks=row.host_uniqueness_number_unique_clicks or 1,
            unique_hours=row.host_uniqueness_time_frame or UNIQUE_HOURS,
        )
        for row in rows
    }


def _values(text: str) -> tuple[str, ...]:
    return tuple(value for value in text.split(",") if value)


def _affiliates(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    columns = affiliate.c
    rows = conn.execute(
        select(columns.id, columns.status, columns.name, columns.server_clicks, columns.server_ip).where(
            columns.id.in_(_integers(keys))
        )
    )
    return {
        str(row.id): RulesetAffiliate(
            id=row.id,
            name=row.name or "",
            server_networks=tuple(row.server_ip) if row.server_clicks else (),
            rejection=row.status.rule.click_reason,
        )
        for row in rows
    }


def _offers(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    return {str(row.id): row for row in ruleset_offers.compile_offers(conn, _integers(keys))}


def _connections(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    numbers = _integers(keys)
    rows = conn.execute(
        select(connection.c.offer_id, connection.c.affiliate_id, connection.c.enabled)
        .where(connection.c.offer_id.in_(numbers))
        .order_by(connection.c.offer_id, connection.c.affiliate_id)
    )
    linked: dict[int, dict[bool, list[int]]] = defaultdict(lambda: {True: [], False: []})
    for row in rows:
        linked[row.offer_id][row.enabled].append(row.affiliate_id)
    return {
        str(number): RulesetConnections(offer=number, affiliates=tuple(ids[True]), disconnected=tuple(ids[False]))
        for number, ids in linked.items()
    }


def _full_caps(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    return {str(row.offer): row for row in full_caps.compile_full_caps(conn, _integers(keys))}


def _smartlinks(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    columns = smartlink_category.c
    found: dict[str, list[RulesetSmartLinkOffer]] = {
        each: [] for each in conn.execute(select(columns.id).where(columns.id.in_(keys))).scalars()
    }
    rows = conn.execute(
        select(offer_label.c.value, offer.c.id, offer.c.week_epc)
        .join(offer, offer.c.id == offer_label.c.offer_id)
        .where(offer_label.c.kind == smartlinks.LABEL_KIND, offer_label.c.value.in_(found))
        .where(offer.c.removed_at.is_(None))
        .order_by(offer.c.week_epc.desc(), offer.c.id)
    )
    for row in rows:
        found[row.value].append(RulesetSmartLinkOffer(row.id, float(row.week_epc)))
    return {each: RulesetSmartLink(each, tuple(offers)) for each, offers in found.items()}


def _pixels(conn: Connection, keys: Sequence[str]) -> dict[str, RulesetRow]:
    shown = pixels.shown_pixels(conn, [pixels.parse_rule_key(key) for key in keys])
    return {
        pixels.rule_key(offer_id, affiliate_id): RulesetPixels(offer_id, affiliate_id, tuple(codes))
        for (offer_id, affiliate_id), codes in shown.items()
    }


def _integers(keys: Iterable[str]) -> list[int]:
    return [int(key) for key in keys]


def _list_keys(conn: Connection, kind: str) -> list[str]:
    if kind == "platform":
        return [PLATFORM_KEY]
    if kind == "pixels":
        return pixels.list_rule_keys(conn)
    return [str(key) for key in conn.execute(_KEYS[kind]).scalars()]


_COMPILERS: dict[str, Callable[[Connection, Sequence[str]], dict[str, RulesetRow]]] = {
    "platform": _platform,
    "advertiser": _advertisers,
    "affiliate": _affiliates,
    "offer": _offers,
    "connections": _connections,
    "full_caps": _full_caps,
    "smartlink": _smartlinks,
    "pixels": _pixels,
}
_OFFERS: Final = select(offer.c.id).where(offer.c.removed_at.is_(None)).order_by(offer.c.id)
_KEYS: Final = {
    "advertiser": select(advertiser.c.id).order_by(advertiser.c.id),
    "affiliate": select(affiliate.c.id).order_by(affiliate.c.id),
    "offer": _OFFERS,
    "connections": select(connection.c.offer_id).distinct().order_by(connection.c.offer_id),
    "full_caps": _OFFERS,
    "smartlink": select(smartlink_category.c.id).order_by(smartlink_category.c.id),
}
