"""Staff change and test the postbacks of an affiliate (docs/spec/console.md#affiliates)."""

from collections.abc import Sequence
from typing import Final

from trackyard.api.offers import lists
from trackyard.api.people import affiliates
from trackyard.api.tracking import postback_trials, postbacks
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import AnyForm, FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.staff.affiliates.one import find_affiliate, page_of
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.people_names import affiliate_name

pages = Pages()

PATH: Final = "/console/affiliates/{id}/postbacks"
_FORM: Final = "staff/affiliates/postback_form.html"
_MOST: Final = 1000
_MOST_OFFERS: Final = 300
STATUSES: Final = {
    "by_creating": lazy_gettext("The first report of a conversion"),
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
"""When a postback is sent, by the values of the API; without one at every change."""
_FIELDS: Final = (
    FormField("url", label=lazy_gettext("URL"), help=lazy_gettext("Macros such as {clickid} are replaced."), wide=True),
    FormField(
        "status",
        label=lazy_gettext("When"),
        words=STATUSES,
        help=lazy_gettext("Without a choice at every change of the status."),
    ),
    FormField("goal", label=lazy_gettext("Goal"), help=lazy_gettext("Without one for every goal.")),
)
_OFFER: Final = FormField(
    "offer_id", label=lazy_gettext("Offer"), help=lazy_gettext("Without a choice for all offers.")
)
NEW: Final = FormPlan(postbacks.add, (FormGroup(lazy_gettext("Postback"), (*_FIELDS, _OFFER)),))
EDIT: Final = FormPlan(postbacks.edit, (FormGroup(lazy_gettext("Postback"), _FIELDS),))


@pages.get(f"{PATH}/new", needs=(affiliates.show, postbacks.add, postback_trials.send_test))
@pages.post(f"{PATH}/new", needs=(affiliates.show, postbacks.add, postback_trials.send_test))
def new_postback(request: PageRequest) -> PageAnswer:
    """Add a postback, or test the one that is typed."""
    affiliate = find_affiliate(request)
    back = _back(request)
    fixed = [("pid", str(affiliate.id))]
    form = open_form(request, NEW, choices={"offer_id": _offers(request)}, fixed=fixed)
    if form.save() is not None:
        return Redirect(back, gettext("The postback is added."))
    title = gettext("Add a postback of %(name)s", name=affiliate_name(affiliate))
    return form.page(
        request, title, back=back, save=gettext("Add the postback"), template=_FORM, tested=_tried(request, form, ())
    )


@pages.get(f"{PATH}/{{postback}}/edit", needs=(affiliates.show, postbacks.list_, postbacks.edit))
@pages.post(f"{PATH}/{{postback}}/edit", needs=(affiliates.show, postbacks.list_, postbacks.edit))
def edit_postback(request: PageRequest) -> PageAnswer:
    """Change a postback, or test what is typed. One that was paused is sent again."""
    found = _find(request)
    values = {"url": found.url, "status": found.status or "", "goal": found.goal or ""}
    form = open_form(request, EDIT, values, path={"id": str(found.id)})
    if form.save() is not None:
        return Redirect(_back(request), gettext("Postback %(id)s is saved.", id=found.id))
    more = [(name, value) for name, value in (("pid", found.pid), ("offer_id", found.offer_id)) if value]
    title = gettext("Edit postback %(id)s", id=found.id)
    return form.page(request, title, back=_back(request), template=_FORM, tested=_tried(request, form, more))


@pages.get(f"{PATH}/{{postback}}/delete", needs=(postbacks.list_, postbacks.remove))
def ask_before_removal(request: PageRequest) -> PageAnswer:
    """Ask whether a postback shall be removed."""
    return request.page("staff/affiliates/postback_delete.html", postback=_find(request), back=_back(request))


@pages.post(f"{PATH}/{{postback}}/delete", needs=(postbacks.list_, postbacks.remove))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a postback."""
    request.calls.ask(postbacks.remove, path={"id": str(_find(request).id)})
    return Redirect(_back(request), gettext("The postback is removed."))


@pages.post(f"{PATH}/{{postback}}/test", needs=(affiliates.show, postbacks.list_, postback_trials.send_test))
def test(request: PageRequest) -> PageAnswer:
    """Request the URL of a postback once with made-up values, and show the answer on the affiliate's page."""
    found, affiliate = _find(request), find_affiliate(request)
    more = (("status", found.status), ("offer_id", found.offer_id), ("goal", found.goal))
    sent = [("pid", found.pid), ("url", found.url), *((name, value) for name, value in more if value)]
    try:
        result = request.calls.ask(postback_trials.send_test, sent).test
    except RequestError as refusal:
        return page_of(request, affiliate, fault_of(refusal), refusal.status)
    return page_of(request, affiliate, tested=(found.id, result))


def _tried(request: PageRequest, form: AnyForm, more: Sequence[Pair]) -> postback_trials.PostbackTestView | None:
    """Return the answer to what was typed; None where the person did not ask for a test."""
    tested = None
    if form.is_tried and request.calls.may(postback_trials.send_test):
        known = {name for name, _ in more}
        sent = [*more, *(pair for pair in form.filled_pairs if pair[0] not in known)]
        try:
            tested = request.calls.ask(postback_trials.send_test, sent).test
        except RequestError as refusal:
            form.refuse(refusal)
    return tested


def _offers(request: PageRequest) -> Choices:
    """Return the offers that the affiliate may send clicks to, by title."""
    if not request.calls.may(lists.list_live):
        return ()
    sent = [("pid", request.key), ("limit", str(_MOST_OFFERS)), ("sort[title]", "asc")]
    return tuple((str(each.id), each.title) for each in request.calls.ask(lists.list_live, sent).offers)


def _find(request: PageRequest) -> postbacks.PostbackView:
    """Return the postback of the path. Raises NotFound."""
    sent = [("partner_id[]", request.key), ("limit", str(_MOST))]
    found = {str(each.id): each for each in request.calls.ask(postbacks.list_, sent).postbacks}
    postback = found.get(request.path["postback"])
    if postback is None:
        raise NotFound
    return postback


def _back(request: PageRequest) -> str:
    return f"/console/affiliates/{request.key}#postbacks"
