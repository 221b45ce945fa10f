"""Names in braces that are not macros of their place get a sentence, with what was probably meant."""

import pytest

from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace
from trackyard.domain.tracking.reference.unknown_macros import _OTHER_NAMES, MAX_UNKNOWN, unfilled_macros

OFFER, POSTBACK = MacroPlace.OFFER_URL, MacroPlace.POSTBACK


@pytest.mark.parametrize(
    ("text", "place", "name", "meant"),
    [
        ("https://x/?c={clickidd}", POSTBACK, "clickidd", "clickid"),
        ("https://x/?c={ClickId}", OFFER, "ClickId", "clickid"),
        ("https://x/?p={payout}", POSTBACK, "payout", "sum"),
        ("https://x/?p={payout}", OFFER, "payout", ""),
        ("https://x/?u={user_agent}", OFFER, "user_agent", "device_ua"),
        ("https://x/?u={user_agent}", POSTBACK, "user_agent", "uagent"),
        ("https://x/?z={zzz}&z={zzz}", OFFER, "zzz", ""),
    ],
)
def test_unfilled_macros_are_named_with_what_was_meant(text: str, place: MacroPlace, name: str, meant: str) -> None:
    hint = f" Did you mean {{{meant}}}?" if meant else ""
    assert list(unfilled_macros(text, place)) == [f"There is no macro {{{name}}}: it stays as text.{hint}"]


def test_macros_of_another_place_are_named_and_filled_ones_are_not() -> None:
    assert list(unfilled_macros("https://x/?a={sum}&c={clickid}&s={sub8}&{}{ clickid }{a b}", OFFER)) == [
        "The macro {sum} is filled in postbacks only and stays as text here."
    ]


def test_unfilled_macros_of_code_are_only_those_like_a_macro() -> None:
    code = "<script>if(a){return}; var o={x}; new Image().src='//t/?c={clikid}&d={device_model}'</script>"
    assert list(unfilled_macros(code, POSTBACK, likely_only=True)) == [
        "There is no macro {clikid}: it stays as text. Did you mean {clickid}?",
        "The macro {device_model} is filled in URLs of offers only and stays as text here.",
    ]


_WRAPPED = [
    "__CLICKID__", "%clickid%", "$clickid", "$clickid$", "$(clickid)", "(clickid)", ":clickid", "@clickid@",
    "!!clickid!!", "~clickid~", "*clickid*", "|clickid|", "_clickid_", "{ clickid }", "{clickid }", "{!clickid}",
    "{$clickid}", "{@clickid}", "{%clickid%}", "{%20clickid%20}", "{clickid|none}", "{clickid:}", "{click id}",
    "{clickid]", "{clickid)", "[clickid}", "%7B%20clickid%20%7D", "%257Bclickid%257D", "%5Bclickid%5D",
    "%3Cclickid%3E", "%23clickid%23", "%25%25clickid%25%25", "{clickid%7D", "%7Bclickid}", "&lcub;clickid&rcub;",
    "&#123;clickid&#125;", "&lt;clickid&gt;", "\\{clickid\\}", "｛clickid｝", "{сlickid}", "{click\u200bid}",
    "{clickid\u00a0}", "‹clickid›", "«clickid»", "#{clickid}", "CLICKID", "CLICK_ID",
]  # fmt: skip
"""The click id as other programs, keyboards and encoders write it: 47 ways."""
_RIGHT = "https://x/?c={clickid}"
_WRITTEN = [
    # As it is written, the place, the macro that was meant
    ("{{clickid}}", OFFER, "clickid"),
    ("{{ clickid }}", POSTBACK, "clickid"),
    ("${clickid}", OFFER, "clickid"),
    ("[clickid]", OFFER, "clickid"),
    ("#clickid#", OFFER, "clickid"),
    ("<clickid>", OFFER, "clickid"),
    ("%%clickid%%", OFFER, "clickid"),
    ("%%CLICKID%%", OFFER, "clickid"),
    ("{clickid", OFFER, "clickid"),
    ("clickid}", OFFER, "clickid"),
    ("%7Bclickidd%7D", OFFER, "clickid"),
    ("%7bpayout%7d", POSTBACK, "sum"),
    ("[subid]", OFFER, "sub1"),
    ("{{payout}}", POSTBACK, "sum"),
    ("${aff_sub}", POSTBACK, "sub1"),
    *((written, OFFER, "clickid") for written in _WRAPPED),
    ("__subid__", OFFER, "sub1"),
]


