"""Use cases of invoices of advertisers, before they are issued, and the computation of their lines.

`actions/money/issued_invoices.py` has the issue, credit notes, and what is overdue.

See docs/api/invoices.md and docs/spec/money.md#invoices.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.money.currencies import is_active
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.reports import run_report
from trackyard.base.errors import BadInput, Conflict, NotFound, required
from trackyard.base.money import ZERO
from trackyard.base.zones import day_end_ms, day_start_ms
from trackyard.domain.money.invoices import Invoice, InvoiceFilter, InvoiceLine, InvoiceState, PayoutType
from trackyard.domain.money.units import in_units, unit_fault
from trackyard.domain.people.callers import Access, AdvertiserCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import CONFIRMED, Report, StatsRow
from trackyard.store.engine.database import Connection
from trackyard.store.money import invoices
from trackyard.store.people import advertisers

MAX_DAYS: Final = 3660
"""The longest period, as in statistics."""

_NO_LIMIT: Final = 2**31
_NO_DRAFT: Final = "Only a draft is deleted. Take an issued invoice back with a credit note."
_ISSUED: Final = "The invoice is issued and stays as it is: only its status and its comment change. Make a credit note."
_KEPT: Final = frozenset({"status", "comment", "updated_at", "overdue_at"})
"""The fields of an issued invoice that change."""
_PARAMETERS: Final = {"advertiser_id": "supplier_id", "lines": "detail", "computed": "detail"}
"""The parameters of fields with another name."""


def list_invoices(
    deps: Deps, access: Access, chosen: InvoiceFilter, *, page: int, limit: int
) -> tuple[list[Invoice], int]:
    """Return a page of the invoices of advertisers in the caller's scope, and the total."""
    with deps.database.read() as conn:
        return invoices.list_invoices(conn, scope_of(conn, access), chosen, page=page, limit=limit)


def get_invoice(deps: Deps, access: Access, number: int) -> Invoice:
    """Return an invoice, a draft or a credit note in the caller's scope. Raises NotFound.

    Advertisers get what was issued.
    """
    with deps.database.read() as conn:
        found = find_invoice(conn, access, number)
    if isinstance(access.caller, AdvertiserCaller) and found.state is not InvoiceState.ISSUED:
        raise NotFound
    return found


def get_specified_invoice(deps: Deps, access: Access, number: int) -> Invoice:
    """Return an invoice for the methods of the specification. Raises NotFound.

    They know no drafts and no credit notes.
    """
    found = get_invoice(deps, access, number)
    if found.is_draft or found.credits is not None:
        raise NotFound
    return found


def add_invoice(deps: Deps, access: Access, new: Invoice) -> int:
    """Create an invoice and return its number.

    Without lines they are computed, once both days are given.
    Raises BadInput for what does not exist or is out of scope, and ReportTooHeavy.
    """
    now = deps.clock.now_ms()
    new = replace(new, computed=not new.lines, created_at=now, updated_at=now)
    _check_period(new)
    with deps.database.read() as conn:
        if not is_active(deps, conn, new.currency):
            raise BadInput({"currency": [f"An active currency {new.currency} does not exist."]})
        scope = scope_of(conn, access)
        _check_names(conn, scope, new)
    if new.computed:
        new = replace(new, lines=_computed(deps, scope, new))  # takes long: before the transaction
    with deps.database.write() as conn:
        _check_names(conn, scope_of(conn, access), new)
        return invoices.add_invoice(conn, new)


def edit_invoice(deps: Deps, access: Access, number: int, given: dict[str, Any]) -> None:
    """Change the given fields of an invoice.

    given: new values by field of Invoice, without the currency.
    Lines that came from statistics follow a change of the period or the advertiser; an empty list of lines has them
    computed. What was issued keeps all but its status and its comment.
    Raises NotFound, Conflict for other changes of what was issued, BadInput as add_invoice, and ReportTooHeavy.
    """
    while True:
        with deps.database.read() as conn:
            before, scope = find_invoice(conn, access, number), scope_of(conn, access)
        after = _changed(deps, scope, before, given)
        _check_issued(before, after)
        with deps.database.write() as conn:
            if find_invoice(conn, access, number, lock=True) != before:
                continue  # another change was first: the lines may be of another period
            _check_names(conn, scope_of(conn, access), after, before)
            invoices.edit_invoice(conn, number, after)
            return


def remove_draft(deps: Deps, access: Access, number: int) -> None:
    """Remove a draft. Raises NotFound, and Conflict for an invoice that is not a draft."""
    with deps.database.write() as conn:
        if find_invoice(conn, access, number, lock=True).state is not InvoiceState.DRAFT:
            raise Conflict({"number": [_NO_DRAFT]})
        invoices.remove_invoice(conn, number)


