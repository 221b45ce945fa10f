"""The targeting groups of an offer as plain conditions (docs/spec/console.md#offers)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from trackyard.api.offers import lists, offers
from trackyard.api.offers.view import OfferView
from trackyard.api.offers.view_parts import IspTargetingView, OsTargetingView, TargetingView
from trackyard.base.errors import AccessDenied
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import AnyForm, FormField, FormGroup, FormPlan, FormRows, KeyedLines, RowState, open_form
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.who_gets_through import sentences
from trackyard.console.staff.offers.click_test import DEVICES as BROWSERS
from trackyard.console.staff.offers.click_test import find_typed_test
from trackyard.console.staff.offers.effects import find_effect
from trackyard.console.staff.offers.lines import SystemLines
from trackyard.console.staff.offers.one import find_offer, may_write
from trackyard.console.staff.offers.plan import DEVICES
from trackyard.domain.offers.offers import (
    AgentLists,
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    BrowserVersions,
    OrganizationLists,
    OsVersion,
    TextLists,
    VisitorAddresses,
)

pages = Pages()

_CODES: Final = lazy_gettext("Two letters each, such as GB, IE.")
_NUMBERS: Final = lazy_gettext("A country a line, with the numbers of its places: GB: 2635167, 2641364.")
_MAPS: Final = KeyedLines()
_SYSTEMS: Final = SystemLines()
_PARTS: Final = lazy_gettext("Parts of the text, one a line, in any case.")
_VERSIONS: Final = lazy_gettext("One a line: Chrome >= 120; with < <= = > >=.")
_FIRST: Final = (
    FormField("name", label=lazy_gettext("Name"), help=""),
    FormField(
        "condition",
        label=lazy_gettext("A visitor must fit"),
        words={"and": lazy_gettext("All conditions"), "or": lazy_gettext("Any condition")},
        help="",
    ),
    FormField("enabled", label=lazy_gettext("The group counts"), help=""),
)
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
    FormField("zip[allow]", label=lazy_gettext("Postal code is"), help=""),
    FormField("zip[deny]", label=lazy_gettext("Postal code is not"), help=""),
    FormField("device_type", label=lazy_gettext("Device is"), help=""),
    FormField("device_type_deny", label=lazy_gettext("Reject these devices instead"), help=""),
    FormField("device_model[allow]", label=lazy_gettext("Model is"), widget="lines", help=""),
    FormField("device_model[deny]", label=lazy_gettext("Model is not"), widget="lines", help=""),
    FormField(
        "os[allow]",
        label=lazy_gettext("System is"),
        codec=_SYSTEMS,
        help=lazy_gettext("One a line: iOS >= 15; with < <= = > >=."),
    ),
    FormField("os_deny", label=lazy_gettext("Reject these systems instead"), help=""),
    FormField("browser[allow]", label=lazy_gettext("Browser is"), help=""),
    FormField("browser[deny]", label=lazy_gettext("Browser is not"), help=""),
    FormField("browser_version[allow]", label=lazy_gettext("Browser version is"), codec=_SYSTEMS, help=_VERSIONS),
    FormField("browser_version[deny]", label=lazy_gettext("Browser version is not"), codec=_SYSTEMS, help=_VERSIONS),
    FormField("brand[allow]", label=lazy_gettext("Brand is"), help=""),
    FormField("brand[deny]", label=lazy_gettext("Brand is not"), help=""),
    FormField(
        "isp[allow]",
        label=lazy_gettext("Provider is"),
        codec=_MAPS,
        help=lazy_gettext("A country a line: DE: Example Telecom."),
    ),
    FormField("isp_organization[allow]", label=lazy_gettext("Organization is"), widget="lines", help=""),
    FormField("isp_organization[deny]", label=lazy_gettext("Organization is not"), widget="lines", help=""),
    FormField("isp_organization[deny_empty]", label=lazy_gettext("Reject unknown organizations"), help=""),
    FormField(
        "connection",
        label=lazy_gettext("Connection is"),
        words={"wi-fi": lazy_gettext("Wi-Fi"), "cellular": lazy_gettext("Cellular")},
        help="",
    ),
    FormField("connection_deny", label=lazy_gettext("Reject this connection instead"), help=""),
    FormField(
        "ip[allow]",
        label=lazy_gettext("IP address is"),
        widget="lines",
        help=lazy_gettext("An IP address, a range a-b or a network a/n a line."),
    ),
    FormField(
        "ip[deny]", label=lazy_gettext("IP address is not"), widget="lines", help=lazy_gettext("In the same form.")
    ),
    FormField("ip[ipv6_deny]", label=lazy_gettext("Reject IPv6 addresses"), help=""),
    FormField("referrer[allow]", label=lazy_gettext("Referrer has one of"), widget="lines", help=_PARTS),
    FormField("referrer[deny]", label=lazy_gettext("Referrer has none of"), widget="lines", help=_PARTS),
    FormField("referrer[deny_empty]", label=lazy_gettext("Reject empty referrers"), help=""),
    FormField("referrer[is_regexp]", label=lazy_gettext("Referrers are regular expressions"), help=""),
    FormField("ua[allow]", label=lazy_gettext("User agent has one of"), widget="lines", help=_PARTS),
    FormField("ua[deny]", label=lazy_gettext("User agent has none of"), widget="lines", help=_PARTS),
    FormField("ua[deny_empty]", label=lazy_gettext("Reject empty user agents"), help=""),
    FormField("ua[is_regexp]", label=lazy_gettext("User agents are regular expressions"), help=""),
    FormField("ua[deny_crawlers]", label=lazy_gettext("Reject crawlers"), help=""),
    FormField("block_known_bots", label=lazy_gettext("Reject known bots"), help=""),
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
_SWITCHES: Final = ("enabled", "os_deny", "device_type_deny", "connection_deny", "block_proxy", "block_known_bots")
PLAN: Final = FormPlan(
    offers.edit,
    (
        FormGroup(
            lazy_gettext("Groups"),
            (
                FormRows(
                    "targeting",
                    lazy_gettext("Group"),
                    _FIRST,
                    _CONDITIONS,
                    more_label="+ Condition",
                    is_conditions=True,
                ),
            ),
        ),
        FormGroup(
            lazy_gettext("Affiliates with groups of their own"), (FormField("consider_personal_targeting_only"),)
        ),
    ),
)


@pages.get("/console/offers/{id}/targeting", needs=(lists.get, offers.edit))
@pages.post("/console/offers/{id}/targeting", needs=(lists.get, offers.edit))
def edit_targeting(request: PageRequest) -> PageAnswer:
    """Change the targeting groups of an offer."""
    offer = find_offer(request)
    if not may_write(request, offer):
        raise AccessDenied
    path = f"/console/offers/{offer.id}"
    form = open_form(request, PLAN, offer, choices={"targeting[device_type]": DEVICES}, path={"id": str(offer.id)})
    if form.save() is not None:
        return Redirect(path, gettext("The targeting of %(title)s is saved.", title=offer.title))
    return form.page(
        request,
        gettext("Targeting of %(title)s", title=offer.title),
        back=path,
        line=gettext("A click gets through when one of the groups accepts it. Affiliates see the change at once."),
        template="staff/offer_targeting.html",
        sentences=sentences(_typed(form, offer), request.time_of),
        click_test=find_typed_test(request, form, offer.id),
        browsers=BROWSERS,
        effect=find_effect(request, form, offer.id),
    )


def _typed(form: AnyForm, offer: OfferView) -> OfferView:
    """Return the offer with the groups of the form, as the API would answer it."""
    only = form.typed.fields["consider_personal_targeting_only"] == "1"
    groups = [_group(row, offer.targeting) for row in form.rows_of("targeting")]
    return replace(offer, targeting=groups, consider_personal_targeting_only=only)


def _group(row: RowState, stored: Sequence[TargetingView]) -> TargetingView:
    """Return a group of the form. Values that the API would refuse are in it as they were typed."""
    values: Mapping[str, Any] = row.values
    before = stored[int(row.origin)] if row.origin and int(row.origin) < len(stored) else None

    def named(name: str) -> dict[str, Any]:
        return {kind: list(values.get(f"{name}[{kind}]", ())) for kind in ("allow", "deny")}

    def with_keys(name: str) -> dict[str, Any]:
        return {kind: _MAPS.tree(tuple(values.get(f"{name}[{kind}]", ()))) for kind in ("allow", "deny")}

    def switched(name: str, *switches: str) -> dict[str, Any]:
        return {each: values[f"{name}[{each}]"] == "1" for each in switches}

    def versioned(name: str) -> tuple[OsVersion, ...]:
        return tuple(OsVersion(**each) for each in _SYSTEMS.tree(tuple(values[name])))

    def placed(name: str) -> AllowDenyGeo:
        return AllowDenyGeo(**{kind: _numbers(tree) for kind, tree in with_keys(name).items()})

    as_typed = {
        name: values[name] for name in ("name", "condition", "device_type", "connection", "affiliate_id", "url")
    }
    return TargetingView(
        **as_typed,
        **{name: values[name] == "1" for name in _SWITCHES},
        country=AllowDeny(**named("country")),
        zip=AllowDeny(**named("zip")),
        browser=AllowDeny(**named("browser")),
        brand=AllowDeny(**named("brand")),
        device_model=AllowDeny(**named("device_model")),
        region=placed("region"),
        city=placed("city"),
        isp=IspTargetingView(**with_keys("isp")),
        isp_organization=OrganizationLists(**named("isp_organization"), **switched("isp_organization", "deny_empty")),
        ip=VisitorAddresses(**named("ip"), **switched("ip", "ipv6_deny")),
        referrer=TextLists(**named("referrer"), **switched("referrer", "deny_empty", "is_regexp")),
        ua=AgentLists(**named("ua"), **switched("ua", "deny_empty", "is_regexp", "deny_crawlers")),
        sub=AllowDenySubs(**with_keys("sub"), deny_groups=before.sub.deny_groups if before else ()),
        os=OsTargetingView(allow=versioned("os[allow]")),
        browser_version=BrowserVersions(
            allow=versioned("browser_version[allow]"), deny=versioned("browser_version[deny]")
        ),
        urls=before.urls if before else [],
    )


def _numbers(tree: Mapping[str, list[str]]) -> dict[str, Any]:
    return {key: [int(each) if _is_number(each) else each for each in values] for key, values in tree.items()}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
