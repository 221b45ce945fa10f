"""Links in mails stop the mails of one kind (docs/spec/mails.md#links-that-stop-mails)."""

from dataclasses import replace
from email import message_from_bytes
from email.policy import SMTP
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from tests.support.api import CIPHER, Api
from tests.support.events import make_notices
from tests.support.pages import PageReader, Visitor, console_app
from trackyard.actions.events.publishing import publish
from trackyard.actions.events.stops import STOP_PAGE, get_stoppable, may_stop, stop_link
from trackyard.actions.platform.mailings import queue_mails
from trackyard.base.errors import NotFound
from trackyard.base.secrets import SecretCipher
from trackyard.base.texts.languages import NAMES
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EVENT_RULES, EventAudience, EventKind
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.preferences import Preferences
from trackyard.domain.people.roles import Role
from trackyard.outbound.mail import MailMessage, build_message
from trackyard.store.people.preferences import edit_preferences
from trackyard.store.tables import mail, notice_choice

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
LINES = {
    "en": ("Change what you get", "Stop these mails"),
    "ru": ("Изменить, что приходит", "Не присылать такие письма"),
    "es": ("Cambiar lo que recibe", "No recibir más estos correos"),
}
EMAIL = "ann@media.example"
SENT_BY_STAFF = {EventKind.MESSAGE_SENT, EventKind.NEWS_PUBLISHED}
"""Jobs of their own queue these mails."""


def account(pid: int) -> Account:
    return Account(AccountKind.AFFILIATE, str(pid))


def queued(api: Api) -> list[Any]:
    """The mails since the last time."""
    with api.deps.database.write() as conn:
        found = list(conn.execute(select(mail)))
        conn.execute(mail.delete())
    return found


def publish_to(api: Api, pid: int, kind: EventKind, offer: int, advertiser: str) -> None:
    rule = EVENT_RULES[kind]
    concerned = Concerned(7, pid, advertiser, offer, account(pid))
    if any(each.audience is EventAudience.STAFF for each in rule.notices):
        needs_one = any(each.audience is EventAudience.ADVERTISER for each in rule.notices)
        concerned = Concerned(7, pid, advertiser if needs_one else "", offer)
    with api.deps.database.write() as conn:
        publish(conn, kind, api.clock.now_ms(), concerned, **dict.fromkeys(rule.fields, "x"))
    make_notices(api.deps.database, api.clock.now_ms())


def path_of(link: str) -> str:
    return link.removeprefix("http://api.example")


def choices(api: Api) -> list[tuple[Any, ...]]:
    with api.deps.database.read() as conn:
        return [tuple(row) for row in conn.execute(select(notice_choice))]


@pytest.fixture
def world(api: Api) -> tuple[Api, int, int, str]:
    pid, _ = api.add_affiliate(email=EMAIL, name="Ann")
    advertiser = api.add_advertiser(email="shop@advertiser.example")
    offer = api.add_offer(advertiser=advertiser)
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=offer, pid=pid, notice="0")
    api.add_staff(Role.ADMIN)
    make_notices(api.deps.database, api.clock.now_ms())
    queued(api)
    return api, pid, offer, advertiser


def test_mails_of_every_kind_that_is_not_required_have_a_link_in_every_language(
    world: tuple[Api, int, int, str],
) -> None:
    api, pid, offer, advertiser = world
    stoppable, required, seen = 0, 0, 0
    for code in NAMES:
        with api.deps.database.write() as conn:
            edit_preferences(conn, account(pid), Preferences(language=code))
        for kind in [each for each in EventKind if each not in SENT_BY_STAFF]:
            publish_to(api, pid, kind, offer, advertiser)
            for row in queued(api):
                seen += 1
                given = MailMessage("a" * 24, row.recipient, row.subject, row.body, 0, stop=row.stop)
                sent = build_message(given, "n@n.example")
                assert bool(row.stop) == may_stop(kind) == (sent["List-Unsubscribe"] is not None), kind
                if row.stop:
                    stoppable += 1
                    change, stop = LINES[code if row.recipient == EMAIL else "en"]
                    homes = {EMAIL: "/portal/", "shop@advertiser.example": "/advertiser/"}
                    home = homes.get(row.recipient, "/console/")
                    assert row.body.endswith(f"{change}: http://api.example{home}notices/choices\n{stop}: {row.stop}\n")
                    assert f">{change}</a>" in row.html and f">{stop}</a>" in row.html
                    assert sent["List-Unsubscribe"] == f"<{row.stop}>"
                    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
                else:
                    required += 1
                    assert STOP_PAGE not in row.body + row.html
    assert (seen, stoppable, required) == (117, 75, 42)


