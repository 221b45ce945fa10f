"""What referred affiliates bring (docs/spec/console.md#portal)."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from trackyard.api.money import referrals as referrals_api
from trackyard.api.money.referrals import ReferralPaymentsAnswer, ReferralPaymentView
from trackyard.api.people import own_account
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list

pages = Pages()

_STATES: Final = {
    "0": ("confirmed", lazy_gettext("Available")),
    "1": ("confirmed", lazy_gettext("Paid")),
    "2": ("hold", lazy_gettext("On hold")),
}
"""`is_paid` to the class of its mark and its word."""


def _share(request: PageRequest) -> Iterator[str]:
    """Yield the sentence about the share of the affiliate."""
    if share := request.calls.ask(own_account.show).user.ref_percent:
        percent = shown.percent(Decimal(share) / 100)
        yield gettext("You get %(share)s of what affiliates earn that you bring.", share=percent)
    else:
        yield gettext("Your account has no share of what others earn. Ask your manager.")


def _sign_up_link(request: PageRequest, _rows: Sequence[ReferralPaymentView]) -> Mapping[str, object]:
    return {"sign_up_link": f"{request.deps.api_url}/sign-up?ref={request.person.caller.id}"}


def _state(each: ReferralPaymentView, _on: On) -> ListCell:
    mark, word = _STATES[each.is_paid]
    return cells.status(str(word), mark)


REFERRALS: Final = ListPage[ReferralPaymentView, ReferralPaymentsAnswer](
    path="/portal/referrals",
    audience="affiliate",
    method=referrals_api.list_referrals,
    view=ReferralPaymentsAnswer,
    rows=lambda _, answer: answer.ref_payments,
    needs=(own_account.show,),
    title=lazy_gettext("Referrals"),
    counted=lambda total: ngettext("%(num)d share", "%(num)d shares", total),
    notes=_share,
    period=Days(written="%d-%m-%Y"),
    columns=(
        ListColumn(
            title=lazy_gettext("Affiliate"),
            role="title",
            cell=lambda each, _: ListCell(gettext("Affiliate %(id)s", id=each.pid), value=each.pid),
        ),
        ListColumn(title=lazy_gettext("Since"), cell=lambda each, _: cells.moment(each.date_registration_partner)),
        ListColumn(title=lazy_gettext("State"), cell=_state),
        ListColumn(title=lazy_gettext("Conversions"), role="figure", cell=lambda each, _: cells.count(int(each.count))),
        ListColumn(
            title=lazy_gettext("Your share"),
            role="figure",
            cell=lambda each, _: cells.money(Decimal(each.sum_revenue), each.currency),
        ),
    ),
    above="portal/sign_up_link.html",
    values=_sign_up_link,
    empty=lazy_gettext("No affiliate that you brought earned anything in these days."),
    per_page=30,
)
declare_list(pages, REFERRALS)
