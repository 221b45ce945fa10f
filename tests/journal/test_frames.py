"""Frames: what is read is what was written, or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.journal import frames
from trackyard.journal.frames import Frame, Unreadable

PAYLOAD = b'["a record",1,"\xc3\xa9"]'


@given(st.integers(0, 255), st.binary(max_size=300), st.binary(max_size=20))
def test_journal_frame_round_trips(kind: int, payload: bytes, behind: bytes) -> None:
    packed = frames.pack(kind, payload)
    assert frames.read(packed + behind, 0) == Frame(0, kind, payload, len(packed))


@pytest.mark.parametrize("cut", range(len(frames.pack(1, PAYLOAD))))
def test_journal_frame_cut_anywhere_is_detected(cut: int) -> None:
    assert frames.read(frames.pack(1, PAYLOAD)[:cut], 0) is Unreadable.TRUNCATED


def test_journal_frame_bit_flip_is_detected() -> None:
    packed = frames.pack(1, PAYLOAD)
    for bit in range(len(packed) * 8):
        flipped = bytearray(packed)
        flipped[bit // 8] ^= 1 << (bit % 8)
        assert isinstance(frames.read(bytes(flipped) + packed, 0), Unreadable), bit


def test_journal_frame_is_found_behind_garbage() -> None:
    packed = frames.pack(2, PAYLOAD)
    rubbish = b"x" + frames.MAGIC + b"y" * 30 + frames.MAGIC
    assert frames.find_next(rubbish + packed, 0) == Frame(len(rubbish), 2, PAYLOAD, len(rubbish) + len(packed))
    assert frames.find_next(rubbish, 0) is None
