"""Conditions of targeting groups that clicks fit, and lists that deny instead."""

from typing import Any

import pytest

from tests.decision.clicks import find_rejection, make_hit
from tests.decision.test_steps import CRAWLER, IN_ZIP, NEWS, _group
from trackyard.decision.visitor.visitor import Agent
from trackyard.domain.offers.offers import (
    AgentLists,
    AllowDeny,
    BrowserVersions,
    OrganizationLists,
    OsVersion,
    TextLists,
    VisitorAddresses,
)
from trackyard.domain.tracking.rejections import Rejection

FITTING: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"zip": AllowDeny(allow=("10111",))}, IN_ZIP),
    ({"zip": AllowDeny(deny=("10111",))}, {}),
    ({"isp_organization": OrganizationLists(allow=("acme",), deny_empty=True)}, IN_ZIP),
    ({"device_model": AllowDeny(allow=("SM-G991B",))}, {}),
    (
        {"browser_version": BrowserVersions(allow=(OsVersion(name="Chrome Mobile", comparison="GTE", version="100"),))},
        {},
    ),
    ({"block_known_bots": True}, {}),
    ({"referrer": TextLists(allow=("news.example",), deny=("elsewhere",))}, NEWS),
    ({"referrer": TextLists(allow=("elsewhere", r"/a$"), is_regexp=True)}, NEWS),
    ({"referrer": TextLists(deny=("news",))}, {}),
    ({"referrer": TextLists(deny=(r"news.examplé",))}, NEWS),
    ({"ua": AgentLists(deny_empty=True, deny_crawlers=True)}, {}),
    ({"ip": VisitorAddresses(ipv6_deny=True)}, {}),
    ({"enabled": False, "country": AllowDeny(allow=("LV",))}, {}),
    ({"os_deny": True, "os": (OsVersion(name="Android", comparison="LT", version="13"), OsVersion(name="iOS"))}, {}),
    ({"os_deny": True, "os": (OsVersion(name="Android", comparison="LT", version="13"),)}, {"agent": Agent("Android")}),
    ({"device_type_deny": True, "device_type": ("tv",)}, {}),
    ({"connection_deny": True, "connection": ("cellular",)}, {}),
    ({"condition": "or", "country": AllowDeny(allow=("LV",)), "device_type": ("mobile",)}, {}),
    ({"condition": "or", "country": AllowDeny(allow=("EE",)), "device_type": ("tv",)}, {}),
    ({"condition": "or"}, {}),
]


@pytest.mark.parametrize(("group", "changed"), FITTING)
def test_step_mistargeting_accepts_click_that_fits(group: dict[str, Any], changed: dict[str, Any]) -> None:
    assert find_rejection(make_hit(restrictions=_group(**group), **changed)) is None


@pytest.mark.parametrize(
    ("group", "changed", "reason", "detail"),
    [
        ({"ip": VisitorAddresses(ipv6_deny=True)}, {"ip": "2001:db8::1"}, "ip", "IP address 2001:db8::1 is denied"),
        ({"os_deny": True, "os": (OsVersion(name="android"),)}, {}, "os", "system Android 13 is denied"),
        ({"device_type_deny": True, "device_type": ("mobile",)}, {}, "device", "device mobile is denied"),
        ({"connection_deny": True, "connection": ("wi-fi",)}, {}, "connection", "connection wi-fi is denied"),
        (
            {"condition": "or", "country": AllowDeny(allow=("LV",)), "device_type": ("tv",)},
            {},
            "country",
            "country EE is not allowed",
        ),
    ],
)
def test_step_mistargeting_denying_list_rejects_click(
    group: dict[str, Any], changed: dict[str, Any], reason: str, detail: str
) -> None:
    found = find_rejection(make_hit(restrictions=_group(**group), **changed))
    assert found == Rejection(f"mistargeting-{reason}", f"group 1: {detail}")


def test_known_bot_is_sent_elsewhere_though_bots_go_where_visitors_go() -> None:
    click = make_hit(restrictions=_group(block_known_bots=True), bot=True, **CRAWLER)
    assert find_rejection(click) == Rejection("bot", "a bot or a prefetch")
    assert click.decide(as_visitor=True) == Rejection(
        "mistargeting-known-bot", "group 1: the user agent belongs to a bot"
    )
    assert make_hit(bot=True, **CRAWLER).decide(as_visitor=True) is None
