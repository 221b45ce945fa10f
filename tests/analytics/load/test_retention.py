"""Old months and personal data are removed; metrics and other rows stay."""

from typing import Any

import msgspec

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores.analytics import analytics as analytics
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.analytics.maintenance.retention import (
    count_erased,
    drop_before,
    empty_before,
    empty_erased,
    find_ids_of_user,
    list_months,
)
from trackyard.analytics.reports.clicks import find_records
from trackyard.domain.platform.erasures import PERSONAL_COLUMNS, ErasedSubjects, Erasure, ErasureSubject
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog, encode_row
from trackyard.journal.records import Click, decode_click, encode

DAY = 86_400_000
PERSON = {"ip": "203.0.113.9", "ua": 'Some "one" \\ é 日', "referrer": "https://me.example/", "user_id": "u'77"}
PERSON |= {"os_id": "os-1", "fbclid": "fb.1", "ios_idfa": "idfa-1", "android_id": "gaid-1"}


def visit(number: int, **fields: Any) -> Click:
    return new_click(number, **{"affiliate": 5, "sub1": 'a "quoted" \\ sub', "city": "Köln"} | PERSON | fields)


def put(store: Analytics, *visits: Click, views: tuple[Click, ...] = ()) -> None:
    for table, records in (("click", visits), ("view", views)):
        items = [click_item("001-0000000000001", place, encode(each)) for place, each in enumerate(records)]
        load(store, table, items, f"{table}-{visits[0].id}")
    load(store, "click_lookup", [lookup_item(encode(each)) for each in visits], f"lookup-{visits[0].id}")


def put_logs(store: Analytics, click: Click, number: int) -> None:
    """Load an inbound postback with a conversion, and its delivery to the affiliate."""
    ids = {"conversion_id": f"{number:024x}", "click_id": click.id, "time": click.time, "affiliate": click.affiliate}
    load(store, "fact", [encode_row(new_fact(number, **ids))], f"fact-{number}")
    one = _row(
        ServerPostbackLog, id=f"{number:024x}", **ids, ip="203.0.113.9", ua="x", query="ip=203.0.113.9", body="b"
    )
    load(store, "server_log", [encode_row(one)], f"log-{number}")
    del ids["click_id"]
    other = _row(
        AffiliatePostbackLog, id=f"{number:024x}", **ids, url="https://a.example/?ip=203.0.113.9", outcome="sent"
    )
    load(store, "affiliate_log", [encode_row(other)], f"sent-{number}")


def _row(kind: type[Any], **fields: Any) -> Any:
    empty = {each.name: 0 if each.type is int else "" for each in msgspec.structs.fields(kind)}
    return kind(**empty | fields)


def column(store: Analytics, table: str, name: str) -> list[str]:
    return [row[0] for row in store.rows(f"SELECT {name} FROM {table} ORDER BY time, id", {}, tuple[str])]


def figures(store: Analytics) -> Any:
    """Return every column of clicks, impressions and events that is not personal."""
    found = []
    for name in ("click", "view", "fact"):
        columns = [each for each in TABLES[name].column_names if each not in PERSONAL_COLUMNS.get(name, ())]
        found.append(store.rows(f"SELECT {', '.join(columns)} FROM {name} ORDER BY ALL", {}, tuple[Any, ...]))
    return found


def test_retention_drops_month_when_all_rows_are_old(store: Analytics) -> None:
    put(store, *(visit(number, time=NOON + number * 31 * DAY) for number in range(4)))
    names = ["202311", "202312", "202401", "202402"]
    assert [month.id for month in list_months(store, "click")] == names
    december = list_months(store, "click")[1]
    assert (december.start, december.end) == (1_701_388_800_000, 1_704_067_200_000)
    for table in ("click", "click_lookup"):
        assert drop_before(store, table, december.end - 1) == 1
        assert [month.id for month in list_months(store, table)] == names[1:]
        assert drop_before(store, table, december.end) == 1
        assert [month.id for month in list_months(store, table)] == names[2:]
        assert drop_before(store, table, december.end) == 0


