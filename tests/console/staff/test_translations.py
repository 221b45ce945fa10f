"""Sentences of the API in the language of the page."""

import re

import pytest

from trackyard.actions.conversions.postback_codes import WITHOUT_CODE
from trackyard.actions.statistics.automation.running import MOST_FIRINGS
from trackyard.base.errors import NARROWING_HINT, ReportTooHeavy
from trackyard.base.metrics import EDGE_FAULTS
from trackyard.base.texts.languages import language, speaking
from trackyard.console.staff.translations import plain_text, translated_sentence
from trackyard.domain.tracking.reference.texts import reference_texts

SAID = (
    WITHOUT_CODE,
    *EDGE_FAULTS.values(),
    "the source of the rules is silent for 12 s: what changed is not in force",
    "The postback of 2023-11-14 22:13:20, the last of 3, waits in the inbox: the click that it names is not loaded "
    "yet.",
    "Conversion 1a of 2023-11-14 22:13:20, goal 1, is on hold until a person decides: charge 1.5, payout 1 USD.",
    "The delivery to postback 7 failed at 2023-11-14 22:13:20 (HTTP 500 after 3 ms). No answer came, or one with 429 "
    "or 5xx: it is tried again. The next attempt is at 2023-11-14 22:14:20.",
    f"Its report is too heavy: The report took longer than 30 seconds: {NARROWING_HINT}. Judge fewer offers or "
    "affiliates, or a shorter window.",
    f"The report needs more than 500 MB of memory: {NARROWING_HINT}",
    str(ReportTooHeavy()),
    f"It would fire for 300 things at once, more than {MOST_FIRINGS}: narrow it, or set other bounds.",
    "Ask again later: `/readyz` of the monitoring listener shows how far loading is behind.",
    *(each["text"] for each in reference_texts("results")["faults"].values()),
    *(each["advice"] for each in reference_texts("results")["faults"].values()),
    *(each["text"] for each in reference_texts("results")["deliveries"].values()),
)
"""Sentences with data in them, and all that have none."""
DATA = re.compile(r"[0-9a-f:-]*[0-9][0-9a-f:-]*")


@pytest.mark.parametrize("code", ["ru", "es"])
def test_sentence_of_the_api_is_translated_with_its_data(code: str) -> None:
    for sentence in SAID:
        with speaking(language("en")):
            assert translated_sentence(sentence) == plain_text(sentence)
        with speaking(language(code)):
            words = translated_sentence(sentence)
        assert words != plain_text(sentence)
        assert sorted(DATA.findall(words)) == sorted(DATA.findall(plain_text(sentence))), words
        assert code == "es" or not re.search(r"\b(the|is|was|of|and|No)\b", words.partition("(docs/")[0]), words


def test_sentence_that_no_pattern_fits_stays_as_it_is() -> None:
    with speaking(language("ru")):
        assert translated_sentence("Something <new> of %(a)s happened.") == "Something <new> of %(a)s happened."
