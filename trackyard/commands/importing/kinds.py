"""What is copied of each kind of record, from an answer of the old platform to parameters of this one."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Record = Mapping[str, Any]


class NotImportable(Exception):
    """A record cannot be copied; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Numbers here of records of the old platform. find: returns None for a record that is not imported."""

    find: Callable[[str, object], str | None]

    def number(self, kind: str, old: object) -> str:
        """Return the number here. Raises NotImportable."""
        here = self.find(kind, old)
        if here is None:
            raise NotImportable(f"it names number {old} of the {kind}, which is not imported")
        return here


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record.

    name: its name in `--only` and in the summary.
    list_path, list_key: where the old platform lists records.
    add_path, answer_key: where this platform adds them.
    fields: the fields that the answer and the parameters share, by name.
    title: returns a name for people.
    more: returns the parameters that differ in name or value. Raises NotImportable.
    """

    name: str
    list_path: str
    list_key: str
    add_path: str
    answer_key: str
    fields: tuple[str, ...]
    title: Callable[[Record], str]
    more: Callable[[Record, Lookup], dict[str, Any]]

    def params(self, record: Record, numbers: Lookup) -> dict[str, Any]:
        """Return the parameters of the new record, without empty values. Raises NotImportable."""
        shared = {name: record.get(name) for name in self.fields}
        return {name: value for name, value in (shared | self.more(record, numbers)).items() if not _is_empty(value)}


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def _nothing_more(_record: Record, _numbers: Lookup) -> dict[str, Any]:
    return {}


def _sub_accounts(record: Record) -> dict[str, Any]:
    """Return the sub-account conditions, which parameters have one by one."""
    found: dict[str, Any] = {}
    for number, account in (record.get("sub_accounts") or {}).items():
        if account.get("value"):
            found |= {f"sub_account_{number}": account["value"], f"sub_account_{number}_except": account["except"]}
    return found


def _more_of_advertiser(record: Record, _numbers: Lookup) -> dict[str, Any]:
    return _sub_accounts(record)


def _more_of_affiliate(record: Record, numbers: Lookup) -> dict[str, Any]:
    """Return also a new password: the old one is not exported, and each affiliate sets its own by mail."""
    referrer = str(record.get("ref") or "0")
    return _sub_accounts(record) | {
        "password": secrets.token_urlsafe(18),
        "ref": None if referrer == "0" else numbers.find("affiliates", referrer),
    }


def _more_of_offer(record: Record, numbers: Lookup) -> dict[str, Any]:
    def affiliates(olds: Sequence[object] | None) -> list[str]:
        return [numbers.number("affiliates", old) for old in olds or ()]

    def with_affiliates(name: str, key: str) -> list[dict[str, Any]]:
        return [{**each, key: affiliates(each.get(key))} for each in record.get(name) or ()]

    caps = [{**each, "goals": list(each.get("goals") or ())} for each in with_affiliates("caps", "affiliates")]
    personal = [
        {**each, "partner": numbers.number("affiliates", each["partner"])}
        for each in record.get("personal_limits") or ()
    ]
    targeting = [
        {**each, "affiliate_id": affiliates(each.get("affiliate_id"))} for each in record.get("targeting") or ()
    ]
    categories = [numbers.number("categories", each["id"]) for each in record.get("full_categories") or ()]
    return _sub_accounts(record) | {
        "advertiser": numbers.number("advertisers", record.get("advertiser")),
        "categories": categories,
        "caps": caps,
        "partner_payments": with_affiliates("partner_payments", "partners"),
        "commission_tiers": with_affiliates("commission_tiers", "affiliates"),
        "personal_limits": personal,
        "targeting": [{name: value for name, value in each.items() if not _is_empty(value)} for each in targeting],
        "schedule": _schedule(record.get("schedule") or {}),
        "stopDate": (record.get("stop_at") or "")[:10],
        "uniqIpOnly": record.get("uniq_ip_only"),
        "rejectNotUniqIp": record.get("reject_not_uniq_ip"),
    }


def _schedule(schedule: Record) -> dict[str, Any]:
    """Return a schedule with days as dates and hours by weekday: an answer has moments and a list."""
    found = {"enabled": schedule.get("enabled"), "timezone": schedule.get("timezone")}
    for name in ("date_start", "date_to"):
        moment = schedule.get(name)
        found[name] = _local_date(moment, schedule) if isinstance(moment, Mapping) else moment
    hours: dict[str, list[dict[str, Any]]] = {}
    for each in schedule.get("intervals") or ():
        hours.setdefault(str(each["day_of_week"]), []).append({"From": each["from"], "To": each["to"]})
    found["intervals"] = hours
    says_something = schedule.get("enabled") or hours or found["date_start"] or found["date_to"]
    return {name: value for name, value in found.items() if not _is_empty(value)} if says_something else {}


