"""Macros in URLs."""

import re
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.tracking.macros import Template


@pytest.mark.parametrize(
    ("url", "values", "filled"),
    [
        ("https://a.example/", {}, "https://a.example/"),
        ("https://a.example/?c={clickid}", {"clickid": "abc"}, "https://a.example/?c=abc"),
        ("https://a.example/?c={clickid}&u={nobody}", {"clickid": "abc"}, "https://a.example/?c=abc&u={nobody}"),
        ("{sub1}{sub2}", {"sub1": "a b", "sub2": "&/?"}, "a%20b%26%2F%3F"),
        ("?x={sub1}", {"sub1": "{sub2}", "sub2": "no"}, "?x=%7Bsub2%7D"),
        ("?x={}&y={Sub1}", {"Sub1": "no"}, "?x={}&y={Sub1}"),
        ("?x={sub1}", {"sub1": ""}, "?x="),
    ],
)
def test_url_template_fills_macros(url: str, values: dict[str, str], filled: str) -> None:
    assert Template(url).fill(values) == filled


@given(st.text())
def test_url_template_encodes_values(value: str) -> None:
    if any("\ud800" <= c <= "\udfff" for c in value):
        return
    filled = Template("?x={sub1}").fill({"sub1": value})
    assert re.fullmatch(r"\?x=[A-Za-z0-9_.~%-]*", filled)
    assert unquote(filled[3:]) == value
