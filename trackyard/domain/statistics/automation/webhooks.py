"""The addresses that rules call about their firings (docs/spec/automation.md#notices)."""

from typing import Final
from urllib.parse import quote

from trackyard.domain.statistics.automation.rules import Rule, RuleFiring

MACROS: Final = ("rule_id", "rule", "firing_id", "action", "offer_id", "pid", "advertiser_id", "sub")
"""The macros of such an address, in braces."""


def webhook_url(url: str, rule: Rule, firing: RuleFiring) -> str:
    """Return a URL with its macros filled in; a macro without a value in the firing is empty."""
    values = (
        rule.id,
        rule.title,
        firing.id,
        firing.action.value,
        firing.offer_id,
        firing.affiliate_id,
        firing.advertiser_id,
        firing.sub_value,
    )
    for name, value in zip(MACROS, values, strict=True):
        url = url.replace(f"{{{name}}}", "" if value is None else quote(str(value), safe=""))
    return url
