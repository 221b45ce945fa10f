"""The analytic store has every zone that a caller may name."""

from importlib.resources import files

from trackyard.analytics.engine.connection import Analytics
from trackyard.base.zones import find_zone


def test_every_time_zone_name_exists_in_analytic_store(analytics: Analytics) -> None:
    known = {str(name) for (name,) in analytics.rows("SELECT time_zone FROM system.time_zones", {}, tuple[str])}
    names = files("tzdata").joinpath("zones").read_text().split()
    assert not [name for name in names if find_zone(name) and name not in known]