def _check_issued(before: Invoice, after: Invoice) -> None:
    """Raise Conflict for a change of what was issued, apart from its status and comment."""
    if before.state is not InvoiceState.ISSUED:
        return
    for each in fields(Invoice):
        if each.name not in _KEPT and getattr(before, each.name) != getattr(after, each.name):
            raise Conflict({_PARAMETERS.get(each.name, each.name): [_ISSUED]})


def _changed(deps: Deps, scope: Scope, before: Invoice, given: dict[str, Any]) -> Invoice:
    after = replace(before, **given, updated_at=deps.clock.now_ms())
    _check_period(after)
    if "lines" in given and (given["lines"] or before.state is not InvoiceState.ISSUED):
        after = replace(after, computed=not given["lines"])
    if "lines" in given and not given["lines"] and before.state is InvoiceState.ISSUED:
        return replace(after, lines=before.lines)
    if after.computed and ("lines" in given or _computed_from(after) != _computed_from(before)):
        return replace(after, lines=_computed(deps, scope, after))
    return after


def _computed_from(item: Invoice) -> tuple[Any, ...]:
    """Return the fields that computed lines depend on."""
    return item.advertiser_id, item.start_date, item.end_date


def _computed(deps: Deps, scope: Scope, item: Invoice) -> tuple[InvoiceLine, ...]:
    """Return the lines of a period by offer; none without both days.

    They are the charges of confirmed conversions in the invoice's currency, in whole units, and the clicks and
    impressions.
    """
    if item.start_date is None or item.end_date is None:
        return ()
    report = Report(
        scope=scope,
        since=day_start_ms(item.start_date, deps.zone),
        until=day_end_ms(item.end_date, deps.zone),
        dimensions=("offer",),
        filters={"advertiser": (item.advertiser_id,), "currency": (item.currency,)},
        limit=_NO_LIMIT,
    )
    rows = run_report(deps.analytics, report).rows
    return tuple(_in_units((line for row in rows for line in _lines(row) if line.actions), item.currency))


def _in_units(lines: Iterable[InvoiceLine], currency: str) -> Iterator[InvoiceLine]:
    """Yield lines of whole units; what one leaves is added to the next one with an amount."""
    left = ZERO
    for line in lines:
        amount = line.amount + left if line.amount else ZERO
        whole = in_units(amount, currency)
        left += line.amount - whole
        yield replace(line, amount=whole)


def _lines(row: StatsRow) -> tuple[InvoiceLine, ...]:
    offer_id, sold = int(row.keys["offer"]), row.actions[CONFIRMED]
    return (
        InvoiceLine(offer_id, PayoutType.ACTIONS, sold.count, sold.charge),
        InvoiceLine(offer_id, PayoutType.CLICKS, row.raw, ZERO),  # payments are for conversions alone
        InvoiceLine(offer_id, PayoutType.IMPRESSIONS, row.views, ZERO),
    )


def _check_period(item: Invoice) -> None:
    if item.start_date is None or item.end_date is None:
        return
    if item.end_date < item.start_date:
        raise BadInput({"end_date": ["This day must not lie before start_date."]})
    if item.end_date - item.start_date >= timedelta(days=MAX_DAYS):
        raise BadInput({"end_date": [f"The period may have at most {MAX_DAYS} days."]})


def _check_names(conn: Connection, scope: Scope, item: Invoice, before: Invoice | None = None) -> None:
    """Raise BadInput for an advertiser or an offer that does not exist, and for wrong lines.

    The offer of a line is of the advertiser, its amount not finer than the unit of the currency.
    Lines that stay as they were are checked only when the advertiser changes.
    """
    faults: dict[str, list[str]] = {}
    if advertisers.find_advertiser(conn, scope, item.advertiser_id) is None:
        faults["supplier_id"] = [f"An advertiser {item.advertiser_id} does not exist."]
    given_lines = () if item.computed else item.lines
    if before is not None and (before.advertiser_id, before.lines) == (item.advertiser_id, item.lines):
        given_lines = ()
    absent = set(invoices.missing_offers(conn, item.advertiser_id, {line.offer_id for line in given_lines}))
    for place, line in enumerate(given_lines):
        if line.offer_id in absent:
            sentence = f"An offer {line.offer_id} of the advertiser {item.advertiser_id} does not exist."
            faults[f"detail[{place}][offer_id]"] = [sentence]
        if fault := unit_fault(line.amount, item.currency):
            faults[f"detail[{place}][amount]"] = [fault]
    if faults:
        raise BadInput(faults)


def find_invoice(conn: Connection, access: Access, number: int, *, lock: bool = False) -> Invoice:
    """Return an invoice of an advertiser in the caller's scope. Raises NotFound."""
    return required(invoices.find_invoice(conn, scope_of(conn, access), number, lock=lock))
