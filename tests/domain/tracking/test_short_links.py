"""Short forms of tracking links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.tracking.links import Link, pack, unpack

numbers = st.integers(0, 2**31 - 1)


@given(numbers, numbers, numbers)
def test_short_link_hash_round_trips(offer: int, affiliate: int, landing: int) -> None:
    link = Link(offer, affiliate, landing)
    text = pack(link)
    assert unpack(text) == link
    assert text.isascii() and text.isalnum() and len(text) <= 26


@given(st.text("abcdefghijklmnopqrstuvwxyzABC0123", max_size=30))
def test_short_link_hash_is_canonical(text: str) -> None:
    link = unpack(text)
    assert link is None or pack(link) == text


@pytest.mark.parametrize("text", ["", "click", "postback", "favicon.ico", "0", "zzzzzzz", "ä", "x" * 1000, "7/8"])
def test_short_link_rejects_other_paths(text: str) -> None:
    assert unpack(text) is None


def test_short_link_detects_one_wrong_digit() -> None:
    text = pack(Link(12, 345))
    changed = [text[:at] + other + text[at + 1 :] for at in range(len(text)) for other in "aZ5" if other != text[at]]
    assert not [other for other in changed if unpack(other) is not None]


def test_short_link_click_url_has_parameters() -> None:
    assert Link(3, 7).url("http://t.example") == "http://t.example/click?pid=7&offer_id=3"
    assert Link(3, 7, 2).url("http://t.example") == "http://t.example/click?pid=7&offer_id=3&l=2"
    assert len(pack(Link(100_000, 50_000))) <= 13
