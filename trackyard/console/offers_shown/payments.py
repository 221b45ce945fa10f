"""The payments of offers in words."""

from collections.abc import Mapping
from typing import Any

from trackyard.base.texts.marks import gettext, ngettext


def payment_goal(payment: Mapping[str, Any]) -> str:
    """Return the goal of a payment with its title."""
    return f"{payment['goal']} · {payment['title']}" if payment["title"] else str(payment["goal"])


def payment_conditions(payment: Mapping[str, Any]) -> str:
    """Return the conditions of a payment besides its goal; "" = none."""
    countries = ", ".join(payment["countries"])
    cities = ngettext("%(num)d city", "%(num)d cities", len(payment["cities"])) if payment["cities"] else ""
    subs = [f"sub{number}: {payment[f'sub{number}']}" for number in range(1, 9) if payment[f"sub{number}"]]
    parts = [
        gettext("all but %(countries)s", countries=countries)
        if payment["country_exclude"] and countries
        else countries,
        cities,
        ", ".join(payment["devices"]),
        ", ".join(payment["os"]),
        *subs,
    ]
    return "; ".join(part for part in parts if part)
