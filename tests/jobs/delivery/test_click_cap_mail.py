"""Daily click caps that fill up cause a mail to staff."""

import pytest
from sqlalchemy import select

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from trackyard.jobs.schedule.cap_notices import ClickCapNotifier
from trackyard.store.tables import mail

MINUTE = 60_000


def mails(api: Api) -> list[str]:
    with api.deps.database.read() as conn:
        return list(conn.execute(select(mail.c.body)).scalars())


def limited(api: Api, **fields: str) -> int:
    cap = {"period": "day", "type": "clicks", "value": "5"} | fields
    return api.add_offer(notice_percent_overcap="60", **{f"caps[0][{name}]": value for name, value in cap.items()})


def clicked(api: Api, offer: int, numbers: range, **fields: object) -> None:
    now = api.clock.now_ms()
    load_clicks(api.deps, [new_click(number, offer=offer, time=now, **fields) for number in numbers])


@pytest.fixture
def notices(api: Api) -> ClickCapNotifier:
    return ClickCapNotifier(api.deps.database, api.deps.analytics, api.clock)


def test_click_cap_mail_is_sent_once_a_day(api: Api, notices: ClickCapNotifier) -> None:
    offer = limited(api)
    clicked(api, offer, range(1, 3))
    notices.check_next_offer()
    assert mails(api) == []
    clicked(api, offer, range(3, 5))
    notices.check_next_offer()
    assert mails(api) == []  # it looked less than a minute ago
    api.clock.advance(MINUTE)
    notices.check_next_offer()
    [body] = mails(api)
    assert "5 clicks a day and has 4 clicks" in body
    for _ in range(2):
        api.clock.advance(MINUTE)
        notices.check_next_offer()
    assert len(mails(api)) == 1
    api.clock.advance(24 * 60 * MINUTE)
    notices.check_next_offer()
    assert len(mails(api)) == 1  # no click of that day
    clicked(api, offer, range(11, 15))
    api.clock.advance(MINUTE)
    notices.check_next_offer()
    assert len(mails(api)) == 2


def test_click_cap_mail_is_sent_per_affiliate(api: Api, notices: ClickCapNotifier) -> None:
    offer = limited(api, affiliate_type="each")
    clicked(api, offer, range(1, 3), affiliate=1)
    clicked(api, offer, range(3, 5), affiliate=2)
    notices.check_next_offer()
    assert mails(api) == []
    clicked(api, offer, range(5, 6), affiliate=2)
    api.clock.advance(MINUTE)
    notices.check_next_offer()
    assert len(mails(api)) == 1


def test_click_cap_mail_ignores_rejected_clicks_and_other_caps(api: Api, notices: ClickCapNotifier) -> None:
    for number, fields in enumerate(({"period": "month"}, {"type": "conversions"}, {"value": "0"})):
        clicked(api, limited(api, **fields), range(10 * number + 1, 10 * number + 5))
    offer = limited(api)
    clicked(api, offer, range(91, 95), reason="overcap")
    for _ in range(5):
        notices.check_next_offer()
    assert mails(api) == []
