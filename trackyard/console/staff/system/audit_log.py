"""Who changed what: the audit log (docs/spec/console.md#audit-log)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.people import staff
from trackyard.api.platform import settings
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import shorten
from trackyard.console.list_files import list_file
from trackyard.console.staff.people_names import full_name

pages = Pages()

PATH: Final = "/console/audit-log"
PER_PAGE: Final = 50
_FIRST_CHANGES: Final = 4
"""Changes of a record that are shown; the others are folded."""
_LONGEST: Final = 160
_RECENT: Final = 6
"""Changes on the page of an object."""
_NOTHING: Final[tuple[object, ...]] = (None, "", [], {})
_UNSHOWN: Final = ("id",)
"""Fields that say nothing new: the row names the object."""
_MOST_USERS: Final = 200

OBJECTS: Final[dict[str, tuple[str, str]]] = {
    "advertiser": (lazy_gettext("Advertiser"), "/console/advertisers/{key}"),
    "affiliate": (lazy_gettext("Affiliate"), "/console/affiliates/{key}"),
    "affiliate_postback": (lazy_gettext("Postback"), "/console/postbacks"),
    "advertiser_blacklist": (lazy_gettext("Rejected affiliate"), ""),
    "api_key": (lazy_gettext("API key"), ""),
    "category": (lazy_gettext("Category"), ""),
    "connection": (lazy_gettext("Connection"), ""),
    "correction": (lazy_gettext("Correction"), "/console/balances/corrections"),
    "currency": (lazy_gettext("Currency"), ""),
    "currency_rate": (lazy_gettext("Exchange rate"), ""),
    "custom_field": (lazy_gettext("Custom field"), "/console/settings"),
    "domain": (lazy_gettext("Tracking domain"), "/console/domains"),
    "erasure": (lazy_gettext("Erasure"), ""),
    "file": (lazy_gettext("File"), ""),
    "held_change": (lazy_gettext("Held change"), "/console/payments/held"),
    "invoice": (lazy_gettext("Invoice"), "/console/invoices/{key}"),
    "news": (lazy_gettext("News"), ""),
    "offer": (lazy_gettext("Offer"), "/console/offers/{key}"),
    "payment": (lazy_gettext("Payment"), "/console/payments/{key}"),
    "payment_request": (lazy_gettext("Payment request"), "/console/payments/requests"),
    "payment_system": (lazy_gettext("Payment system"), "/console/settings"),
    "pixel": (lazy_gettext("Pixel"), ""),
    "second_factor": (lazy_gettext("Second factor"), ""),
    "setting": (lazy_gettext("Setting"), "/console/settings"),
    "smartlink_category": (lazy_gettext("SmartLink"), "/console/smartlinks"),
    "source": (lazy_gettext("Source"), ""),
    "staff": (lazy_gettext("Staff user"), "/console/staff/{key}"),
    "ticket": (lazy_gettext("Request"), "/console/requests"),
}
"""What is changed: its word, and the page that shows it."""
_FORMS: Final = {
    "user": re.compile(r"[0-9a-f]{24}"),
    "affiliate": re.compile(r"[1-9][0-9]{0,8}"),
    "what": re.compile(r"[a-z_]{1,32}"),
    "key": re.compile(r".{1,200}"),
    "method": re.compile(r"[a-z0-9_.:-]{1,64}"),
    "request": re.compile(r"[A-Za-z0-9._-]{1,64}"),
}
_SENT: Final = {
    "user": "user_id", "affiliate": "affiliate_id", "what": "what", "key": "key", "method": "method",
    "request": "request_id", "from": "date_from", "to": "date_to",
}  # fmt: skip
"""Name in the address to the parameter of the API."""
LABELS: Final = {
    "user": lazy_gettext("Staff user"),
    "affiliate": lazy_gettext("Affiliate"),
    "what": lazy_gettext("Object"),
    "key": lazy_gettext("Id of the object"),
    "method": lazy_gettext("Method"),
    "request": lazy_gettext("Request"),
    "from": lazy_gettext("From"),
    "to": lazy_gettext("To"),
}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field before and after; "" where it had no value."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """The changes of one request to one object.

    verb: created, changed or removed.
    author_link, object_link: "" where no page shows it.
    more: changes that are folded.
    api_key: the key that called, by its name or what it is; "" in a session.
    """

    at: str
    author: str
    author_link: str
    address: str
    verb: str
    object: str
    key: str
    object_link: str
    changes: tuple[FieldChange, ...]
    more: tuple[FieldChange, ...]
    method: str
    request_id: str
    api_key: str

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of the first changed fields; () for a new or removed thing."""
        return tuple(each.field for each in self.changes) if self.verb == "changed" else ()


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The last changes of one object. total: of all of them. link: to the log with all of them."""

    rows: tuple[AuditRow, ...]
    total: int
    link: str


def recent_changes(request: PageRequest, what: str, key: str) -> RecentChanges | None:
    """Return the last changes of an object, in the zone of the person; None for who may not see the log."""
    if not request.calls.may(settings.list_records):
        return None
    answer = request.calls.ask(settings.list_records, [("what", what), ("key", key), ("limit", str(_RECENT))])
    rows = (_row(request, each) for each in answer.audit)
    shown = tuple(replace(each, at=request.time_of(each.at)) for each in rows)
    return RecentChanges(shown, answer.pagination.total_count, str(PageAddress(PATH).set("what", what).set("key", key)))


@pages.get(PATH, needs=(settings.list_records,))
def audit_log(request: PageRequest) -> PageAnswer:
    """Show changes that meet the filters, a page at a time, the newest first."""
    chosen, fault = _chosen(request.address)
    sent: list[Pair] = [(_SENT[name], value) for name, value in chosen.items()]
    paging = [("limit", str(PER_PAGE)), ("page", str(request.address.page))]
    if (file := list_file(request, settings.list_records, lambda answer: answer.audit, sent)) is not None:
        return file
    answer = request.calls.ask(settings.list_records, [*sent, *paging])
    page, total = answer.pagination.page, answer.pagination.total_count
    users = _users(request)
    return request.page(
        "staff/system/audit_log.html",
        rows=[_row(request, each) for each in answer.audit],
        chosen=chosen,
        chips=_chips(request.address, chosen, dict(users)),
        labels=LABELS,
        users=users,
        objects=sorted(((name, words) for name, (words, _) in OBJECTS.items()), key=lambda each: each[1]),
        fault=fault,
        total=total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address(settings.list_records, [*sent, *paging]),
    )


def _chosen(address: PageAddress) -> tuple[dict[str, str], str]:
    """Return the filters of an address, and a sentence about invalid filters."""
    given = {name: address.get(name).strip() for name in _SENT if address.get(name).strip()}
    chosen = {name: value for name, value in given.items() if _is_fit(name, value)}
    if chosen.get("from", "") > chosen.get("to", "9999"):
        del chosen["to"]
    if "user" in chosen and "affiliate" in chosen:
        del chosen["affiliate"]
    left_out = [LABELS[name] for name in given if name not in chosen]
    return chosen, gettext(
        "Not used, as it has a wrong value: %(values)s.", values=", ".join(left_out)
    ) if left_out else ""


def _is_fit(name: str, value: str) -> bool:
    if name in _FORMS:
        return _FORMS[name].fullmatch(value) is not None
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _chips(address: PageAddress, chosen: Mapping[str, str], users: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return the filters in words: label, value, address without it."""
    words = {"user": users, "what": {name: word for name, (word, _) in OBJECTS.items()}}
    return [
        (LABELS[name], words.get(name, {}).get(value, value), str(address.without(name)))
        for name, value in chosen.items()
    ]


