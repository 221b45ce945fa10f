"""Messages to affiliates: who gets them, when, and each person once (docs/spec/messages.md)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.support.api import CIPHER, Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.pages import Visitor, console_app
from trackyard.actions.events.stops import STOP_PAGE
from trackyard.actions.platform.messages import sending as message_sending
from trackyard.actions.platform.messages.sending import send_next
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.messages import MOST_AN_HOUR
from trackyard.store.platform import messages
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import bell_item, event, mail, message, message_receipt, receiver

MESSAGES = "/3.1/admin/messages"


def write(api: Api, client: ApiClient | None = None, **params: Any) -> str:
    """A draft; its id."""
    sent = {"title": "Cap raised", "text": "For {name}: the cap is 200 now. {offer}"} | params
    return str((client or api.admin).post(MESSAGES, **sent)["message"]["id"])


def work(api: Api) -> None:
    """Do what the worker does until nothing is left."""
    while send_next(api.deps.database, api.clock.now_ms(), CIPHER) or make_notices(
        api.deps.database, api.clock.now_ms()
    ):
        pass


def send(api: Api, client: ApiClient | None = None, **params: Any) -> str:
    number = write(api, client, **params)
    (client or api.admin).post(f"{MESSAGES}/{number}/send")
    work(api)
    return number


def mails(api: Api) -> list[str]:
    """The recipients of the mails of messages, in order."""
    with api.deps.database.read() as conn:
        query = select(mail.c.recipient).where(mail.c.subject == "Cap raised").order_by(mail.c.recipient)
        return list(conn.execute(query).scalars())


def emails(*numbers: int) -> list[str]:
    return [f"a{number}@a.example" for number in numbers]


class People(list[int]):
    """The numbers of affiliates, and their clients."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: list[ApiClient] = []


@pytest.fixture
def people(api: Api) -> People:
    """Affiliates: one with a tag, one in Spain, one with a manager, and the last one not active."""
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    about: tuple[dict[str, Any], ...] = ({}, {"tags[]": "top"}, {"country": "ES"}, {"manager_id": manager}, {})
    pids = People()
    for number, more in enumerate(about):
        pid, client = api.add_affiliate(email=f"a{number}@a.example", name=f"Name {number}")
        pids.clients.append(client)
        pids.append(pid)
        if more:
            api.admin.post(f"/3.0/admin/partner/{pid}", **more)
    api.admin.post(f"/3.0/admin/partner/{pids[4]}", status="not active")
    work(api)
    with api.deps.database.write() as conn:
        conn.execute(mail.delete())
    return pids


def test_each_condition_of_the_audience_chooses_its_affiliates(api: Api, people: People) -> None:
    offer = api.add_offer()
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=offer, pid=people[0], notice="0")
    manager = api.admin.get(f"/3.0/admin/partner/{people[3]}")["partner"]["manager"]["id"]
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({}, [0, 1, 2, 3]),
        ({"offer_ids[]": offer}, [0]),
        ({"tags[]": "top"}, [1]),
        ({"countries[]": "ES"}, [2]),
        ({"managers[]": manager}, [3]),
        ({"statuses[]": "not active"}, [4]),
        ({"affiliate_ids[0]": people[0], "affiliate_ids[1]": people[2]}, [0, 2]),
        ({"affiliate_ids[]": people[4]}, []),
        ({"tags[]": "top", "countries[]": "ES"}, []),
    ]
    for params, chosen in cases:
        number = write(api, **params)
        shown = api.admin.get(f"{MESSAGES}/{number}/preview")
        counts = shown["affiliates"], shown["people"], shown["mails"]
        assert counts == (len(chosen),) * 3, params
        assert shown["names"] == [f"Name {each}" for each in chosen], params
        if chosen:
            api.admin.post(f"{MESSAGES}/{number}/send")
            work(api)
            assert mails(api) == emails(*chosen), params
            after = api.admin.get(f"{MESSAGES}/{number}")["message"]
            assert (after["state"], after["people"], after["mails"]) == ("sent", len(chosen), len(chosen))
            with api.deps.database.write() as conn:
                conn.execute(mail.delete())
        else:
            assert api.admin.call("POST", f"{MESSAGES}/{number}/send").status_code == 409
    assert len(cases) == 9


