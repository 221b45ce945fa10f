"""The postbacks of an affiliate, their test and their deliveries (docs/spec/console.md#portal)."""

from dataclasses import replace
from typing import Final

from trackyard.api.tracking import postback_trials
from trackyard.api.tracking import postbacks as postbacks_api
from trackyard.api.tracking.postback_trials import PostbackTestView
from trackyard.api.tracking.postbacks import PostbackView
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.page import answer_list
from trackyard.console.portal.deliveries.offers import own_offers
from trackyard.console.portal.words import sentences_of
from trackyard.console.tracking.own_postbacks import OWN_POSTBACKS, PATH, STATUSES

pages = Pages()

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
                words=STATUSES,
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
    return answer_list(OWN_POSTBACKS, replace(request, address=PageAddress(PATH)), fault, status, tested=tested)


def _find(request: PageRequest) -> PostbackView:
    """Return the postback of the path. Raises NotFound."""
    answer = request.calls.ask(postbacks_api.list_own, [("limit", "1000")])
    for each in answer.postbacks:
        if str(each.id) == request.key:
            return each
    raise NotFound


def _own(request: PageRequest) -> list[Pair]:
    return [("pid", str(request.person.caller.id))]
