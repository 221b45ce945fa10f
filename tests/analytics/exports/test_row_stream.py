"""Rows of a stream."""

import io
from threading import Thread

import pytest

from trackyard.analytics.engine.connection import Analytics, QueryLimits, StoreError
from trackyard.analytics.exports.row_stream import packed_row_column, unpack_rows
from trackyard.base.errors import ReportTooHeavy

ROWS = (
    f"SELECT {packed_row_column('number, toString(number)')} AS row FROM numbers({{many:UInt64}}) ORDER BY number DESC"
)


def text(size: int) -> bytes:
    """Return a JSON text of a number of bytes after its length."""
    length, left = b"", size
    while left > 127:
        length, left = length + bytes([left & 127 | 128]), left >> 7
    return length + bytes([left]) + b'"' + b"a" * (size - 2) + b'"'


class SlowStream(io.BytesIO):
    """A source that returns a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(5)


@pytest.mark.parametrize("size", [2, 3, 127, 128, 129, 16_383, 16_384, 40_000])
@pytest.mark.parametrize("source", [io.BytesIO, SlowStream])
def test_row_stream_reads_texts_in_any_piece_size(size: int, source: type[io.BytesIO]) -> None:
    data = text(size) + text(2) + text(size)
    rows = [row for rows in unpack_rows(source(data), str) for row in rows]
    assert rows == ["a" * (size - 2), "", "a" * (size - 2)]


@pytest.mark.parametrize("cut", [1, 2, 200])
def test_row_stream_ending_within_a_row_raises(cut: int) -> None:
    with pytest.raises(EOFError):
        list(unpack_rows(io.BytesIO(text(2) + text(200)[:cut]), str))


def test_row_stream_keeps_order_and_values(store: Analytics) -> None:
    with store.stream(ROWS, {"many": 30_000}, tuple[int, str]) as pieces:
        rows = [row for piece in pieces for row in piece]
    assert rows == [(number, str(number)) for number in reversed(range(30_000))]
    odd = packed_row_column("{text:String}, toInt64(-9007199254740993), toDecimal64('1.5', 4)")
    with store.stream(f"SELECT {odd}", {"text": "a'b\\\t\n\"ö/"}, tuple[str, int, str]) as pieces:
        assert list(pieces) == [[("a'b\\\t\n\"ö/", -9007199254740993, "1.5")]]
    with store.stream(ROWS, {"many": 0}, tuple[int, str]) as pieces:
        assert list(pieces) == []


def test_row_stream_left_early_releases_connection(store: Analytics) -> None:
    for _ in range(5):
        with store.stream(ROWS, {"many": 1_000_000}, tuple[int, str]) as pieces:
            assert next(pieces)[0] == (999_999, "999999")
            assert store.rows("SELECT 1", {}, tuple[int]) == [(1,)], "others are answered meanwhile"
    assert store.rows("SELECT 2", {}, tuple[int]) == [(2,)]


def test_row_stream_can_be_read_by_several_threads(analytics: Analytics) -> None:
    with analytics.stream(ROWS, {"many": 20_000}, tuple[int, str]) as pieces:
        found: list[int] = []
        while (size := len(found)) < 20_000:
            thread = Thread(target=lambda: found.extend(number for number, _ in next(pieces)))
            thread.start()
            thread.join()
            assert len(found) > size
    assert found == list(reversed(range(20_000)))


def test_row_stream_error_is_raised(store: Analytics) -> None:
    with pytest.raises(StoreError), store.stream("SELECT nonsense", {}, tuple[int]) as pieces:
        list(pieces)
    broken = f"SELECT {packed_row_column('throwIf(number = 100000)')} AS row FROM numbers(200000)"
    with pytest.raises(StoreError), store.stream(broken, {}, tuple[int]) as pieces:
        list(pieces)
    assert store.rows("SELECT 1", {}, tuple[int]) == [(1,)]


def test_row_stream_over_memory_limit_is_too_heavy(analytics: Analytics, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analytics, "_limits", QueryLimits(memory=20_000_000))
    heavy = f"SELECT {packed_row_column('groupArray(number)')} AS row FROM numbers(100000000)"
    with pytest.raises(ReportTooHeavy), analytics.stream(heavy, {}, tuple[list[int]]) as pieces:
        list(pieces)
