"""Local times of the store equal those of the program, with any rules of the engine."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.zones import resolve_local_times
from trackyard.analytics.reports.dimensions import LOCAL_TIME
from trackyard.base.zones import offsets_between

ZONES = (
    "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Cairo", "Africa/Casablanca", "America/Vancouver", "America/Winnipeg", "America/Havana", "Europe/Chisinau",
    "Pacific/Chatham", "Antarctica/Troll", "America/Santiago", "Asia/Gaza", "Asia/Almaty", "America/Asuncion",
)  # fmt: skip
SINCE, UNTIL = (int(datetime(year, 1, 1, 5, 30, tzinfo=UTC).timestamp()) * 1000 for year in (2023, 2031))


@pytest.mark.parametrize("name", ZONES)
def test_store_time_parts_equal_python_time_zones(analytics: Analytics, name: str) -> None:
    zone, changes = ZoneInfo(name), offsets_between(ZoneInfo(name), SINCE, UNTIL)
    nearby = (-7200, -3601, -3600, -1800, -1, 0, 1, 1799, 1800, 3600, 7200, 86_400, 40 * 86_400)
    moments = sorted({at + each for at, _ in changes for each in nearby if SINCE <= (at + each) * 1000 < UNTIL})
    parts = f"toYear({LOCAL_TIME}), toQuarter({LOCAL_TIME}), toMonth({LOCAL_TIME}), "
    parts += f"toDayOfMonth({LOCAL_TIME}), toHour({LOCAL_TIME})"
    rows = "SELECT 1000 * arrayJoin({moments:Array(Int64)}) + 999 AS time"
    sql = resolve_local_times(f"SELECT {parts} FROM ({rows}) ORDER BY time", name, SINCE, UNTIL)
    shown = analytics.rows(sql, {"moments": moments}, tuple[int, int, int, int, int])
    clocks = [datetime.fromtimestamp(at, UTC).astimezone(zone) for at in moments]
    assert shown == [(now.year, (now.month + 2) // 3, now.month, now.day, now.hour) for now in clocks]


def test_store_clock_changes_equal_time_zone_rules() -> None:
    berlin, year = ZoneInfo("Europe/Berlin"), datetime(2026, 1, 1, tzinfo=UTC)
    first, spring, autumn = (
        int(moment.timestamp())
        for moment in (year, datetime(2026, 3, 29, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, tzinfo=UTC))
    )
    whole = offsets_between(berlin, first * 1000, int((year + timedelta(days=365)).timestamp()) * 1000)
    assert whole == [(first, 3600), (spring, 7200), (autumn, 3600)]
    assert offsets_between(berlin, spring * 1000, autumn * 1000) == [(spring, 7200)]
    assert offsets_between(berlin, spring * 1000 - 1, spring * 1000) == [(spring - 1, 3600)]
    assert offsets_between(ZoneInfo("Asia/Kathmandu"), 0, first * 1000) == [(0, 19_800), (504_901_800, 20_700)]
    assert offsets_between(ZoneInfo("UTC"), first, first) == [(first // 1000, 0)]


def test_store_unknown_time_zone_is_rejected() -> None:
    with pytest.raises(ValueError, match="zone that is not resolved"):
        resolve_local_times("SELECT toTimeZone(now(), {zone:String})", "UTC", SINCE, UNTIL)
