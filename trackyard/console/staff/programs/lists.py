"""Tracking domains and SmartLinks (docs/spec/console.md#programs)."""

from operator import attrgetter
from typing import Any, Final

from trackyard.api.offers import smartlinks
from trackyard.api.platform import domains
from trackyard.api.tracking import click_check
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices, FormField, FormGroup
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.settings.declared import ListColumn, SettingsList
from trackyard.console.staff.settings.lists import declare_list

pages = Pages()


def _domain_choices(request: PageRequest) -> FieldChoices:
    """Return the domains that links may begin with; none is the address of the platform."""
    found = request.calls.ask(domains.list_all).domains if request.calls.may(domains.list_all) else {}
    return {
        "domain_id": [
            ("", gettext("The platform's address")),
            *((number, each.url) for number, each in found.items()),
        ]
    }


_Column = ListColumn[smartlinks.SmartLinkView]
_DOMAIN: Final = FormGroup(
    lazy_gettext("Domain"),
    (
        FormField(
            "url",
            label=lazy_gettext("Host"),
            help=lazy_gettext("Such as track.example.org. Its DNS must lead to the tracking listener."),
        ),
        FormField("use_https", label=lazy_gettext("Links begin with https"), widget="switch"),
    ),
)
_SMARTLINK: Final = FormGroup(
    lazy_gettext("SmartLink"),
    (
        FormField("name", wide=True),
        FormField("domain_id", label=lazy_gettext("Links begin with"), help=""),
        FormField("description", wide=True),
    ),
)
PROGRAM_LISTS: Final[tuple[SettingsList[Any, Any], ...]] = (
    SettingsList[smartlinks.SmartLinkView, smartlinks.SmartLinksAnswer](
        slug="smartlinks",
        place="/console/",
        title=lazy_gettext("SmartLinks"),
        one=lazy_gettext("SmartLink"),
        about=lazy_gettext("One link for several offers: each click goes to an offer of the SmartLink that takes it."),
        empty=lazy_gettext("There is no SmartLink yet. Make one, and choose it in the form of each offer."),
        removal=lazy_gettext("Its links stop working at once, and offers lose it. It cannot be undone."),
        lists=smartlinks.list_all,
        add=smartlinks.add,
        edit=smartlinks.edit,
        remove=smartlinks.remove,
        test=click_check.check,
        records=lambda answer: answer.data,
        key=attrgetter("_id"),
        name=lambda each: each.name,
        name_sort="name",
        columns=(
            _Column(lazy_gettext("Links begin with"), lambda each: each.domain, sort="domain"),
            _Column(
                lazy_gettext("Offers"), lambda each: f"{each.count_offer:,}", sort="count_offer", offers="smartlink"
            ),
            _Column(lazy_gettext("Description"), lambda each: each.description or "\N{EM DASH}", sort="description"),
            _Column(lazy_gettext("Created"), lambda each: each.created_at, sort="created_at", is_time=True),
        ),
        new=(_SMARTLINK,),
        changed=(_SMARTLINK,),
        choices=_domain_choices,
    ),
    SettingsList[domains.DomainView, domains.DomainsAnswer](
        slug="domains",
        place="/console/",
        title=lazy_gettext("Tracking domains"),
        one=lazy_gettext("domain"),
        about=lazy_gettext("Tracking links of offers and SmartLinks may begin with these hosts."),
        empty=lazy_gettext("There is no domain yet: all links begin with the platform's address."),
        removal=lazy_gettext(
            "No new link begins with it. A domain that an offer or a SmartLink uses cannot be removed."
        ),
        lists=domains.list_all,
        add=domains.add,
        edit=domains.edit,
        remove=domains.remove,
        test=domains.check,
        records=lambda answer: answer.domains.values(),
        name=lambda each: each.url,
        name_sort="url",
        columns=(
            ListColumn[domains.DomainView](
                lazy_gettext("Links begin with"),
                lambda each: "https" if each.use_https else "http",
                sort="use_https",
            ),
        ),
        new=(_DOMAIN,),
        changed=(_DOMAIN,),
    ),
)
"""The lists of the group Programs."""

for _each in PROGRAM_LISTS:
    declare_list(pages, _each)
