"""Tracking domains and SmartLinks (docs/spec/console.md#programs)."""

from typing import Any, Final

from trackyard.console.forms import FieldChoices, FormField, FormGroup
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.settings.declared import ListColumn, SettingsList
from trackyard.console.staff.settings.lists import declare_list

pages = Pages()


def _domain_choices(request: PageRequest) -> FieldChoices:
    """Return the domains that links may begin with; none is the address of the platform."""
    found = request.calls.call("admin.domains.list")["domains"] if request.calls.may("admin.domains.list") else {}
    return {"domain_id": [("", "The platform's address"), *((number, each["url"]) for number, each in found.items())]}


def _smartlink_records(answer: Any) -> list[dict[str, Any]]:
    return [{**each, "id": each["_id"]} for each in answer["data"]]


_DOMAIN: Final = FormGroup(
    "Domain",
    (
        FormField("url", label="Host", help="Such as track.example.org. Its DNS must lead to the tracking listener."),
        FormField("use_https", label="Links begin with https", widget="switch"),
    ),
)
_SMARTLINK: Final = FormGroup(
    "SmartLink",
    (
        FormField("name", wide=True),
        FormField("domain_id", label="Links begin with", help=""),
        FormField("description", wide=True),
    ),
)
PROGRAM_LISTS: Final[tuple[SettingsList, ...]] = (
    SettingsList(
        slug="smartlinks",
        place="/console/",
        title="SmartLinks",
        one="SmartLink",
        about="One link for several offers: each click goes to an offer of the SmartLink that takes it.",
        empty="There is no SmartLink yet. Make one, and choose it in the form of each offer.",
        removal="Its links stop working at once, and offers lose it. It cannot be undone.",
        lists="admin.smartlink.categories.list",
        add="admin.smartlink.category.add",
        edit="admin.smartlink.category.edit",
        remove="admin.smartlink.category.remove",
        records=_smartlink_records,
        name=lambda record: str(record["name"]),
        columns=(
            ListColumn("Links begin with", lambda record: str(record["domain"])),
            ListColumn("Offers", lambda record: f"{record['count_offer']:,}"),
            ListColumn("Description", lambda record: record["description"] or "\N{EM DASH}"),
            ListColumn("Created", lambda record: str(record["created_at"])),
        ),
        new=(_SMARTLINK,),
        changed=(_SMARTLINK,),
        choices=_domain_choices,
    ),
    SettingsList(
        slug="domains",
        place="/console/",
        title="Tracking domains",
        one="domain",
        about="Tracking links of offers and SmartLinks may begin with these hosts.",
        empty="There is no domain yet: all links begin with the platform's address.",
        removal="No new link begins with it. A domain that an offer or a SmartLink uses cannot be removed.",
        lists="admin.domains.list",
        add="admin.domain.add",
        edit="admin.domain.edit",
        remove="admin.domain.remove",
        records=lambda answer: list(answer["domains"].values()),
        name=lambda record: str(record["url"]),
        columns=(ListColumn("Links begin with", lambda record: "https" if record["use_https"] else "http"),),
        new=(_DOMAIN,),
        changed=(_DOMAIN,),
    ),
)
"""The lists of the group Programs."""

for _each in PROGRAM_LISTS:
    declare_list(pages, _each)
