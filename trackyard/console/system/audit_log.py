"""Who changed what: the audit log (docs/spec/console.md#audit-log)."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.api.platform import settings
from trackyard.api.platform.settings import AuditAnswer, AuditView
from trackyard.base.texts.marks import LazyText, gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import shorten
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, MANAGERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.staff.people_names import full_name
from trackyard.domain.people.advertisers import ADVERTISER_STATUS_RULES
from trackyard.domain.people.affiliates import STATUS_RULES

pages = Pages()

PATH: Final = "/console/audit-log"
_FIRST_CHANGES: Final = 4
"""Changes of a record that are shown; the others are folded."""
_LONGEST: Final = 160
_RECENT: Final = 6
"""Changes on the page of an object."""
_NOTHING: Final[tuple[object, ...]] = (None, "", [], {})
_UNSHOWN: Final = ("id",)
"""Fields that say nothing new: the row names the object."""
_KIND: Final = re.compile(r"[a-z_]{1,32}")

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
    "member": (lazy_gettext("Person"), ""),
    "person": (lazy_gettext("Person"), ""),
    "staff": (lazy_gettext("Staff user"), "/console/staff/{key}"),
    "ticket": (lazy_gettext("Request"), "/console/requests"),
}
"""What is changed: its word, and the page that shows it."""
_VERBS: Final = {
    "created": lazy_gettext("created"),
    "changed": lazy_gettext("changed"),
    "removed": lazy_gettext("removed"),
}
_AUTHORS: Final = {
    "staff": ("%(name)s", "/console/staff"),
    "advertiser": (lazy_gettext("%(name)s (advertiser)"), "/console/advertisers"),
    "affiliate": (lazy_gettext("%(name)s (affiliate)"), "/console/affiliates"),
}
"""Kind of an author to its name, and the path of its page."""

_STATUS_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "affiliate": {status.value: LazyText(rule.label) for status, rule in STATUS_RULES.items()},
    "advertiser": {status.value: LazyText(rule.label) for status, rule in ADVERTISER_STATUS_RULES.items()},
}
"""The names of statuses by what has them."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field before and after; "" where it had no value."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RecentChange:
    """A change of one object.

    author_link: "" where no page shows the author. fields: that were changed; () for a new or removed thing.
    decision: the status before and after, with the reason; "" where the status stayed.
    """

    at: str
    author: str
    author_link: str
    verb: str
    fields: tuple[str, ...]
    request_id: str
    decision: str = ""


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The last changes of one object. total: of all of them. link: to the log with all of them."""

    rows: tuple[RecentChange, ...]
    total: int
    link: str


def recent_changes(request: PageRequest, what: str, key: str) -> RecentChanges | None:
    """Return the last changes of an object, in the zone of the person; None for who may not see the log."""
    if not request.calls.may(settings.list_records):
        return None
    answer = request.calls.ask(settings.list_records, [("what", what), ("key", key), ("limit", str(_RECENT))])
    rows = tuple(_recent(request, each) for each in answer.audit)
    return RecentChanges(rows, answer.pagination.total_count, str(PageAddress(PATH).set("what", what).set("key", key)))


def _recent(request: PageRequest, each: AuditView) -> RecentChange:
    author, link = _author(each)
    verb = _verb(each.changes)
    return RecentChange(
        at=request.time_of(each.created_at),
        author=author,
        author_link=link if link and request.may_open(link) else "",
        verb=str(_VERBS[verb]),
        fields=tuple(change.field for change in _changes(each, request.deps.zone)[:_FIRST_CHANGES])
        if verb == "changed"
        else (),
        request_id=each.request_id,
        decision=_decision(each) if verb == "changed" else "",
    )


def _decision(each: AuditView) -> str:
    """Return another status of an account in words, with the reason that was typed."""
    names, change = _STATUS_NAMES.get(each.what, {}), each.changes.get("status")
    if change is None or not names:
        return ""
    before, after = (str(names.get(str(value), value)) for value in (change.before, change.after))
    words = (each.changes.get(name) for name in ("status_reason", "decision_words"))
    typed = next((str(found.after) for found in words if found is not None and found.after), "")
    return f"{before} → {after}" + (f" ({shorten(typed, _LONGEST)})" if typed else "")


def _author(each: AuditView) -> tuple[str, str]:
    """Return the name of an author, and the path of its page."""
    if each.user_type == "system":
        return gettext("System"), ""
    if each.user_type == "member":  # a person of a company has no page of its own kind
        return full_name(each.user) or each.user.email or each.user.id, ""
    words, path = _AUTHORS[each.user_type]
    return str(words) % {"name": full_name(each.user) or each.user.id}, f"{path}/{each.user.id}"


def _verb(changes: Mapping[str, settings.ChangeView]) -> str:
    """Return the verb of a change: created, changed or removed.

    The fields of a new thing have no value before; the fields of a removed thing have none after.
    """
    if len(changes) > 1 and all(each.before is None for each in changes.values()):
        return "created"
    if len(changes) > 1 and all(each.after is None for each in changes.values()):
        return "removed"
    return "changed"


def _changes(each: AuditView, zone: ZoneInfo) -> list[FieldChange]:
    return [
        FieldChange(name.replace("_", " "), _text(name, change.before, zone), _text(name, change.after, zone))
        for name, change in each.changes.items()
        if name not in _UNSHOWN and not (change.before in _NOTHING and change.after in _NOTHING)
    ]


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


def _who(each: AuditView, _on: On) -> ListCell:
    author, link = _author(each)
    key = each.key_name or (gettext("first key") if each.key_id else "")
    return cells.cell(author, gettext("API key: %(name)s", name=key) if key else "", each.address, link=link)


def _word(what: str) -> str:
    """Return the word of a kind of object; its name where it has no word."""
    return str(OBJECTS[what][0]) if what in OBJECTS else what.replace("_", " ").capitalize()


def _what(each: AuditView, _on: On) -> ListCell:
    path = OBJECTS[each.what][1] if each.what in OBJECTS else ""
    verb = str(_VERBS[_verb(each.changes)])
    return cells.cell(f"{_word(each.what)} {each.key}", verb, link=path.format(key=each.key))


def _from_to(each: AuditView, on: On) -> ListCell:
    found, verb = _changes(each, on.request.deps.zone), _verb(each.changes)
    shown = {"fields": found, "first": _FIRST_CHANGES, "verb": verb}
    line = "; ".join(f"{change.field}: {change.before} \N{RIGHTWARDS ARROW} {change.after}" for change in found)
    return ListCell(part=Part("system/changes.html", shown), value=line)


def _request(each: AuditView, _on: On) -> ListCell:
    all_of_it = PageLink(gettext("all of this request"), PageAddress(PATH, (("request", each.request_id),)))
    return cells.cell(each.method, *([all_of_it] if each.request_id else []))


def _kinds(request: PageRequest) -> Choices:
    """Return the kinds of objects that have a word, and the kind that the address selects."""
    chosen: Iterable[str] = filter(_KIND.fullmatch, request.address.all("what"))
    return tuple(sorted(((name, _word(name)) for name in {*OBJECTS, *chosen}), key=lambda pair: pair[1]))


AUDIT_LOG: Final = ListPage[AuditView, AuditAnswer](
    path=PATH,
    method=settings.list_records,
    view=AuditAnswer,
    rows=lambda _, answer: answer.audit,
    title=lazy_gettext("Audit log"),
    counted=lambda total: ngettext(
        "%(num)d change of staff, affiliates and jobs.", "%(num)d changes of staff, affiliates and jobs.", total
    ),
    notes=lambda request: [gettext("Times are in the zone %(zone)s.", zone=request.deps.zone.key)],
    filters=(
        FilterBy(name="user", parameter="user_id", label=lazy_gettext("Staff user"), objects=MANAGERS),
        FilterBy(name="affiliate", parameter="affiliate_id", objects=AFFILIATES),
        FilterBy(name="what", label=lazy_gettext("Object"), choices=_kinds),
        FilterBy(name="key", label=lazy_gettext("Id of the object")),
        FilterBy(name="from", parameter="date_from", label=lazy_gettext("From")),
        FilterBy(name="to", parameter="date_to", label=lazy_gettext("To")),
        FilterBy(name="method", label=lazy_gettext("Method"), is_more=True),
        FilterBy(name="request", parameter="request_id", label=lazy_gettext("Request"), is_more=True),
    ),
    columns=(
        ListColumn(title=lazy_gettext("When"), cell=lambda each, _: each.created_at),
        ListColumn(title=lazy_gettext("Who"), below=lazy_gettext("IP address"), cell=_who),
        ListColumn(title=lazy_gettext("What"), below=lazy_gettext("Change"), role="title", cell=_what),
        ListColumn(title=lazy_gettext("From → to"), cell=_from_to),
        ListColumn(title=lazy_gettext("Request"), cell=_request),
    ),
    empty=lazy_gettext(
        "Nothing was changed yet. Each change over the console and the API is listed here with its author."
    ),
    per_page=50,
)
declare_list(pages, AUDIT_LOG)
