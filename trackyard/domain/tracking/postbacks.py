"""The postbacks of an affiliate that a change triggers, and their URLs.

docs/spec/postbacks.md#when-postbacks-are-sent
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.money import plain_amount
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.conversions import DECLINED, Conversion, ConversionChange
from trackyard.domain.conversions.postbacks import CUSTOM_FIELDS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.goals import is_same_goal
from trackyard.domain.tracking.macro_registry import MacroPlace, macro_columns, macro_names
from trackyard.domain.tracking.macros import cached_template, with_braces
from trackyard.domain.tracking.subs import with_encrypted_subs

BY_CREATING: Final = "by_creating"

_DECLINED: Final = frozenset({Status.DECLINED.value, Status.NOT_FOUND.value})
"""The statuses that version 3.1 shows as declined. For postbacks they are one."""


@dataclass(frozen=True, slots=True)
class Postback:
    """A URL of an affiliate to be requested.

    offer_id: None = global.
    goal: None = any.
    status: None = any; "by_creating" = new conversions only.
    """

    id: int
    affiliate_id: int
    offer_id: int | None
    url: str
    status: str | None
    goal: str | None


@dataclass(frozen=True, slots=True)
class NewPostback:
    """A postback to be stored.

    offer_id: None = global.
    status, goal: None = any.
    created_at, updated_at: UTC milliseconds.
    """

    affiliate_id: int
    offer_id: int | None
    url: str
    status: str | None
    goal: str | None
    forced: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPostback(NewPostback):
    """A stored postback.

    dead_in_row: deliveries that ended dead since the last one that was sent.
    paused_at: the time since when its deliveries wait (UTC milliseconds); None = they are made.
    """

    id: int
    dead_in_row: int = 0
    paused_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackFilter:
    """The postbacks of a list; all conditions must hold.

    offer_ids: none = any offer.
    only_global: without an offer alone.
    after_id: with a higher id alone.
    """

    affiliate_ids: tuple[int, ...]
    offer_ids: tuple[int, ...] = ()
    only_global: bool = False
    after_id: int = 0


def triggers_postbacks(change: ConversionChange) -> bool:
    """Return whether a change triggers postbacks: a new conversion or another shown status."""
    return change.before is None or change.before.status.shown is not change.after.status.shown


def matching_postbacks(postbacks: Sequence[Postback], change: ConversionChange) -> list[Postback]:
    """Return the affiliate's postbacks that a change triggers.

    These are the offer's postbacks; without any, the global ones. An edit that keeps the status triggers none.
    """
    conversion = change.after
    if not triggers_postbacks(change):
        return []
    own = [postback for postback in postbacks if postback.affiliate_id == conversion.affiliate_id]
    of_offer = [postback for postback in own if postback.offer_id == conversion.offer_id]
    candidates = of_offer or [postback for postback in own if postback.offer_id is None]
    return [postback for postback in candidates if _matches(postback, change)]


def without_reason(conversion: Conversion) -> Conversion:
    """Return a conversion as an affiliate sees it that does not see why its conversions were declined."""
    return replace(conversion, comment="") if conversion.status in DECLINED else conversion


def with_codes(conversion: Conversion, key: str) -> Conversion:
    """Return a conversion as an advertiser gets it.

    key: the key for the codes of its subs, "" = it gets the subs.
    """
    if not key:
        return conversion
    return replace(conversion, click=with_encrypted_subs(conversion.click, key, conversion.affiliate_id))


def _matches(postback: Postback, change: ConversionChange) -> bool:
    if postback.goal is not None and not is_same_goal(postback.goal, change.after.goal):
        return False
    if postback.status is None:
        return True
    if postback.status == BY_CREATING:
        return change.before is None
    wanted = _DECLINED if postback.status in _DECLINED else {postback.status}
    had = change.before is not None and change.before.status.shown in wanted
    return change.after.status.shown in wanted and not had


def fill_url(url: str, conversion: Conversion, offer_title: str, zone: ZoneInfo, rand: str) -> str:
    """Return the URL with every macro replaced.

    Dates are in the platform's `zone`, {time} and {timestamp} in epoch seconds; {sum} is the payout.
    """
    return cached_template(with_braces(url, _NAMES)).fill(_values(conversion, offer_title, zone, rand))


def fill_body(body: str, conversion: Conversion, offer_title: str, zone: ZoneInfo, rand: str) -> str:
    """Return the body of a request with every macro replaced: as text of JSON, else percent-encoded."""
    template, values = cached_template(with_braces(body, _NAMES)), _values(conversion, offer_title, zone, rand)
    if not is_json(body):
        return template.fill(values)
    parts = [template.literals[0]]
    for name, literal in zip(template.names, template.literals[1:], strict=True):
        value = values.get(name)
        parts += [f"{{{name}}}" if value is None else json.dumps(value)[1:-1], literal]
    return "".join(parts)


def is_json(body: str) -> bool:
    """Return whether a body is meant as JSON: it begins with a brace or a bracket."""
    return body.lstrip()[:1] in ("{", "[")


def _values(conversion: Conversion, offer_title: str, zone: ZoneInfo, rand: str) -> dict[str, str]:
    click, created = conversion.click, datetime_text(conversion.created_at, zone)
    seconds = str(conversion.created_at // 1000)
    return {
        **{macro: str(click[column]) for macro, column in _COLUMNS.items()},
        "clickid": conversion.click_id,
        "transactionid": conversion.id,
        "action_id": conversion.action_id,
        "offerid": str(conversion.offer_id),
        "offer_id": str(conversion.offer_id),
        "offer_name": offer_title,
        "pid": str(conversion.affiliate_id),
        "status": str(conversion.status.shown.number),
        "status_name": conversion.status.shown.value,
        "sum": plain_amount(conversion.payout),
        "order_sum": plain_amount(conversion.sum),
        "currency": conversion.currency,
        "goal": conversion.goal,
        "goal_name": conversion.goal_title,
        "date": created,
        "date_only": created[:10],
        "click_date": datetime_text(conversion.click_time, zone),
        "time": seconds,
        "timestamp": seconds,
        "comment": conversion.comment,
        "user_id": conversion.user_id,
        "promo_code": conversion.promo_code or "",
        "rand": rand,
        **{f"{name}{n}": conversion.custom_fields.get(str(n), "") for n in CUSTOM_FIELDS for name in _CUSTOM_FIELD},
    }


_CUSTOM_FIELD: Final = ("custom_field", "custom_field_")
"""Both spellings of the macro of a custom field, without its number."""

_NAMES: Final = macro_names(MacroPlace.POSTBACK)
_COLUMNS: Final = {
    macro: column
    for macro, column in macro_columns(MacroPlace.POSTBACK).items()
    if column not in ("id", "offer", "affiliate", "user_id")  # the conversion has values of its own
}
