"""The face of the network: name, logo, colours, terms, sign-up (docs/spec/platform.md#the-network)."""

from typing import Final

from trackyard.api.platform import network
from trackyard.base.errors import BadInput, UnsupportedMediaType
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of

pages = Pages()

PATH: Final = "/console/settings/network"
PLAN: Final = FormPlan(
    network.edit,
    (
        FormGroup(
            lazy_gettext("Name and contact"),
            (
                FormField("name", label=lazy_gettext("Name of the network")),
                FormField("contact", label=lazy_gettext("Contact for affiliates")),
            ),
        ),
        FormGroup(
            lazy_gettext("Colours"),
            (
                FormField("accent", label=lazy_gettext("Accent of light pages")),
                FormField("accent_dark", label=lazy_gettext("Accent of dark pages")),
            ),
        ),
        FormGroup(
            lazy_gettext("Sign-up"),
            (
                FormField(
                    "sign_up",
                    label=lazy_gettext("Sign-up of affiliates"),
                    words={"open": lazy_gettext("Open"), "closed": lazy_gettext("Closed")},
                ),
                FormField(
                    "advertiser_sign_up",
                    label=lazy_gettext("Sign-up of advertisers"),
                    words={"open": lazy_gettext("Open"), "closed": lazy_gettext("Closed")},
                ),
                FormField("terms_url", label=lazy_gettext("Page with the terms"), wide=True),
                FormField("terms", label=lazy_gettext("Terms"), widget="long", wide=True),
            ),
        ),
    ),
)


@pages.get(PATH, needs=(network.edit,))
@pages.post(PATH, needs=(network.edit,))
def network_settings(request: PageRequest) -> PageAnswer:
    """Show and change the face of the network."""
    return _page(request)


@pages.post(f"{PATH}/logo", needs=(network.edit_logo,))
def replace_logo(request: PageRequest) -> PageAnswer:
    """Replace the logo by the chosen file, or remove it."""
    if request.field("remove"):
        request.calls.ask(network.edit_logo)
        return Redirect(PATH, gettext("The logo is removed."))
    if not request.files:
        return _page(request, gettext("Choose a file first."))
    try:
        request.calls.ask(network.edit_logo, files=request.files)
    except BadInput as refusal:
        return _page(request, fault_of(refusal))
    except UnsupportedMediaType:
        return _page(request, gettext("This file is not a PNG or JPEG picture."))
    return Redirect(PATH, gettext("The logo is saved."))


def _page(request: PageRequest, logo_fault: str = "") -> Html | Redirect:
    form = open_form(request, PLAN, request.calls.ask(network.show).network)
    if not logo_fault and form.save() is not None:
        return Redirect(PATH, gettext("The face of the network is saved."))
    page = form.page(
        request,
        gettext("The network"),
        back="/console/settings",
        line=gettext("What affiliates see of it: at sign-in, at sign-up, in the portal and in mails."),
        template="staff/settings/network.html",
        logo_fault=logo_fault,
    )
    return page if not logo_fault else Html(page.template, page.values, 400)
