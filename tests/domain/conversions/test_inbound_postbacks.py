"""Reading the parameters of an inbound postback."""

from decimal import Decimal

import pytest

from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, parse_postback
from trackyard.domain.conversions.statuses import Status


def parsed(**params: str) -> ReceivedPostback:
    return parse_postback("c" * 24, 1, "192.0.2.9", params)


def test_postback_without_parameters_is_confirmed_and_has_no_sum() -> None:
    assert parsed() == ReceivedPostback("c" * 24, 1, "192.0.2.9")
    assert (parsed().goal, parsed().status, parsed().sum) == ("1", Status.CONFIRMED, None)


def test_postback_parameters_become_values() -> None:
    read = parsed(
        status="4", sum=" 1.50 ", currency="eur", goal="g" * 300, custom_field2="", custom_field7="x", ip="192.0.2.1"
    )
    assert (read.status, read.sum, read.currency) == (Status.DECLINED, Decimal("1.5"), "EUR")
    assert (read.goal, read.custom_fields, read.reported_ip) == ("g" * 255, {"7": "x"}, "192.0.2.1")
    assert read.faults == frozenset()


@pytest.mark.parametrize("sent", ["-1", "x", "1e99", "NaN", "1_0"])
def test_postback_unreadable_sum_is_a_fault(sent: str) -> None:
    read = parsed(sum=sent, status="9")
    assert (read.sum, read.status) == (None, Status.CONFIRMED)
    assert read.faults == {PostbackError.WRONG_SUM, PostbackError.WRONG_STATUS}
