"""Words of payments and requests to be paid that staff and affiliates share."""

from collections.abc import Mapping
from typing import Final

from trackyard.base.texts.marks import lazy_gettext

ENTRY_KINDS: Final[Mapping[str, str]] = {
    "conversion": lazy_gettext("Conversion"),
    "change": lazy_gettext("Later change"),
    "relabel": lazy_gettext("Change of the currency"),
    "referral": lazy_gettext("Referral share"),
    "referral_relabel": lazy_gettext("Change of the currency of a share"),
    "correction": lazy_gettext("Correction"),
    "advance": lazy_gettext("Paid ahead of later conversions"),
}
"""What a payment pays, in words."""
OTHER_ENTRIES: Final = ("correction", "advance")
"""Kinds that come from no conversion."""
REQUEST_STATUSES: Final[Mapping[str, str]] = {
    "open": lazy_gettext("Waits for a decision"),
    "accepted": lazy_gettext("Accepted"),
    "rejected": lazy_gettext("Rejected"),
    "withdrawn": lazy_gettext("Withdrawn"),
}
REQUEST_MARKS: Final[Mapping[str, str]] = {
    "open": "pending",
    "accepted": "confirmed",
    "rejected": "declined",
    "withdrawn": "suspended",
}