def test_retention_empties_personal_columns_only(store: Analytics) -> None:
    clicks = [visit(number, time=NOON + number * 10 * DAY) for number in range(5)]
    put(store, *clicks, views=(visit(91), visit(92, time=NOON + 40 * DAY)))
    for number, click in enumerate(clicks, start=1):
        put_logs(store, click, number)
    before = figures(store)
    done: set[tuple[str, str]] = set()
    cut = NOON + 20 * DAY  # the third is not before it
    expected = {"click": 2, "view": 1, "server_log": 2, "affiliate_log": 2, "click_lookup": 2}
    assert empty_before(store, cut, done) == expected
    assert figures(store) == before
    for name, value in PERSON.items():
        assert column(store, "click", name) == ["", "", value, value, value]
        assert column(store, "view", name) == ["", value]
    assert column(store, "affiliate_log", "url")[:3] == ["", "", "https://a.example/?ip=203.0.113.9"]
    assert column(store, "server_log", "concat(ip, ua, query, body)")[1:3] == ["", "203.0.113.9xip=203.0.113.9b"]
    found = find_records(store, [click.id for click in clicks])
    assert decode_click(found[clicks[2].id]) == clicks[2]
    empty = dict.fromkeys(PERSONAL_COLUMNS["click"], "")
    assert decode_click(found[clicks[1].id]) == msgspec.structs.replace(clicks[1], **empty)
    assert empty_before(store, cut, done) == {}
    assert ("click", "202311") in done and ("click", "202312") not in done
    assert empty_before(store, cut + 15 * DAY, done)["click"] == 2


def test_erasure_empties_every_analytic_table(store: Analytics) -> None:
    one, user, affiliate, other = (
        visit(1, user_id="x"), visit(2), visit(3, affiliate=6, user_id="y"), visit(4, user_id="z")
    )  # fmt: skip
    late = visit(5, affiliate=6, user_id="z", time=NOON + 2)
    put(store, one, user, affiliate, other, late, views=(visit(8), visit(9, user_id="z")))
    for number, click in enumerate((one, user, affiliate, other, late), start=1):
        put_logs(store, click, number)
    before = figures(store)
    asked = [(ErasureSubject.CLICK, one.id), (ErasureSubject.USER, "u'77"), (ErasureSubject.AFFILIATE, "6")]
    what = ErasedSubjects.of(Erasure(number, *each, NOON + 1) for number, each in enumerate(asked, start=1))
    assert find_ids_of_user(store, "u'77", NOON + 1) == sorted([user.id, visit(8).id])
    assert find_ids_of_user(store, "u'77", NOON - 1) == []
    assert count_erased(store, what) == {"click": 3, "view": 1}
    what = what.with_clicks(find_ids_of_user(store, "u'77", NOON + 1))
    expected = {"click": 3, "view": 1, "server_log": 3, "affiliate_log": 3, "click_lookup": 3}
    assert empty_erased(store, what) == expected
    assert figures(store) == before
    ip = PERSON["ip"]
    assert column(store, "click", "ip") == ["", "", "", ip, ip]
    assert column(store, "click", "user_id") == ["", "", "", "z", "z"]
    assert column(store, "view", "ip") == ["", ip]
    assert [bool(url) for url in column(store, "affiliate_log", "url")] == [False, False, False, True, True]
    assert [bool(query) for query in column(store, "server_log", "query")] == [False, False, False, True, True]
    found = find_records(store, [one.id, user.id, affiliate.id, other.id, late.id])
    assert [decode_click(found[each.id]).ip for each in (one, user, affiliate, other, late)] == ["", "", "", ip, ip]
    assert empty_erased(store, what) == {}
    assert count_erased(store, what) == {"click": 0, "view": 0}


def test_erasure_of_nothing_runs_no_query(analytics: Analytics) -> None:
    assert empty_erased(analytics, ErasedSubjects()) == {}


def test_erased_padded_record_is_loaded_normally(analytics: Analytics) -> None:
    padded = encode(visit(1)) + b" " * 40  # as journals keep them (journal/packing.py)
    load(analytics, "click", [click_item("001-0000000000001", 0, padded)], "padded")
    load(analytics, "click_lookup", [lookup_item(padded)], "padded")
    load(analytics, "click", [click_item("001-0000000000001", 0, padded)], "other", maybe_loaded=True)
    assert column(analytics, "click", "sub1") == [visit(1).sub1]
    assert decode_click(find_records(analytics, [visit(1).id])[visit(1).id]) == visit(1)
