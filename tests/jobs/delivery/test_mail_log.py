"""What became of mails, and addresses that refuse them (docs/spec/mails.md#log)."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.pages import staff_visitor
from trackyard.actions.platform.notices import NOTICES, Recipient, send_notice
from trackyard.base.texts.languages import NAMES, language, speaking
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.own_texts import values_of
from trackyard.domain.platform.retention import DEFAULT_RETENTION
from trackyard.jobs.delivery.mail import GIVE_UP_MS, Mailer
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.outbound.mail import MailMessage, MailRejected
from trackyard.store.platform import mail
from trackyard.store.tables import event, mail_log, mail_refusal

LOG = "/3.1/admin/mails"
NO_SUCH = "550 5.1.1 no such mailbox"


class ChoosyServer:
    """A mail server that refuses some addresses. answers: by address."""

    def __init__(self, **answers: tuple[str, bool]) -> None:
        self.answers = answers
        self.taken: list[str] = []

    def send(self, message: MailMessage) -> None:
        """Take a mail or refuse it."""
        if refusal := self.answers.get(message.recipient.partition("@")[0]):
            raise MailRejected(refusal[0], permanent=refusal[1])
        self.taken.append(message.recipient)

    def close(self) -> None:
        """Hold nothing."""


def deliver(api: Api, server: ChoosyServer) -> None:
    mailer = Mailer(api.deps.database, api.clock, server, draw_jitter=lambda: 0.0)
    while mailer.send_one():
        pass


def queue(api: Api, *emails: str, kind: NoticeKind = NoticeKind.PASSWORD_CHANGED, **values: object) -> None:
    with api.deps.database.write() as conn:
        send_notice(conn, NOTICES[kind], [Recipient(each, "Ann") for each in emails], api.clock.now_ms(), **values)


def log(client: ApiClient, **filters: Any) -> list[dict[str, Any]]:
    return list(client.get(LOG, **filters)["mails"])


def work(api: Api, server: ChoosyServer) -> None:
    """Do what the worker does until nothing is left to send now."""
    for _ in range(3):
        make_notices(api.deps.database, api.clock.now_ms())
        deliver(api, server)


def test_log_has_every_kind_in_every_language_and_no_secret(api: Api) -> None:
    secret = "hunter2-never-shown"
    seen = 0
    for code in NAMES:
        for notice in NOTICES.values():
            values = dict.fromkeys(set(values_of(notice)) - {"name", "network"}, "x")
            values |= {"link": f"https://n.example/?token={secret}"} | (
                {"password": secret} if "password" in values else {}
            )
            with speaking(language(code)), api.deps.database.write() as conn:
                send_notice(conn, notice, [Recipient("a@a.example", "Ann", language=code)], NOW, **values)
            seen += 1
    with api.deps.database.read() as conn:
        rows = conn.execute(select(mail_log)).all()
    assert len(rows) == seen == len(NoticeKind) * 3 >= 150
    assert {row.kind for row in rows} == set(NoticeKind) and all(row.subject for row in rows)
    assert not [row for row in rows if secret in str(tuple(row))]
    shown = [each for page in (1, 2, 3) for each in log(api.admin, limit=100, page=page)]
    assert len(shown) == seen and secret not in str(shown) and all(each["title"] for each in shown)


def test_state_of_a_mail_follows_what_the_server_answers(api: Api) -> None:
    server = ChoosyServer(later=("450 4.2.2 mailbox full", False), never=(NO_SUCH, True))
    queue(api, "good@a.example", "later@a.example", "never@a.example")
    assert {each["state"] for each in log(api.admin)} == {"queued"}
    deliver(api, server)
    found = {each["email"]: (each["state"], each["attempts"], each["answer"]) for each in log(api.admin)}
    assert found == {
        "good@a.example": ("sent", 1, ""),
        "later@a.example": ("queued", 1, "450 4.2.2 mailbox full"),
        "never@a.example": ("refused", 1, NO_SUCH),
    }
    api.clock.advance(GIVE_UP_MS + 1)
    deliver(api, server)
    [given_up] = log(api.admin, email="later@")
    assert (given_up["state"], given_up["attempts"]) == ("given_up", 2)


def test_log_is_filtered_by_state_kind_address_and_days(api: Api) -> None:
    queue(api, "ann@a.example", "never@a.example")
    queue(api, "ann@a.example", kind=NoticeKind.FACTOR_ADDED)
    deliver(api, ChoosyServer(never=(NO_SUCH, True)))
    assert [each["email"] for each in log(api.admin, state="refused")] == ["never@a.example"]
    assert [each["kind"] for each in log(api.admin, kind="second_factor.added")] == ["second_factor.added"]
    assert len(log(api.admin, email="ANN@")) == 2 and not log(api.admin, email="%")
    assert len(log(api.admin, date_from="2023-11-14", date_to="2023-11-14")) == 3
    assert not log(api.admin, date_to="2023-11-13") and not log(api.admin, date_from="2023-11-15")
    for wrong in ({"state": "lost"}, {"kind": "no.such"}, {"date_from": "2023-11-15", "date_to": "2023-11-14"}):
        assert api.admin.call("GET", LOG, params=wrong).status_code == 400


def test_log_is_for_staff_who_may_change_settings(api: Api) -> None:
    _, staff = api.add_staff(Role.SECTION_NEWS)
    _, affiliate = api.add_affiliate()
    for client in (staff, affiliate):
        assert client.call("GET", LOG).status_code in (401, 403)
    visitor = staff_visitor(api)
    queue(api, "never@a.example")
    deliver(api, ChoosyServer(never=(NO_SUCH, True)))
    page = visitor.read("/console/mails?state=refused&q=never").text
    assert "never@a.example" in page and NO_SUCH in page and "refused" in page
    assert "/console/mails" in visitor.read("/console/settings").links
    assert staff_visitor(api, Role.SECTION_NEWS).get("/console/mails").status_code == 403


def test_first_refusal_of_an_address_is_published_once_until_it_takes_a_mail(api: Api) -> None:
    refuses, takes = ChoosyServer(never=(NO_SUCH, True)), ChoosyServer()
    api.add_staff(Role.ADMIN)

    def published() -> int:
        with api.deps.database.read() as conn:
            return len(conn.execute(select(event).where(event.c.kind == "mail.refused")).all())

    for times in (1, 1, 1):
        queue(api, "never@a.example")
        work(api, refuses)
        assert published() == times
    with api.deps.database.read() as conn:
        [row] = conn.execute(select(mail_refusal)).all()
    assert tuple(row) == ("never@a.example", NOW, NO_SUCH)
    assert [each["kind"] for each in log(api.admin, kind="mail.refused")] == ["mail.refused"]
    queue(api, "NEVER@a.example")
    work(api, takes)
    with api.deps.database.read() as conn:
        assert conn.execute(select(mail_refusal)).all() == []
    queue(api, "never@a.example")
    work(api, refuses)
    assert published() == 2


def test_mail_about_a_refusal_never_goes_to_a_refused_address(api: Api) -> None:
    staff_id, _ = api.add_staff(Role.ADMIN)
    email = api.admin.get(f"/3.0/admin/user/{staff_id}")["user"]["email"]
    server = ChoosyServer(**{email.partition("@")[0]: (NO_SUCH, True)})
    queue(api, email)
    for _ in range(5):
        work(api, server)
    assert log(api.admin, kind="mail.refused", email=email) == []
    queue(api, "never@a.example")
    work(api, ChoosyServer(never=(NO_SUCH, True), **server.answers))
    assert log(api.admin, kind="mail.refused", email=email) == []
    with api.deps.database.read() as conn:
        assert len(conn.execute(select(event).where(event.c.kind == "mail.refused")).all()) == 2


@pytest.mark.parametrize("kind", ["affiliate", "advertiser", "staff", "member"])
def test_refusal_is_shown_at_the_person(api: Api, kind: str) -> None:
    email = "never@a.example"
    pid, _ = api.add_affiliate(email=email if kind == "affiliate" else "owner@a.example")
    advertiser = api.add_advertiser(email=email if kind == "advertiser" else "shop@a.example")
    path = {"affiliate": f"/console/affiliates/{pid}", "advertiser": f"/console/advertisers/{advertiser}"}.get(kind, "")
    if kind == "staff":
        made = api.admin.post(
            "/3.0/admin/user", email=email, first_name="Ann", last_name="Lee", password="long-enough-1"
        )
        path = f"/console/staff/{made['user']['id']}"
    if kind == "member":
        made = api.admin.post("/3.1/people", company=f"affiliate:{pid}", email=email, name="Ann", role="reports")
        path = f"/console/affiliates/{pid}/people/{made['person']['id']}"
    queue(api, email)
    deliver(api, ChoosyServer(never=(NO_SUCH, True)))
    visitor = staff_visitor(api)
    assert f"Mails to {email} are refused since" in visitor.read(path).text and NO_SUCH in visitor.read(path).text
    queue(api, email)
    deliver(api, ChoosyServer())
    assert "are refused since" not in visitor.read(path).text


def test_log_is_kept_as_long_as_logs_and_forgotten_with_its_address(api: Api) -> None:
    queue(api, "old@a.example", "gone@a.example")
    deliver(api, ChoosyServer(gone=(NO_SUCH, True)))
    with api.deps.database.write() as conn:
        mail.remove_to(conn, "gone@a.example")
    assert [each["email"] for each in log(api.admin)] == ["old@a.example"]
    with api.deps.database.read() as conn:
        assert conn.execute(select(mail_refusal)).all() == []
    schedule = JobScheduler(api.deps.database, api.deps.zone, api.clock)
    assert schedule.trim_mail_log() == 0
    api.clock.advance(DEFAULT_RETENTION.logs * 86_400_000 + 86_400_000)
    assert schedule.trim_mail_log() == 1 and log(api.admin) == []
