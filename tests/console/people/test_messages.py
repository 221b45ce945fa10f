"""Messages to affiliates on pages: the draft, its preview, the time, and the page of the affiliate."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.contract.requests.messages import add_received
from tests.support.api import Api
from tests.support.events import make_notices
from tests.support.pages import Visitor, affiliate_visitor, console_app, staff_visitor
from trackyard.actions.platform.messages.sending import send_next
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.store.tables import mail, message

PATH = "/console/messages"
HOSTILE = '"><script>alert(1)</script>'


def post(visitor: Visitor, path: str, **sent: Any) -> Any:
    kept = {name: value for name, value in visitor.read(path).fields.items() if name not in ("managers", "statuses")}
    return visitor.post(path, **kept | {"form_do": "save"} | sent)


def work(api: Api) -> None:
    while send_next(api.deps.database, api.clock.now_ms()) or make_notices(api.deps.database, api.clock.now_ms()):
        pass


def draft(visitor: Visitor, **sent: Any) -> str:
    """Write a draft on the page; the path of its page."""
    answer = post(visitor, f"{PATH}/new", title="Cap raised", text=f"Dear {{name}}, {HOSTILE}", **sent)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_affiliates_of_the_list_are_written_to_after_a_preview(api: Api) -> None:
    visitor = staff_visitor(api)
    pids = [api.add_affiliate(email=f"a{number}@a.example", name=f"Name {number}")[0] for number in range(3)]
    listed = visitor.get("/console/affiliates").text
    assert '<form id="chosen" method="get" action="/console/messages/new"' in listed
    assert listed.count('form="chosen" name="affiliate"') == 3
    new = visitor.read(f"{PATH}/new?affiliate={pids[0]}&affiliate={pids[2]}")
    assert new.fields["affiliate_ids"] == f"{pids[0]}, {pids[2]}"
    place = draft(visitor, affiliate_ids=new.fields["affiliate_ids"])
    page = visitor.get(place).text
    for text in ("2 people get it now", "2 by mail.", "Name 0 and Name 2", "Dear Name 0, &#34;&gt;&lt;script&gt;"):
        assert text in page, text
    with api.deps.database.read() as conn:
        assert not conn.execute(select(mail).where(mail.c.subject == "Cap raised")).all()
    sent = post(visitor, place)
    assert sent.headers["location"] == place
    assert "The message is on its way." in visitor.get(place).text
    work(api)
    after = visitor.get(place).text
    assert "2 people have it" in after and HOSTILE not in after
    assert "Cap raised" in visitor.get(PATH).text


def test_draft_is_changed_planned_cancelled_and_removed(api: Api) -> None:
    visitor = staff_visitor(api)
    api.add_affiliate(country="ES")
    place = draft(visitor, countries="es")
    answer = post(visitor, f"{place}/edit", title="Other", text="Other")
    assert answer.headers["location"] == place
    page = visitor.read(place)
    assert "Other" in page.text and "1 person gets it now" in page.text
    refused = post(visitor, place, send_at="2020-01-01T10:00")
    assert refused.status_code == 400 and "This time is over" in refused.text
    planned = post(visitor, place, send_at="2023-11-20T10:00")
    assert planned.status_code == 303
    with api.deps.database.read() as conn:
        assert conn.execute(select(message.c.state, message.c.send_at)).one() == ("planned", 1_700_474_400_000)
    shown = visitor.read(place)
    assert "Waits for its time" in shown.text and "2023-11-20 10:00" in shown.text
    assert visitor.get(f"{place}/edit").headers["location"] == place
    visitor.post(f"{place}/cancel", **shown.fields)
    assert "A draft: nothing is sent yet." in visitor.get(place).text
    assert visitor.post(f"{place}/remove", **visitor.read(place).fields).headers["location"] == PATH
    assert visitor.get(place).status_code == 404


def test_message_without_people_is_not_sent(api: Api) -> None:
    visitor = staff_visitor(api)
    place = draft(visitor, tags="nothing")
    assert "No affiliate meets all conditions." in visitor.get(place).text
    refused = post(visitor, place)
    assert refused.status_code == 409 and "No person would get this message" in refused.text


def test_manager_writes_and_the_affiliate_reads_and_a_look_marks_nothing(api: Api) -> None:
    app = console_app(api)
    visitor = staff_visitor(api, app=app)
    pid, reader = affiliate_visitor(api)
    account = Account(AccountKind.AFFILIATE, str(pid))
    number = add_received(api, account, text=f"Read {HOSTILE}")
    assert "1 unread" in reader.get("/portal/").text
    listed = reader.get("/portal/messages").text
    assert f"/portal/messages/{number}" in listed and HOSTILE not in listed
    assert visitor.post(f"/console/affiliates/{pid}/look-as").status_code == 303
    assert "Read" in visitor.get(f"/portal/messages/{number}").text
    assert "1 unread" in reader.get("/portal/").text
    assert "Read" in reader.get(f"/portal/messages/{number}").text
    assert "1 unread" not in reader.get("/portal/").text
    _, sales = api.add_staff(Role.MANAGER_SALES)
    assert sales.call("GET", "/3.1/admin/messages").status_code == 403


@pytest.mark.parametrize("audience", ["affiliate", "staff"])
def test_lists_of_messages_begin_empty_with_what_to_do(api: Api, audience: str) -> None:
    if audience == "staff":
        assert "No message is written yet." in staff_visitor(api).get(PATH).text
    else:
        assert "You have no messages yet." in affiliate_visitor(api)[1].get("/portal/messages").text
