"""The table of steps: its order is that of the specification, and the first step that rejects wins."""

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.decision.clicks import PHONE, FakeClickState, make_hit, reason
from tests.support.clicks.rules import ADVERTISER
from trackyard.decision.click.caps import DUPLICATES
from trackyard.decision.click.steps import STEPS
from trackyard.decision.visitor.geo import GeoRecord
from trackyard.decision.visitor.visitor import BOT
from trackyard.domain.offers.offers import (
    AgentLists,
    AllowDeny,
    AllowDenyGeo,
    BrowserVersions,
    OfferSchedule,
    OrganizationLists,
    OsVersion,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
    TextLists,
)
from trackyard.domain.tracking.rejections import REJECTION_REASONS
from trackyard.domain.tracking.ruleset import FullCap, RulesetAdvertiser, RulesetAffiliate, RulesetFullCaps


def _documented_reasons() -> tuple[str, ...]:
    """The reasons in the first column of the table of the specification, short forms written out."""
    page = (Path(__file__).parents[2] / "docs/spec/tracking.md").read_text()
    section = page.split("## The decision on a click", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    names = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    return tuple(f"mistargeting{name}" if name.startswith("-") else name for name in names)


def test_step_order_equals_specification() -> None:
    assert tuple(reason for step in STEPS for reason in step.reasons) == REJECTION_REASONS == _documented_reasons()
    assert " ".join(REJECTION_REASONS) == (
        "invalid-offer unknown-offer invalid-affiliate unknown-affiliate inactive-offer inactive-affiliate "
        "unknown-advertiser disabled-affiliate bot mistargeting-ip mistargeting-country mistargeting-region "
        "mistargeting-city mistargeting-zip mistargeting-isp mistargeting-organization mistargeting-os "
        "mistargeting-device mistargeting-model mistargeting-browser mistargeting-browser-version mistargeting-brand "
        "mistargeting-connection mistargeting-proxy mistargeting-known-bot mistargeting-referrer mistargeting-ua "
        "mistargeting-sub mistargeting-sub-account "
        "empty-sub non-unique-clicks duplicate-clicks overcap"
    )


_OWN: dict[str, dict[str, Any]] = {
    "inactive-offer": {"schedule": OfferSchedule(date_to="2020-01-01")},
    "mistargeting-country": {"countries": ("LV",)},
    "mistargeting-isp": {"isps": (RestrictedIsp(country="EE", name="Elisa"),)},
    "mistargeting-os": {"os": (RestrictedOs(os="iOS"),)},
    "mistargeting-device": {"devices": ("tv",)},
    "mistargeting-brand": {"brands": ("Apple",)},
    "mistargeting-connection": {"connection": "cellular"},
    "mistargeting-sub": {"subs": ({"sub1": ""},)},
    "mistargeting-sub-account": {"sub_accounts": {"1": SubAccountList(values=("a",))}},
    "empty-sub": {"empty_sub": 2},
    "non-unique-clicks": {"unique_only": True},
}
_OF_GROUP: dict[str, dict[str, Any]] = {
    "mistargeting-ip": {"ip": AllowDeny(deny=("192.0.2.9",))},
    "mistargeting-region": {"region": AllowDenyGeo(allow={"EE": (1,)})},
    "mistargeting-city": {"city": AllowDenyGeo(allow={"EE": (1,)})},
    "mistargeting-browser": {"browser": AllowDeny(allow=("Firefox",))},
    "mistargeting-zip": {"zip": AllowDeny(allow=("99999",))},
    "mistargeting-organization": {"isp_organization": OrganizationLists(deny_empty=True)},
    "mistargeting-model": {"device_model": AllowDeny(deny=(PHONE.device_model,))},
    "mistargeting-browser-version": {
        "browser_version": BrowserVersions(deny=(OsVersion(name="Chrome Mobile", comparison="GTE", version="2"),))
    },
    "mistargeting-proxy": {"block_proxy": True},
    "mistargeting-known-bot": {"block_known_bots": True},
    "mistargeting-referrer": {"referrer": TextLists(allow=("elsewhere",))},
    "mistargeting-ua": {"ua": AgentLists(allow=("elsewhere",))},
}


def test_click_with_several_faults_is_rejected_by_first_step() -> None:
    """A click that fails every step has each reason in turn while its faults are removed."""
    found = []
    for right in range(len(REJECTION_REASONS) + 1):
        wrong = REJECTION_REASONS[right:]
        asked = "x" if "invalid-offer" in wrong else "4" if "unknown-offer" in wrong else "3"
        pid = "x" if "invalid-affiliate" in wrong else "8" if "unknown-affiliate" in wrong else "7"
        group = {name: value for name in wrong for name, value in _OF_GROUP.get(name, {}).items()}
        hit = make_hit(
            {"offer_id": asked, "pid": pid},
            affiliate=RulesetAffiliate(id=7, rejection="inactive-affiliate" if "inactive-affiliate" in wrong else ""),
            advertiser=None if "unknown-advertiser" in wrong else RulesetAdvertiser(id=ADVERTISER),
            offer={"open": "disabled-affiliate" not in wrong, "duplicate_clicks": 1},
            rows=(
                RulesetFullCaps(3, (FullCap("f1"),) if "overcap" in wrong and "duplicate-clicks" not in wrong else ()),
            ),
            bot="bot" in wrong,
            restrictions={name: value for reason in wrong for name, value in _OWN.get(reason, {}).items()}
            | {"groups": (TargetingGroup(**group),)},
            place=GeoRecord("EE", 588335, 588409, "Tallinn", "Telia", "wi-fi", True, "10111", ""),
            agent=replace(PHONE, device=BOT) if "mistargeting-known-bot" in wrong else PHONE,
            seen=FakeClickState(new=False, full=DUPLICATES if "duplicate-clicks" in wrong else ""),
        )
        found.append(reason(hit))
    assert found == [*REJECTION_REASONS, ""]