def test_preview_is_the_mail_that_the_first_person_gets(api: Api, people: People) -> None:
    number = write(api, **{"affiliate_ids[]": people[0]})
    shown = api.admin.get(f"{MESSAGES}/{number}/preview")
    assert mails(api) == []
    api.admin.post(f"{MESSAGES}/{number}/send")
    work(api)
    with api.deps.database.read() as conn:
        [row] = conn.execute(select(mail)).all()
    keyless = f"http://api.example{STOP_PAGE}"
    sent = [text.replace(row.stop, keyless) for text in (row.subject, row.body, row.html)]
    assert sent == [shown["subject"], shown["body"], shown["html"]] and row.stop.startswith(f"{keyless}?key=")
    assert "Hello Name 0,\n\nCap raised\n\nFor Name 0: the cap is 200 now. {offer}" in row.body, "other braces stay"
    assert f"/portal/messages/{number}" in row.body
    assert "<html" in row.html and "Name 0" in row.html


def test_mail_is_in_the_frame_of_the_language_of_its_person(api: Api, people: People) -> None:
    people.clients[0].post("/3.1/auth/preferences", language="es")
    send(api, **{"affiliate_ids[]": people[0]})
    with api.deps.database.read() as conn:
        [html] = conn.execute(select(mail.c.html)).scalars().all()
    assert '<html lang="es">' in html


def test_message_waits_for_its_time_and_can_be_cancelled_before(api: Api, people: People) -> None:
    number, other = write(api), write(api)
    at = datetime.fromtimestamp(api.clock.now_ms() / 1000 + 3600, UTC).isoformat()
    for each in (number, other):
        planned = api.admin.post(f"{MESSAGES}/{each}/send", send_at=at)["message"]
        assert (planned["state"], planned["send_at"]) == ("planned", "2023-11-14 23:13:20")
    assert api.admin.call("POST", f"{MESSAGES}/{other}", data={"title": "x"}).status_code == 409
    assert api.admin.post(f"{MESSAGES}/{other}/cancel")["message"]["state"] == "draft"
    work(api)
    assert mails(api) == []
    api.add_affiliate(email="a9@a.example")
    api.clock.advance(3_599_000)
    work(api)
    assert mails(api) == [], "a second before"
    api.clock.advance(1000)
    work(api)
    assert mails(api) == emails(0, 1, 2, 3, 9), "who joined meanwhile gets it, too"
    assert api.admin.call("POST", f"{MESSAGES}/{number}/cancel").status_code == 409
    assert api.admin.call("POST", f"{MESSAGES}/{number}/remove").status_code == 409
    assert api.admin.get(f"{MESSAGES}/{other}")["message"]["state"] == "draft"
    over = api.admin.call("POST", f"{MESSAGES}/{other}/send", data={"send_at": "2023-11-14T00:00:00Z"})
    assert (over.status_code, list(over.json()["fields"])) == (400, ["send_at"])
    assert api.admin.post(f"{MESSAGES}/{other}/remove")["message"]["id"] == other
    assert api.admin.call("GET", f"{MESSAGES}/{other}").status_code == 404


def test_manager_reaches_only_its_affiliates_and_sees_only_its_messages(api: Api, people: People) -> None:
    manager_id, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    api.admin.post(f"/3.0/admin/partner/{people[1]}", manager_id=manager_id)
    assert api.clock.now_ms()
    foreign = manager.call("POST", MESSAGES, data={"title": "x", "text": "y", "affiliate_ids[]": people[0]})
    unknown = manager.call("POST", MESSAGES, data={"title": "x", "text": "y", "affiliate_ids[]": 4711})
    assert foreign.status_code == unknown.status_code == 400
    assert list(foreign.json()["fields"]) == ["affiliate_ids"]
    of_admin = write(api)
    for path in ("", "/preview"):
        assert manager.call("GET", f"{MESSAGES}/{of_admin}{path}").status_code == 404
    own = send(api, manager)
    assert mails(api) == emails(1)
    assert [each["id"] for each in manager.get(MESSAGES)["messages"]] == [own]
    assert {each["id"] for each in api.admin.get(MESSAGES)["messages"]} == {own, of_admin}
    assert [each["id"] for each in api.admin.get(MESSAGES, state="draft")["messages"]] == [of_admin]
    _, sales = api.add_staff(Role.MANAGER_SALES)
    assert sales.call("GET", MESSAGES).status_code == 403