def _local_date(moment: Record, schedule: Record) -> str:
    try:
        zone = ZoneInfo(str(schedule.get("timezone") or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        raise NotImportable(f"its schedule has an unknown time zone: {schedule['timezone']}") from None
    return datetime.fromtimestamp(moment["sec"], UTC).astimezone(zone).date().isoformat()


def _more_of_postback(record: Record, numbers: Lookup) -> dict[str, Any]:
    offer = record.get("offer_id")
    return {"offer_id": numbers.number("offers", offer) if offer else None}


def _title(record: Record) -> str:
    return str(record.get("title") or "")


CATEGORIES: Final = Kind(
    name="categories",
    list_path="/3.0/offer/categories",
    list_key="categories",
    add_path="/3.0/admin/category",
    answer_key="category",
    fields=("title",),
    title=_title,
    more=_nothing_more,
)
ADVERTISERS: Final = Kind(
    name="advertisers",
    list_path="/3.0/admin/advertisers",
    list_key="advertisers",
    add_path="/3.0/admin/advertiser",
    answer_key="advertiser",
    fields=(
        "title", "contact", "skype", "url", "email", "allowed_ip", "disallowed_ip", "hash_password", "note",
        "address_1", "address_2", "city", "country", "zip_code", "vat_code", "consider_personal_targeting_only", "tags",
    ),
    title=_title,
    more=_more_of_advertiser,
)  # fmt: skip
AFFILIATES: Final = Kind(
    name="affiliates",
    list_path="/3.0/admin/partners",
    list_key="partners",
    add_path="/3.0/admin/partner",
    answer_key="partner",
    fields=(
        "email", "login", "status", "name", "contactPerson", "company", "address_1", "address_2", "city", "country",
        "zip_code", "phone", "notes", "ref_percent", "tags", "server_clicks", "server_ip",
    ),
    title=lambda record: str(record.get("email") or ""),
    more=_more_of_affiliate,
)  # fmt: skip
OFFERS: Final = Kind(
    name="offers",
    list_path="/3.0/offers",
    list_key="offers",
    add_path="/3.0/admin/offer",
    answer_key="offer",
    fields=(
        "title", "url", "status", "privacy", "is_top", "is_cpi", "auto_offer_connect", "external_offer_id",
        "bundle_id", "url_preview", "trafficback_url", "macro_url", "cross_postback_url", "parallel_tracking_url",
        "impressions_url", "redirect_type", "hide_referer", "allow_deeplink", "allow_impressions", "landings",
        "payments", "hide_payments", "enabled_commission_tiers", "hold_period", "caps_status", "caps_timezone",
        "caps_goal_overcap", "hide_caps", "is_redirect_overcap", "notice_percent_overcap",
        "consider_personal_targeting_only", "countries", "strictly_country", "restriction_os", "strictly_os",
        "restriction_isp", "strictly_isp", "strictly_brands", "strictly_devices", "strictly_connection_type",
        "sub_restrictions", "search_empty_sub", "one_conversion_per_click", "pixels", "pixel_pages", "allowed_ip",
        "disallowed_ip", "hash_password", "click_session", "minimal_click_session", "start_at", "description_lang",
        "kpi", "notes", "note_aff", "note_sales", "tags", "send_emails",
    ),
    title=_title,
    more=_more_of_offer,
)  # fmt: skip
POSTBACKS: Final = Kind(
    name="postbacks",
    list_path="/3.0/partner/postbacks",
    list_key="postbacks",
    add_path="/3.0/partner/postback",
    answer_key="postback",
    fields=("url", "status", "goal"),
    title=lambda record: str(record.get("url") or ""),
    more=_more_of_postback,
)
CONNECTIONS: Final = "connections"
"""Affiliates' connections to offers that are not public: a list of each affiliate, and no record of its own."""
KINDS: Final = (CATEGORIES, ADVERTISERS, AFFILIATES, OFFERS)
"""Kinds that staff list, each after the kinds that it refers to."""
NAMES: Final = (*(kind.name for kind in KINDS), CONNECTIONS, POSTBACKS.name)
