"""A person gets alerts as chosen, else as the roles say, and not in quiet hours."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.choices import GATHER_MS, AlertChoices, AlertWay, quiet_end
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import Severity

MADRID = ZoneInfo("Europe/Madrid")
_ZONES = ("UTC", "Europe/Madrid", "Asia/Kolkata", "America/St_Johns", "Pacific/Apia")


def _ms(text: str, zone: ZoneInfo = MADRID) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


@pytest.mark.parametrize(
    ("at", "over"),
    [
        ("2026-11-23 21:59", None),
        ("2026-11-23 22:00", "2026-11-24 07:30"),
        ("2026-11-24 03:00", "2026-11-24 07:30"),
        ("2026-11-24 07:29", "2026-11-24 07:30"),
        ("2026-11-24 07:30", None),
        ("2026-10-24 23:00", "2026-10-25 07:30"),  # the clock goes back in this night
    ],
)
def test_quiet_hours_end_in_the_zone_of_the_person(at: str, over: str | None) -> None:
    expected = None if over is None else _ms(over)
    assert quiet_end("22:00", "07:30", MADRID, _ms(at)) == expected


def test_quiet_hours_of_one_day_end_on_it() -> None:
    assert quiet_end("12:00", "14:00", MADRID, _ms("2026-11-23 13:00")) == _ms("2026-11-23 14:00")
    assert quiet_end("12:00", "14:00", MADRID, _ms("2026-11-23 14:00")) is None


def test_no_hours_are_quiet_without_a_begin_or_when_both_are_equal() -> None:
    assert quiet_end("", "07:00", MADRID, 0) is None
    assert quiet_end("07:00", "07:00", MADRID, 0) is None


_clock = st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.integers(0, 59))


@given(_clock, _clock, st.sampled_from(_ZONES), st.integers(1_700_000_000_000, 1_900_000_000_000))
def test_end_of_quiet_hours_is_within_a_day_and_not_quiet(begin: str, end: str, name: str, at: int) -> None:
    zone = ZoneInfo(name)
    over = quiet_end(begin, end, zone, at)
    if over is None:
        return
    assert at < over <= at + 25 * 3_600_000
    again = quiet_end(begin, end, zone, over)
    local = datetime.fromtimestamp(over / 1000, UTC).astimezone(zone)
    assert again is None or f"{local:%H:%M}" != end  # a clock that is put forward skips the end


def test_error_passes_quiet_hours_unless_the_person_wants_none() -> None:
    night = _ms("2026-11-24 03:00")
    chosen = AlertChoices(quiet_from="22:00", quiet_until="07:00")
    silent = AlertChoices(quiet_from="22:00", quiet_until="07:00", errors_pass=False)
    assert chosen.mail_at(Severity.ERROR, MADRID, night) == night + GATHER_MS
    assert chosen.mail_at(Severity.WARNING, MADRID, night) == _ms("2026-11-24 07:00")
    assert silent.mail_at(Severity.ERROR, MADRID, night) == _ms("2026-11-24 07:00")


def test_choice_of_a_kind_goes_before_the_roles() -> None:
    roles = {Role.ADMIN}
    assert AlertChoices().way_of(AlertKind.DISK, roles) is AlertWay.MAIL
    assert AlertChoices().way_of(AlertKind.RISE, roles) is AlertWay.CONSOLE
    chosen = AlertChoices(ways={"disk": "console", "rise": "mail"})
    assert chosen.way_of(AlertKind.DISK, roles) is AlertWay.CONSOLE
    assert chosen.way_of(AlertKind.RISE, roles) is AlertWay.MAIL
    assert AlertChoices().way_of(AlertKind.DISK, {Role.MANAGER_SALES}) is AlertWay.CONSOLE