def test_header_is_one_line_and_its_url_is_whole(world: tuple[Api, int, int, str]) -> None:
    api, pid, offer, advertiser = world
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    [row] = queued(api)
    message = build_message(MailMessage("a" * 24, EMAIL, "Привет", "Text", 0, "<p>x</p>", stop=row.stop), "n@n.example")
    raw = message.as_bytes(policy=message.policy.clone(linesep="\r\n"))
    assert f"List-Unsubscribe: <{row.stop}>\r\n".encode() in raw and len(row.stop) > 100
    assert message_from_bytes(raw, policy=SMTP)["List-Unsubscribe"] == f"<{row.stop}>"
    with pytest.raises(ValueError, match="one word"):
        build_message(
            MailMessage("a" * 24, EMAIL, "Hi", "x", 0, stop="https://n.example/\r\nBcc: x@y.z"), "n@n.example"
        )


def test_page_changes_nothing_and_its_button_stops_one_kind(world: tuple[Api, int, int, str]) -> None:
    api, pid, offer, advertiser = world
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    [row] = queued(api)
    visitor = Visitor(console_app(api))
    page = visitor.read(path_of(row.stop))
    assert "An offer has changed" in page.text and "You get mails about this." in page.text and choices(api) == []
    stopped = visitor.client.post(path_of(row.stop), data={})
    assert stopped.status_code == 200 and "You get no more mails about this." in PageReader(stopped.text).text
    assert choices(api) == [(f"affiliate:{pid}", "offer.changed", "mail", False)]
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    assert queued(api) == []
    publish_to(api, pid, EventKind.OFFER_PAUSED, offer, advertiser)
    publish_to(api, pid, EventKind.PAYMENT_PAID, offer, advertiser)
    assert len(queued(api)) == 2
    visitor.client.post(path_of(row.stop), data={"on": "1"})
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    assert len(queued(api)) == 1


def test_one_click_of_a_mail_program_stops_the_mails_and_keeps_the_bell(world: tuple[Api, int, int, str]) -> None:
    api, pid, offer, advertiser = world
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    [row] = queued(api)
    for _ in range(2):  # mail programs repeat it
        answer = Visitor(console_app(api)).client.post(path_of(row.stop), data=ONE_CLICK)
        assert answer.status_code == 200
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    assert queued(api) == []
    assert choices(api) == [(f"affiliate:{pid}", "offer.changed", "mail", False)]


def test_link_of_a_member_concerns_the_member_alone(world: tuple[Api, int, int, str]) -> None:
    api, pid, offer, advertiser = world
    api.admin.post("/3.1/people", company=f"affiliate:{pid}", email="bea@media.example", name="Bea", role="manager")
    with api.deps.database.write() as conn:
        conn.execute(mail.delete())
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    links = {row.recipient: row.stop for row in queued(api)}
    assert set(links) == {EMAIL, "bea@media.example"}
    Visitor(console_app(api)).client.post(path_of(links["bea@media.example"]), data=ONE_CLICK)
    publish_to(api, pid, EventKind.OFFER_CHANGED, offer, advertiser)
    assert [row.recipient for row in queued(api)] == [EMAIL]