@pytest.mark.parametrize(("written", "place", "meant"), _WRITTEN)
@pytest.mark.parametrize("after", ["", "&s=1", "/x"])
def test_macros_in_other_spellings_are_named_with_the_right_one(
    written: str, place: MacroPlace, meant: str, after: str
) -> None:
    sentence = f"{written} is not a macro: it stays as text. Write {{{meant}}}."
    assert list(unfilled_macros(f"https://x/?c={written}{after}", place)) == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "https://x/time/os/?sort=-time&o=+sum&t=os&status=OS&p=__next__&q=(a)&a=:x", "https://x/?x={sub1}_{sub2}&y={sub1}|{sub2}",
        "https://x/?c=({geo})&d={date_only}%20{time}", "https://x/{clickid}?s=1", "https://x/#{clickid}", "https://x/#/{clickid}",
        "https://x/?u=https://y/{sub1}?a=1", "https://x/?c=%7B%22c%22%3A%22{clickid}%22%7D", "https://x/?c=@{sub1}&f[]=[{sub2}]",
        _RIGHT, "https://x/?c=%7Bclickid%7D&g=%7bgeo%7D", "https://x/?a[b]=1&c[]=2&x[0]=3", "https://x/#clickid", "https://x/%7Bzzz%7D",
        "https://x/?a=100%25&b=%2525", "https://x/?ids={clickid}&q=<script>", "https://x/?c={clickid}#{sub1}#top",
    ],
)  # fmt: skip
def test_texts_without_a_macro_in_another_spelling_have_no_sentence(text: str) -> None:
    assert list(unfilled_macros(text, OFFER)) == []


_KEPT = [
    "{clickid}}",
    "%7B%7Bclickid%7D%7D",
    "%24%7Bclickid%7D",
    '"{clickid}"',
    "“{clickid}”",
    "'{clickid}'",
    "\u200b{clickid}",
]


@pytest.mark.parametrize("written", _KEPT)
def test_macro_that_keeps_signs_around_its_value_is_named(written: str) -> None:
    shown = written.replace("%7Bclickid%7D", "{clickid}")
    said = [f"{shown} keeps signs around its value. Write {{clickid}}."]
    assert list(unfilled_macros(f"https://x/?c={written}&s=1", OFFER)) == said


@pytest.mark.parametrize("url", ["https://x/?c={clickid}?s={sub1}", "https://x/?a=1&c=%7Bclickid%7D?utm_source=x"])
def test_second_question_mark_behind_a_macro_has_a_sentence(url: str) -> None:
    said = ["A second ? does not begin a query: it becomes part of the value before it. Write & instead."]
    assert list(unfilled_macros(url, OFFER)) == said


def test_ways_to_write_the_click_id_were_seen() -> None:
    assert (len(_WRAPPED), len(set(_WRAPPED))) == (47, 47)


def test_ampersand_of_html_in_a_url_has_a_sentence() -> None:
    said = ["&amp; stays as it is in a URL, so that the next name begins with amp;. Write & instead."]
    assert list(unfilled_macros("https://x/?a=1&amp;c={clickid}", OFFER)) == said
    assert list(unfilled_macros("https://x/?a=1&amp;", OFFER)) == []
    assert list(unfilled_macros('<a href="https://x/?a=1&amp;c={clickid}">', POSTBACK, likely_only=True)) == []


def test_code_of_pixels_may_have_brackets_and_elements() -> None:
    code = "<time>x</time><script>a[status]; b[clickid] = `${clickid}`</script>"
    assert list(unfilled_macros(code, POSTBACK, likely_only=True)) == [
        "${clickid} is not a macro: it stays as text. Write {clickid}."
    ]


def test_names_of_other_platforms_are_no_macros_and_mean_some() -> None:
    names = {macro.name for macro in MACROS}
    assert not names & _OTHER_NAMES.keys()
    assert {each for meant in _OTHER_NAMES.values() for each in meant} <= names


def test_unfilled_macros_are_looked_for_among_the_first_names_of_a_text_only() -> None:
    text = "".join(f"{{clickidd{number}}}" for number in range(500))
    assert len(list(unfilled_macros(text, OFFER))) == MAX_UNKNOWN
