"""The postbacks of an affiliate, their test and their deliveries (docs/spec/console.md#portal)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from trackyard.api.tracking import logs, postback_trials
from trackyard.api.tracking import postbacks as postbacks_api
from trackyard.api.tracking.logs import AffiliatePostback
from trackyard.api.tracking.postback_trials import PostbackTestView
from trackyard.api.tracking.postbacks import PostbackView
from trackyard.base.errors import NotFound, ReportTooHeavy, RequestError, Unavailable
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.deliveries.offers import own_offers
from trackyard.console.portal.deliveries.pixels import own_pixels
from trackyard.console.portal.words import moment_text, sentences_of
from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace

pages = Pages()

PATH: Final = "/portal/postbacks"
MOST: Final = 200
"""Postbacks that the page lists."""
DELIVERIES: Final = 20
_DAYS: Final = 7
_TAKEN: Final = tuple(("http_code[]", str(code)) for code in range(200, 300))
"""The answers of a server that took a postback."""
_STATUSES: Final = {
    "by_creating": lazy_gettext("The first report of a conversion"),
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
_OUTCOMES: Final = {
    "sent": ("confirmed", lazy_gettext("Delivered")),
    "failed": ("pending", lazy_gettext("Tried again")),
    "dead": ("declined", lazy_gettext("Not delivered")),
    "superseded": ("hold", lazy_gettext("Replaced")),
    "dropped": ("declined", lazy_gettext("Dropped")),
}
"""Outcome of a delivery to the class of its mark and its word."""
_MEANINGS: Final = {
    "action_id": lazy_gettext("Number of the order, empty when there is none"),
    "order_sum": lazy_gettext("Amount of the order, 0 when it is not known"),
    "goal": lazy_gettext("Value of the goal that was reached, 1 by default"),
    "comment": lazy_gettext("Remark about the conversion; of a declined one the reason"),
}
"""Macros in words for affiliates, where the words of the reference are those of staff."""
GROUPS: Final = (
    FormGroup(
        lazy_gettext("Postback"),
        (
            FormField(
                "url",
                label=lazy_gettext("URL"),
                help=lazy_gettext("Your server gets this request. Macros are replaced."),
                wide=True,
            ),
            FormField(
                "status",
                label=lazy_gettext("When"),
                words=_STATUSES,
                help=lazy_gettext("Without a choice at every change of the status."),
            ),
            FormField("goal", label=lazy_gettext("Goal"), help=lazy_gettext("Without one for every goal.")),
        ),
    ),
)
EDIT: Final = FormPlan(postbacks_api.edit, GROUPS)
NEW: Final = FormPlan(
    postbacks_api.add,
    (
        FormGroup(
            lazy_gettext("Postback"),
            (
                *GROUPS[0].parts,
                FormField(
                    "offer_id", label=lazy_gettext("Offer"), help=lazy_gettext("Without a choice for all offers.")
                ),
            ),
        ),
    ),
)


@pages.get(PATH, audience="affiliate", needs=(postbacks_api.list_own,))
def postbacks(request: PageRequest) -> PageAnswer:
    """Show the postbacks, the macros and the latest deliveries."""
    return _page(request)


@pages.get(f"{PATH}/new", audience="affiliate", needs=(postbacks_api.add,))
@pages.post(f"{PATH}/new", audience="affiliate", needs=(postbacks_api.add,))
def new_postback(request: PageRequest) -> PageAnswer:
    """Add a postback."""
    form = open_form(request, NEW, choices={"offer_id": own_offers(request)}, fixed=_own(request))
    if form.save() is not None:
        return Redirect(PATH, gettext("The postback is added."))
    return form.page(request, gettext("Add a postback"), back=PATH, save=gettext("Add the postback"))


@pages.get(f"{PATH}/{{id}}/edit", audience="affiliate", needs=(postbacks_api.list_own, postbacks_api.edit))
@pages.post(f"{PATH}/{{id}}/edit", audience="affiliate", needs=(postbacks_api.list_own, postbacks_api.edit))
def edit_postback(request: PageRequest) -> PageAnswer:
    """Change a postback."""
    found = _find(request)
    values = {"url": found.url, "status": found.status or "", "goal": found.goal or ""}
    form = open_form(request, EDIT, values, path={"id": str(found.id)})
    if form.save() is not None:
        return Redirect(PATH, gettext("Postback %(id)s is saved.", id=found.id))
    return form.page(request, gettext("Edit postback %(id)s", id=found.id), back=PATH)


@pages.get(f"{PATH}/{{id}}/delete", audience="affiliate", needs=(postbacks_api.list_own, postbacks_api.remove))
def ask_before_removal(request: PageRequest) -> PageAnswer:
    """Ask whether a postback shall be removed."""
    return request.page("portal/postback_delete.html", postback=_find(request))


@pages.post(f"{PATH}/{{id}}/delete", audience="affiliate", needs=(postbacks_api.remove,))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a postback."""
    request.calls.ask(postbacks_api.remove, path=request.path)
    return Redirect(PATH, gettext("The postback is removed."))


