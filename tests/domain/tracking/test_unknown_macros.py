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


def test_names_of_other_platforms_are_no_macros_and_mean_some() -> None:
    names = {macro.name for macro in MACROS}
    assert not names & _OTHER_NAMES.keys()
    assert {each for meant in _OTHER_NAMES.values() for each in meant} <= names


def test_unfilled_macros_are_looked_for_among_the_first_names_of_a_text_only() -> None:
    text = "".join(f"{{clickidd{number}}}" for number in range(500))
    assert len(list(unfilled_macros(text, OFFER))) == MAX_UNKNOWN
