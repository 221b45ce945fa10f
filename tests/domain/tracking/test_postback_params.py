"""The names of parameters of inbound postbacks and pixels."""

import pytest

from trackyard.domain.tracking.postback_params import canonical_params, canonical_pixel_params


@pytest.mark.parametrize(
    ("given", "params"),
    [
        ({"clickid": "a"}, {"clickid": "a"}),
        ({"click_id": "a"}, {"clickid": "a"}),
        ({"afclick": "a"}, {"clickid": "a"}),
        ({"afclick": "a", "click_id": "b"}, {"clickid": "b"}),
        ({"afclick": "a", "click_id": "b", "clickid": "c"}, {"clickid": "c"}),
        ({"clickid": "", "afclick": "a"}, {"clickid": "a"}),
        ({"clickid": ""}, {"clickid": ""}),
        ({"clickid": "a", "afprice": "5", "pid": "7"}, {"clickid": "a"}),
        ({"goal": "2", "custom_field7": "x", "custom_field8": "y"}, {"goal": "2", "custom_field7": "x"}),
    ],
)
def test_postback_parameter_aliases_are_mapped(given: dict[str, str], params: dict[str, str]) -> None:
    assert canonical_params(given) == params


def test_pixel_parameter_aliases_are_mapped() -> None:
    given = {
        "offer_id": "1", "afclick": "a", "afid": "b", "afprice": "5", "afgoal": "2", "afstatus": "3", "afsecure": "s",
        "custom_field1": "x", "sum": "9", "clickid": "c",
    }  # fmt: skip
    assert canonical_pixel_params(given) == {
        "clickid": "a", "action_id": "b", "sum": "5", "goal": "2", "status": "3", "secure": "s", "custom_field1": "x",
    }  # fmt: skip
    assert canonical_pixel_params({"afclick": ""}) == {}
