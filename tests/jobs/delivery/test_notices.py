"""Notices that API requests queue: recipients, texts, and one mail each.

docs/spec/platform.md#mail. Notices of caps and of paused postbacks are tested with their jobs.
"""

from collections.abc import Callable
from decimal import Decimal
from html import escape

import pytest

from tests.support.api import Api, installed
from tests.support.events import make_notices
from tests.support.models.history import add_conversion
from trackyard.actions.platform.notices import NOTICES
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.texts.languages import language, speaking
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.domain.platform.mails.frame import MailLook, write_content
from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.values import MailLink, MailMoney
from trackyard.domain.platform.mails.writing import names_in, write_plain, write_subject
from trackyard.jobs.delivery.mail import LEASE_MS, Mailer
from trackyard.outbound.mail import MailMessage, build_message
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger

ANN = "ann@affiliate.example"


class FakeMailTransport:
    """A transport that keeps its mail. breaks: it dies with the first one."""

    def __init__(self) -> None:
        self.letters: list[MailMessage] = []
        self.breaks = False

    def send(self, letter: MailMessage) -> None:
        self.letters.append(letter)
        if self.breaks:
            self.breaks = False
            raise KeyboardInterrupt

    def close(self) -> None:
        """Do nothing."""


def enable(api: Api, pid: int, offer: int) -> None:
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=offer, pid=pid)


def enable_without_notice(api: Api, pid: int, offer: int) -> None:
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=offer, pid=pid, notice="0")


def disable(api: Api, pid: int, offer: int) -> None:
    enable_without_notice(api, pid, offer)
    api.admin.post("/3.1/offer/disable-affiliate", offer_id=offer, pid=pid)


def disable_without_notice(api: Api, pid: int, offer: int) -> None:
    enable_without_notice(api, pid, offer)
    api.admin.post("/3.1/offer/disable-affiliate", offer_id=offer, pid=pid, notice="0")


def decide(verdict: str) -> Callable[[Api, int, int], None]:
    def decided(api: Api, pid: int, offer: int) -> None:
        api.admin.post("/3.1/partner/activation/offer", offer_id=offer, pid=pid, comment="Please")
        [ticket] = api.admin.get("/3.1/admin/tickets")["tickets"]
        api.admin.post(f"/3.0/admin/ticket/{ticket['id']}/offer", do=verdict)

    return decided


def change(flag: str) -> Callable[[Api, int, int], None]:
    def changed(api: Api, pid: int, offer: int) -> None:
        enable_without_notice(api, pid, offer)
        api.admin.post(f"/3.1/admin/offer/{offer}", send_emails=flag, title="Boots")

    return changed


def new_password(api: Api, pid: int, offer: int) -> None:
    api.admin.post(f"/3.0/admin/partner/password/{pid}")


def password_of_an_advertiser(api: Api, pid: int, offer: int) -> None:
    advertiser = api.add_advertiser(email="shop@shop.example", contact="Sue")
    api.admin.post(f"/3.1/admin/advertiser/{advertiser}/sendpass")


def paid(status: str) -> Callable[[Api, int, int], None]:
    def done(api: Api, pid: int, offer: int) -> None:
        made = add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, payout=Decimal("7.5"))
        with api.deps.database.write() as conn:
            ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
        [payment] = api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
        for _ in range(2):
            api.admin.call("POST", f"/3.1/admin/payments/{payment['id']}", data={"status": status})
        api.admin.post(f"/3.1/admin/payments/{payment['id']}", comment="one notice")

    return done


