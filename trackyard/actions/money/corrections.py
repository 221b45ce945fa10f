"""Use cases of corrections (docs/spec/money.md#corrections)."""

from collections.abc import Sequence
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.money.currencies import is_active
from trackyard.actions.people.scope import scope_of
from trackyard.actions.people.security_log import authors_of
from trackyard.base.errors import BadInput
from trackyard.base.money import ZERO
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.corrections import Correction, CorrectionFilter
from trackyard.domain.people.callers import Access, AccountKind, StaffCaller
from trackyard.domain.platform.audit import Authors
from trackyard.domain.platform.mails.values import MailMoney
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import corrections
from trackyard.store.people import affiliates


def add_correction(
    deps: Deps, access: Access, affiliate_id: int, currency: str, amount: Decimal, comment: str
) -> tuple[Correction, Authors]:
    """Add an amount to an affiliate's available balance, or take it away; return it with its author.

    Raises BadInput for an affiliate out of scope, a currency that is not active, and the amount 0.
    """
    assert isinstance(access.caller, StaffCaller)
    with deps.database.write() as conn:
        faults: dict[str, list[str]] = {}
        if affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id) is None:
            faults["pid"] = [f"An affiliate {affiliate_id} does not exist."]
        if not is_active(deps, conn, currency):
            faults["currency"] = [f"A currency {currency} does not exist, or is not active."]
        if amount == ZERO:
            faults["amount"] = ["This value must not be 0."]
        if faults:
            raise BadInput(faults)
        payments.lock_affiliate(conn, affiliate_id)
        new = Correction(
            affiliate_id=affiliate_id,
            currency=currency,
            amount=amount,
            comment=comment,
            created_by=access.caller.id,
            created_at=deps.clock.now_ms(),
        )
        made = corrections.add_correction(conn, new)
        told = {"amount": MailMoney(amount, currency), "comment": comment}
        publish(conn, EventKind.BALANCE_CORRECTED, new.created_at, Concerned(made.id, affiliate_id), **told)
        return made, _authors(conn, [made])


def list_corrections(
    deps: Deps, access: Access, chosen: CorrectionFilter, *, page: int, limit: int
) -> tuple[list[Correction], Authors, int]:
    """Return a page of corrections in scope with their authors, the newest first, and the total."""
    with deps.database.read() as conn:
        found, total = corrections.list_corrections(conn, scope_of(conn, access), chosen, page=page, limit=limit)
        return found, _authors(conn, found), total


def _authors(conn: Connection, found: Sequence[Correction]) -> Authors:
    return authors_of(conn, [(AccountKind.STAFF, each.created_by) for each in found])