def _users(request: PageRequest) -> list[tuple[str, str]]:
    """Return staff users by id and name, for the filter."""
    if not request.calls.may(staff.list_):
        return []
    found = request.calls.ask(staff.list_, [("limit", str(_MOST_USERS))]).users
    return [(each.id, full_name(each)) for each in found]


def _row(request: PageRequest, record: settings.AuditView) -> AuditRow:
    zone = request.deps.zone
    changes = [
        FieldChange(name.replace("_", " "), _text(name, each.before, zone), _text(name, each.after, zone))
        for name, each in record.changes.items()
        if name not in _UNSHOWN and not (each.before in _NOTHING and each.after in _NOTHING)
    ]
    word, path = OBJECTS.get(record.what, (record.what.replace("_", " ").capitalize(), ""))
    author, author_link = _author(request, record)
    return AuditRow(
        at=record.created_at,
        author=author,
        author_link=author_link,
        address=record.address,
        verb=_verb(record.changes),
        object=word,
        key=record.key,
        object_link=_open_path(request, path.format(key=record.key)),
        changes=tuple(changes[:_FIRST_CHANGES]),
        more=tuple(changes[_FIRST_CHANGES:]),
        method=record.method,
        request_id=record.request_id,
        api_key=record.key_name or (gettext("first key") if record.key_id else ""),
    )


def _author(request: PageRequest, record: settings.AuditView) -> tuple[str, str]:
    """Return the name of an author, and the path of its page."""
    user, kind = record.user, record.user_type
    if kind == "system":
        return gettext("System"), ""
    name = full_name(user) or user.id
    if kind == "staff":
        return name, _open_path(request, f"/console/staff/{user.id}")
    if kind == "advertiser":
        return gettext("%(name)s (advertiser)", name=name), _open_path(request, f"/console/advertisers/{user.id}")
    return gettext("%(name)s (affiliate)", name=name), _open_path(request, f"/console/affiliates/{user.id}")


def _open_path(request: PageRequest, path: str) -> str:
    return path if path and request.may_open(path) else ""


def _verb(changes: Mapping[str, settings.ChangeView]) -> str:
    """Return the verb of a change: created, changed or removed.

    The fields of a new thing have no value before; the fields of a removed thing have none after.
    """
    if changes and all(each.before is None for each in changes.values()):
        return "created" if len(changes) > 1 else "changed"
    if changes and all(each.after is None for each in changes.values()):
        return "removed" if len(changes) > 1 else "changed"
    return "changed"


def _text(name: str, value: object, zone: ZoneInfo) -> str:
    """Return a stored value as the page shows it. Moments are stored in milliseconds."""
    if value in _NOTHING:
        return ""
    if name.endswith("_at") and type(value) is int:
        return datetime.fromtimestamp(value / 1000, zone).strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(text, _LONGEST)
