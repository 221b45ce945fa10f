"""The targeting groups of an offer as plain conditions (docs/spec/console.md#offers)."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.base.errors import AccessDenied
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, FormRows, KeyedLines, PageForm, RowState, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.who_gets_through import sentences
from trackyard.console.staff.offers.effects import find_effect
from trackyard.console.staff.offers.lines import SystemLines
from trackyard.console.staff.offers.one import find_offer, may_write
from trackyard.console.staff.offers.plan import DEVICES

pages = Pages()

_CODES: Final = lazy_gettext("Two letters each, such as GB, IE.")
_NUMBERS: Final = lazy_gettext("A country a line, with the numbers of its places: GB: 2635167, 2641364.")
_MAPS: Final = KeyedLines()
_SYSTEMS: Final = SystemLines()
_CONDITIONS: Final = (
    FormField(
        "affiliate_id", label=lazy_gettext("Only for affiliates"), help=lazy_gettext("Numbers. None means everyone.")
    ),
    FormField("country[allow]", label=lazy_gettext("Country is"), help=_CODES),
    FormField("country[deny]", label=lazy_gettext("Country is not"), help=_CODES),
    FormField("region[allow]", label=lazy_gettext("Region is"), codec=_MAPS, help=_NUMBERS),
    FormField("region[deny]", label=lazy_gettext("Region is not"), codec=_MAPS, help=_NUMBERS),
    FormField("city[allow]", label=lazy_gettext("City is"), codec=_MAPS, help=_NUMBERS),
    FormField("city[deny]", label=lazy_gettext("City is not"), codec=_MAPS, help=_NUMBERS),
    FormField("device_type", label=lazy_gettext("Device is"), help=""),
    FormField(
        "os[allow]",
        label=lazy_gettext("System is"),
        codec=_SYSTEMS,
        help=lazy_gettext("One a line: iOS >= 15; with < <= = > >=."),
    ),
    FormField("browser[allow]", label=lazy_gettext("Browser is"), help=""),
    FormField("browser[deny]", label=lazy_gettext("Browser is not"), help=""),
    FormField("brand[allow]", label=lazy_gettext("Brand is"), help=""),
    FormField("brand[deny]", label=lazy_gettext("Brand is not"), help=""),
    FormField(
        "isp[allow]",
        label=lazy_gettext("Provider is"),
        codec=_MAPS,
        help=lazy_gettext("A country a line: DE: Example Telecom."),
    ),
    FormField(
        "connection",
        label=lazy_gettext("Connection is"),
        words={"wi-fi": lazy_gettext("Wi-Fi"), "cellular": lazy_gettext("Cellular")},
        help="",
    ),
    FormField(
        "ip[allow]",
        label=lazy_gettext("Address is"),
        widget="lines",
        help=lazy_gettext("An address, a range a-b or a network a/n a line."),
    ),
    FormField("ip[deny]", label=lazy_gettext("Address is not"), widget="lines", help=lazy_gettext("In the same form.")),
    FormField(
        "sub[allow]",
        label=lazy_gettext("Sub is"),
        codec=_MAPS,
        help=lazy_gettext("A sub a line, by its number: 1: news, mail."),
    ),
    FormField("sub[deny]", label=lazy_gettext("Sub is not"), codec=_MAPS, help=lazy_gettext("In the same form.")),
    FormField("block_proxy", label=lazy_gettext("Reject proxies"), help=""),
    FormField("url", label=lazy_gettext("Leads to"), help=lazy_gettext("Instead of the target URL of the offer.")),
)
PLAN: Final = FormPlan(
    "admin.offer.edit",
    (
        FormGroup(
            lazy_gettext("Groups"),
            (
                FormRows(
                    "targeting", lazy_gettext("Group"), (), _CONDITIONS, more_label="+ Condition", is_conditions=True
                ),
            ),
        ),
        FormGroup(
            lazy_gettext("Affiliates with groups of their own"), (FormField("consider_personal_targeting_only"),)
        ),
    ),
)


@pages.get("/console/offers/{id}/targeting", needs=("offer.get", "admin.offer.edit"))
@pages.post("/console/offers/{id}/targeting", needs=("offer.get", "admin.offer.edit"))
def edit_targeting(request: PageRequest) -> PageAnswer:
    """Change the targeting groups of an offer."""
    offer = find_offer(request)
    if not may_write(request, offer):
        raise AccessDenied
    path = f"/console/offers/{offer['id']}"
    form = open_form(request, PLAN, offer, choices={"targeting[device_type]": DEVICES}, path={"id": str(offer["id"])})
    if form.save() is not None:
        return Redirect(path, gettext("The targeting of %(title)s is saved.", title=offer["title"]))
    return form.page(
        request,
        gettext("Targeting of %(title)s", title=offer["title"]),
        back=path,
        line=gettext("A click gets through when one of the groups accepts it. Affiliates see the change at once."),
        template="staff/offer_targeting.html",
        sentences=sentences({**offer, **_typed(form, offer)}, request.time_of),
        test_path=f"{path}#test",
        effect=find_effect(request, form, offer["id"]),
    )


def _typed(form: PageForm, offer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the groups of the form as the API would answer them."""
    only = form.typed.fields["consider_personal_targeting_only"] == "1"
    groups = [_group(row, offer["targeting"]) for row in form.rows_of("targeting")]
    return {"targeting": groups, "consider_personal_targeting_only": only}


def _group(row: RowState, stored: list[Mapping[str, Any]]) -> dict[str, Any]:
    values = row.values
    before = stored[int(row.origin)] if row.origin and int(row.origin) < len(stored) else None

    def named(name: str) -> dict[str, Any]:
        return {kind: list(values.get(f"{name}[{kind}]", ())) for kind in ("allow", "deny")}

    def keyed(name: str) -> dict[str, Any]:
        return {kind: _MAPS.tree(tuple(values.get(f"{name}[{kind}]", ()))) for kind in ("allow", "deny")}

    places = {name: {kind: _numbers(tree) for kind, tree in keyed(name).items()} for name in ("region", "city")}
    return {
        **{name: named(name) for name in ("country", "ip", "browser", "brand")},
        **places,
        "isp": keyed("isp"),
        "sub": {**keyed("sub"), "deny_groups": before["sub"]["deny_groups"] if before else []},
        "os": {"allow": _SYSTEMS.tree(tuple(values["os[allow]"]))},
        "device_type": values["device_type"],
        "connection": values["connection"],
        "affiliate_id": values["affiliate_id"],
        "block_proxy": values["block_proxy"] == "1",
        "url": values["url"],
        "urls": before["urls"] if before else [],
    }


def _numbers(tree: Mapping[str, list[str]]) -> dict[str, list[int | str]]:
    return {key: [int(each) if each.isdecimal() else each for each in values] for key, values in tree.items()}
