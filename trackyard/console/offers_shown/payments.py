"""The payments of offers in words."""

from trackyard.api.offers.view_parts import SharedPaymentView
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.domain.tracking.subs import SUBS


def payment_goal(payment: SharedPaymentView) -> str:
    """Return the goal of a payment with its title."""
    return f"{payment.goal} · {payment.title}" if payment.title else str(payment.goal)


def payment_conditions(payment: SharedPaymentView) -> str:
    """Return the conditions of a payment besides its goal; "" = none."""
    countries = ", ".join(payment.countries)
    cities = ngettext("%(num)d city", "%(num)d cities", len(payment.cities)) if payment.cities else ""
    subs = [f"{name}: {value}" for name in SUBS if (value := getattr(payment, name))]
    parts = [
        gettext("all but %(countries)s", countries=countries) if payment.country_exclude and countries else countries,
        cities,
        ", ".join(payment.devices),
        ", ".join(payment.os),
        *subs,
    ]
    return "; ".join(part for part in parts if part)