@pytest.mark.parametrize(
    ("do", "recipient", "subject", "says"),
    [
        (
            enable,
            ANN,
            "You are connected to #1 Shoes",
            ["Hello Ann,", "- #1 Shoes <http://api.example/portal/offers/1>"],
        ),
        (disable, ANN, "You are disconnected from #1 Shoes", ["Hello Ann,", "#1 Shoes", "no longer connected"]),
        (
            decide("approve"),
            ANN,
            "Your request for #1 Shoes is approved",
            ["is approved", "Get your link:\nhttp://api.example/portal/offers/1"],
        ),
        (decide("reject"), ANN, "Your request for #1 Shoes is rejected", ["Hello Ann,", "was rejected"]),
        (change("1"), ANN, "#1 Boots has changed", ["Hello Ann,", "#1 Boots", "Please look at its terms"]),
        (new_password, ANN, "Your new password", ["Hello Ann,", "does not work any more"]),
        (password_of_an_advertiser, "shop@shop.example", "Your new password", ["Hello Sue,", "new password:"]),
        (paid("paid"), ANN, "Your payment of $7.50 is on its way", ["Hello Ann,", "Payment: 1", "Amount: $7.50"]),
        (paid("cancelled"), ANN, "Your payment of $7.50 is cancelled", ["Payment: 1", "available again"]),
        (enable_without_notice, "", "", []),
        (disable_without_notice, "", "", []),
        (change("0"), "", "", []),
    ],
)
def test_notice_has_recipient_subject_and_text(
    database: Database,
    analytics: Analytics,
    do: Callable[[Api, int, int], None],
    recipient: str,
    subject: str,
    says: list[str],
) -> None:
    api = installed(database, analytics)
    pid, _ = api.add_affiliate(email=ANN, name="Ann")
    api.add_affiliate()  # other affiliates get no notice
    do(api, pid, api.add_offer(privacy="protected"))
    make_notices(database, api.clock.now_ms())
    tray = FakeMailTransport()
    mailer = Mailer(database, api.clock, tray)
    if not recipient:
        assert not mailer.send_one()
        return
    tray.breaks = True
    with pytest.raises(KeyboardInterrupt):  # it was handed over, and not recorded
        mailer.send_one()
    assert not mailer.send_one()
    api.clock.advance(LEASE_MS)
    assert mailer.send_one()
    assert not mailer.send_one()
    first, second = tray.letters
    assert first == second
    assert (first.recipient, first.subject) == (recipient, subject)
    message = build_message(first, "mail@track.example")
    assert message["Message-ID"] == build_message(second, "mail@track.example")["Message-ID"]
    assert message.get_content_type() == "multipart/alternative"
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None and html is not None and subject in html.get_content().replace("&#x27;", "'")
    for part in says:
        assert part in plain.get_content()


PAID, REJECTED = NOTICES[NoticeKind.PAYMENT_EXECUTED], NOTICES[NoticeKind.REQUEST_REJECTED]
TEMPLATES = {kind.name: notice for kind, notice in NOTICES.items()}


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_notice_templates_are_plain_text_with_salutation(name: str) -> None:
    notice = TEMPLATES[name]
    assert notice.body.startswith("Hello {name},\n\n") and notice.body.endswith("\n")
    assert "\n" not in notice.subject and "<" not in notice.body
    assert names_in(notice.subject) <= names_in(notice.body)
    assert notice.button or not {"link"} & names_in(notice.body)


def test_every_kind_of_mail_has_one_notice() -> None:
    assert set(NOTICES) == set(NoticeKind)
    assert {each.kind for each in TEMPLATES.values()} == set(NoticeKind)
    assert len(TEMPLATES) == len(NoticeKind) > 35


@pytest.mark.parametrize(("code", "shown"), [("en", "$942.53"), ("es", "942,53 $"), ("ru", "942,53 $")])
def test_money_in_a_mail_has_the_places_of_its_currency(code: str, shown: str) -> None:
    values = {"name": "Ann", "payment": 1, "amount": MailMoney(Decimal("942.5348"), "USD"), "link": "https://n.example"}
    with speaking(language(code)):
        subject = write_subject(PAID.subject, values)
        body = write_plain(PAID.body, PAID.button, values)
    assert shown in subject.replace("\N{NO-BREAK SPACE}", " ") and shown in body.replace("\N{NO-BREAK SPACE}", " ")
    assert "5348" not in body and body.endswith(":\nhttps://n.example\n")


def test_value_of_a_mail_is_never_a_template() -> None:
    values = {"name": "{link}", "offer": MailLink("{name} {0} {", "https://n.example"), "link": "https://n.example/1"}
    assert write_subject("{offer}", values) == "{name} {0} {"
    assert write_plain("Hello {name},\n\n{offer}\n", "", values) == (
        "Hello {link},\n\n{name} {0} { <https://n.example>\n"
    )


def test_line_without_values_is_left_out_of_a_mail() -> None:
    values = {"name": "Ann", "offer": "#1", "reason": ""}
    assert "Reason" not in write_plain(REJECTED.body, "", values)
    assert "Reason: no" in write_plain(REJECTED.body, "", values | {"reason": "no"})


@pytest.mark.parametrize("code", ["es", "ru"])
def test_every_mail_is_in_the_language_of_its_recipient(code: str) -> None:
    look, buttons = MailLook("Network", "#000000", "#ffffff"), 0
    for notice in NOTICES.values():
        values = dict.fromkeys(names_in(notice.subject) | names_in(notice.body) | {"link"}, "x")
        written = []
        for spoken in ("en", code):
            with speaking(language(spoken)):
                plain = write_plain(notice.body, notice.button, values)
                html = write_content(notice.body, notice.button, values, look)
                assert escape(str(notice.button)) in html, notice.kind
                written.append((write_subject(notice.subject, values), plain, html))
        same = [one for one, other in zip(*written, strict=True) if one == other]
        without_words = {NoticeKind.CHANGE_DECIDED: ["x: x"], NoticeKind.MESSAGE: ["x"]}
        assert same == without_words.get(notice.kind, []), notice.kind
        buttons += bool(notice.button)
    assert (len(NOTICES), buttons >= 30) == (len(NoticeKind), True)
