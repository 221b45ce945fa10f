"""Times of a person's zone, days of the platform's or of the address."""

from datetime import UTC, datetime

from tests.support.api import Api
from tests.support.models.history import add_conversion
from tests.support.pages import affiliate_visitor, staff_visitor


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
