"""Referral payments (docs/api/referrals.md)."""

from typing import Annotated
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money.referrals import list_shares
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import bounded_span
from trackyard.base.zones import datetime_text
from trackyard.domain.money.currencies import CODES
from trackyard.domain.money.referrals import ReferralShares, ShareFilter, ShareState
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf
from trackyard.wire.response.envelope import Answer, Pagination, View, number

routes = Routes[Deps]()


class ListReferralPayments(Paging):
    """The filters of a list; any of several values matches.

    pid: the referred affiliate.
    ref: the affiliate that earns.
    is_paid: 0 free to be paid, 1 paid, 2 on hold.
    status: 1 when the conversions are confirmed.
    currency: number of ISO 4217.
    """

    date_from: s.DayMonthYear
    date_to: s.DayMonthYear
    pid: AnyOf[s.Int] = ()
    ref: AnyOf[s.Int] = ()
    is_paid: AnyOf[Annotated[str, s.Choice(("0", "1", "2"))]] = ()
    status: AnyOf[Annotated[str, s.Choice(("0", "1"))]] = ()
    currency: AnyOf[s.Int] = ()

    def chosen(self, request: ApiRequest[Deps]) -> ShareFilter:
        """Return the filter. Raises BadInput for a wrong or too long period."""
        since, until = bounded_span(request.deps, self.date_from, self.date_to, request.deps.zone, fine=False)
        return ShareFilter(
            since=since,
            until=until,
            affiliates=self.pid,
            referrers=self.ref,
            states=tuple(ShareState(int(state)) for state in self.is_paid),
            confirmed=tuple(status == "1" for status in self.status),
            currencies=tuple(CODES.get(number, "") for number in self.currency),
        )


class ReferralPaymentView(View):
    """The shares of one affiliate for its referrer.

    Numbers are text, as programs read them.
    pid: the referred affiliate.
    ref: the referrer.
    status: 1 when the conversions are confirmed.
    is_paid: 0 free to be paid, 1 paid, 2 on hold.
    count: of conversions; max_created_at: the newest of them.
    sum_revenue: the share of their payouts, below 0 where more was paid than is left of them.
    """

    pid: str
    ref: str
    status: str
    is_paid: str
    currency: str
    count: str
    max_created_at: str
    date_registration_partner: str
    sum_revenue: str


class ReferralPaymentsAnswer(Answer):
    """A page of referral payments."""

    ref_payments: list[ReferralPaymentView]
    pagination: Pagination


@routes.get(
    "/stats/getreferralpayments",
    for_callers(Permission.STATS_REFERRAL),
    id="stats.getreferralpayments",
    report=True,
    features=("stats.referral",),
)
def list_referrals(request: ApiRequest[Deps], params: ListReferralPayments) -> ReferralPaymentsAnswer:
    """List what referred affiliates bring their referrers.

    An affiliate sees the rows with itself as `ref`. A share is a part of a conversion's payout: the referrer's
    ref_percent of when the conversion was made. It is free to be paid once the conversion is confirmed.
    """
    chosen = params.chosen(request)
    found, total = list_shares(request.deps, request.access, chosen, **params.place(request))
    return ReferralPaymentsAnswer(
        ref_payments=[_view(shares, request.deps.zone) for shares in found],
        pagination=params.pagination(request, total),
    )


def _view(shares: ReferralShares, zone: ZoneInfo) -> ReferralPaymentView:
    return ReferralPaymentView(
        pid=str(shares.affiliate),
        ref=str(shares.referrer),
        status=str(int(shares.confirmed)),
        is_paid=str(shares.state.value),
        currency=shares.currency,
        count=str(shares.count),
        max_created_at=datetime_text(shares.newest_at, zone),
        date_registration_partner=datetime_text(shares.registered_at, zone),
        sum_revenue=f"{number(shares.amount):f}",
    )
