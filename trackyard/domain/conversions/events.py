"""The signed rows that tell the analytic store of a conversion's change."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Protocol

from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.rows import ConversionEvent, encode_row
from trackyard.domain.tracking.subs import SUBS


class ConversionEventSource(Protocol):
    """What of a conversion its facts tell (domain.conversions.conversions.Conversion)."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def created_at(self) -> int: ...
    @property
    def click_time(self) -> int: ...
    @property
    def click_id(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def goal(self) -> str: ...
    @property
    def offer_id(self) -> int: ...
    @property
    def affiliate_id(self) -> int: ...
    @property
    def advertiser_id(self) -> str: ...
    @property
    def currency(self) -> str: ...
    @property
    def payment_type(self) -> str: ...
    @property
    def sum(self) -> Decimal: ...
    @property
    def charge(self) -> Decimal: ...
    @property
    def payout(self) -> Decimal: ...
    @property
    def charge_base(self) -> Decimal: ...
    @property
    def payout_base(self) -> Decimal: ...
    @property
    def click(self) -> Mapping[str, Any]: ...


def event_lines(change: ConversionChange) -> bytes:
    """+1 of the new state, with -1 of the old one before it when there was one: loaded together."""
    lines = [encode_row(event_of(change.after, 1))]
    if change.before is not None:
        lines.insert(0, encode_row(event_of(change.before, -1)))
    return b"\n".join(lines)


def event_of(conversion: ConversionEventSource, sign: int) -> ConversionEvent:
    """The row of one state of a conversion, with the dimensions of its click."""
    click = conversion.click
    return ConversionEvent(
        sign=sign,
        conversion_id=conversion.id,
        version=conversion.version,
        time=conversion.created_at,
        click_time=conversion.click_time,
        click_id=conversion.click_id,
        status=conversion.status.number,
        goal=conversion.goal,
        offer=conversion.offer_id,
        affiliate=conversion.affiliate_id,
        advertiser=conversion.advertiser_id,
        currency=conversion.currency,
        payment_type=conversion.payment_type,
        sum=conversion.sum,
        charge=conversion.charge,
        payout=conversion.payout,
        charge_base=conversion.charge_base,
        payout_base=conversion.payout_base,
        **{name: click[name] for name in _FROM_CLICK},
    )


_FROM_CLICK = (
    *("landing", "smart_id", "country", "region", "city_id", "city", "isp", "connection"),
    *("os", "os_version", "device", "brand", "device_model", "browser", "browser_version"),
    *SUBS,
)
