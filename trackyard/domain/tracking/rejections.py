"""Why clicks are refused (docs/spec/tracking.md#the-decision-on-a-click)."""

from typing import Final

import msgspec

REJECTION_REASONS: Final = (
    *("invalid-offer", "unknown-offer", "invalid-affiliate", "unknown-affiliate"),
    *("inactive-offer", "inactive-affiliate", "unknown-advertiser", "disabled-affiliate", "bot"),
    *("mistargeting-ip", "mistargeting-country", "mistargeting-region", "mistargeting-city", "mistargeting-isp"),
    *("mistargeting-os", "mistargeting-device", "mistargeting-browser", "mistargeting-brand"),
    *("mistargeting-connection", "mistargeting-proxy", "mistargeting-sub", "mistargeting-sub-account"),
    *("empty-sub", "non-unique-clicks", "overcap"),
)
"""Every reason; of several the first one here is recorded."""

DETAIL_LENGTH: Final = 64


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """A click that is rejected. `reason`: one of REASONS; `detail`: at most 64 characters, or ""."""

    reason: str
    detail: str = ""