def test_forged_link_is_refused_and_changes_nothing(world: tuple[Api, int, int, str]) -> None:
    api, pid, _, _ = world
    base, mine = "http://api.example", account(pid)
    good = stop_link(CIPHER, base, mine, EventKind.OFFER_CHANGED)
    key = parse_qs(urlsplit(good).query)["key"][0]
    other = SecretCipher(Fernet.generate_key().decode())
    purpose = CIPHER.for_purpose("stop-mails")
    forged = [
        "",
        key[:-8],
        key[:20] + ("A" if key[20] != "A" else "B") + key[21:],
        parse_qs(urlsplit(stop_link(other, base, mine, EventKind.OFFER_CHANGED)).query)["key"][0],
        CIPHER.encrypt(f'["affiliate:{pid}", "offer.changed"]'),
        CIPHER.for_purpose("look").encrypt(f'["affiliate:{pid}", "offer.changed"]'),
        purpose.encrypt(f'["affiliate:{pid}", "payment.paid"]'),
        purpose.encrypt(f'["affiliate:{pid}", "no.such"]'),
        purpose.encrypt('["affiliate:99999", "offer.changed"]'),
        purpose.encrypt('["nobody", "offer.changed"]'),
        purpose.encrypt("[1]"),
    ]
    visitor = Visitor(console_app(api))
    for each in forged:
        for answer in (
            visitor.get(STOP_PAGE, params={"key": each}),
            visitor.client.post(STOP_PAGE, params={"key": each}, data=ONE_CLICK),
        ):
            assert answer.status_code == 404, each
    assert visitor.get(path_of(good)).status_code == 200
    assert choices(api) == []


def test_required_kinds_have_no_link(api: Api) -> None:
    pid, _ = api.add_affiliate()
    for kind in EventKind:
        assert bool(stop_link(CIPHER, "https://n.example", account(pid), kind)) != EVENT_RULES[kind].is_required
    assert (
        stop_link(CIPHER, "", account(pid), EventKind.NEWS_PUBLISHED)
        == stop_link(None, "https://n.example", account(pid), EventKind.NEWS_PUBLISHED)
        == ""
    )


def test_link_works_after_a_rotation_of_keys(api: Api) -> None:
    pid, _ = api.add_affiliate()
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    link = stop_link(SecretCipher(old), "https://n.example", account(pid), EventKind.NEWS_PUBLISHED)
    key = parse_qs(urlsplit(link).query)["key"][0]
    rotated = replace(api.deps, cipher=SecretCipher(new, old))
    assert get_stoppable(rotated, key).account == account(pid)
    with pytest.raises(NotFound):
        get_stoppable(replace(api.deps, cipher=SecretCipher(new)), key)


def test_news_by_mail_are_stopped_by_their_link_and_in_the_choices(api: Api) -> None:
    _, client = api.add_affiliate(email=EMAIL)
    _, other = api.add_affiliate(email="bob@media.example")
    number = api.admin.post("/3.1/admin/news", title="Sale", status=1)["news"]["_id"]["$id"]

    def send() -> list[Any]:
        api.admin.post(f"/3.1/admin/news/{number}/send")
        while queue_mails(api.deps.database, api.clock.now_ms(), CIPHER):
            pass
        return [row for row in queued(api) if row.subject.startswith("News")]

    links = {row.recipient: row.stop for row in send()}
    assert set(links) == {EMAIL, "bob@media.example"} and all(links.values())
    Visitor(console_app(api)).client.post(path_of(links[EMAIL]), data=ONE_CLICK)
    shown = {each["kind"]: each["mail"] for each in client.get("/3.1/notices/choices")["choices"]}
    assert shown["news.published"] is False and shown["message.sent"] is True
    number = api.admin.post("/3.1/admin/news", title="More", status=1)["news"]["_id"]["$id"]
    assert [row.recipient for row in send()] == ["bob@media.example"]
    other.post("/3.1/notices/choices", **{"mail[news.published]": "0"})
    client.post("/3.1/notices/choices", **{"mail[news.published]": "1"})
    number = api.admin.post("/3.1/admin/news", title="Last", status=1)["news"]["_id"]["$id"]
    assert [row.recipient for row in send()] == [EMAIL]
