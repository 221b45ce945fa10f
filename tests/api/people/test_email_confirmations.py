"""Confirmed e-mail addresses: links with one-use tokens, for sign-ups and changes of address."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from tests.support.api import PASSWORD, UNBOUNDED, Api, installed
from tests.support.events import make_notices
from trackyard.actions.people import email_confirmations
from trackyard.analytics.engine.connection import Analytics
from trackyard.api.app import build
from trackyard.base.secrets import digest
from trackyard.jobs.delivery.mail import Mailer
from trackyard.outbound.mail import MailMessage
from trackyard.store.engine.database import Database
from trackyard.store.platform import mail
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import email_confirmation

EMAIL, SECRET = "ann@affiliate.example", "long enough for all"
HOUR = 3_600_000


@pytest.fixture
def any_api(database: Database, analytics: Analytics) -> Api:
    """A fresh installation on each SQL engine."""
    return installed(database, analytics)


def sign_up(api: Api, **params: Any) -> int:
    sent = {"email": EMAIL, "password": SECRET} | params
    return int(api.admin.with_key(None).post("/3.1/partner", **sent)["user"]["partner_id"])


def mails(api: Api) -> list[tuple[str, str, str]]:
    """Recipient, subject and token of the queued mail, which is removed."""
    make_notices(api.deps.database, api.clock.now_ms())
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), 1)) is not None:
            link = re.search(r"http\S+/confirm-email#(\w{40})\n", item.body)
            found.append((item.recipient, item.subject, link[1] if link else ""))
            mail.remove(conn, item.id)
    return found


class Mailbox:
    """A transport that keeps what it was given."""

    def __init__(self) -> None:
        self.received: list[MailMessage] = []

    def send(self, message: MailMessage) -> None:
        self.received.append(message)

    def close(self) -> None:
        pass


def delivered(api: Api) -> dict[str, str]:
    """Send the queued mail; return the tokens of their links by recipient."""
    box = Mailbox()
    mailer = Mailer(api.deps.database, api.clock, box)
    while mailer.send_one():
        pass
    found = {message.recipient: re.search(r"/confirm-email#(\w{40})\n", message.body) for message in box.received}
    return {recipient: link[1] for recipient, link in found.items() if link}


def token_of(api: Api) -> str:
    """The token of the one queued mail."""
    [(_, subject, token)] = mails(api)
    assert subject == "Confirm your e-mail address"
    return token


def confirm(api: Api, token: str) -> int:
    stranger = api.admin.with_key(None)
    return int(stranger.call("POST", "/3.1/partner/email/confirm", data={"token": token}).status_code)


def state(api: Api, pid: int) -> str:
    return str(api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["email_state"])


def waiting(api: Api) -> Api:
    """The same installation, where approval and sign-in wait for the confirmation."""
    deps = replace(api.deps, needs_confirmed_email=True)
    app = build(deps, limits=UNBOUNDED)
    return replace(api, deps=deps, app=app, admin=api.admin.of(app))


def test_sign_up_is_confirmed_by_its_link_once(any_api: Api) -> None:
    pid = sign_up(any_api)
    assert state(any_api, pid) == "waiting"
    token = token_of(any_api)
    with any_api.deps.database.read() as conn:
        [row] = conn.execute(select(email_confirmation)).all()
    assert (row.digest, token in str(row)) == (digest(token), False), "the database has no token"
    assert [confirm(any_api, "0" * 40), confirm(any_api, token), confirm(any_api, token)] == [400, 200, 400]
    assert state(any_api, pid) == "confirmed"
    events = any_api.admin.get("/3.1/admin/security-log", event="email_confirmed")["events"]
    found = [f"{event['outcome']} {event['user'] and event['user']['id']}" for event in events]
    assert sorted(found) == [f"accepted {pid}", "wrong None", "wrong None"]


def test_sign_up_link_expires_after_24_hours(api: Api) -> None:
    pids = sign_up(api), sign_up(api, email="bob@affiliate.example")
    first, second = (token for _, _, token in sorted(mails(api)))
    api.clock.advance(24 * HOUR - 1)
    assert confirm(api, first) == 200
    api.clock.advance(1)
    assert confirm(api, second) == 400
    assert [state(api, pid) for pid in pids] == ["confirmed", "waiting"]


def test_email_link_lives_24_hours_from_the_sending_of_its_mail(any_api: Api) -> None:
    pid = sign_up(any_api)
    any_api.clock.advance(48 * HOUR)  # no mail server answered
    sign_up(any_api, email="bob@affiliate.example")  # a new link removes those that have expired
    tokens = delivered(any_api)
    any_api.clock.advance(24 * HOUR - 1)
    assert (confirm(any_api, tokens[EMAIL]), state(any_api, pid)) == (200, "confirmed")
    any_api.clock.advance(1)
    assert confirm(any_api, tokens["bob@affiliate.example"]) == 400


def test_email_link_is_sent_again_to_waiting_addresses_alone_with_one_answer(api: Api) -> None:
    pid = sign_up(api)
    mails(api)
    api.add_affiliate(email="made@affiliate.example")
    stranger = api.admin.with_key(None)

    def resend(email: str) -> Any:
        return stranger.call("POST", "/3.1/partner/email/resend", data={"email": email})

    asked = (EMAIL.upper(), EMAIL, "made@affiliate.example", "admin@localhost.example", "none@affiliate.example")
    answers = [resend(email) for email in asked]
    assert {(answer.status_code, answer.content) for answer in answers} == {(200, answers[0].content)}
    token = token_of(api)
    api.clock.advance(email_confirmations.RESEND_MS)
    resend(EMAIL)
    second = token_of(api)
    assert (confirm(api, second), confirm(api, token)) == (200, 400), "one link confirms, the others end"
    assert state(api, pid) == "confirmed"
    api.clock.advance(email_confirmations.RESEND_MS)
    resend(EMAIL)
    assert mails(api) == []


def test_email_links_are_limited_by_network(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(email_confirmations, "LINKS_PER_NETWORK", 2)
    monkeypatch.setattr(email_confirmations, "CONFIRMATIONS_PER_NETWORK", 1)
    stranger = api.admin.with_key(None)
    sent = [stranger.call("POST", "/3.1/partner/email/resend", data={"email": EMAIL}) for _ in range(3)]
    assert [answer.status_code for answer in sent] == [200, 200, 429]
    assert [confirm(api, "0" * 40) for _ in range(2)] == [400, 429]


def test_unconfirmed_address_holds_nothing_up_by_default(api: Api) -> None:
    pid = sign_up(api)
    api.admin.post(f"/3.0/admin/partner/{pid}", status="active")
    assert api.admin.with_key(None).post("/3.1/auth", login=EMAIL, password=SECRET)["id"] == str(pid)


def test_approval_and_sign_in_wait_for_confirmed_address_where_asked(api: Api) -> None:
    pid = sign_up(api)
    token, strict = token_of(api), waiting(api)
    path, login = f"/3.0/admin/partner/{pid}", {"login": EMAIL, "password": SECRET}
    assert strict.admin.refusal("POST", path, data={"status": "active"}) == (409, ["status"])
    api.admin.post(path, status="active")  # before the setting was made
    stranger = strict.admin.with_key(None)
    refused = stranger.call("POST", "/3.1/auth", data=login)
    unknown = stranger.call("POST", "/3.1/auth", data=login | {"login": "none@affiliate.example"})
    assert (refused.status_code, refused.content) == (401, unknown.content), "the answer is that of an unknown address"
    assert confirm(strict, token) == 200
    assert stranger.post("/3.1/auth", **login)["id"] == str(pid)
    api.admin.post(path, status="not active")
    strict.admin.post(path, status="active")


def test_address_confirmed_by_staff_or_never_asked_for_holds_nothing_up(api: Api) -> None:
    pid, strict = sign_up(api), waiting(api)
    made, _ = api.add_affiliate(email="made@affiliate.example", password=SECRET, status="on moderation")
    edited = strict.admin.post(f"/3.0/admin/partner/{pid}", status="active", email_confirmed=1)["partner"]
    assert (edited["status"], edited["email_state"]) == ("active", "confirmed")
    edited = strict.admin.post(f"/3.0/admin/partner/{made}", status="active", email_confirmed=0)["partner"]
    assert (edited["status"], edited["email_state"]) == ("active", "not asked")
    for email in (EMAIL, "made@affiliate.example"):
        assert strict.admin.with_key(None).post("/3.1/auth", login=email, password=SECRET)["type"] == "affiliate"
    [record] = api.admin.get("/3.1/admin/audit", key=str(pid), what="affiliate")["audit"]
    assert record["changes"]["email_state"] == {"from": "waiting", "to": "confirmed"}


def test_changed_address_is_confirmed_by_its_link_first(any_api: Api) -> None:
    pid, client = any_api.add_affiliate(email=EMAIL, password=PASSWORD)
    new = "ann@new.example"
    refused = client.refusal("POST", "/3.1/partner/email", data={"email": new, "password": "guess"})
    assert refused == (400, ["password"])
    assert mails(any_api) == []
    answer = client.post("/3.1/partner/email", email=new, password=PASSWORD)
    [(recipient, _, token)] = mails(any_api)
    assert (recipient, client.get("/3.1/partner/me")["user"]["email"]) == (new, EMAIL)
    assert confirm(any_api, token) == 200
    own = client.get("/3.1/partner/me")["user"]
    assert (own["email"], own["login"], state(any_api, pid)) == (new, new, "confirmed")
    assert mails(any_api) == [(EMAIL, "Your e-mail address was changed", "")]
    again, other = any_api.add_affiliate(email=EMAIL, password=PASSWORD)  # the old address is free
    assert again != pid
    assert other.post("/3.1/partner/email", email=new, password=PASSWORD) == answer, "taken ones are answered alike"
    assert mails(any_api) == []


def test_changed_address_that_was_taken_meanwhile_changes_nothing(any_api: Api) -> None:
    _, client = any_api.add_affiliate(email=EMAIL, password=PASSWORD)
    client.post("/3.1/partner/email", email="new@affiliate.example", password=PASSWORD)
    token = token_of(any_api)
    any_api.add_affiliate(email="new@affiliate.example")
    assert confirm(any_api, token) == 400
    assert client.get("/3.1/partner/me")["user"]["email"] == EMAIL


def test_erased_affiliate_has_no_links(api: Api) -> None:
    pid = sign_up(api)
    token = token_of(api)
    with api.deps.database.write() as conn:
        redact_account(conn, pid, "x", api.clock.now_ms())
    assert confirm(api, token) == 400


def test_erased_affiliate_leaves_no_mail_to_the_address_that_it_asked_for(any_api: Api) -> None:
    pid, ann = any_api.add_affiliate(email=EMAIL, password=PASSWORD)
    _, bob = any_api.add_affiliate(email="bob@affiliate.example", password=PASSWORD)
    ann.post("/3.1/partner/email", email="ann@new.example", password=PASSWORD)
    bob.post("/3.1/partner/email", email="bob@new.example", password=PASSWORD)
    with any_api.deps.database.write() as conn:
        redact_account(conn, pid, "x", any_api.clock.now_ms())
    assert [recipient for recipient, _, _ in mails(any_api)] == ["bob@new.example"]


def test_confirmation_page_opens_without_effect_and_runs_its_own_script(api: Api) -> None:
    page = TestClient(api.app).get("/confirm-email")
    assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (200, "text/html")
    assert 'fetch("3.1/partner/email/confirm"' in page.text and "{script}" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("end", ["own password", "password by staff", "renewed password", "ban"])
def test_link_to_another_address_ends_with_the_password_that_asked_for_it(any_api: Api, end: str) -> None:
    pid = sign_up(any_api)
    assert confirm(any_api, token_of(any_api)) == 200
    any_api.admin.post(f"/3.0/admin/partner/{pid}", status="active")
    ann = any_api.admin.with_key(any_api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"])
    ann.post("/3.1/partner/email", password=SECRET, email="eve@other.example")
    token = next(token for recipient, _, token in mails(any_api) if recipient == "eve@other.example")
    match end:
        case "own password":
            ann.post("/3.1/auth/password", password=SECRET, new_password="another long sentence")
        case "password by staff":
            any_api.admin.post(f"/3.0/admin/partner/{pid}", password="another long sentence")
        case "renewed password":
            any_api.admin.post(f"/3.0/admin/partner/password/{pid}")
        case "ban":
            any_api.admin.post(f"/3.0/admin/partner/{pid}", status="banned")
    assert confirm(any_api, token) == 400
    assert any_api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["email"] == EMAIL


def test_mail_to_an_address_that_may_be_anyones_has_no_text_of_the_stranger(api: Api) -> None:
    sign_up(api, name="Win now at evil.example", login="evil-login")
    with api.deps.database.write() as conn:
        item = mail.claim(conn, api.clock.now_ms(), 1)
    assert item is not None and "evil" not in item.body + item.subject
    assert EMAIL in item.body
