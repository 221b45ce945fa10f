"""Compatibility switches of a caller (docs/compatibility.md)."""

from trackyard.actions.deps import Deps
from trackyard.domain.people.callers import AffiliateCaller, Caller
from trackyard.domain.statistics.switches import Switches
from trackyard.store.people import affiliates, staff
from trackyard.store.platform import settings


def switches_of(deps: Deps, caller: Caller) -> Switches:
    """Return the switches that apply to a caller: its own, else the platform's, else the defaults."""
    with deps.database.read() as conn:
        platform = {name: settings.find_setting(conn, name) for name in settings.STATISTICS_SWITCHES}
        if isinstance(caller, AffiliateCaller):
            own = affiliates.find_switches(conn, caller.id)
        else:
            own = staff.find_switches(conn, caller.id)
    return Switches().overridden(platform).overridden(own)
