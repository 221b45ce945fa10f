"""Corrections of balances: the list, and the form of a new one (docs/spec/console.md#money)."""

from typing import Final

from trackyard.api.money import corrections as corrections_api
from trackyard.api.money.corrections import CorrectionsAnswer, CorrectionView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import PageLink
from trackyard.console.lists.declared import ListColumn, ListPage
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.lists.page import declare_list
from trackyard.console.money.columns import AFFILIATE_TITLE, AMOUNT
from trackyard.console.money.words import currency_choices
from trackyard.console.staff.people_names import full_name

pages = Pages()

PATH: Final = "/console/balances/corrections"
_FIELDS: Final = (
    FormField("pid", lazy_gettext("Affiliate"), help=lazy_gettext("Number of the affiliate.")),
    FormField("currency", lazy_gettext("Currency")),
    FormField("amount", lazy_gettext("Amount"), help=lazy_gettext("Below 0 takes the amount away.")),
    FormField(
        "comment",
        lazy_gettext("Comment"),
        widget="long",
        help=lazy_gettext("The affiliate sees it in its statement."),
        wide=True,
    ),
)
NEW: Final = FormPlan(corrections_api.add, (FormGroup(lazy_gettext("Correction"), _FIELDS),))


def _new(request: PageRequest) -> PageLink:
    affiliate = [("affiliate", value) for value in request.address.all("affiliate")[:1]]
    return PageLink(gettext("Correct a balance"), PageAddress(f"{PATH}/new", tuple(affiliate)))


CORRECTIONS: Final = ListPage[CorrectionView, CorrectionsAnswer](
    path=PATH,
    method=corrections_api.list_,
    view=CorrectionsAnswer,
    rows=lambda _, answer: answer.corrections,
    title=lazy_gettext("Corrections"),
    counted=lambda total: ngettext("%(num)d correction.", "%(num)d corrections.", total),
    about=lazy_gettext("Amounts that staff added to what is available, or took away. Affiliates see the comment."),
    links=lambda _: [PageLink(gettext("Balances"), "/console/balances")],
    main=_new,
    filters=(
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
        FilterBy(name="currency", choices=currency_choices),
        FilterBy(name="since", parameter="date_from", label=lazy_gettext("Entered from")),
        FilterBy(name="until", parameter="date_to", label=lazy_gettext("Entered until")),
    ),
    columns=(
        AFFILIATE_TITLE,
        AMOUNT,
        ListColumn(title=lazy_gettext("Comment"), longest=300, cell=lambda each, _: each.comment),
        ListColumn(
            title=lazy_gettext("Entered"),
            below=lazy_gettext("Author"),
            cell=lambda each, _: cells.moment(each.created_at, full_name(each.author) or each.author.id),
        ),
    ),
    empty=lazy_gettext("No balance was corrected yet."),
)
declare_list(pages, CORRECTIONS)


@pages.get(f"{PATH}/new", needs=(corrections_api.add,))
@pages.post(f"{PATH}/new", needs=(corrections_api.add,))
def new_correction(request: PageRequest) -> PageAnswer:
    """Enter a correction; the address may name the affiliate."""
    values = {"pid": request.address.get("affiliate"), "currency": request.deps.currency, "amount": "", "comment": ""}
    choices = {"currency": currency_choices(request)}
    form = open_form(request, NEW, values, choices=choices, is_new=True)
    answer = form.save()
    if answer is not None:
        made = answer.correction
        amount = shown.money(made.amount, made.currency)
        message = gettext("The balance of affiliate %(pid)s changed by %(amount)s.", pid=made.pid, amount=amount)
        return Redirect(f"{PATH}?affiliate={made.pid}", message)
    line = gettext("It stays in the ledger: another correction of the opposite amount undoes it.")
    return form.page(request, gettext("Correct a balance"), back=PATH, line=line, save=gettext("Enter the correction"))