def test_message_of_an_author_who_may_no_longer_write_goes_to_no_person(api: Api, people: People) -> None:
    manager_id, manager = api.add_staff(Role.SECTION_PARTNER)
    number = write(api, manager)
    manager.post(f"{MESSAGES}/{number}/send")
    api.admin.post(f"/3.1/admin/user/{manager_id}/block")
    work(api)
    assert mails(api) == []
    shown = api.admin.get(f"{MESSAGES}/{number}")["message"]
    assert shown["state"] == "cancelled" and shown["reason"]


def test_kill_between_any_two_steps_gives_no_person_two_and_no_person_none(
    api: Api, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_sending, "BATCH", 2)
    number = write(api)
    api.admin.post(f"{MESSAGES}/{number}/send")
    names = ("add_receipts", "edit_message")
    killed = 0
    real_notice = message_sending.send_notice
    for _ in range(40):
        for name in (*names, "send_notice"):
            place: Any = message_sending if name == "send_notice" else messages
            real = getattr(place, name)

            def die(*args: Any, _real: Any = real, **values: Any) -> Any:
                _real(*args, **values)
                raise RuntimeError("killed")

            monkeypatch.setattr(place, name, die)
            try:
                send_next(api.deps.database, api.clock.now_ms())
            except RuntimeError:
                killed += 1
            monkeypatch.setattr(place, name, real)
        make_notices(api.deps.database, api.clock.now_ms())
        if not send_next(api.deps.database, api.clock.now_ms()):
            break
    assert message_sending.send_notice is real_notice
    assert killed >= 6
    assert mails(api) == emails(0, 1, 2, 3)
    assert api.admin.get(f"{MESSAGES}/{number}")["message"]["people"] == 4
    with api.deps.database.read() as conn:
        assert conn.execute(select(func.count()).select_from(message_receipt)).scalar_one() == 4
        seq = conn.execute(select(event.c.seq).where(event.c.kind == "message.sent")).scalar_one()
        rung = conn.execute(select(bell_item.c.account).where(bell_item.c.seq == seq)).scalars().all()
    assert sorted(rung) == sorted(f"affiliate:{pid}" for pid in people[:4])


def test_person_of_two_companies_gets_one_mail_and_sees_it_in_both(api: Api, people: People) -> None:
    clients = people.clients[:2]
    for client in clients:
        client.post("/3.1/people", email="both@a.example", role="reports", name="Both")
    with api.deps.database.write() as conn:
        conn.execute(mail.delete())
    number = write(api, **{"affiliate_ids[0]": people[0], "affiliate_ids[1]": people[1]})
    shown = api.admin.get(f"{MESSAGES}/{number}/preview")
    assert (shown["affiliates"], shown["people"], shown["mails"]) == (2, 4, 3)
    api.admin.post(f"{MESSAGES}/{number}/send")
    work(api)
    assert mails(api) == [*emails(0, 1), "both@a.example"]
    with api.deps.database.read() as conn:
        accounts = conn.execute(select(message_receipt.c.account)).scalars().all()
    assert len(accounts) == 4 and sum(each.startswith("member:") for each in accounts) == 2


def test_mail_of_messages_can_be_switched_off_and_the_bell_stays(api: Api, people: People) -> None:
    ann = people.clients[0]
    assert "message.sent" in {each["kind"] for each in ann.get("/3.1/notices/choices")["choices"]}
    ann.post("/3.1/notices/choices", **{"mail[message.sent]": "0"})
    number = send(api)
    assert mails(api) == emails(1, 2, 3)
    [notice] = [each for each in ann.get("/3.1/notices")["notices"] if each["kind"] == "message.sent"]
    assert notice["text"] == "Cap raised" and notice["link"].endswith(f"/portal/messages/{number}")


