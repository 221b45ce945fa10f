"""Each row of the matrix reaches its people by mail and by the bell (docs/spec/events.md#kinds)."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from trackyard.actions.events.publishing import publish
from trackyard.base.errors import required
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EVENT_RULES, Channel, EventAudience, EventKind
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.store.offers import offers
from trackyard.store.tables import mail

_WITHOUT_OBJECT = {EventAudience.STAFF, EventAudience.ALERTED, EventAudience.RECEIVERS, EventAudience.READERS}


class Network:
    """People of each kind, and what they heard."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.pid, self.affiliate = api.add_affiliate(email="ann@media.example", name="Ann Media")
        self.other_pid, self.other = api.add_affiliate(email="bob@media.example", name="Bob Media")
        self.advertiser_id = api.add_advertiser(email="shop@advertiser.example")
        self.advertiser = api.advertiser_client(self.advertiser_id)
        self.offer = api.add_offer(
            advertiser=self.advertiser_id,
            **{"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": 5},
        )
        api.admin.post("/3.1/offer/enable-affiliate", offer_id=self.offer, pid=self.pid, notice="0")
        manager_id, self.manager = api.add_staff(Role.MANAGER_AFFILIATE)
        api.admin.post(f"/3.0/admin/partner/{self.pid}", manager_id=manager_id)
        _, self.stranger = api.add_staff(Role.MANAGER_AFFILIATE)  # manages neither affiliate
        self.heard()

    def heard(self) -> dict[str, list[str]]:
        """The subjects of mails by recipient, since the last time."""
        make_notices(self.api.deps.database, self.api.clock.now_ms())
        found: dict[str, list[str]] = {}
        with self.api.deps.database.write() as conn:
            for row in conn.execute(select(mail.c.recipient, mail.c.subject).order_by(mail.c.id)).all():
                found.setdefault(row.recipient, []).append(row.subject)
            conn.execute(mail.delete())
        return found

    def write(self, **fields: Any) -> None:
        """Edit the offer."""
        self.api.admin.post(f"/3.1/admin/offer/{self.offer}", **fields)

    def bell(self, client: ApiClient) -> list[str]:
        return [each["kind"] for each in client.get("/3.1/notices")["notices"]]


@pytest.fixture
def network(api: Api) -> Network:
    return Network(api)


@pytest.mark.parametrize("kind", [kind for kind in EventKind if EVENT_RULES[kind].notices])
def test_each_kind_reaches_its_audience_by_its_channels_and_no_one_else(network: Network, kind: EventKind) -> None:
    rule = EVENT_RULES[kind]
    owner = Account(AccountKind.AFFILIATE, str(network.pid))
    concerned = Concerned(7, network.pid, network.advertiser_id, network.offer, owner)
    if any(each.audience in (EventAudience.STAFF, EventAudience.ALERTED) for each in rule.notices):
        concerned = Concerned(7, network.pid, "", network.offer)
    if kind is EventKind.INVOICE_OVERDUE:  # for staff and for the advertiser
        concerned = Concerned(7, None, network.advertiser_id)
    if any(each.audience is EventAudience.CAPPED for each in rule.notices):
        with network.api.deps.database.read() as conn:
            [cap] = required(offers.find_offer(conn, Scope.everything(), network.offer)).caps
        concerned = Concerned(cap.id, network.pid, network.advertiser_id, network.offer)
    with network.api.deps.database.write() as conn:
        publish(conn, kind, network.api.clock.now_ms(), concerned, **dict.fromkeys(rule.fields, "x"))
    mailed = set(network.heard())
    if kind is EventKind.INVOICE_OVERDUE:
        assert "shop@advertiser.example" in mailed and kind.value in network.bell(network.advertiser)
        assert kind.value not in network.bell(network.affiliate) and len(rule.notices) == 2
        return
    [notice] = rule.notices
    clients = {
        "affiliate": network.affiliate,
        "other": network.other,
        "advertiser": network.advertiser,
        "manager": network.manager,
        "stranger": network.stranger,
    }
    rung = {name for name, client in clients.items() if kind.value in network.bell(client)}
    is_mailed = Channel.MAIL in notice.channels and not rule.is_mailed_by_act
    match notice.audience:
        case EventAudience.RECEIVERS | EventAudience.READERS:
            assert rung == mailed == set(), "their own jobs make the notices: test_messages.py, test_news.py"
        case EventAudience.ADVERTISER:
            assert rung == {"advertiser"}
            assert mailed == ({"shop@advertiser.example"} if is_mailed else set())
        case EventAudience.STAFF | EventAudience.ALERTED:
            may = network.manager.get("/3.1/notices/choices")["choices"]
            hears = kind.value in {each["kind"] for each in may}
            assert rung == ({"manager"} if hears and notice.channels else set())
            assert not mailed & {"ann@media.example", "bob@media.example", "shop@advertiser.example"}
        case _:
            assert rung == {"affiliate"}
            assert mailed == ({"ann@media.example"} if is_mailed else set())


