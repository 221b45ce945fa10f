"""Names of the parameters of inbound postbacks and pixels (docs/spec/tracking.md#parameters)."""

from collections.abc import Mapping
from typing import Final

POSTBACK_PARAMETERS: Final = frozenset(
    {
        "clickid",
        "goal",
        "sum",
        "status",
        "action_id",
        "currency",
        "ip",
        "referrer",
        "comment",
        "secure",
        *(f"custom_field{number}" for number in range(1, 8)),
        "user_id",
        "ts",
        "signature",
        "promo_code",
    }
)
CLICK_ID_ALIASES: Final = ("click_id", "afclick")
"""Other names of `clickid`, which precedes them."""

POSTBACK_NAMES: Final = POSTBACK_PARAMETERS.union(CLICK_ID_ALIASES)
"""Every name that a postback may send."""
CLICK_ID_NAMES: Final = ("clickid", *CLICK_ID_ALIASES)

PIXELS: Final = frozenset({"success.jpg", "success.php", "track.js"})
"""The names of pixels, as sources of inbound postbacks."""

PIXEL_PARAMETERS: Final = {
    "afclick": "clickid",
    "afid": "action_id",
    "afprice": "sum",
    "afgoal": "goal",
    "afstatus": "status",
    "afsecure": "secure",
    "afcomment": "comment",
    **{f"custom_field{number}": f"custom_field{number}" for number in range(1, 8)},
}
"""Parameters of pixels to their canonical names."""
PIXEL_NAMES: Final = frozenset(PIXEL_PARAMETERS).union(("offer_id",))
"""Every name that a pixel may send."""


def canonical_params(given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a postback by canonical name, without unknown ones."""
    params = {name: value for name, value in given.items() if name in POSTBACK_PARAMETERS}
    for alias in CLICK_ID_ALIASES:
        if not params.get("clickid") and given.get(alias):
            params["clickid"] = given[alias]
    return params


def canonical_pixel_params(given: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a pixel by canonical name, without empty ones."""
    return {name: given[own] for own, name in PIXEL_PARAMETERS.items() if given.get(own)}
