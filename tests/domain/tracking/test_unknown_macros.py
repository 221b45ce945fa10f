"""Names in braces that are no macros of their place get a sentence, with what was probably meant."""

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
        _RIGHT, "https://x/?c=%7Bclickid%7D&g=%7bgeo%7D", "https://x/?a[b]=1&c[]=2&x[0]=3", "https://x/#clickid", "https://x/%7Bzzz%7D",
        "https://x/?a=100%25&b=%2525", "https://x/?ids={clickid}&q=<script>", "https://x/?c={clickid}#{sub1}#top",
    ],
)  # fmt: skip
def test_texts_without_a_macro_in_another_spelling_have_no_sentence(text: str) -> None:
    assert list(unfilled_macros(text, OFFER)) == []


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