def test_choice_of_a_person_goes_before_the_matrix_but_not_before_what_is_required(network: Network) -> None:
    ann = network.affiliate
    ann.post("/3.1/notices/choices", **{"mail[offer.changed]": "0", "bell[offer.paused]": "0"})
    chosen = {each["kind"]: each for each in ann.get("/3.1/notices/choices")["choices"]}
    assert (chosen["offer.changed"]["mail"], chosen["offer.changed"]["bell"]) == (False, True)
    assert (chosen["offer.paused"]["mail"], chosen["offer.paused"]["bell"]) == (True, False)
    assert chosen["payment.paid"]["required"] is True
    refused = ann.call("POST", "/3.1/notices/choices", data={"mail[payment.paid]": "0"})
    assert (refused.status_code, refused.json()["fields"]) == (
        400,
        {"mail[payment.paid]": ["This notice is required: it stays on."]},
    )
    foreign = ann.call("POST", "/3.1/notices/choices", data={"mail[affiliate.signed_up]": "1"})
    assert list(foreign.json()["fields"]) == ["mail[affiliate.signed_up]"]
    network.api.admin.post(f"/3.1/admin/offer/{network.offer}", title="Other", send_emails="1")
    assert network.heard() == {}
    assert network.bell(ann)[0] == "offer.changed"
    network.api.admin.post(f"/3.1/admin/offer/{network.offer}", status="stopped")
    assert network.heard() == {"ann@media.example": [f"#{network.offer} Other is paused"]}
    assert network.bell(ann)[0] == "offer.changed"


def test_bell_counts_unread_notices_until_they_are_read(network: Network) -> None:
    network.api.admin.post(f"/3.1/admin/offer/{network.offer}", title="Other")
    network.heard()
    found = network.affiliate.get("/3.1/notices")
    assert found["unread"] == len(found["notices"]) > 0
    last = found["notices"][0]["seq"]
    assert network.affiliate.post("/3.1/notices/read", until=last)["read"] == found["unread"]
    assert network.affiliate.get("/3.1/notices")["unread"] == 0
    assert network.other.get("/3.1/notices")["notices"] == []


def test_affiliate_hears_of_its_approval_with_a_link(api: Api) -> None:
    pid, _ = api.add_affiliate(email="new2@media.example", status="not active")
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.write() as conn:
        conn.execute(mail.delete())
    api.admin.post(f"/3.0/admin/partner/{pid}", status="active")
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.read() as conn:
        [row] = conn.execute(select(mail).where(mail.c.recipient == "new2@media.example")).all()
    assert row.subject == "Your account is approved"
    assert "/portal/offers" in row.body
    assert "\n\n\n" not in row.body


def test_rejection_carries_the_words_that_were_typed(network: Network) -> None:
    network.api.admin.post(
        f"/3.0/admin/partner/{network.pid}", status="banned", status_reason="Brand bidding is not allowed."
    )
    make_notices(network.api.deps.database, network.api.clock.now_ms())
    with network.api.deps.database.read() as conn:
        [row] = conn.execute(select(mail).where(mail.c.recipient == "ann@media.example")).all()
    assert row.subject == "Your account is banned"
    assert "Brand bidding is not allowed." in row.body


def test_person_who_acts_does_not_hear_of_the_own_act(network: Network) -> None:
    network.manager.post("/3.1/offer/enable-affiliate", offer_id=network.offer, pid=network.pid, notice="1")
    assert network.heard() == {}
    assert network.bell(network.manager) == []


def test_request_says_who_gets_no_mail(network: Network) -> None:
    network.api.admin.post("/3.1/offer/disable-affiliate", offer_id=network.offer, pid=network.pid, notice="0")
    assert network.heard() == {}
    assert network.bell(network.affiliate) == ["offers.disconnected", "offers.connected"]  # both without a mail
    network.api.admin.post("/3.1/offer/enable-affiliate", offer_id=network.offer, pid=network.pid, notice="1")
    assert network.heard() == {"ann@media.example": [f"You are connected to #{network.offer} Shoes"]}


def test_affiliate_hears_of_other_payment_systems_from_everyone_who_may_change_them(network: Network) -> None:
    """The third way, a change that waits for a second person, is tested with held changes."""
    asked = {"lang_label": "Wire", "fields[0][lang_label]": "IBAN"}
    wire = network.api.admin.post("/3.1/admin/payment_systems", **asked)["payment_system"]["id"]

    def paid_to(account: str) -> dict[str, str]:
        return {"payment_systems[0][system_id]": str(wire), "payment_systems[0][fields][1]": account}

    told = {"ann@media.example": ["Your payment systems were changed"]}
    by_staff = f"/3.0/admin/partner/{network.pid}"
    network.api.admin.post(by_staff, **paid_to("EE12"))
    assert network.heard() == told
    network.api.admin.post(by_staff, **paid_to("EE12"), notes="the same account again")
    assert network.heard() == {}
    network.affiliate.post("/3.1/partner/payment_systems", password=PASSWORD, **paid_to("EE34"))
    assert network.heard() == told
    assert network.bell(network.affiliate).count("payee.changed") == 2


@pytest.mark.parametrize("kind", [kind for kind in EventKind if EVENT_RULES[kind].notices])
def test_event_without_what_its_audience_is_found_by_is_refused(network: Network, kind: EventKind) -> None:
    rule = EVENT_RULES[kind]
    payload = dict.fromkeys(rule.fields, "x")
    if not any(each.needs for each in rule.notices):
        assert {each.audience for each in rule.notices} <= _WITHOUT_OBJECT
        return
    with pytest.raises(ValueError, match="is for the people of its"), network.api.deps.database.write() as conn:
        publish(conn, kind, network.api.clock.now_ms(), Concerned(7), **payload)
