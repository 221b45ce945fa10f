"""The pixels of an affiliate (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.api.tracking import pixels
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.deliveries.offers import own_offers
from trackyard.console.tracking.own_postbacks import PATH as LIST
from trackyard.console.tracking.own_postbacks import PIXELS_PATH as PATH
from trackyard.console.tracking.own_postbacks import own_pixels

pages = Pages()

_FIELDS: Final = (
    FormField("name", label=lazy_gettext("Name"), help=""),
    FormField("code_type", label=lazy_gettext("Kind"), help=""),
    FormField(
        "code",
        label=lazy_gettext("Code"),
        widget="long",
        help=lazy_gettext("Browsers of your visitors get it. Staff check it first."),
    ),
)
EDIT: Final = FormPlan(pixels.edit, (FormGroup(lazy_gettext("Pixel"), _FIELDS),))
NEW: Final = FormPlan(
    pixels.add,
    (FormGroup(lazy_gettext("Pixel"), (FormField("offer_id", label=lazy_gettext("Offer"), help=""), *_FIELDS)),),
)


@pages.get(f"{PATH}/new", audience="affiliate", needs=(pixels.add,))
@pages.post(f"{PATH}/new", audience="affiliate", needs=(pixels.add,))
def new_pixel(request: PageRequest) -> PageAnswer:
    """Add a pixel."""
    form = open_form(request, NEW, choices={"offer_id": own_offers(request)})
    if form.save() is not None:
        return Redirect(LIST, gettext("The pixel is added. It is used once staff accepted it."))
    return form.page(request, gettext("Add a pixel"), back=LIST, save=gettext("Add the pixel"))


@pages.get(f"{PATH}/{{id}}/edit", audience="affiliate", needs=(pixels.list_own, pixels.edit))
@pages.post(f"{PATH}/{{id}}/edit", audience="affiliate", needs=(pixels.list_own, pixels.edit))
def edit_pixel(request: PageRequest) -> PageAnswer:
    """Change a pixel."""
    found = _find(request)
    form = open_form(request, EDIT, found, path={"id": str(found.id)})
    if form.save() is not None:
        return Redirect(LIST, gettext("%(name)s is saved.", name=found.name))
    return form.page(request, gettext("Edit %(name)s", name=found.name), back=LIST)


@pages.get(f"{PATH}/{{id}}/delete", audience="affiliate", needs=(pixels.list_own, pixels.remove))
def ask_before_removal(request: PageRequest) -> PageAnswer:
    """Ask whether a pixel shall be removed."""
    return request.page("portal/pixel_delete.html", pixel=_find(request))


@pages.post(f"{PATH}/{{id}}/delete", audience="affiliate", needs=(pixels.remove,))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a pixel."""
    request.calls.ask(pixels.remove, path=request.path)
    return Redirect(LIST, gettext("The pixel is removed."))


def _find(request: PageRequest) -> pixels.PixelView:
    """Return the pixel of the path. Raises NotFound."""
    found = {str(each.id): each for each in own_pixels(request)}
    if request.key not in found:
        raise NotFound
    return found[request.key]
