"""Parameters as strangers write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.decision.target.json_text import quoted
from trackyard.decision.target.queries import MAX_PARAMETER, find_plain_params, read_query_params
from trackyard.domain.tracking.forgiven import EMPTY_REPEAT, ENCODING
from trackyard.domain.tracking.macros import encode_value


@pytest.mark.parametrize(
    ("query", "params"),
    [
        (b"a=1&b=2", {"a": "1", "b": "2"}),
        (b"a=1&a=2", {"a": "2"}),
        (b"a=b=c", {"a": "b=c"}),
        (b"a=x+y%20z&b=%C3%A9", {"a": "x y z", "b": "é"}),
        (b"%61=1", {"a": "1"}),
        (b"a=%00x%0d%0ay%7f", {"a": "xy"}),
        (b"a=x\r\ny", {"a": "xy"}),
        ("a=é".encode(), {"a": "é"}),
        (b"a", {"a": ""}),
        (b"", {"": ""}),
    ],
)
def test_query_string_parsing_decodes_pairs(query: bytes, params: dict[str, str]) -> None:
    assert read_query_params(query) == (params, False, 0)


@pytest.mark.parametrize(
    ("query", "params", "forgiven"),
    [
        (b"a=%ff%zz", {"a": "я%zz"}, ENCODING),
        (b"a=%EE%EA%F0%E1", {"a": "окрб"}, ENCODING),
        (b"a=caf%E9", {"a": "café"}, ENCODING),
        (b"a=%D0%BF%D1", {"a": "п"}, ENCODING),
        (b"a=1&a=", {"a": "1"}, EMPTY_REPEAT),
        (b"a=&a=1", {"a": "1"}, 0),
        (b"a=%31&a=", {"a": "1"}, EMPTY_REPEAT),
        (b"a=1&a=2&a=", {"a": "2"}, EMPTY_REPEAT),
    ],
)
def test_query_string_parsing_says_what_it_forgave(query: bytes, params: dict[str, str], forgiven: int) -> None:
    assert read_query_params(query) == (params, False, forgiven)
    assert find_plain_params(query) is None


@pytest.mark.parametrize("unit", [b"x", b"%C3%A9", b"%f0%9f%98%80", b"\xff"])
def test_query_parameter_too_long_is_cut_between_characters(unit: bytes) -> None:
    params, cut, _ = read_query_params(b"sub1=" + unit * 3000)
    assert cut
    assert MAX_PARAMETER - 4 < len(params["sub1"].encode()) <= MAX_PARAMETER


@given(st.binary(max_size=400))
def test_query_parsing_of_any_bytes_gives_clean_text(query: bytes) -> None:
    for value in read_query_params(query)[0].values():
        assert all(ord(character) >= 32 and not 127 <= ord(character) < 160 for character in value)
        value.encode()


@pytest.mark.parametrize("query", [b"a=1&b=2", b"pid=7&offer_id=3&sub1=a-b_c.d~E", b"a=&b="])
def test_query_plain_parameters_equal_decoded_ones(query: bytes) -> None:
    assert find_plain_params(query) == read_query_params(query)[0]


@given(st.text(alphabet='ab1&=-._~ +%"\\\\/é\x00\x7f', max_size=30).map(str.encode))
def test_query_plain_values_need_no_quoting(query: bytes) -> None:
    plain = find_plain_params(query)
    if plain is None:
        return
    assert read_query_params(query) == (plain, False, 0)
    for value in plain.values():
        assert (encode_value(value), quoted(value)) == (value, f'"{value}"')
