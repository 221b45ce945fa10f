"""Staff users hear of events in Slack and Telegram (docs/spec/events.md#chats)."""

import json
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import Final

import pytest
from sqlalchemy import select

from tests.support.api import CIPHER, Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from trackyard.actions.deps import Deps
from trackyard.actions.events import chats
from trackyard.domain.events.chats import ChatPlace
from trackyard.domain.events.kinds import Channel
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Role
from trackyard.jobs.delivery.chat_messages import LEASE_MS, RETRY_SECONDS, ChatSender
from trackyard.outbound.interactive import OnDemandClient
from trackyard.store.engine.encrypted import find_encrypted, reencrypt_all
from trackyard.store.tables import audit, chat, chat_message

LOOPBACK: Final = [ip_network("127.0.0.0/8")]
TOKEN: Final = "123456789:" + "A" * 35


class ChatSetup:
    """A manager with chats at a receiver, and an affiliate that it manages."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.answers = [Reply(body=b"ok")]
        self.receiver = Receiver(self._reply)
        self.manager_id, self.manager = api.add_staff(Role.ADMIN)
        caller = api.caller_of(self.manager)
        assert isinstance(caller, StaffCaller)
        self.caller = caller
        self.pid, self.affiliate = api.add_affiliate(name="Ann & <Co>", password="x" * 12)
        make_notices(api.deps.database, api.clock.now_ms())

    def _reply(self, _request: ReceivedRequest) -> Reply:
        return self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)

    @property
    def deps(self) -> Deps:
        return replace(self.api.deps, trials=OnDemandClient(LOOPBACK), telegram_url=self.receiver.url("").rstrip("/"))

    @property
    def sender(self) -> ChatSender:
        url = self.deps.telegram_url
        return ChatSender(self.api.deps.database, self.api.clock, CIPHER, allow=LOOPBACK, telegram_url=url)

    def join(self, channel: Channel) -> None:
        place = ChatPlace(channel=Channel.SLACK, url=self.receiver.url("/services/secret"))
        if channel is Channel.TELEGRAM:
            place = ChatPlace(channel=channel, token=TOKEN, chat="-1001234567890")
        chats.set_chat(self.deps, self.caller, place)

    def ask(self) -> None:
        """Let the affiliate ask a question, and make its notices."""
        assert self.affiliate.post("/3.1/partner/ticket", title="Caps & <more>?", text="When?", type="financial")[
            "ticket"
        ]
        make_notices(self.api.deps.database, self.api.clock.now_ms())

    def waiting(self) -> int:
        with self.api.deps.database.read() as conn:
            return len(conn.execute(select(chat_message)).all())


@pytest.fixture
def setup(api: Api) -> Iterator[ChatSetup]:
    made = ChatSetup(api)
    with made.receiver:
        yield made


def listed(client: ApiClient) -> list[dict[str, object]]:
    found: list[dict[str, object]] = client.get("/3.1/admin/notices/chats")["chats"]
    return found


def test_event_is_written_once_to_each_chat_of_its_reader(setup: ChatSetup) -> None:
    for channel in (Channel.SLACK, Channel.TELEGRAM):
        setup.join(channel)
    setup.ask()
    assert setup.waiting() == 2
    while setup.sender.write_one():
        pass
    assert setup.waiting() == 0
    slack, telegram = sorted(setup.receiver.requests(), key=lambda each: each.path.startswith("/bot"))
    link = f"{setup.api.deps.api_url}/console/requests"
    assert (slack.method, slack.path, slack.headers["content-type"]) == ("POST", "/services/secret", "application/json")
    assert json.loads(slack.body) == {"text": f"Ann &amp; &lt;Co&gt; asks: Caps &amp; &lt;more&gt;?\n{link}"}
    assert telegram.path == f"/bot{TOKEN}/sendMessage"
    assert json.loads(telegram.body) == {
        "chat_id": "-1001234567890",
        "text": f"Ann & <Co> asks: Caps & <more>?\n{link}",
        "disable_web_page_preview": True,
    }


def test_message_is_in_the_language_of_its_reader_and_follows_the_choice(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.manager.post("/3.1/auth/preferences", language="es")
    setup.ask()
    assert setup.sender.write_one()
    [message] = setup.receiver.requests()
    assert "pregunta: Caps" in json.loads(message.body)["text"]
    setup.manager.post("/3.1/notices/choices", **{"slack[question.opened]": "0"})
    setup.ask()
    assert setup.waiting() == 0
    assert [each["kind"] for each in setup.manager.get("/3.1/notices")["notices"]] == ["question.opened"] * 2


@pytest.mark.parametrize("answer", [Reply(500), Reply(429, headers={"Retry-After": "7"})])
def test_chat_that_is_away_gets_the_message_later_and_its_person_sees_why(setup: ChatSetup, answer: Reply) -> None:
    setup.join(Channel.SLACK)
    setup.ask()
    setup.answers = [replace(answer, body=b"busy"), Reply(body=b"ok")]
    assert setup.sender.write_one()
    assert not setup.sender.write_one()  # it is not due
    [failing] = listed(setup.manager)
    assert (failing["failure"], failing["failing_since"]) != ("", None)
    assert failing["failure"] == f"HTTP {answer.status}: busy"
    setup.api.clock.advance(max(7, RETRY_SECONDS[0]) * 1000)
    assert setup.sender.write_one()
    assert setup.waiting() == 0
    [well] = listed(setup.manager)
    assert (well["failure"], well["failing_since"]) == ("", None)


def test_chat_that_refuses_for_good_is_asked_once(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.ask()
    setup.answers = [Reply(404, b"no_service")]
    assert setup.sender.write_one()
    assert setup.waiting() == 0
    assert listed(setup.manager)[0]["failure"] == "HTTP 404: no_service"


def test_message_that_is_never_taken_is_given_up(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.ask()
    setup.answers = [Reply(503)]
    for _ in range(len(RETRY_SECONDS) + 1):
        assert setup.sender.write_one()
        setup.api.clock.advance(RETRY_SECONDS[-1] * 1000)
    assert setup.waiting() == 0
    assert len(setup.receiver.requests()) == len(RETRY_SECONDS) + 1


def test_message_of_a_worker_that_died_is_written_after_its_lease(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.ask()
    with setup.api.deps.database.write() as conn:
        conn.execute(chat_message.update().values(attempts=1, next_at=setup.api.clock.now_ms() + LEASE_MS))
    assert not setup.sender.write_one()
    setup.api.clock.advance(LEASE_MS)
    assert setup.sender.write_one()
    assert len(setup.receiver.requests()) == 1


def test_answer_of_a_test_message_is_shown(setup: ChatSetup) -> None:
    setup.join(Channel.TELEGRAM)
    assert chats.send_test(setup.deps, setup.caller, Channel.TELEGRAM) == ""
    setup.answers = [Reply(403, b'{"description":"bot was blocked by the user"}')]
    said = chats.send_test(setup.deps, setup.caller, Channel.TELEGRAM)
    assert said == 'HTTP 403: {"description":"bot was blocked by the user"}'
    assert listed(setup.manager)[0]["failure"] == said
    assert len(setup.receiver.requests()) == 2


def test_place_is_secret_wherever_it_is_kept(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.manager.post("/3.1/admin/notices/chats", channel="telegram", token=TOKEN, chat="@network_alerts")
    shown = {each["channel"]: each["shown"] for each in listed(setup.manager)}
    assert shown == {"slack": "127.0.0.1", "telegram": "@network_alerts"}
    with setup.api.deps.database.read() as conn:
        stored = [row.sealed for row in conn.execute(select(chat)).all()]
        logged = [str(row) for row in conn.execute(select(audit)).all()]
        assert find_encrypted(conn) is not None
    assert len(stored) == 2
    for text in (*stored, *logged, *map(str, listed(setup.manager))):
        assert TOKEN not in text
        assert "/services/secret" not in text
    with setup.api.deps.database.write() as conn:
        assert reencrypt_all(conn, CIPHER.reencrypt) >= 2


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"channel": "slack"}, "url"),
        ({"channel": "slack", "url": "ftp://hooks.example/x"}, "url"),
        ({"channel": "slack", "url": "http://127.0.0.1/x"}, "url"),
        ({"channel": "slack", "url": "http://[::1]/x"}, "url"),
        ({"channel": "telegram", "chat": "-100"}, "token"),
        ({"channel": "telegram", "token": TOKEN + "/../getMe?", "chat": "-100"}, "token"),
        ({"channel": "telegram", "token": TOKEN, "chat": "a b"}, "chat"),
        ({"channel": "bell"}, "channel"),
    ],
)
def test_place_that_cannot_be_used_is_refused_by_its_field(api: Api, sent: dict[str, str], field: str) -> None:
    refused = api.admin.call("POST", "/3.1/admin/notices/chats", data=sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [field])
    assert listed(api.admin) == []


def test_affiliates_have_no_chats_and_choose_none(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    assert affiliate.call("GET", "/3.1/admin/notices/chats").status_code == 403
    choices = affiliate.get("/3.1/notices/choices")["choices"]
    assert {tuple(each["channels"]) for each in choices} == {("mail", "bell")}


def test_removed_chat_takes_its_messages_along(setup: ChatSetup) -> None:
    setup.join(Channel.SLACK)
    setup.ask()
    setup.manager.post("/3.1/admin/notices/chats/remove", channel="slack")
    assert (setup.waiting(), listed(setup.manager)) == (0, [])
    again = setup.manager.call("POST", "/3.1/admin/notices/chats/remove", data={"channel": "slack"})
    assert again.status_code == 404
