"""The search: any id, number or name leads to its object (docs/spec/console.md#traffic)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.api.conversions import conversions
from trackyard.api.conversions.conversions import ConversionForStaff, ConversionsForStaff
from trackyard.api.offers import lists
from trackyard.api.people import advertisers, affiliates
from trackyard.api.tracking import explain
from trackyard.api.tracking.explain import ExplainedConversionView
from trackyard.base.errors import RequestError
from trackyard.base.ids import is_hex24
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.methods import Needs
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import OFFERS

pages = Pages()

LONGEST: Final = 255
MOST: Final = 8
"""Objects of a kind that are listed."""
_EVERY_DAY: Final = ("date_from", "2000-01-01")


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object that fits. more: what differs from others. link: of its page."""

    title: str
    more: str
    link: str


@dataclass(frozen=True, slots=True)
class FoundKind:
    """Objects of a kind. total: how many fit, of which some are listed. see: the list of all, "" = none."""

    label: str
    objects: tuple[FoundObject, ...]
    total: int
    see: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that is searched. needs: the methods of the API without which it cannot be."""

    label: str
    needs: Needs
    search: Callable[[PageRequest, str], Iterator[FoundKind]]


@pages.get("/console/find")
def find(request: PageRequest) -> PageAnswer:
    """Redirect to the object that matches an id, a number or a name; list the objects when several match."""
    text = request.address.get("q").strip()[:LONGEST]
    places = [place for place in _PLACES if request.may_use(place.needs)]
    if request.calls.may(explain.explain):  # it finds conversions, too
        places = [place for place in places if place.search is not _listed_conversions]
    found = list(_found(request, text, places)) if text else []
    links = {each.link for kind in found for each in kind.objects}
    if len(links) == 1 and sum(kind.total for kind in found) == 1:
        return Redirect(links.pop())
    return request.page(
        "staff/traffic/find.html",
        text=text,
        found=found,
        searched=[place.label for place in places],
    )


def _found(request: PageRequest, text: str, places: Iterable[_Place]) -> Iterator[FoundKind]:
    """Yield the matching objects by kind. A complete id that matches ends the search."""
    for place in places:
        kinds = [kind for kind in place.search(request, text) if kind.objects]
        yield from kinds
        if is_hex24(text.lower()) and kinds:
            return


def _traffic(request: PageRequest, text: str) -> Iterator[FoundKind]:
    """Yield the click, conversion, postback or delivery of an id, or the conversions of an action."""
    try:
        explanation = request.calls.ask(explain.explain, [("id", text)]).explanation
    except RequestError:  # no id can look like this
        return
    if explanation is None:
        return
    match explanation.kind:
        case "click":
            yield _single(request, gettext("Clicks"), text.lower(), f"/console/clicks/{explanation.click_id}")
        case "inbound_postback":
            yield _single(request, gettext("Postbacks"), text.lower(), f"/console/postbacks/received/{text.lower()}")
        case "delivery":
            yield _single(request, gettext("Deliveries"), text.lower(), f"/console/postbacks/sent/{text.lower()}")
        case "conversion":
            yield _single(request, gettext("Conversions"), text.lower(), f"/console/conversions/{text.lower()}")
        case _:
            yield _conversions(request, explanation.candidates or explanation.conversions, text)


def _single(request: PageRequest, label: str, title: str, link: str) -> FoundKind:
    objects = (FoundObject(title, "", link),) if request.may_open(link) else ()
    return FoundKind(label, objects, len(objects))


def _conversions(
    request: PageRequest, found: Sequence[ExplainedConversionView | ConversionForStaff], text: str
) -> FoundKind:
    if not request.may_open(f"/console/conversions/{'0' * 24}"):
        return FoundKind(gettext("Conversions"), (), 0)
    objects = tuple(
        FoundObject(
            each.id,
            gettext(
                "action ID %(text)s · %(status)s · %(created_at)s",
                text=text,
                status=each.status,
                created_at=request.time_of(each.created_at, seconds=True),
            ),
            f"/console/conversions/{each.id}",
        )
        for each in found[:MOST]
    )
    return FoundKind(
        gettext("Conversions"), objects, len(found), f"/console/conversions?q={text}" if len(found) > MOST else ""
    )


def _listed_conversions(request: PageRequest, text: str) -> Iterator[FoundKind]:
    """Yield conversions for people who may not follow an id."""
    for name in ("id[]", "clickid[]", "action_id[]") if is_hex24(text.lower()) else ("action_id[]",):
        sent = [_EVERY_DAY, (name, text), ("limit", str(MOST))]
        answer = request.calls.ask_as(ConversionsForStaff, conversions.list_conversions, sent)
        if answer.conversions:
            yield _conversions(request, answer.conversions, text)
            return


def _offers(request: PageRequest, text: str) -> Iterator[FoundKind]:
    answer = request.calls.ask_as(
        lists.OffersAnswer, lists.list_offers, [("q", text), *OFFERS.every, ("limit", str(MOST))]
    )
    found = [(str(each.id), each.title, each.status) for each in answer.offers]
    yield _kind(request, gettext("Offers"), "offer", found, answer.pagination.total_count, text)


def _affiliates(request: PageRequest, text: str) -> Iterator[FoundKind]:
    answer = request.calls.ask(affiliates.list_, [("search", text), ("limit", str(MOST))])
    found = [(str(each.id), each.name or each.login or each.email, each.email) for each in answer.partners]
    yield _kind(request, gettext("Affiliates"), "affiliate", found, answer.pagination.total_count, text)


def _advertisers(request: PageRequest, text: str) -> Iterator[FoundKind]:
    answer = request.calls.ask(advertisers.list_, [("search", text), ("limit", str(MOST))])
    found = [(each.id, each.title, each.email or "") for each in answer.advertisers]
    yield _kind(request, gettext("Advertisers"), "advertiser", found, answer.pagination.total_count, text)


def _kind(
    request: PageRequest, label: str, kind: str, found: Iterable[tuple[str, str, str]], total: int, text: str
) -> FoundKind:
    """Return the objects of a list of the API that the person may open.

    kind: as slices name it. found: id, title and small print. The one with this number comes first.
    """
    objects = []
    for number, title, more in sorted(found, key=lambda each: each[0] != text):
        link = f"/console/{kind}s/{number}"
        if not request.may_open(link):  # the report of an object that has no page
            link = f"/console/reports?f.{kind}={number}&by=day"
        if request.may_open(link.partition("?")[0]):
            objects.append(FoundObject(title, f"#{number} · {more}" if more else f"#{number}", link))
    return FoundKind(label, tuple(objects), total if objects else 0)


_PLACES: Final = (
    _Place(
        lazy_gettext("clicks, conversions, action IDs, postbacks and deliveries by their ids"),
        (explain.explain,),
        _traffic,
    ),
    _Place(
        lazy_gettext("conversions by their ids and action IDs"), (conversions.list_conversions,), _listed_conversions
    ),
    _Place(lazy_gettext("offers by title and number"), (lists.list_offers,), _offers),
    _Place(lazy_gettext("affiliates by name, e-mail address, company and number"), (affiliates.list_,), _affiliates),
    _Place(lazy_gettext("advertisers by title, e-mail address and id"), (advertisers.list_,), _advertisers),
)
