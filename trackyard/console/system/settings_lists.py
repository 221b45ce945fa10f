"""The lists among the settings: what each has, and its form (docs/spec/console.md#settings)."""

from collections.abc import Iterable
from typing import Final

from trackyard.api.money import currencies, payment_systems
from trackyard.api.money.currencies import CurrencyView
from trackyard.api.platform import custom_fields, domains, news
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms.declared import FormField, FormGroup, FormRows
from trackyard.console.frame.pages import Pages
from trackyard.console.lists.declared import ListColumn
from trackyard.console.objects.edited import SETTINGS, AnyEditedList, EditedList, declare_edited
from trackyard.console.offers.groups import CATEGORIES, SOURCES

pages = Pages()


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
AUDIENCES: Final = {
    "affiliates": lazy_gettext("Affiliates"),
    "advertisers": lazy_gettext("Advertisers"),
    "all": lazy_gettext("Affiliates and advertisers"),
}
_NEWS: Final = FormGroup(
    lazy_gettext("News"),
    (
        FormField("title", wide=True, label=lazy_gettext("Title"), help=""),
        FormField(
            "small_desc",
            widget="long",
            label=lazy_gettext("First sentences"),
            help=lazy_gettext("Home shows them, with a link to the rest."),
        ),
        FormField("desc", widget="long", label=lazy_gettext("Text"), help=""),
        FormField("audience", label=lazy_gettext("For"), help="", words=AUDIENCES),
        FormField(
            "until",
            label=lazy_gettext("Shown until"),
            help=lazy_gettext("The last day on which it is shown. Empty means without an end."),
        ),
        FormField(
            "status",
            widget="switch",
            label=lazy_gettext("Shown"),
            help=lazy_gettext("Off keeps it as a draft that only staff see."),
        ),
        FormField("fixed", widget="switch", label=lazy_gettext("Pinned"), help=lazy_gettext("Before all other news.")),
    ),
)
CURRENCIES: Final = EditedList[CurrencyView, currencies.CurrenciesAnswer](
    path=f"{SETTINGS}/currencies",
    title=lazy_gettext("Currencies and rates"),
    one=lazy_gettext("currency"),
    about=lazy_gettext(
        "Amounts of conversions in other currencies are changed by these rates: units of the currency for one of "
        "the platform's."
    ),
    empty=lazy_gettext("There is no currency but the platform's."),
    removal=lazy_gettext("Postbacks with amounts in this currency are not converted any more. What is booked stays."),
    method=currencies.list_all,
    view=currencies.CurrenciesAnswer,
    sent=(("extended", "1"),),
    add=currencies.add,
    edit=currencies.edit,
    remove=currencies.remove,
    records=_currencies,
    name=lambda each: each.code,
    columns=(
        ListColumn(title=lazy_gettext("Rate"), role="figure", cell=lambda each, _: _rate(each)),
        ListColumn(
            title=lazy_gettext("Least payment"), role="figure", cell=lambda each, _: f"{each.min_payment} {each.code}"
        ),
        ListColumn(title=lazy_gettext("In use"), cell=lambda each, _: _yes(each.active)),
    ),
    new=(FormGroup(lazy_gettext("Currency"), (FormField("code"), *_CURRENCY)),),
    changed=(FormGroup(lazy_gettext("Currency"), _CURRENCY),),
)
QUESTIONS: Final = EditedList[_Question, custom_fields.CustomFieldsAnswer](
    path=f"{SETTINGS}/custom-fields",
    title=lazy_gettext("Sign-up questions"),
    one=lazy_gettext("question"),
    about=lazy_gettext("Affiliates answer these questions when they sign up."),
    empty=lazy_gettext("There is no question: affiliates sign up with a name, an e-mail address and a password."),
    removal=lazy_gettext("Answers that affiliates gave are not shown any more."),
    method=custom_fields.list_all,
    view=custom_fields.CustomFieldsAnswer,
    add=custom_fields.add,
    edit=custom_fields.edit,
    remove=custom_fields.remove,
    records=lambda answer: answer.fields,
    name=lambda each: each.name,
    columns=(
        ListColumn(title=lazy_gettext("Kind"), cell=lambda each, _: each.field_type),
        ListColumn(title=lazy_gettext("Needed"), cell=lambda each, _: _yes(each.required)),
        ListColumn(title=lazy_gettext("Choices"), cell=lambda each, _: ", ".join(each.field_values or ())),
    ),
    new=(_CUSTOM,),
    changed=(_CUSTOM,),
)
PAYMENT_SYSTEMS: Final = EditedList[_System, payment_systems.PaymentSystemsAnswer](
    path=f"{SETTINGS}/payment-systems",
    title=lazy_gettext("Payment systems"),
    one=lazy_gettext("payment system"),
    about=lazy_gettext("Ways to pay affiliates, and what an affiliate answers about its account."),
    empty=lazy_gettext("There is no payment system yet: affiliates cannot say how they want to be paid."),
    removal=lazy_gettext("Affiliates cannot choose it any more."),
    method=payment_systems.list_all,
    view=payment_systems.PaymentSystemsAnswer,
    add=payment_systems.add,
    edit=payment_systems.edit,
    remove=payment_systems.remove,
    records=lambda answer: answer.payment_systems,
    name=lambda each: each.lang_label,
    columns=(
        ListColumn(title=lazy_gettext("Currency"), cell=lambda each, _: each.currency or gettext("any")),
        ListColumn(
            title=lazy_gettext("Questions"),
            cell=lambda each, _: ", ".join(field.lang_label for field in each.fields) or gettext("none"),
        ),
    ),
    new=_SYSTEM,
    changed=_SYSTEM,
)
NEWS: Final = EditedList[_Item, news.NewsListAnswer](
    path=f"{SETTINGS}/news",
    title=lazy_gettext("News"),
    one=lazy_gettext("news"),
    about=lazy_gettext(
        "People see news on their first page. Mails are sent only when you choose it. The newest 100 are listed."
    ),
    empty=lazy_gettext("There are no news yet."),
    removal=lazy_gettext("It is not shown any more, and mails that wait are not sent."),
    method=news.list_,
    view=news.NewsListAnswer,
    sent=(("limit", "100"),),
    add=news.add,
    edit=news.edit,
    remove=news.remove,
    records=lambda answer: answer.items.values(),
    key=lambda each: each.id.id,
    name=lambda each: each.title,
    columns=(
        ListColumn(title=lazy_gettext("For"), cell=lambda each, _: str(AUDIENCES[each.audience])),
        ListColumn(title=lazy_gettext("Shown"), cell=lambda each, _: _yes(each.status)),
        ListColumn(title=lazy_gettext("Shown until"), cell=lambda each, _: each.until or ""),
        ListColumn(title=lazy_gettext("Pinned"), cell=lambda each, _: _yes(each.fixed)),
    ),
    new=(_NEWS,),
    changed=(_NEWS,),
)
DOMAINS: Final = EditedList[domains.DomainView, domains.DomainsAnswer](
    path="/console/domains",
    title=lazy_gettext("Tracking domains"),
    one=lazy_gettext("domain"),
    about=lazy_gettext("Tracking links of offers and SmartLinks may begin with these hosts."),
    empty=lazy_gettext("There is no domain yet: all links begin with the platform's URL."),
    removal=lazy_gettext("No new link begins with it. A domain that an offer or a SmartLink uses cannot be removed."),
    method=domains.list_all,
    view=domains.DomainsAnswer,
    add=domains.add,
    edit=domains.edit,
    remove=domains.remove,
    records=lambda answer: answer.domains.values(),
    name=lambda each: each.url,
    sort="url",
    columns=(
        ListColumn(
            title=lazy_gettext("Links begin with"),
            sort="use_https",
            cell=lambda each, _: "https" if each.use_https else "http",
        ),
    ),
    new=(_DOMAIN,),
    changed=(_DOMAIN,),
)
LISTS: Final[tuple[AnyEditedList, ...]] = (CURRENCIES, QUESTIONS, PAYMENT_SYSTEMS, NEWS, CATEGORIES, SOURCES)
"""The lists, in the order of the page Settings."""
declare_edited(pages, CURRENCIES, QUESTIONS, PAYMENT_SYSTEMS, NEWS, DOMAINS)
