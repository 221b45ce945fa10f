"""Affiliates hear of new payouts, removed offers and lost connections, by whichever act.

docs/spec/events.md#changes-of-offers
"""

from decimal import Decimal
from typing import Any

import pytest

from tests.api.events.test_notices import Network
from tests.api.statistics.test_rules import RuleSetup, add_rule
from tests.support.api import Api
from tests.support.events import make_notices
from trackyard.base.texts.languages import language, speaking
from trackyard.domain.offers.counters import CapType
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.mails.values import MailFinding, MailLimit, MailPayout, PayoutChange
from trackyard.jobs.schedule.schedule import JobScheduler

ANN, BOB = "ann@media.example", "bob@media.example"


@pytest.fixture
def network(api: Api) -> Network:
    made = Network(api)
    made.write(**payments("payments", "20"))
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=made.offer, pid=made.other_pid, notice="0")
    api.admin.post(f"/3.1/admin/offer/{made.offer}", send_emails="1")
    made.heard()
    return made


def payments(name: str, revenue: str, **more: Any) -> dict[str, Any]:
    """Return the parameters of one payment."""
    plain = {"goal": "1", "title": "Sale", "total": "50", "revenue": revenue, "currency": "USD", "type": "fixed"} | more
    return {f"{name}[0][{key}]": value for key, value in plain.items()}


def test_new_payout_reaches_connected_affiliates_without_payouts_of_their_own(network: Network) -> None:
    own = {"partner_payments[0][partners][]": network.other_pid}
    network.write(**payments("partner_payments", "30") | own)
    title = f"#{network.offer} Shoes has a new payout"
    assert network.heard() == {BOB: [f"{title}: Sale: $20.00 → $30.00"]}
    network.write(**payments("payments", "25"))
    assert network.heard() == {ANN: [f"{title}: Sale: $20.00 → $25.00"]}
    network.write(**payments("payments", "12.5", type="percent", total="20"))
    assert network.heard() == {ANN: [f"{title}: Sale: $25.00 → 12.5 %"]}
    assert network.bell(network.affiliate)[:2] == ["offer.payout_changed"] * 2


def test_charge_of_the_advertiser_and_hidden_payouts_reach_no_affiliate(network: Network) -> None:
    network.write(**payments("payments", "20", total="70"))
    assert network.heard() == {}
    network.write(hide_payments="1")
    network.write(**payments("payments", "35"))
    assert network.heard() == {}
    assert network.bell(network.affiliate).count("offer.payout_changed") == 1  # of the first payout


def test_condition_of_a_payout_is_a_change_of_it(network: Network) -> None:
    network.write(**payments("payments", "20"), **{"payments[0][countries][]": "DE"})
    assert network.heard()[ANN] == [f"#{network.offer} Shoes has a new payout: Sale: $20.00"]


def test_removed_offer_reaches_its_affiliates(network: Network) -> None:
    network.api.admin.post("/3.1/admin/offer/delete", **{"offer_id[]": network.offer})
    assert network.heard() == {each: [f"#{network.offer} Shoes is removed"] for each in (ANN, BOB)}


def test_each_way_to_lose_a_connection_is_in_the_bell(network: Network) -> None:
    network.api.admin.post(f"/3.1/admin/offer/{network.offer}/disable-affiliates")
    assert network.heard() == {}
    for client in (network.affiliate, network.other):
        assert network.bell(client)[0] == "offers.disconnected"


RULES = [
    ({"action": "disconnect", "each[]": ["offer", "affiliate"]}, ["offers.disconnected", "offers.connected"]),
    ({"action": "offer_status", "each[]": ["offer"], "new_status": "suspended"}, ["offer.paused", "offer.resumed"]),
]


@pytest.mark.parametrize(("action", "kinds"), RULES)
def test_affiliates_hear_of_what_a_rule_does_and_undoes(api: Api, action: dict[str, Any], kinds: list[str]) -> None:
    judged = RuleSetup(api)
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=judged.offer, pid=judged.pid, notice="0")
    judged.click(150, sub1="bad")
    many = {"conditions[0][metric]": "clicks", "conditions[0][compare]": "above", "conditions[0][value]": "100"}
    add_rule(judged, **many, **action)
    judged.end_hour()
    [firing] = judged.firings()
    api.clock.advance(1)
    api.admin.post(f"/3.1/admin/rule-firings/{firing['id']}/undo")
    make_notices(api.deps.database, api.clock.now_ms())
    heard = [each["kind"] for each in judged.affiliate.get("/3.1/notices")["notices"]]
    assert heard[:2] == list(reversed(kinds))


def test_offer_that_ends_is_paused_for_its_affiliates(network: Network) -> None:
    network.write(stopDate="2023-11-15")
    network.heard()
    network.api.clock.advance(3 * 86_400_000)
    deps = network.api.deps
    assert JobScheduler(deps.database, deps.zone, network.api.clock).stop_offers() == 1
    assert network.heard()[ANN] == [f"#{network.offer} Shoes is paused"]


def test_pixel_reaches_staff_while_it_waits_and_its_affiliate_when_it_is_decided(network: Network) -> None:
    code = {"name": "Tag", "code": "<script>1</script>", "code_type": "javascript"}
    made = network.affiliate.post("/3.0/partner/pixel", offer_id=network.offer, **code)["pixel"]
    network.heard()
    assert network.bell(network.manager) == ["pixel.opened"]
    assert network.bell(network.stranger) == []
    for status, kind in (("1", "pixel.accepted"), ("-1", "pixel.rejected")):
        network.api.clock.advance(1)
        network.api.admin.post(f"/3.0/partner/pixel/{made['id']}", moderation_status=status)
        assert list(network.heard()) == [ANN]
        assert network.bell(network.affiliate)[0] == kind
    network.api.admin.post(f"/3.0/partner/pixel/{made['id']}", moderation_status="2")  # the same decision
    assert network.heard() == {}


def test_values_are_written_in_the_language_of_the_reader() -> None:
    values = (
        MailLimit(CapType.CONVERSIONS, Decimal(2), ""),
        MailPayout(Decimal("12.50"), "", is_share=True),
        PayoutChange("Sale", (), (MailPayout(Decimal(20), "USD"),)),
        PayoutChange("", (MailPayout(Decimal(20), "USD"),), (MailPayout(Decimal(25), "USD"),)),
        MailFinding(Finding(FindingKind.CAP_FULL, "7", {"value": "5", "limit": "5"})),
    )
    written = {}
    for code in ("en", "ru", "es"):
        with speaking(language(code)):
            written[code] = [str(each) for each in values]
    assert written["en"] == [
        "2 conversions",
        "12.5\N{NO-BREAK SPACE}%",
        "Sale: not paid → $20.00",
        "$20.00 → $25.00",
        "A cap of offer 7 is full: 5 of 5.",
    ]
    for place in range(len(values)):
        assert len({texts[place] for texts in written.values()}) == (2 if place in (1, 3) else 3)
