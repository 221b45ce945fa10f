"""Loads of each row exactly once (docs/spec/engine.md#exactly-once)."""

from typing import Any

import pytest

from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics import load as stats_load
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.load import click_item, load, lookup_item
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal.records import encode

JOURNAL = "001-1700049600000"


def clicks(count: int, first: int = 0) -> list[bytes]:
    return [click_item(JOURNAL, number * 100, encode(new_click(number))) for number in range(first, first + count)]


def test_analytic_load_stores_clicks_with_position(analytics: Analytics) -> None:
    click = new_click(7, sub1='a "quoted" \\ line\n', country="NP")
    load(analytics, "click", [click_item(JOURNAL, 100, encode(click))], "t")
    rows = analytics.rows("SELECT journal, position, id, sub1, country FROM click", {}, list[Any])
    assert rows == [[JOURNAL, 100, click.id, click.sub1, "NP"]]


@pytest.mark.parametrize("maybe_loaded", [False, True])
@pytest.mark.parametrize("repeat_unsure", [False, True])
def test_analytic_load_repeated_adds_nothing(analytics: Analytics, maybe_loaded: bool, repeat_unsure: bool) -> None:
    load(analytics, "click", clicks(500), "t", maybe_loaded=maybe_loaded)
    load(analytics, "click", clicks(500), "t", maybe_loaded=repeat_unsure)
    assert analytics.rows("SELECT count() FROM click", {}, tuple[int]) == [(500,)]


def test_analytic_load_with_two_tokens_adds_twice(analytics: Analytics) -> None:
    fact = encode_row(new_fact(1))
    load(analytics, "fact", [fact], "one")
    load(analytics, "fact", [fact], "two")
    assert analytics.rows("SELECT count() FROM fact", {}, tuple[int]) == [(2,)]


def test_analytic_load_completes_half_loaded_range(analytics: Analytics) -> None:
    load(analytics, "click", clicks(3), "half of it")
    load(analytics, "click", clicks(10), "all", maybe_loaded=True)
    assert analytics.rows("SELECT count(), uniqExact(position) FROM click", {}, tuple[int, int]) == [(10, 10)]


def test_analytic_load_with_known_token_restores_missing_rows(analytics: Analytics) -> None:
    load(analytics, "click", clicks(10), "t")
    analytics.run("ALTER TABLE click DELETE WHERE 1 SETTINGS mutations_sync = 1")
    load(analytics, "click", clicks(10), "t", maybe_loaded=True)
    assert analytics.rows("SELECT count() FROM click", {}, tuple[int]) == [(10,)]


