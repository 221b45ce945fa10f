"""Creating and editing an advertiser."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.staff.advertisers.one import find_advertiser
from trackyard.console.staff.people_names import managers

pages = Pages()

_GROUPS: Final = (
    FormGroup(
        "Advertiser",
        (
            FormField("title", "Name"),
            FormField("manager", "Manager", help=""),
            FormField("contact", "Contact person"),
            FormField("email", "E-mail"),
            FormField("skype", "Messenger"),
            FormField("url", "Site"),
            FormField("tags", "Tags", widget="words"),
            FormField("note", "Notes", widget="long", wide=True),
        ),
    ),
    FormGroup(
        "Postbacks",
        (
            FormField("hash_password", "Code of postbacks"),
            FormField("allowed_ip", "Allowed addresses", widget="lines"),
            FormField("disallowed_ip", "Refused addresses", widget="lines", help="They may not report conversions."),
        ),
    ),
    FormGroup(
        "Address",
        (
            FormField("address_1", "Street"),
            FormField("address_2", "Second line"),
            FormField("zip_code", "Postal code"),
            FormField("city", "City"),
            FormField("country", "Country"),
            FormField("vat_code", "VAT number"),
        ),
        folded=True,
    ),
)
NEW: Final = FormPlan("admin.advertiser.add", _GROUPS)
EDIT: Final = FormPlan("admin.advertiser.edit", _GROUPS)


@pages.get("/console/advertisers/new", needs=("admin.advertiser.add",))
@pages.post("/console/advertisers/new", needs=("admin.advertiser.add",))
def new_advertiser(request: PageRequest) -> PageAnswer:
    """Create an advertiser."""
    form = open_form(request, NEW, choices=_choices(request))
    answer = form.save()
    if answer is not None:
        made = answer["advertiser"]
        return Redirect(f"/console/advertisers/{made['id']}", f"{made['title']} is created.")
    line = "Nothing is saved yet. Offers of the advertiser follow."
    return form.page(request, "New advertiser", back="/console/advertisers", line=line, save="Create the advertiser")


@pages.get("/console/advertisers/{id}/edit", needs=("admin.advertiser.get", "admin.advertiser.edit"))
@pages.post("/console/advertisers/{id}/edit", needs=("admin.advertiser.get", "admin.advertiser.edit"))
def edit_advertiser(request: PageRequest) -> PageAnswer:
    """Change an advertiser."""
    found = find_advertiser(request)
    path = f"/console/advertisers/{found['id']}"
    form = open_form(request, EDIT, found, choices=_choices(request), path={"id": found["id"]})
    answer = form.save()
    if answer is not None:
        return Redirect(path, f"{answer['advertiser']['title']} is saved.")
    return form.page(request, f"Edit {found['title']}", back=path, save="Save the advertiser")


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    named: dict[str, Any] = {"manager": managers(request.calls), "country": country_names()}
    return {name: found for name, found in named.items() if found}
