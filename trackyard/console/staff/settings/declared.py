"""The lists among the settings: what each has, and its form (docs/spec/console.md#settings)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from trackyard.actions.deps import Deps
from trackyard.api.money import currencies, payment_systems
from trackyard.api.money.currencies import CurrencyView
from trackyard.api.offers import categories, sources
from trackyard.api.platform import custom_fields, news
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FieldChoices
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan, FormRows
from trackyard.console.frame.address import Pair
from trackyard.console.frame.methods import Method
from trackyard.console.frame.request import PageRequest
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.response.envelope import View

R = TypeVar("R", bound=View)
"""A record of a list."""
SETTINGS: Final = "/console/settings/"
"""What the addresses of most lists begin with."""


@dataclass(frozen=True)
class ListColumn(Generic[R]):
    """A column of a list.

    text: the cell of a record. sort: the API's order by this column, "" = none. is_time: whether it is a time in the
    answer. offers: the filter of the list of offers; the cell is the number of a record's offers, and a link to them.
    """

    title: str
    text: Callable[[R], str]
    sort: str = ""
    is_time: bool = False
    offers: str = ""


@dataclass(frozen=True, slots=True)
class OffersOfRecord:
    """The filter of offers by a record. name: its parameter in the address. parameter: the API's."""

    name: str
    parameter: str


@dataclass(frozen=True, kw_only=True)
class SettingsList(Generic[R, A]):
    """A list of the settings.

    slug: the end of its address, below `place`.
    one: the word for one record. about: the purpose of the list. removal: the effect of removing a record.
    lists, sent, add, edit, remove, test: methods, and the parameters of the list.
        remove: None = records cannot be removed. test: None = no page tests a record.
    is_paged: whether the method pages the records and finds one by `ids[]`; otherwise it returns all records.
    offers: the filter that lists a record's offers, None = none.
    records: returns the records in the answer of `lists`. key, name: return the id and the name of a record.
    name_sort: the API's order by name, "" = none.
    new, changed: the cards of the two forms. choices: the choices in the forms.
    """

    slug: str
    title: str
    one: str
    about: str
    empty: str
    removal: str = ""
    lists: Endpoint[Deps, A]
    sent: tuple[Pair, ...] = ()
    add: Method
    edit: Method
    remove: Method | None = None
    test: Method | None = None
    is_paged: bool = False
    offers: OffersOfRecord | None = None
    records: Callable[[A], Iterable[R]]
    key: Callable[[R], object] = attrgetter("id")
    name: Callable[[R], str]
    name_sort: str = ""
    columns: tuple[ListColumn[R], ...] = ()
    new: tuple[FormGroup, ...]
    changed: tuple[FormGroup, ...]
    choices: Callable[[PageRequest], FieldChoices] = lambda _request: {}
    place: str = SETTINGS

    @property
    def path(self) -> str:
        """Return the address of the list."""
        return f"{self.place}{self.slug}"

    @property
    def sorts(self) -> tuple[str, ...]:
        """Return the orders of the API that columns of the list sort by."""
        return tuple(each for each in (self.name_sort, *(column.sort for column in self.columns)) if each)

    @property
    def add_plan(self) -> FormPlan[Any]:
        """Return the form of a new record."""
        return FormPlan(self.add, self.new)

    @property
    def edit_plan(self) -> FormPlan[Any]:
        """Return the form of a record."""
        return FormPlan(self.edit, self.changed)


def _yes(is_so: object) -> str:
    return gettext("yes") if is_so else gettext("no")


def _rate(currency: CurrencyView) -> str:
    """Return a rate with six digits behind the point, as more say nothing to people."""
    return "\N{EM DASH}" if currency.rate is None else f"{currency.rate:,.6f}".rstrip("0").rstrip(".")


def _currencies(answer: currencies.CurrenciesAnswer) -> Iterable[CurrencyView]:
    return answer.quotes if isinstance(answer.quotes, list) else ()