def test_analytic_load_error_is_repeated_without_doubles(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    insert = Analytics.insert

    def insert_then_fail(self: Analytics, *arguments: Any) -> None:
        insert(self, *arguments)
        raise StoreError("the connection broke after the insert")

    monkeypatch.setattr(Analytics, "insert", insert_then_fail)
    with pytest.raises(StoreError):
        load(analytics, "fact", [encode_row(new_fact(1))], "t")
    monkeypatch.undo()
    load(analytics, "fact", [encode_row(new_fact(1))], "t", maybe_loaded=True)
    assert analytics.rows("SELECT count() FROM fact", {}, tuple[int]) == [(1,)]


def test_analytic_load_skips_and_names_bad_line(analytics: Analytics) -> None:
    items = clicks(50)
    items[17] = b'["x",5,["no number"],3]'
    items[30] = b'["x",5'
    loaded = load(analytics, "click", items, "t")
    assert [bad.place for bad in sorted(loaded.bad, key=lambda bad: bad.place)] == [17, 30]
    assert loaded.items == 48
    assert load(analytics, "click", items, "t", maybe_loaded=True).items == 48
    assert analytics.rows("SELECT count(), uniqExact(position) FROM click", {}, tuple[int, int]) == [(48, 48)]


def test_analytic_load_accepts_record_before_column_was_added(analytics: Analytics) -> None:
    old = b",".join(clicks(1)[0].split(b",")[:-1]) + b"]"
    assert load(analytics, "click", [old], "t").bad == []
    assert analytics.rows("SELECT affiliate, flags FROM click", {}, tuple[int, int]) == [(1, 0)]


def test_analytic_load_keeps_rows_of_one_item_together(analytics: Analytics) -> None:
    good = encode_row(new_fact(1, sign=-1)) + b"\n" + encode_row(new_fact(1, version=2))
    half_bad = encode_row(new_fact(2, sign=-1)) + b'\n["no sign"]'
    loaded = load(analytics, "fact", [good, half_bad], "t")
    assert [bad.place for bad in loaded.bad] == [1]
    assert analytics.rows("SELECT version, sign FROM fact ORDER BY version", {}, tuple[int, int]) == [(1, -1), (2, 1)]


def test_analytic_load_accepts_many_months_at_once(analytics: Analytics) -> None:
    month = 31 * 86_400_000
    items = [encode_row(new_fact(number, time=NOON - number * month)) for number in range(130)]
    load(analytics, "fact", items, "t")
    assert analytics.rows("SELECT count() FROM fact", {}, tuple[int]) == [(130,)]


def test_analytic_load_needs_a_token(analytics: Analytics) -> None:
    with pytest.raises(ValueError, match="token"):
        load(analytics, "fact", [encode_row(new_fact(1))], "")


@pytest.mark.parametrize("maybe_loaded", [False, True])
def test_analytic_load_keeps_click_record_verbatim(analytics: Analytics, maybe_loaded: bool) -> None:
    payloads = [encode(new_click(number, sub1="ü" * number * 50)) for number in range(5)]
    for _ in range(2):
        load(analytics, "click_lookup", [lookup_item(payload) for payload in payloads], "t", maybe_loaded=maybe_loaded)
    rows = analytics.rows("SELECT lower(hex(id)), record FROM click_lookup ORDER BY id", {}, tuple[str, str])
    assert rows == [(new_click(number).id, payload.decode()) for number, payload in enumerate(payloads)]


@pytest.mark.parametrize("payload", [b"", b"[1]", b'[1,"abc"]', b'[1,"' + b"z" * 24 + b'"]'])
def test_analytic_load_rejects_record_without_click_id(payload: bytes) -> None:
    with pytest.raises(ValueError):
        lookup_item(payload)


@pytest.mark.parametrize("maybe_loaded", [False, True])
def test_analytic_load_in_pieces_adds_each_item_once(
    analytics: Analytics, monkeypatch: pytest.MonkeyPatch, maybe_loaded: bool
) -> None:
    monkeypatch.setattr(stats_load, "_MAX_INSERT_ITEMS", 20)
    items = clicks(95)
    items[17], items[63] = b'["x"', b'["x",5,["no number"],3]'
    for again in (maybe_loaded, False, True):
        loaded = load(analytics, "click", items, "t", maybe_loaded=again)
        assert (loaded.items, [bad.place for bad in loaded.bad]) == (93, [17, 63])
    assert analytics.rows("SELECT count(), uniqExact(position) FROM click", {}, tuple[int, int]) == [(93, 93)]


def test_analytic_load_repeats_failed_piece_without_doubles(
    analytics: Analytics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stats_load, "_MAX_INSERT_ITEMS", 20)
    insert = Analytics.insert

    def fail_third(self: Analytics, *arguments: Any) -> None:
        if arguments[-1]["insert_deduplication_token"] == "t/40":
            raise StoreError("the connection broke before the insert")
        insert(self, *arguments)

    monkeypatch.setattr(Analytics, "insert", fail_third)
    with pytest.raises(StoreError):
        load(analytics, "click", clicks(95), "t")
    monkeypatch.setattr(Analytics, "insert", insert)
    load(analytics, "click", clicks(95), "t", maybe_loaded=True)
    assert analytics.rows("SELECT count(), uniqExact(position) FROM click", {}, tuple[int, int]) == [(95, 95)]
