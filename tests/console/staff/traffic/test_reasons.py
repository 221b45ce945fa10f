"""The words about rejected clicks and declined conversions."""

from trackyard.console.staff.traffic.reasons import DECLINES, REJECTIONS, rejection_label, rejection_sentence
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.tracking.rejections import REJECTION_REASONS


def test_every_rejection_reason_has_words_and_a_button() -> None:
    assert tuple(REJECTIONS) == REJECTION_REASONS
    for reason, words in REJECTIONS.items():
        assert rejection_label(reason) != reason
        assert rejection_sentence(reason, "group 1: PT").startswith("Rejected because ")
        assert words.advice and words.mends, reason


def test_every_decline_reason_has_words_and_a_button() -> None:
    assert set(DECLINES) == {reason.value for reason in DeclineReason}
    assert all(words.because and words.advice and words.mends for words in DECLINES.values())


def test_rejection_sentence_names_the_value_that_decided() -> None:
    assert rejection_sentence("mistargeting-country", "group 2: country PT is not allowed") == (
        "Rejected because the visitor was in Portugal, and the offer does not take that country."
    )
    assert "subs: sub2 incent." in rejection_sentence("mistargeting-sub", "group 1: sub2 incent is denied")
    assert "system was Linux" in rejection_sentence("mistargeting-os", "system Linux is not allowed")
    assert "region was unknown" in rejection_sentence("mistargeting-region", "region (unknown) is not allowed")
    assert rejection_sentence("overcap", "cap 3 is reached").endswith("a cap of the offer was full: cap 3 is reached.")
    assert rejection_sentence("of-old", "") == "Rejected: of-old."
