"""Times of a person's zone, days of the platform's or of the address."""

from datetime import UTC, datetime, timedelta

from tests.support.api import Api
from tests.support.models.history import add_conversion
from tests.support.pages import affiliate_visitor, staff_visitor
from tests.support.people_pages import earn

HOUR_MS = 3_600_000


def text_of(moment: int, hours: int) -> str:
    """Return a moment in a zone so many hours ahead of UTC."""
    return datetime.fromtimestamp(moment / 1000 + hours * 3600, UTC).strftime("%Y-%m-%d %H:%M:%S")


def test_times_are_in_the_zone_of_the_person_and_days_in_that_of_the_platform_or_the_address(api: Api) -> None:
    offer = api.add_offer(privacy="public")
    pid, affiliate = affiliate_visitor(api)
    made = add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid).created_at
    staff = staff_visitor(api)
    day = datetime.fromtimestamp(made / 1000, UTC).date().isoformat()
    for visitor, pages in ((staff, "/console"), (affiliate, "/portal")):
        path = f"{pages}/conversions?from={day}&to={day}"
        assert text_of(made, 0) in visitor.get(path).text
        visitor.post(f"{pages}/profile/preferences", timezone="Asia/Tokyo", single_keys="1")
        page = visitor.get(path).text
        assert text_of(made, 9) in page and text_of(made, 0) not in page and "Tokyo time, days of UTC" in page
        in_address = visitor.get(f"{path}&tz=Asia/Dubai").text
        assert text_of(made, 4) in in_address and "Dubai time ·" in in_address
        assert text_of(made, 4) not in visitor.get(f"{path}&tz=Pacific/Kiritimati").text


def test_days_of_statements_and_deliveries_are_those_of_the_zone_in_the_address(api: Api) -> None:
    pid, affiliate = affiliate_visitor(api)
    now = api.clock.now_ms()
    api.clock.advance((23 * HOUR_MS - now % (24 * HOUR_MS)) % (24 * HOUR_MS))  # 23:00 UTC
    earn(api, pid, "12.5")
    day = datetime.fromtimestamp(api.clock.now_ms() / 1000, UTC).date()
    staff, later = staff_visitor(api), day + timedelta(days=1)
    for visitor, path in ((staff, f"/console/statements/{pid}"), (affiliate, "/portal/statement")):
        assert f"{day} Conversions" in visitor.read(f"{path}?from={day}&to={day}").text
        assert f"{later} Conversions" in visitor.read(f"{path}?from={later}&to={later}&tz=Asia/Tokyo").text
        assert "Conversions $12.50" not in visitor.read(f"{path}?from={day}&to={day}&tz=Asia/Tokyo").text
        file = visitor.get(f"{path}/file?from={later}&to={later}&tz=Asia/Tokyo").text
        assert f"conversions,{later}" in file
    for visitor, path in ((staff, "/console/postbacks?tab=sent"), (affiliate, "/portal/postbacks?")):
        page = visitor.read(f"{path}&tz=Asia/Tokyo").text
        assert "Tokyo time" in page
    assert f"date_from={later}" in staff.get("/console/postbacks?tab=sent&tz=Asia/Tokyo").text