@pages.post(f"{PATH}/{{id}}/test", audience="affiliate", needs=(postbacks_api.list_own, postback_trials.send_test))
def test(request: PageRequest) -> PageAnswer:
    """Request the URL of a postback once with the values of a made-up conversion, and show the answer."""
    found = _find(request)
    sent = [("url", found.url), ("status", found.status or ""), ("offer_id", found.offer_id or "")]
    try:
        result = request.calls.ask(postback_trials.send_test, [pair for pair in sent if pair[1]]).test
    except RequestError as refusal:
        return _page(request, fault=sentences_of(refusal), status=refusal.status)
    return _page(request, tested=(found.id, result))


def _page(
    request: PageRequest, fault: str = "", tested: tuple[int, PostbackTestView] | None = None, status: int = 200
) -> PageAnswer:
    answer = request.calls.ask(postbacks_api.list_own, [("limit", str(MOST))])
    offers = dict(own_offers(request))
    return request.page(
        "portal/postbacks.html",
        status,
        rows=answer.postbacks,
        total=answer.pagination.total_count,
        offers=offers,
        statuses=_STATUSES,
        macros=_macros(),
        deliveries=_deliveries(request),
        pixels=own_pixels(request),
        outcomes=_OUTCOMES,
        days=_DAYS,
        fault=fault,
        tested=tested,
        may_write=request.calls.may(postbacks_api.add),
        api_request_path=request.calls.address(postbacks_api.list_own),
    )


def _find(request: PageRequest) -> PostbackView:
    """Return the postback of the path. Raises NotFound."""
    answer = request.calls.ask(postbacks_api.list_own, [("limit", "1000")])
    for each in answer.postbacks:
        if str(each.id) == request.key:
            return each
    raise NotFound


def _own(request: PageRequest) -> list[Pair]:
    return [("pid", str(request.person.caller.id))]


def _macros() -> list[tuple[str, str]]:
    """Return the macros of postbacks with their meaning, without the macros of custom fields."""
    found = [
        (macro.name, _MEANINGS.get(macro.name, macro.meaning))
        for macro in MACROS
        if MacroPlace.POSTBACK in macro.places
    ]
    return [(name, text.replace("`", "")) for name, text in found if not name.startswith("custom_field")]


@dataclass(frozen=True, slots=True)
class Deliveries:
    """The latest attempts with their times, and how many of these days were taken.

    taken: answered with HTTP 200 to 299.
    """

    latest: list[tuple[AffiliatePostback, str]]
    count: int
    taken: int


def _deliveries(request: PageRequest) -> Deliveries | None:
    """Return the latest deliveries; None where the affiliate may not see them, or they cannot be read now."""
    if not request.calls.may(logs.list_affiliate_postbacks):
        return None
    today = datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(request.day_zone).date()
    days = [("date_from", str(today - timedelta(days=_DAYS - 1))), ("date_to", str(today))]
    try:
        answer = request.calls.ask(logs.list_affiliate_postbacks, [*days, ("limit", str(DELIVERIES))])
        taken = request.calls.ask(logs.list_affiliate_postbacks, [*days, *_TAKEN, ("limit", "1")])
    except (ReportTooHeavy, Unavailable):
        return None
    latest = [(each, moment_text(each.date, request.zone)) for each in answer.postbacks]
    return Deliveries(latest, answer.pagination.total_count, taken.pagination.total_count)
