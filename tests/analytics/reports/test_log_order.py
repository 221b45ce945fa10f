"""The order of the server postback log."""

import dataclasses

from tests.support.models.events import NOON
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load
from trackyard.analytics.reports.logs import ServerRecordFilter, find_server_records, list_server_log
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.lists import LogQuery
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row

EVERYTHING = LogQuery(Scope.everything(), NOON, NOON + 1000)
DIGITS = [5, 2, 9, 0, 7, 1]


def record_at(digit: int, position: int) -> ServerPostbackLog:
    """An inbound postback of one millisecond. position: its place in the journal."""
    return ServerPostbackLog(
        id=f"{digit:024x}", revision=0, time=NOON, click_id="", conversion_id="", offer=0, affiliate=0, advertiser="",
        goal="1", action_id="", status=1, method="GET", ip="192.0.2.9", ua="curl/8", query="", body="", response="",
        journal="001-1", position=position,
    )  # fmt: skip


def test_postbacks_of_one_millisecond_are_listed_in_the_order_of_their_arrival(analytics: Analytics) -> None:
    rows = [record_at(digit, 100 * place) for place, digit in enumerate(DIGITS)]
    load(analytics, "server_log", [encode_row(row) for row in rows], "t")
    pages = [list_server_log(analytics, dataclasses.replace(EVERYTHING, page=page, limit=4)) for page in (1, 2)]
    assert [row.position for page in pages for row in page.records] == [500, 400, 300, 200, 100, 0]
    found = find_server_records(analytics, Scope.everything(), ServerRecordFilter(NOON, NOON + 1000), 4)
    assert [row.position for row in found] == [200, 300, 400, 500]
