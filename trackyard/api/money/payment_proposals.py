"""What a payment run would pay, and why not (docs/spec/money.md#payment-runs)."""

from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import payment_proposals as proposals
from trackyard.base.zones import datetime_text, day_end_ms
from trackyard.domain.money.payment_proposals import ProposedPayment
from trackyard.domain.people.callers import Caller, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, Moment, Money, View

routes = Routes[Deps]()


class ProposePayments(Params):
    """The affiliates and the currency; without them all. date_to: as in POST /admin/payments."""

    pid: Seq[s.Id] = ()
    currency: s.Currency | None = None
    date_to: s.Day | None = None


class ProposedPaymentView(View):
    """The money of an affiliate in one currency, and what a run pays of it.

    amount: what a run pays, 0 = nothing. rest: what is due and finer than the unit of the currency.
    payment_account: without most of its characters. reasons: why it is not proposed; empty where it is.
    """

    pid: int
    email: str
    currency: str
    amount: Money
    available: Money
    due: Money
    rest: Money
    on_hold: Money
    corrections: Money
    requested: Money | None
    min_payment: Money
    payment_terms: int
    oldest_at: Moment | None
    payment_system: str
    payment_account: str
    findings: list[str]
    is_proposed: bool
    reasons: list[str]


class ProposalAnswer(Answer):
    """What a run would pay. findings_read: whether the findings about traffic could be read."""

    proposal: list[ProposedPaymentView]
    findings_read: bool


@routes.get("/admin/payments/proposal", for_staff(Permission.PAYMENTS_WRITE), id="admin.payments.proposal")
def propose(request: ApiRequest[Deps], params: ProposePayments) -> ProposalAnswer:
    """List what a payment run would pay, and of each other affiliate with money why not.

    It makes nothing: name the affiliates, and the amounts that you saw, to POST /admin/payments.
    """
    zone = request.deps.zone
    found = proposals.propose_payments(
        request.deps,
        request.access,
        affiliate_ids=params.pid,
        currency=params.currency,
        until=None if params.date_to is None else day_end_ms(params.date_to, zone),
    )
    sees_findings = _sees_findings(request.access.caller)
    views = [_view(each, found.emails, zone, sees_findings=sees_findings) for each in found.rows]
    return ProposalAnswer(proposal=views, findings_read=found.is_read)


def _sees_findings(caller: Caller) -> bool:
    """Return whether a caller may read the health of affiliates."""
    return isinstance(caller, StaffCaller) and caller.may(Permission.STATS_SERVER_POSTBACK)


def _view(row: ProposedPayment, emails: dict[int, str], zone: ZoneInfo, *, sees_findings: bool) -> ProposedPaymentView:
    account = row.account
    return ProposedPaymentView(
        pid=account.affiliate_id,
        email=emails[account.affiliate_id],
        currency=account.currency,
        amount=row.payable.amount,
        available=account.available,
        due=account.due,
        rest=row.rest,
        on_hold=account.hold,
        corrections=account.corrections,
        requested=row.requested,
        min_payment=row.min_payment,
        payment_terms=row.terms,
        oldest_at=None if account.oldest_at is None else datetime_text(account.oldest_at, zone),
        payment_system=row.system,
        payment_account=row.payee,
        findings=list(row.findings) if sees_findings else [],
        is_proposed=row.is_proposed,
        reasons=[each.value for each in row.reasons],
    )
