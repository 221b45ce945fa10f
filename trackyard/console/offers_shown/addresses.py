"""The addresses that an advertiser calls for a conversion (docs/tracking/conversions.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlsplit

from trackyard.api.people.advertiser_side.own_offers import OwnOfferView, OwnPayoutFields
from trackyard.base.texts.marks import gettext
from trackyard.console.offers_shown.words import amount

_HIDDEN: Final = "***"
"""What the API shows of the platform's code."""
_FIRST_GOAL: Final = "1"
"""The goal of postbacks that name none."""


@dataclass(frozen=True, slots=True)
class GoalAddresses:
    """The addresses of a goal. name: of the goal. pixel: "" where pixels are off."""

    name: str
    charge: str
    postback: str
    pixel: str


def goal_addresses(offer: OwnOfferView) -> list[GoalAddresses]:
    """Return the addresses of each goal that the offer pays for."""
    goals: dict[str, list[OwnPayoutFields]] = {}
    payouts: Sequence[OwnPayoutFields] = offer.payouts
    for payout in payouts:
        goals.setdefault(payout.goal_value, []).append(payout)
    return [
        GoalAddresses(
            name=goal_name(paid[0]),
            charge=", ".join(dict.fromkeys(charge_text(each) for each in paid)),
            postback="".join((offer.postback_url, "&action_id=ORDER", *_more(goal, paid, "sum", "goal"))),
            pixel="".join((offer.pixel_url, *_more(goal, paid, "afprice", "afgoal"))) if offer.pixel_url else "",
        )
        for goal, paid in goals.items()
    ]


def goal_name(payout: OwnPayoutFields) -> str:
    """Return the value of a goal with its title."""
    value, title = payout.goal_value, payout.goal_title
    return f"{value} · {title}" if title and title != value else value


def charge_text(payout: OwnPayoutFields) -> str:
    """Return the cost of a goal: an amount, or a share of the sum."""
    kind = "fixed" if payout.payment_type == "fixed" else "percent"
    return amount(payout.total, kind, payout.currency)


def charge_conditions(payout: OwnPayoutFields) -> str:
    """Return the conditions of a charge besides its goal; "" = none."""
    countries = ", ".join(payout.countries)
    parts = [
        gettext("all but %(countries)s", countries=countries) if payout.exclude_countries and countries else countries,
        ", ".join(payout.devices),
        ", ".join(payout.oses),
        ", ".join(f"#{each}" for each in payout.affiliates),
    ]
    return "; ".join(part for part in parts if part)


def has_code(address: str) -> bool:
    """Return whether an address is complete: the platform's code is hidden."""
    return _HIDDEN not in address


def click_parameter(url: str) -> str:
    """Return the name of the parameter with the click id in the address of an offer; "" without one."""
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    return next((name for name, value in pairs if "{clickid}" in value.lower()), "")


def _more(goal: str, payouts: list[OwnPayoutFields], price: str, name: str) -> Iterator[str]:
    """Yield the further parameters: the sum where a share of it is paid, and a goal that is not the first."""
    if any(each.payment_type != "fixed" for each in payouts):
        yield f"&{price}=AMOUNT"
    if goal != _FIRST_GOAL:
        yield f"&{name}={quote(goal, safe='')}"
