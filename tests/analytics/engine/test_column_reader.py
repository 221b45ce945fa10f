"""Packed lines of JSON arrays read into columns keep any text."""

import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.analytics.exports.column_stream import ColumnReader

READER = ColumnReader(
    ("number", "text", "common"), integer_columns=frozenset({"number"}), repeated_columns=frozenset({"common"})
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\"\\\n\r\t\b\f\0\x1f\u2028nu0,[]'=")
ROWS = st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), TEXTS, TEXTS), min_size=1)


def sent(rows: list[tuple[Any, ...]]) -> bytes:
    """Return the lines of rows in the store's format."""
    lines = b"".join(b"[0," + msgspec.json.encode(row)[1:-1] + b",0]\n" for row in rows)
    return lines.replace(b"\\", b"\\\\").replace(b"'", b"\\'")


def read(answer: bytes) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for batch in READER.batches(io.BytesIO(answer)) for row in batch.to_pylist()]


@given(ROWS)
def test_column_reader_round_trips_any_text(rows: list[tuple[int, str, str]]) -> None:
    assert read(sent(rows)) == rows


@pytest.mark.parametrize("size", [1, 5, 64])
@pytest.mark.parametrize("many", [1, 3, 100])
def test_column_reader_handles_any_piece_size(monkeypatch: pytest.MonkeyPatch, size: int, many: int) -> None:
    monkeypatch.setattr("trackyard.analytics.exports.column_stream._READ_BYTES", size)
    monkeypatch.setattr("trackyard.analytics.exports.column_stream.BATCH_ROWS", many)
    rows = [(number, "a\nb", "ü'\"") for number in range(10)]
    assert read(sent(rows)) == rows


@pytest.mark.parametrize("answer", [b'[0,1,"a","b",0]\n[0,2,"a', b'[0,1,"a",0]\n', b'[0,"x","a","b",0]\n'])
def test_column_reader_rejects_incomplete_answer(answer: bytes) -> None:
    with pytest.raises(EOFError):
        read(answer)


def test_column_reader_of_no_rows_is_empty() -> None:
    assert read(b"") == []
