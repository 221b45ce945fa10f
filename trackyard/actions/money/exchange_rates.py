"""Use cases of the bank's exchange rates (docs/spec/money.md#exchange-rates)."""

from typing import Final

from trackyard.actions.deps import Deps
from trackyard.domain.money.exchange_rates import RateRefreshState
from trackyard.store.money import reference_rates

_PAUSE_MS: Final = 60_000
"""The bank is asked for nothing twice within a minute."""


def exchange_rate_status(deps: Deps) -> RateRefreshState:
    """Return the state of exchange rates."""
    with deps.database.read() as conn:
        return reference_rates.get_refresh_state(conn)


def refresh_exchange_rates(deps: Deps) -> RateRefreshState:
    """Ask a worker to read the rates of the bank now, unless they were read or asked for within a minute.

    Return the state with the request.
    """
    with deps.database.write() as conn:
        reference_rates.request_refresh(conn, deps.clock.now_ms(), _PAUSE_MS)
        return reference_rates.get_refresh_state(conn)
