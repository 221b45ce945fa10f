"""Words that the pages of traffic share: spans of time, and who did something."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.people import staff
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.wire.local_calls import LocalCalls

_FORGIVEN: Final = {
    "raw-bytes": lazy_gettext("bytes that were not percent-encoded"),
    "raw-space": lazy_gettext("a space that was not percent-encoded"),
    "encoding": lazy_gettext("text that is not UTF-8"),
    "ampersand": lazy_gettext("&amp; instead of &"),
    "name": lazy_gettext("a name of a parameter in another form"),
    "empty-repeat": lazy_gettext("an empty repeat of a parameter"),
    "question-mark": lazy_gettext("a second ?"),
    "identifier": lazy_gettext("a number or an id in another form"),
    "blanks": lazy_gettext("blanks around a value"),
    "path": lazy_gettext("a path in another form"),
    "json-body": lazy_gettext("a body in another form"),
    "compressed": lazy_gettext("a compressed body"),
}
"""The labels of domain/tracking/forgiven.py."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def forgiven_words(names: str) -> str:
    """Return the forgiven faults, in words. names: their names in the API."""
    return ", ".join(str(_FORGIVEN[name]) for name in names.split(", ") if name)


def seconds_between(first: str, last: str) -> int | None:
    """Return the seconds between two times in the API's form; None when one is not a time."""
    try:
        return round((datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds())
    except ValueError:
        return None


def lasting(seconds: int) -> str:
    """Return a span of time in words: 55 s, 12 min, 3 h 20 min, 34 days."""
    if seconds < _MINUTE:
        return gettext("%(value)s s", value=seconds)
    if seconds < _HOUR:
        return gettext("%(value)s min", value=seconds // _MINUTE)
    if seconds < 2 * _DAY:
        minutes = seconds % _HOUR // _MINUTE
        return (
            gettext("%(value)s h %(minutes)s min", value=seconds // _HOUR, minutes=minutes)
            if minutes
            else gettext("%(value)s h", value=seconds // _HOUR)
        )
    return ngettext("%(num)d day", "%(num)d days", seconds // _DAY)


def staff_names(calls: LocalCalls[Deps], actors: Iterable[str]) -> dict[str, str]:
    """Return names by author (`staff:<id>`) of the staff users that the person may see."""
    found: dict[str, str] = {}
    if not calls.may(staff.show):
        return found
    for actor in {each for each in actors if each.startswith("staff:")}:
        try:
            user = calls.ask(staff.show, path={"id": actor.partition(":")[2]}).user
        except RequestError:  # removed, or out of the person's scope
            continue
        found[actor] = f"{user.first_name} {user.last_name}".strip() or user.email
    return found


def author(actor: str, names: dict[str, str]) -> str:
    """Return who made a change, in words."""
    kind, _, _ = actor.partition(":")
    if kind == "staff":
        return names.get(actor, gettext("a staff user"))
    others = {"call": gettext("a postback"), "job": gettext("the end of the hold"), "rule": gettext("a rule")}
    return others.get(kind, actor)
