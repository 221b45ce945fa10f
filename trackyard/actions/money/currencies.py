"""Use cases of currencies and their rates (docs/spec/money.md#exchange-rates)."""

from dataclasses import replace
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.domain.money.currencies import CODES, NUMBERS, Currency
from trackyard.store.engine.database import Connection
from trackyard.store.money import currencies, exchange_rates


def list_currencies(deps: Deps) -> list[Currency]:
    """Return every currency that has a rate or that staff added, by code; the platform's too."""
    with deps.database.read() as conn:
        return _list_records(deps, conn)


def get_currency(deps: Deps, number: int) -> Currency:
    """Return the currency of an ISO number. Raises NotFound."""
    with deps.database.read() as conn:
        return _get_record(deps, conn, number)


def is_active(deps: Deps, conn: Connection, code: str) -> bool:
    """Return whether a currency exists and is active; the platform's is."""
    return any(record.code == code and record.active for record in _list_records(deps, conn))


def add_currency(deps: Deps, code: str, rate: Decimal, *, active: bool, min_payment: Decimal) -> Currency:
    """Add a currency. Raises BadInput for an unknown code, Conflict for one that exists."""
    number = NUMBERS.get(code)
    if number is None:
        raise BadInput({"code": ["This value must be a code of ISO 4217."]})
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        if any(record.code == code for record in _list_records(deps, conn)):
            raise Conflict({"code": [f"A currency {code} exists."]})
        currencies.set_currency(conn, Currency(code, active, min_payment), now)
        exchange_rates.add_rate(conn, code, now, rate)
        return _get_record(deps, conn, number)


def edit_currency(
    deps: Deps, number: int, *, rate: Decimal | None, active: bool | None, min_payment: Decimal | None
) -> Currency:
    """Change the given fields; a rate holds from now on.

    Raises NotFound, and BadInput for a change of the platform's own.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        before = _get_record(deps, conn, number)
        if before.default and rate is not None:
            raise BadInput({"rate": ["The platform's own currency is always 1."]})
        if before.default and active is False:
            raise BadInput({"active": ["The platform's own currency is always active."]})
        after = replace(
            before,
            active=before.active if active is None else active,
            min_payment=before.min_payment if min_payment is None else min_payment,
        )
        currencies.set_currency(conn, after, now)
        if rate is not None:
            exchange_rates.add_rate(conn, before.code, now, rate)
        return _get_record(deps, conn, number)


def remove_currency(deps: Deps, number: int) -> Currency:
    """Remove a currency with its rates and return it. Raises NotFound, Conflict for one in use."""
    with deps.database.write() as conn:
        before = _get_record(deps, conn, number)
        if before.default or currencies.is_used(conn, before.code):
            raise Conflict({"id": [f"{before.code} is in use."]})
        currencies.remove_currency(conn, before.code)
        exchange_rates.remove_rates(conn, before.code)
        return before


def _list_records(deps: Deps, conn: Connection) -> list[Currency]:
    rates = exchange_rates.current_rates(conn, deps.clock.now_ms()) | {deps.currency: Decimal(1)}
    stored = currencies.list_currencies(conn)
    return [
        replace(stored.get(code) or Currency(code), default=code == deps.currency, rate=rates.get(code))
        for code in sorted({*rates, *stored})
    ]


def _get_record(deps: Deps, conn: Connection, number: int) -> Currency:
    code = CODES.get(number)
    return required(next((record for record in _list_records(deps, conn) if record.code == code), None))
