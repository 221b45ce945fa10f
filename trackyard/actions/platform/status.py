"""The state of the platform: machine, last traffic and stored rows (docs/spec/platform.md#status)."""

from trackyard.actions.deps import Deps
from trackyard.analytics.reports.periods import count_records
from trackyard.domain.platform.status import PlatformStatus
from trackyard.store.conversions.conversions import count_conversions

_KINDS = {"click": "clicks", "view": "impressions", "server_log": "inbound_postbacks", "affiliate_log": "deliveries"}


def get_status(deps: Deps) -> PlatformStatus:
    """Return the state of the platform; it costs the same whatever is stored, conversions apart."""
    found = count_records(deps.analytics)
    with deps.database.read() as conn:
        conversions = count_conversions(conn)
    rows = {label: found[table].count for table, label in _KINDS.items()}
    return PlatformStatus(
        machine=deps.machine(),
        now=deps.clock.now_ms(),
        currency=deps.currency,
        timezone=deps.zone.key,
        last_click_at=found["click"].last,
        last_postback_at=found["server_log"].last,
        rows={**rows, "conversions": conversions},
    )
