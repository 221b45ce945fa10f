"""Words of payments and requests to be paid that staff and affiliates share."""

from collections.abc import Mapping
from typing import Final

ENTRY_KINDS: Final[Mapping[str, str]] = {
    "conversion": "Conversion",
    "change": "Later change",
    "relabel": "Change of the currency",
    "referral": "Referral share",
    "referral_relabel": "Change of the currency of a share",
    "correction": "Correction",
    "advance": "Paid ahead of later conversions",
}
"""What a payment pays, in words."""
OTHER_ENTRIES: Final = ("correction", "advance")
"""Kinds that come from no conversion."""
REQUEST_STATUSES: Final[Mapping[str, str]] = {
    "open": "Waits for a decision",
    "accepted": "Accepted",
    "rejected": "Rejected",
    "withdrawn": "Withdrawn",
}
REQUEST_MARKS: Final[Mapping[str, str]] = {
    "open": "pending",
    "accepted": "confirmed",
    "rejected": "declined",
    "withdrawn": "suspended",
}
