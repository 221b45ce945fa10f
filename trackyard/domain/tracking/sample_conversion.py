"""A sample conversion that fills the macros of a test postback (docs/spec/postbacks.md#macros)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from trackyard.base.ids import new_click_id, new_id
from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.subs import SUBS

_CLICK: Final[Mapping[str, str]] = {
    "ip": "203.0.113.1",
    "country": "DE",
    "city": "Berlin",
    "os": "Android",
    "device": "mobile",
    "ua": "Mozilla/5.0 (Linux; Android 14)",
    "referrer": "https://example.com/",
    "ref_id": "ref_id",
    "os_id": "os_id",
    **{name: name for name in ("ext1", "ext2", "ext3", *SUBS)},
}
"""Its click. Columns without a sample value hold their own name."""

_EDGE: Final = 0
"""The edge number in its click id, which no edge has."""


def sample_conversion(
    *, affiliate_id: int, offer_id: int, status: Status, goal: str, currency: str, now_ms: int
) -> Conversion:
    """Return a conversion one minute after its click, with a sum of 10 and a payout of 1."""
    click_time = now_ms - 60_000
    click_id = new_click_id(click_time, _EDGE)
    return Conversion(
        id=new_id(now_ms),
        offer_id=offer_id,
        goal=goal,
        identity=f"c:{click_id}",
        version=1,
        action_id="action_id",
        affiliate_id=affiliate_id,
        advertiser_id="",
        status=status,
        sent_status=status,
        goal_title=goal,
        comment="comment",
        payment=None,
        modifiers=(),
        payment_type="fixed",
        currency=currency,
        rate=Decimal(1),
        sum=Decimal(10),
        charge=Decimal(1),
        payout=Decimal(1),
        charge_base=Decimal(1),
        payout_base=Decimal(1),
        custom_fields={str(number): f"custom_field{number}" for number in range(1, 8)},
        promo_code="promo_code",
        click_id=click_id,
        click_time=click_time,
        click=_CLICK,
        call_ip="203.0.113.2",
        user_id="user_id",
        journal="",
        position=0,
        hold_until=None,
        created_at=now_ms,
        updated_at=now_ms,
    )
