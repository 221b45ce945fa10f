"""The ruleset rows of offers (domain/tracking/ruleset.py, RulesetOffer)."""

import logging
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, select

from trackyard.base.ids import is_hex24
from trackyard.domain.offers.choices import TAKING_CLICKS, HostUniqueness, Privacy, RedirectType
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.offers import LandingType, WeightedUrl
from trackyard.domain.tracking.ruleset import (
    NO_RESTRICTIONS,
    ClickCap,
    ReplacedSub,
    Restrictions,
    RulesetLanding,
    RulesetOffer,
)
from trackyard.domain.tracking.subs import SUBS
from trackyard.store.offers import sub_blocks
from trackyard.store.offers.sub_blocks import BlockedSubs
from trackyard.store.tables import offer

_RESTRICTIONS: Final = {
    "schedule": "schedule",
    "os": "restriction_os",
    "isps": "restriction_isp",
    "devices": "strictly_devices",
    "brands": "strictly_brands",
    "connection": "strictly_connection_type",
    "subs": "sub_restrictions",
    "sub_accounts": "sub_accounts",
    "groups": "targeting",
    "personal_only": "consider_personal_targeting_only",
    "empty_sub": "search_empty_sub",
    "unique_only": "uniq_ip_only",
    "hosts_only": "hosts_only",
}
"""The columns of the fields of Restrictions; `countries` depend on a second one."""

_PLAIN: Final = (
    *("id", "hash", "title", "advertiser_id", "url", "url_preview", "trafficback_url", "impressions_url", "status"),
    *("macro_url", "privacy", "start_at", "stop_at", "landings", "redirect_type", "allow_deeplink"),
    *("allow_impressions", "caps", "caps_timezone", "caps_goal_overcap", "is_redirect_overcap"),
    *("countries", "strictly_country", "additional_impression_destination_urls", "is_impression_overcap"),
    *("duplicate_clicks_threshold", "macros_replacement", "macros_replacement_enabled", "host_uniqueness_type"),
)
_COLUMNS: Final = tuple(offer.c[name] for name in (*_PLAIN, *_RESTRICTIONS.values()))

_log = logging.getLogger("trackyard.store")

_LONGEST_NUMBER: Final = 9

_encode = msgspec.msgpack.Encoder().encode


def compile_offers(conn: Connection, offer_ids: Sequence[int]) -> list[RulesetOffer]:
    """Return the rows of these offers; removed and unknown ones are absent."""
    rows = conn.execute(select(*_COLUMNS).where(offer.c.id.in_(offer_ids), offer.c.removed_at.is_(None))).all()
    blocked = sub_blocks.blocks_of(conn, offer_ids)
    return [compiled for row in rows if (compiled := _compiled(row, blocked.get(row.id, {}))) is not None]


def find_offer_id(conn: Connection, key: str) -> int | None:
    """Return the id of the offer with this number or hash; None when there is none."""
    if is_hex24(key):
        wanted = offer.c.hash == key
    elif key.isascii() and key.isdigit() and len(key.lstrip("0")) <= _LONGEST_NUMBER:
        wanted = offer.c.id == int(key)
    else:
        return None
    found = conn.execute(select(offer.c.id).where(wanted, offer.c.removed_at.is_(None))).scalar_one_or_none()
    return None if found is None else int(found)


def _compiled(row: Row[Any], blocked: BlockedSubs) -> RulesetOffer | None:
    """Return the row of an offer; None, with a log entry, for an unknown redirect type."""
    try:
        redirect_type = RedirectType(row.redirect_type)
    except ValueError:
        _log.error("offer not compiled", extra={"offer": row.id, "redirect_type": row.redirect_type})
        return None
    return RulesetOffer(
        id=row.id,
        hash=row.hash,
        title=row.title,
        advertiser=row.advertiser_id,
        url=row.url,
        active=row.status in TAKING_CLICKS,
        open=row.privacy == Privacy.PUBLIC,
        preview_url=row.url_preview or "",
        trafficback_url=row.trafficback_url or "",
        start_at=row.start_at,
        stop_at=row.stop_at,
        landings=tuple(
            RulesetLanding(id=int(item["id"]), url=item["url"], transit=item.get("type") == LandingType.TRANSIT)
            for item in row.landings
        ),
        redirect_type=redirect_type,
        allow_deeplink=row.allow_deeplink,
        allow_impressions=row.allow_impressions,
        impressions_url=row.impressions_url or "",
        caps_timezone=row.caps_timezone or "",
        click_caps=_click_caps(row),
        restrictions=_restrictions(row, blocked),
        macro_url=row.macro_url or "",
        private=row.privacy == Privacy.PRIVATE,
        impression_urls=tuple(WeightedUrl(**item) for item in row.additional_impression_destination_urls),
        impression_overcap=row.is_impression_overcap,
        duplicate_clicks=row.duplicate_clicks_threshold,
        replaced_subs=_replaced_subs(row),
    )


def _replaced_subs(row: Row[Any]) -> tuple[ReplacedSub, ...]:
    """Return the subs with values to replace theirs; clicks have only the subs in SUBS."""
    given = {sub: tuple(value for value in row.macros_replacement.get(sub, ()) if value) for sub in SUBS}
    always = row.macros_replacement_enabled
    return tuple(ReplacedSub(sub, values, sub in always) for sub, values in given.items() if values)


def _restrictions(row: Row[Any], blocked: BlockedSubs) -> bytes:
    """Return the packed restrictions; b"" for an offer without any."""
    given = {name: getattr(row, column) for name, column in _RESTRICTIONS.items()}
    given["countries"] = row.countries if row.strictly_country else ()
    given["blocked"] = blocked
    given["by_sub3"] = row.host_uniqueness_type == HostUniqueness.SUB3
    given = {name: value for name, value in given.items() if value}
    if not given:
        return b""
    restrictions = msgspec.convert(given, Restrictions, strict=False, str_keys=True)
    return b"" if restrictions == NO_RESTRICTIONS else _encode(restrictions)


def _click_caps(row: Row[Any]) -> tuple[ClickCap, ...]:
    """Return the caps of clicks that reject: none of an offer with caps_goal_overcap."""
    if not row.is_redirect_overcap or row.caps_goal_overcap:
        return ()
    return tuple(
        ClickCap(
            id=item["id"],
            period=item["period"],
            value=int(item["value"].partition(".")[0] if isinstance(item["value"], str) else item["value"]),
            affiliate_type=item["affiliate_type"],
            affiliates=tuple(item["affiliates"]),
            country_type=item["country_type"],
            countries=tuple(item["country"]),
        )
        for item in row.caps
        if item["type"] == CapType.CLICKS
    )
