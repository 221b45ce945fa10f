"""Why clicks do not count (docs/spec/tracking.md#the-decision-on-a-click)."""

from typing import Final

import msgspec

from trackyard.domain.people.affiliates import CLICK_REASONS

REJECTION_REASONS: Final = (
    *("invalid-offer", "unknown-offer", "invalid-affiliate", "unknown-affiliate"),
    *("inactive-offer", *CLICK_REASONS, "unknown-advertiser", "disabled-affiliate", "bot"),
    *("mistargeting-ip", "mistargeting-country", "mistargeting-region", "mistargeting-city", "mistargeting-zip"),
    *("mistargeting-isp", "mistargeting-organization", "mistargeting-os", "mistargeting-device"),
    *("mistargeting-model", "mistargeting-browser", "mistargeting-browser-version", "mistargeting-brand"),
    *("mistargeting-connection", "mistargeting-proxy", "mistargeting-known-bot", "mistargeting-referrer"),
    *("mistargeting-ua", "mistargeting-sub", "mistargeting-sub-account"),
    *("empty-sub", "non-unique-clicks", "duplicate-clicks", "overcap"),
)
"""Every reason. Of several the first one in this order is recorded."""

NOT_COUNTED: Final = "not-counted"
"""The reason of accepted clicks that statistics leave out (docs/spec/statistics.md#unique-visitors-only)."""

DETAIL_LENGTH: Final = 64


def is_rejected(reason: str) -> bool:
    """Return whether a click with this reason was rejected: one with NOT_COUNTED was accepted."""
    return reason not in ("", NOT_COUNTED)


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """A rejected click.

    reason: one of REJECTION_REASONS.
    detail: at most 64 characters, or "".
    """

    reason: str
    detail: str = ""