_Question = custom_fields.CustomSignupFieldView
_System = payment_systems.PaymentSystemView
_Item = news.NewsView
_CURRENCY: Final = (FormField("rate"), FormField("min_payment"), FormField("active", widget="switch"))
_CUSTOM: Final = FormGroup(
    lazy_gettext("The question"),
    (
        FormField("name", wide=True),
        FormField("field_type"),
        FormField("required", widget="switch"),
        FormField("field_values", widget="lines", wide=True),
    ),
)
_SYSTEM: Final = (
    FormGroup(lazy_gettext("The way to pay"), (FormField("lang_label"), FormField("currency"))),
    FormGroup(
        lazy_gettext("What affiliates answer"),
        (
            FormRows(
                "fields", lazy_gettext("Question"), (FormField("lang_label"), FormField("required", widget="switch"))
            ),
        ),
    ),
)
_NEWS: Final = FormGroup(
    lazy_gettext("News"),
    (
        FormField("title", wide=True),
        FormField("small_desc", widget="long"),
        FormField("desc", widget="long"),
        FormField("status", widget="switch", label=lazy_gettext("Affiliates see it")),
        FormField("fixed", widget="switch", label=lazy_gettext("Before the others")),
    ),
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

LISTS: Final[tuple[SettingsList[Any, Any], ...]] = (
    SettingsList[CurrencyView, currencies.CurrenciesAnswer](
        slug="currencies",
        title=lazy_gettext("Currencies and rates"),
        one=lazy_gettext("currency"),
        about=lazy_gettext(
            "Amounts of conversions in other currencies are changed by these rates: units of the currency for one of "
            "the platform's."
        ),
        empty=lazy_gettext("There is no currency but the platform's."),
        removal=lazy_gettext(
            "Postbacks with amounts in this currency are not converted any more. What is booked stays."
        ),
        lists=currencies.list_all,
        sent=(("extended", "1"),),
        add=currencies.add,
        edit=currencies.edit,
        remove=currencies.remove,
        records=_currencies,
        name=lambda each: each.code,
        columns=(
            ListColumn(lazy_gettext("Rate"), _rate),
            ListColumn[CurrencyView](lazy_gettext("Least payment"), lambda each: f"{each.min_payment} {each.code}"),
            ListColumn[CurrencyView](lazy_gettext("In use"), lambda each: _yes(each.active)),
        ),
        new=(FormGroup(lazy_gettext("Currency"), (FormField("code"), *_CURRENCY)),),
        changed=(FormGroup(lazy_gettext("Currency"), _CURRENCY),),
    ),
    SettingsList[_Question, custom_fields.CustomFieldsAnswer](
        slug="custom-fields",
        title=lazy_gettext("Sign-up questions"),
        one=lazy_gettext("question"),
        about=lazy_gettext("Affiliates answer these questions when they sign up."),
        empty=lazy_gettext("There is no question: affiliates sign up with a name, an address and a password."),
        removal=lazy_gettext("Answers that affiliates gave are not shown any more."),
        lists=custom_fields.list_all,
        add=custom_fields.add,
        edit=custom_fields.edit,
        remove=custom_fields.remove,
        records=lambda answer: answer.fields,
        name=lambda each: each.name,
        columns=(
            ListColumn[_Question](lazy_gettext("Kind"), lambda each: each.field_type),
            ListColumn[_Question](lazy_gettext("Needed"), lambda each: _yes(each.required)),
            ListColumn[_Question](
                lazy_gettext("Choices"), lambda each: ", ".join(each.field_values or ()) or "\N{EM DASH}"
            ),
        ),
        new=(_CUSTOM,),
        changed=(_CUSTOM,),
    ),
    SettingsList[_System, payment_systems.PaymentSystemsAnswer](
        slug="payment-systems",
        title=lazy_gettext("Payment systems"),
        one=lazy_gettext("payment system"),
        about=lazy_gettext("Ways to pay affiliates, and what an affiliate answers about its account."),
        empty=lazy_gettext("There is no payment system yet: affiliates cannot say how they want to be paid."),
        removal=lazy_gettext("Affiliates cannot choose it any more."),
        lists=payment_systems.list_all,
        add=payment_systems.add,
        edit=payment_systems.edit,
        remove=payment_systems.remove,
        records=lambda answer: answer.payment_systems,
        name=lambda each: each.lang_label,
        columns=(
            ListColumn[_System](lazy_gettext("Currency"), lambda each: each.currency or gettext("any")),
            ListColumn[_System](
                lazy_gettext("Questions"),
                lambda each: ", ".join(field.lang_label for field in each.fields) or gettext("none"),
            ),
        ),
        new=_SYSTEM,
        changed=_SYSTEM,
    ),
    SettingsList[_Item, news.NewsListAnswer](
        slug="news",
        title=lazy_gettext("News"),
        one=lazy_gettext("news"),
        about=lazy_gettext("Affiliates read news in their portal. The newest 100 are listed."),
        empty=lazy_gettext("There are no news yet."),
        removal=lazy_gettext("Affiliates do not see it any more."),
        lists=news.list_,
        sent=(("limit", "100"),),
        add=news.add,
        edit=news.edit,
        remove=news.remove,
        records=lambda answer: answer.items.values(),
        key=lambda each: each.id.id,
        name=lambda each: each.title,
        columns=(
            ListColumn[_Item](lazy_gettext("Shown to affiliates"), lambda each: _yes(each.status)),
            ListColumn[_Item](lazy_gettext("Before the others"), lambda each: _yes(each.fixed)),
        ),
        new=(_NEWS,),
        changed=(_NEWS,),
    ),
    SettingsList[categories.CategoryView, categories.CategoriesAnswer](
        slug="categories",
        title=lazy_gettext("Categories of offers"),
        one=lazy_gettext("category"),
        about=lazy_gettext("Offers are found by their categories."),
        empty=lazy_gettext("There is no category yet."),
        lists=categories.list_all,
        add=categories.add,
        edit=categories.edit,
        is_paged=True,
        offers=OffersOfRecord("category", "categories[]"),
        records=lambda answer: answer.categories,
        name=lambda each: each.title,
        name_sort="title",
        new=(_CATEGORY,),
        changed=(_CATEGORY,),
    ),
    SettingsList[sources.SourceView, sources.SourcesAnswer](
        slug="sources",
        title=lazy_gettext("Traffic sources"),
        one=lazy_gettext("source"),
        about=lazy_gettext("Offers say which kinds of traffic they accept, such as social networks or mail."),
        empty=lazy_gettext("There is no source yet."),
        removal=lazy_gettext("Offers lose it."),
        lists=sources.list_all,
        add=sources.add,
        edit=sources.edit,
        remove=sources.remove,
        offers=OffersOfRecord("source", "sources[]"),
        records=lambda answer: answer.sources,
        name=lambda each: each.title,
        name_sort="title",
        columns=(
            ListColumn[sources.SourceView](
                lazy_gettext("Languages"), lambda each: ", ".join(each.title_lang), sort="languages"
            ),
        ),
        new=(_SOURCE,),
        changed=(_SOURCE,),
    ),
)
"""The lists, in the order of the page Settings."""
