"""The signed rows that tell the analytic store of a conversion's change."""

from trackyard.domain.conversions import Change, Conversion
from trackyard.domain.facts import Fact, encode_row


def fact_lines(change: Change) -> bytes:
    """+1 of the new state, with -1 of the old one before it when there was one: loaded together."""
    lines = [encode_row(fact_of(change.after, 1))]
    if change.before is not None:
        lines.insert(0, encode_row(fact_of(change.before, -1)))
    return b"\n".join(lines)


def fact_of(conversion: Conversion, sign: int) -> Fact:
    """The row of one state of a conversion, with the dimensions of its click."""
    click = conversion.click
    return Fact(
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
    *(f"sub{number}" for number in range(1, 9)),
)
