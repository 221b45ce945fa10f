"""Creating and editing an affiliate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money_shown.payees import NAME, payee_choices, payee_rows, payee_values
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.staff.affiliates.one import find_affiliate
from trackyard.console.staff.affiliates.words import STATUSES
from trackyard.console.staff.people_names import affiliate_name, managers

pages = Pages()

_ACCOUNT: Final = (
    FormField("name", "Name"),
    FormField("login", "Login"),
    FormField("status", "Status", words=STATUSES),
    FormField("manager_id", "Manager", help=""),
    FormField("tags", "Tags", widget="words"),
    FormField("level", "Level"),
    FormField("notes", "Notes", widget="long", wide=True),
)
_MORE: Final = (
    FormGroup(
        "Contact",
        (
            FormField("contact_person", "Contact person", read="contactPerson"),
            FormField("company", "Company"),
            FormField("phone", "Phone"),
            FormField("address_1", "Street"),
            FormField("address_2", "Second line"),
            FormField("zip_code", "Postal code"),
            FormField("city", "City"),
            FormField("country", "Country"),
        ),
    ),
    FormGroup(
        "Referrals",
        (
            FormField("ref", "Referred by", help="Number of the affiliate that brought this one."),
            FormField("ref_percent", "Share of referrals", unit="percent"),
        ),
        folded=True,
    ),
    FormGroup(
        "Servers of the affiliate",
        (FormField("server_clicks", "They report clicks"), FormField("server_ip", "Their addresses", widget="lines")),
        folded=True,
    ),
)
_SIGN_IN: Final = (FormField("email", "E-mail"), FormField("password", "Password", widget="password"))
NEW: Final = FormPlan("admin.partner.add", (FormGroup("Account", (*_SIGN_IN, *_ACCOUNT)), *_MORE))
EDIT: Final = FormPlan("admin.partner.edit", (FormGroup("Account", _ACCOUNT), *_MORE))


@pages.get("/console/affiliates/new", needs=("admin.partner.add",))
@pages.post("/console/affiliates/new", needs=("admin.partner.add",))
def new_affiliate(request: PageRequest) -> PageAnswer:
    """Create an affiliate."""
    form = open_form(request, _with_lists(request, NEW), choices=_choices(request))
    answer = form.save()
    if answer is not None:
        made = answer["partner"]
        return Redirect(f"/console/affiliates/{made['id']}", f"{affiliate_name(made)} is created.")
    line = "Nothing is saved yet. The affiliate signs in with its e-mail address and this password."
    return form.page(request, "New affiliate", back="/console/affiliates", line=line, save="Create the affiliate")


@pages.get("/console/affiliates/{id}/edit", needs=("admin.partner.get", "admin.partner.edit"))
@pages.post("/console/affiliates/{id}/edit", needs=("admin.partner.get", "admin.partner.edit"))
def edit_affiliate(request: PageRequest) -> PageAnswer:
    """Change an affiliate."""
    found = find_affiliate(request)
    path = f"/console/affiliates/{found['id']}"
    plan = _with_lists(request, EDIT)
    form = open_form(request, plan, _values(found), choices=_choices(request), path={"id": str(found["id"])})
    answer = form.save()
    if answer is not None:
        held = " Its payment systems change once another administrator confirms." if answer.get("warnings") else ""
        return Redirect(path, f"{affiliate_name(answer['partner'])} is saved.{held}")
    return form.page(request, f"Edit {affiliate_name(found)}", back=path, save="Save the affiliate")


def _values(affiliate: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the API answers by the names of its parameters."""
    manager = affiliate["manager"]
    referrer = "" if affiliate["ref"] == "0" else affiliate["ref"]
    answers = {str(each["id"]): each["value"] for each in affiliate["customFields"]}
    lists = {NAME: payee_values(affiliate["payment_systems"]), "custom_fields": answers}
    return {**affiliate, **lists, "manager_id": manager["id"] if manager else "", "ref": referrer}


def _choices(request: PageRequest) -> Mapping[str, Choices]:
    """Return the values that people choose from by name; a field without any is written."""
    systems = payee_choices(_systems(request))
    named: dict[str, Any] = {
        **systems,
        **_answers(request),
        "manager_id": managers(request.calls),
        "country": country_names(),
    }
    return {name: found for name, found in named.items() if found}


def _with_lists(request: PageRequest, plan: FormPlan) -> FormPlan:
    """Return a form with the payment systems and sign-up questions of the network."""
    groups = list(plan.groups)
    if systems := _systems(request):
        groups.append(FormGroup("Payment systems", (payee_rows(systems),)))
    if questions := _questions(request):
        asked = tuple(FormField(f"custom_fields[{each['id']}]", each["name"], help="") for each in questions)
        groups.append(FormGroup("Sign-up answers", asked))
    return replace(plan, groups=tuple(groups))


def _systems(request: PageRequest) -> Sequence[Mapping[str, Any]]:
    """Return the payment systems of the network; none where the person may not list them."""
    if not request.calls.may("admin.payment_systems.list"):
        return ()
    found: list[dict[str, Any]] = request.calls.call("admin.payment_systems.list")["payment_systems"]
    return found


def _questions(request: PageRequest) -> Sequence[Mapping[str, Any]]:
    """Return the sign-up questions; none where the person may not list them."""
    if not request.calls.may("admin.custom_fields.list"):
        return ()
    found: list[dict[str, Any]] = request.calls.call("admin.custom_fields.list")["fields"]
    return found


def _answers(request: PageRequest) -> dict[str, Choices]:
    """Return the values of questions with a list to choose from."""
    return {
        f"custom_fields[{each['id']}]": (("", ""), *((value, value) for value in each["field_values"]))
        for each in _questions(request)
        if each["field_values"]
    }
