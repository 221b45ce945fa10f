"""Names of time zones that clients may send."""

import pytest

from trackyard.base.zones import find_zone


@pytest.mark.parametrize("name", ["UTC", "Asia/Kathmandu", "Europe/Berlin", "EST5EDT", "America/Argentina/Ushuaia"])
def test_time_zone_iana_name_is_found(name: str) -> None:
    zone = find_zone(name)
    assert zone is not None and zone.key == name


@pytest.mark.parametrize(
    "name",
    ["", "utc", "right/UTC", "posix/UTC", "localtime", "posixrules", "../../etc/passwd", "America", "UTC\n", ".."],
)
def test_time_zone_file_path_is_not_found(name: str) -> None:
    assert find_zone(name) is None