def test_unread_messages_are_counted_for_each_person(api: Api, people: People) -> None:
    ann, bob = people.clients[:2]
    first, second = send(api), send(api, **{"affiliate_ids[]": people[0]})
    found = ann.get("/3.1/messages")
    assert (found["unread"], {each["id"] for each in found["messages"]}) == (2, {first, second})
    assert bob.get("/3.1/messages")["unread"] == 1
    assert ann.get(f"/3.1/messages/{first}")["message"]["is_read"] is False, "a look does not mark it"
    assert ann.post(f"/3.1/messages/{first}/read")["message"]["is_read"] is True
    assert [each.get("/3.1/messages")["unread"] for each in (ann, bob)] == [1, 1]
    unread = [each["text"] for each in ann.get("/3.1/notices")["notices"] if not each["is_read"]]
    assert unread.count("Cap raised") == 1
    for method, path in (("GET", ""), ("POST", "/read")):
        assert bob.call(method, f"/3.1/messages/{second}{path}").status_code == 404
    assert api.admin.call("GET", "/3.1/messages").status_code == 403


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", ""), ("title", "x" * 201), ("text", ""), ("text", "x" * 10_001), ("affiliate_ids[0]", "4711"),
        ("offer_ids[0]", "4711"), ("countries[0]", "XX"), ("managers[0]", "0" * 24), ("statuses[0]", "gone"),
    ],
)  # fmt: skip
def test_bad_message_is_refused_with_the_name_of_the_field(api: Api, name: str, value: str) -> None:
    number = write(api)
    for path in (MESSAGES, f"{MESSAGES}/{number}"):
        refused = api.admin.call("POST", path, data={"title": "x", "text": "y"} | {name: value})
        assert refused.status_code == 400
        assert [each.partition("[")[0] for each in refused.json()["fields"]] == [name.partition("[")[0]]


def test_staff_user_sends_a_limited_number_of_messages_an_hour(api: Api, people: People) -> None:
    for _ in range(MOST_AN_HOUR):
        api.admin.post(f"{MESSAGES}/{write(api)}/send")
    last = write(api)
    refused = api.admin.call("POST", f"{MESSAGES}/{last}/send")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) <= 3601
    api.clock.advance(3_601_000)
    assert api.admin.post(f"{MESSAGES}/{last}/send")["message"]["state"] == "planned"


def test_draft_edit_changes_what_is_sent_alone(api: Api, people: People) -> None:
    number = write(api, **{"tags[]": "top", "countries[]": "ES"})
    changed = api.admin.post(f"{MESSAGES}/{number}", title="Other", **{"tags[]": ""})["message"]
    assert (changed["title"], changed["tags"], changed["countries"]) == ("Other", [], ["ES"])
    assert api.admin.get(f"{MESSAGES}/{number}")["message"] == changed


def test_erased_affiliate_has_no_message_and_old_messages_are_removed(api: Api, people: People) -> None:
    number = send(api)
    with api.deps.database.write() as conn:
        redact_account(conn, people[0], "hash", api.clock.now_ms())
        accounts = conn.execute(select(message_receipt.c.account)).scalars().all()
    assert sorted(accounts) == sorted(f"affiliate:{pid}" for pid in people[1:4])
    steps = 0
    with api.deps.database.write() as conn:
        assert not messages.has_before(conn, api.clock.now_ms())
        while messages.remove_before(conn, api.clock.now_ms() + 1, 2):
            steps += 1
        assert steps > 3
        for table in (message, message_receipt, receiver):
            assert conn.execute(select(func.count()).select_from(table)).scalar_one() == 0
    assert api.admin.call("GET", f"{MESSAGES}/{number}").status_code == 404


def test_many_affiliates_are_sent_to_in_bounded_transactions(
    api: Api, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_sending, "BATCH", 3)
    monkeypatch.setattr(message_sending, "_PAGE", 2)
    for number in range(10, 17):
        api.add_affiliate(email=f"b{number}@a.example")
    most, real = [0], message_sending.send_notice

    def count(conn: Any, notice: Any, recipients: Any, *args: Any, **values: Any) -> list[str]:
        most[0] = max(most[0], len(recipients))
        return real(conn, notice, recipients, *args, **values)

    monkeypatch.setattr(message_sending, "send_notice", count)
    number = write(api)
    assert api.admin.get(f"{MESSAGES}/{number}/preview")["people"] == 11
    api.admin.post(f"{MESSAGES}/{number}/send")
    work(api)
    assert most == [3] and len(mails(api)) == 11 == len(set(mails(api)))


def test_mails_of_messages_have_a_link_that_stops_them(api: Api) -> None:
    api.add_affiliate(email="a1@a.example")
    api.add_affiliate(email="a2@a.example")
    send(api)
    with api.deps.database.read() as conn:
        links = {row.recipient: row.stop for row in conn.execute(select(mail)) if row.subject == "Cap raised"}
    assert set(links) == set(emails(1, 2)) and all(links.values())
    stopped = Visitor(console_app(api)).client.post(links["a1@a.example"].removeprefix("http://api.example"), data={})
    assert stopped.status_code == 200
    send(api)
    assert mails(api) == emails(1, 2, 2)
