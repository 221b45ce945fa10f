"""Limits of what strangers may ask for, by the wide network of their address."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import WINDOW_MS
from trackyard.base.errors import TooManyRequests
from trackyard.base.secrets import digest
from trackyard.base.strangers import too_many_tries
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.store.people import sign_ins


def count_request(deps: Deps, what: str, address: str, limit: int) -> None:
    """Count a request of a wide network, regardless of its outcome: guessing must not pay.

    what: the kind of request to count.
    Raises TooManyRequests beyond `limit` within WINDOW_MS.
    """
    now, name = deps.clock.now_ms(), digest(f"{what}:{wide_network_of(address)}")
    with deps.database.write(independent=True) as conn:
        tries, since = sign_ins.count_attempt(conn, [name], now, WINDOW_MS)[name]
    if tries > limit:
        raise too_many_tries(TooManyRequests(-(-(since + WINDOW_MS - now) // 1000)))
