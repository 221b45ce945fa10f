"""Groups of offers: categories, traffic sources and SmartLinks (docs/spec/console.md#programs)."""

from typing import Final

from trackyard.api.offers import categories, smartlinks, sources
from trackyard.api.offers.lists import count_by
from trackyard.api.platform import domains
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices, FormField, FormGroup
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.declared import ListColumn
from trackyard.console.lists.objects import COUNTED_OFFERS
from trackyard.console.objects.edited import SETTINGS, EditedList, declare_edited

pages = Pages()


def _domain_choices(request: PageRequest) -> FieldChoices:
    """Return the domains that links may begin with; none is the address of the platform."""
    found = request.calls.ask(domains.list_all).domains if request.calls.may(domains.list_all) else {}
    return {
        "domain_id": [
            ("", gettext("The platform's URL")),
            *((number, each.url) for number, each in found.items()),
        ]
    }


def _offers(by: str) -> ListColumn[categories.CategoryView | sources.SourceView]:
    """Return the column of the numbers of offers."""
    return ListColumn(
        title=lazy_gettext("Offers"),
        role="figure",
        shown=lambda request, _: request.calls.may(count_by),
        objects=COUNTED_OFFERS[by],
        key=lambda each: each.id,
        cell=lambda each, on: on.object(COUNTED_OFFERS[by], each.id),
    )


_SOURCE: Final = FormGroup(
    lazy_gettext("Titles"),
    (
        FormField("title_lang[en]", label=lazy_gettext("English"), help=""),
        FormField("title_lang[ru]", label=lazy_gettext("Russian"), help=""),
        FormField("title_lang[es]", label=lazy_gettext("Spanish"), help=""),
        FormField("title_lang[ka]", label=lazy_gettext("Georgian"), help=""),
        FormField("title_lang[vi]", label=lazy_gettext("Vietnamese"), help=""),
    ),
)
_CATEGORY: Final = FormGroup(lazy_gettext("Category"), (FormField("title", wide=True),))
_SMARTLINK: Final = FormGroup(
    lazy_gettext("SmartLink"),
    (
        FormField("name", wide=True),
        FormField("domain_id", label=lazy_gettext("Links begin with"), help=""),
        FormField("description", wide=True),
    ),
)
CATEGORIES: Final = EditedList[categories.CategoryView, categories.CategoriesAnswer](
    path=f"{SETTINGS}/categories",
    title=lazy_gettext("Categories of offers"),
    one=lazy_gettext("category"),
    about=lazy_gettext("Offers are found by their categories."),
    empty=lazy_gettext("There is no category yet."),
    method=categories.list_all,
    view=categories.CategoriesAnswer,
    add=categories.add,
    edit=categories.edit,
    records=lambda answer: answer.categories,
    name=lambda each: each.title,
    sort="title",
    columns=(_offers("categories"),),
    new=(_CATEGORY,),
    changed=(_CATEGORY,),
)
SOURCES: Final = EditedList[sources.SourceView, sources.SourcesAnswer](
    path=f"{SETTINGS}/sources",
    title=lazy_gettext("Traffic sources"),
    one=lazy_gettext("source"),
    about=lazy_gettext("Offers say which kinds of traffic they accept, such as social networks or mail."),
    empty=lazy_gettext("There is no source yet."),
    removal=lazy_gettext("Offers lose it."),
    method=sources.list_all,
    view=sources.SourcesAnswer,
    add=sources.add,
    edit=sources.edit,
    remove=sources.remove,
    records=lambda answer: answer.sources,
    name=lambda each: each.title,
    sort="title",
    columns=(
        ListColumn(title=lazy_gettext("Languages"), sort="languages", cell=lambda each, _: ", ".join(each.title_lang)),
        _offers("sources"),
    ),
    new=(_SOURCE,),
    changed=(_SOURCE,),
)
SMARTLINKS: Final = EditedList[smartlinks.SmartLinkView, smartlinks.SmartLinksAnswer](
    path="/console/smartlinks",
    title=lazy_gettext("SmartLinks"),
    one=lazy_gettext("SmartLink"),
    about=lazy_gettext("One link for several offers: each click goes to an offer of the SmartLink that takes it."),
    empty=lazy_gettext("There is no SmartLink yet. Make one, and choose it in the form of each offer."),
    removal=lazy_gettext("Its links stop working at once, and offers lose it. It cannot be undone."),
    method=smartlinks.list_all,
    view=smartlinks.SmartLinksAnswer,
    add=smartlinks.add,
    edit=smartlinks.edit,
    remove=smartlinks.remove,
    records=lambda answer: answer.data,
    key=lambda each: each._id,
    name=lambda each: each.name,
    sort="name",
    columns=(
        ListColumn(title=lazy_gettext("Links begin with"), sort="domain", cell=lambda each, _: each.domain),
        ListColumn(
            title=lazy_gettext("Offers"),
            role="figure",
            sort="count_offer",
            cell=lambda each, _: cells.count(
                each.count_offer, link=PageAddress("/console/offers", (("smartlink", each._id),))
            ),
        ),
        ListColumn(title=lazy_gettext("Description"), sort="description", cell=lambda each, _: each.description or ""),
        ListColumn(
            title=lazy_gettext("Created"), sort="created_at", cell=lambda each, _: cells.moment(each.created_at)
        ),
    ),
    new=(_SMARTLINK,),
    changed=(_SMARTLINK,),
    choices=_domain_choices,
)
declare_edited(pages, CATEGORIES, SOURCES, SMARTLINKS)
