"""A hint in the answer to a postback that cannot count (docs/spec/tracking.md#paths).

The answer for existing programs remains `{"status":1}`. The hint describes what the request alone shows, and does not
reveal what exists: the server postback log has the result.
"""

from collections.abc import Mapping
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.domain.tracking.near_misses import plain_click_id

_HEADER: Final = "X-Postback-Hint"


def hint_header(params: Mapping[str, str]) -> bytes:
    """Return the header line of a hint, b"" without one.

    params: the parameters of the postback, by canonical name
    """
    hint = _find_hint(params)
    return f"{_HEADER}: {hint}\r\n".encode() if hint else b""


def _find_hint(params: Mapping[str, str]) -> str:
    click_id = plain_click_id(params.get("clickid", ""))
    values = {**params, "clickid": click_id} if click_id else params
    unfilled = sorted(name for name, value in values.items() if value.startswith("{") and value.endswith("}"))
    if unfilled:
        return f"{unfilled[0]} is a macro that the sender did not fill"
    if is_hex24(click_id):
        return ""
    if click_id:
        return "clickid must be the 24 hexadecimal digits that the click passed on"
    return "" if params.get("promo_code") else "clickid is missing"
