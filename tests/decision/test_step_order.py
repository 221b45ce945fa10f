"""The order of the steps: a click with several faults is rejected by the first of them."""

from typing import Any

from tests.decision.clicks import FakeClickState, make_hit, reason
from tests.support.rules import ADVERTISER
from trackyard.decision.visitor.visitor import GeoRecord
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    OfferSchedule,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
)
from trackyard.domain.tracking.rejections import REJECTION_REASONS
from trackyard.domain.tracking.ruleset import FullCap, RulesetAdvertiser, RulesetAffiliate, RulesetFullCaps

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
    "mistargeting-proxy": {"block_proxy": True},
}


def test_click_with_several_faults_is_rejected_by_first_step() -> None:
    """A click with which everything is wrong, put right bit by bit, is refused for each reason in its turn."""
    told = []
    for right in range(len(REJECTION_REASONS) + 1):
        wrong = REJECTION_REASONS[right:]
        asked = "x" if "invalid-offer" in wrong else "4" if "unknown-offer" in wrong else "3"
        pid = "x" if "invalid-affiliate" in wrong else "8" if "unknown-affiliate" in wrong else "7"
        group = {name: value for name in wrong for name, value in _OF_GROUP.get(name, {}).items()}
        hit = make_hit(
            {"offer_id": asked, "pid": pid},
            affiliate=RulesetAffiliate(id=7, active="inactive-affiliate" not in wrong),
            advertiser=None if "unknown-advertiser" in wrong else RulesetAdvertiser(id=ADVERTISER),
            offer={"open": "disabled-affiliate" not in wrong},
            rows=(RulesetFullCaps(3, (FullCap("f1"),) if "overcap" in wrong else ()),),
            bot="bot" in wrong,
            restrictions={name: value for reason in wrong for name, value in _OWN.get(reason, {}).items()}
            | {"groups": (TargetingGroup(**group),)},
            place=GeoRecord("EE", 588335, 588409, "Tallinn", "Telia", "wi-fi", True),
            seen=FakeClickState(new=False),
        )
        told.append(reason(hit))
    assert told == [*REJECTION_REASONS, ""]
