"""The reasons of rejected clicks (docs/spec/tracking.md#the-decision-on-a-click)."""

from typing import Final

import msgspec

REJECTION_REASONS: Final = (
    *("invalid-offer", "unknown-offer", "invalid-affiliate", "unknown-affiliate"),
    *("inactive-offer", "inactive-affiliate", "unknown-advertiser", "disabled-affiliate", "bot"),
    *("mistargeting-ip", "mistargeting-country", "mistargeting-region", "mistargeting-city", "mistargeting-zip"),
    *("mistargeting-isp", "mistargeting-organization", "mistargeting-os", "mistargeting-device"),
    *("mistargeting-model", "mistargeting-browser", "mistargeting-browser-version", "mistargeting-brand"),
    *("mistargeting-connection", "mistargeting-proxy", "mistargeting-known-bot", "mistargeting-referrer"),
    *("mistargeting-ua", "mistargeting-sub", "mistargeting-sub-account"),
    *("empty-sub", "non-unique-clicks", "duplicate-clicks", "overcap"),
)
"""Every reason. Of several the first one in this order is recorded."""

DETAIL_LENGTH: Final = 64


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """A rejected click.

    reason: one of REJECTION_REASONS.
    detail: at most 64 characters, or "".
    """

    reason: str
    detail: str = ""
