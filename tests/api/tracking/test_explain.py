"""Explanations: an id leads to all that belongs to it, and sentences say why a conversion is missing."""

from typing import Any

import pytest
from sqlalchemy import update

from tests.support.api import NOW, Api
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.stores.statements import recorded_statements
from trackyard.analytics.load import load
from trackyard.base.ids import new_id
from trackyard.base.masks import mask_url
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.domain.tracking.outbound_calls import DeliveryKind, NewDelivery
from trackyard.journal.records import Click, InboundPostback, encode
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.tables import delivery
from trackyard.store.tables import inbox as inbox_table
from trackyard.store.tracking import deliveries

ADVERTISER = "ad" * 12
URL = "https://user:pw@a.example/in?cid=7&api_token=t0psecret"


def recorded_click(api: Api, number: int = 1, **fields: Any) -> Click:
    click = new_click(number, time=NOW, **{"offer": 1, "affiliate": 7, "advertiser": ADVERTISER} | fields)
    load_clicks(api.deps, [click])
    return click


def logged(api: Api, click_id: str, response: str, **fields: Any) -> str:
    """An inbound postback in the log; the id of its record."""
    made = new_id(NOW + 5000)
    values: dict[str, Any] = {
        "id": made, "revision": 1, "time": NOW + 5000, "click_id": click_id, "conversion_id": "", "offer": 1,
        "affiliate": 7, "advertiser": ADVERTISER, "goal": "1", "action_id": "", "status": 1, "method": "GET",
        "ip": "192.0.2.9", "ua": "curl/8", "query": f"clickid={click_id}&secure=***", "body": "",
        "response": response, "journal": "001-1", "position": 1,
    }  # fmt: skip
    load(api.deps.analytics, "server_log", [encode_row(ServerPostbackLog(**values | fields))], f"log-{made}")
    return made


def undecided(api: Api, click_id: str, *, state: str = inbox.WAITING, **params: str) -> str:
    """An inbound postback in the inbox; the id of its record."""
    made = new_id(NOW + 6000)
    sent = {"clickid": click_id, "secure": "c0de", **params}
    query = "&".join(f"{name}={value}" for name, value in sent.items())
    record = InboundPostback(NOW + 6000, made, "postback", "GET", "192.0.2.9", "curl/8", query, "", sent)
    click = None if state in (inbox.WAITING, inbox.UNMATCHED) else b"{}"
    entry = NewInboxEntry(1, encode(record), click, click_id, NOW, waiting=state == inbox.WAITING)
    with api.deps.database.write() as conn:
        inbox.add_entries(conn, f"j-{made}", [entry])
        if state == inbox.QUARANTINED:
            conn.execute(update(inbox_table).values(state=inbox.QUARANTINED))
    return made


def explained(api: Api, text: str, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = api.admin.get("/3.1/admin/explain", id=text, **params)["explanation"]
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [each["code"] for each in found["conclusions"]]


def sentence(found: dict[str, Any], code: str) -> str:
    return next(f"{each['sentence']} {each['advice']}" for each in found["conclusions"] if each["code"] == code)


def test_rejected_click_is_explained_with_meaning_and_advice(api: Api) -> None:
    click = recorded_click(api, reason="mistargeting-country", detail="DE")
    found = explained(api, click.id.upper())
    assert (found["kind"], found["click"]["id"], codes(found)) == ("click", click.id, ["click-rejected"])
    text = sentence(found, "click-rejected")
    assert "was rejected: mistargeting-country, DE. The visitor's country is not allowed" in text
    assert "Allow the country" in text


def test_click_that_statistics_leave_out_is_explained_as_accepted(api: Api) -> None:
    click = recorded_click(api, reason="not-counted", detail="the visitor was seen")
    found = explained(api, click.id)
    assert codes(found) == ["click-not-counted", "postback-missing"]
    text = sentence(found, "click-not-counted")
    assert "was accepted. Statistics leave it out: the visitor was seen, and the offer counts unique visitors" in text
    recorded = api.admin.get(f"/3.1/admin/click/{click.id}/explain")["click"]
    assert (recorded["passed"], recorded["reason"]) == (True, "not-counted")


def test_click_without_postback_says_that_none_came(api: Api) -> None:
    found = explained(api, recorded_click(api).id)
    assert codes(found) == ["postback-missing"]
    assert "Look for the request in the logs of the sender" in sentence(found, "postback-missing")


def test_click_without_postback_shows_literal_macros_that_came_since(api: Api) -> None:
    click = recorded_click(api)
    logged(api, "{clickid}", "Broken clickid", offer=0, affiliate=0, advertiser="")
    logged(api, "{clickid}", "Broken clickid", offer=0, affiliate=0, advertiser="", time=NOW - 60_000)
    found = explained(api, click.id)
    assert codes(found) == ["postback-missing", "postback-without-click"]
    text = sentence(found, "postback-without-click")
    assert "with clickid={clickid}" in text and "the macro was not replaced" in text
    assert len(found["postbacks_without_click"]) == 1, "only since the click"


@pytest.mark.parametrize(
    ("response", "says"),
    [
        ("Access denied", "is missing or is not the code"),
        ("Current IP-address is denied", "is not in `allowed_ip`"),
        ("Conversion exists", "has this status already"),
        ("Click session lifespan is expired", "older than clicks are kept"),
        ("Wrong sum", "not a decimal number"),
    ],
)
def test_failed_postback_is_explained_by_its_result(api: Api, response: str, says: str) -> None:
    click = recorded_click(api)
    logged(api, click.id, response)
    logged(api, click.id, response, time=NOW + 9000)
    found = explained(api, click.id)
    assert codes(found) == ["postback-failed"]
    text = sentence(found, "postback-failed")
    assert says in text and ", the last of 2, changed nothing: " + response in text
    assert [each["response"] for each in found["postbacks"]] == [response] * 2


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("Payments not found", "no payment for this goal"),
        ("Click session lifespan is expired", "older than `click_session`"),
        ("Repeated conversion", "pays a click once"),
        ("Cap is reached", "A cap of conversions or of budget is reached"),
    ],
)
def test_declined_conversion_is_explained_by_its_reason(api: Api, reason: str, says: str) -> None:
    made = add_conversion(
        api.deps, 1, offer_id=1, affiliate_id=7, status=Status.DECLINED, comment=reason, click={"time": NOW}
    )
    found = explained(api, made.id)
    assert found["kind"] == "conversion"
    assert says in sentence(found, "conversion-declined")


def test_held_pending_and_staff_declined_conversions_say_so(api: Api) -> None:
    shared = {"offer_id": 1, "affiliate_id": 7}
    held = add_conversion(api.deps, 1, **shared, status=Status.HOLD, hold_until=NOW + 86_400_000, click={"time": NOW})
    pending = add_conversion(api.deps, 2, **shared, status=Status.PENDING, click={"time": NOW})
    fraud = add_conversion(api.deps, 3, **shared, status=Status.DECLINED, comment="Fraud", click={"time": NOW})
    assert "is on hold until 2023-11-15 22:13:20" in sentence(explained(api, held.id), "conversion-hold")
    assert "confirms it" in sentence(explained(api, pending.id), "conversion-pending")
    assert "was declined by test: Fraud." in sentence(explained(api, fraud.id), "conversion-declined")


@pytest.mark.parametrize(
    ("state", "shown"),
    [(inbox.WAITING, "waiting"), (inbox.READY, "queued"), (inbox.QUARANTINED, "quarantined")],
)
def test_postback_in_the_inbox_is_found_by_click_record_and_action(api: Api, state: str, shown: str) -> None:
    click = recorded_click(api)
    record = undecided(api, click.id, state=state, action_id="order-1")
    for text, kind in ((click.id, "click"), (record, "inbound_postback"), ("order-1", "action")):
        found = explained(api, text)
        assert (found["kind"], found["click_id"], codes(found)) == (kind, click.id, [f"postback-{shown}"])
        [postback] = found["postbacks"]
        assert (postback["id"], postback["state"], postback["action_id"]) == (record, shown, "order-1")
        assert "c0de" not in str(found) and "secure=***" in postback["get"]


def test_postback_that_waits_is_shown_once_also_when_it_is_logged(api: Api) -> None:
    click = recorded_click(api)
    record = undecided(api, click.id)
    logged(api, click.id, "waiting", id=record, revision=0, offer=0, affiliate=0, advertiser="", time=NOW + 6000)
    assert [(each["id"], each["state"]) for each in explained(api, click.id)["postbacks"]] == [(record, "waiting")]


def test_postback_of_a_click_that_was_never_recorded_is_found_by_the_id_of_the_click(api: Api) -> None:
    missing = new_click(9, time=NOW).id
    record = logged(api, missing, "Broken clickid", offer=0, affiliate=0, advertiser="")
    for text in (missing, record):
        found = explained(api, text)
        assert (found["click"], codes(found)) == (None, ["click-missing", "postback-failed"])


def test_action_with_a_literal_macro_is_explained_without_a_click(api: Api) -> None:
    logged(api, "{clickid}", "Broken clickid", action_id="order-7", offer=0, affiliate=0, advertiser="")
    found = explained(api, "order-7")
    assert (found["kind"], found["click_id"], codes(found)) == ("action", None, ["postback-macro"])
    assert "it has clickid={clickid}, which is not an id of a click" in sentence(found, "postback-macro")


def test_action_of_several_clicks_lists_candidates_until_one_is_named(api: Api) -> None:
    other = "be" * 12
    first = add_conversion(
        api.deps, 1, offer_id=1, affiliate_id=7, advertiser_id=ADVERTISER, action_id="A-1", click={"time": NOW}
    )
    second = add_conversion(
        api.deps, 2, offer_id=2, affiliate_id=7, advertiser_id=other, action_id="A-1", click={"time": NOW}
    )
    found = explained(api, "A-1")
    assert codes(found) == ["action-ambiguous"] and found["conversions"] == []
    assert [each["id"] for each in found["candidates"]] == [first.id, second.id]
    assert explained(api, "A-1", advertiser=other)["click_id"] == second.click_id
    assert explained(api, "A-1", offer=1)["click_id"] == first.click_id
    assert api.admin.get("/3.1/admin/explain", id="A-1", offer=3)["explanation"] is None


def test_delivery_is_explained_with_attempts_and_masked_address(api: Api) -> None:
    made = add_conversion(api.deps, 1, offer_id=1, affiliate_id=7, advertiser_id=ADVERTISER, click={"time": NOW})
    job, of = new_id(NOW + 1000), {"conversion_id": made.id, "affiliate": 7, "advertiser": ADVERTISER, "url": URL}
    failed = {"http_code": 503, "outcome": "failed", "milliseconds": 35, "started_at": NOW + 2000, "answer": "later"}
    attempt = add_attempt(api.deps.analytics, **of, job_id=job, time=NOW + 2035, **failed)
    queue(api, made.id, job, attempts=1)
    waiting = queue(api, made.id, new_id(NOW + 1000), postback_id=2)
    for text in (job, attempt, waiting, made.id):
        found = explained(api, text)
        assert found["kind"] == ("conversion" if text == made.id else "delivery")
        assert codes(found) == ["conversion-confirmed", "delivery-failed", "delivery-waiting"]
    begun, queued = found["deliveries"]
    assert begun["url"] == "https://***@a.example/in?cid=7&api_token=***"
    assert begun["next_at"] == "2023-11-14 22:13:50"
    [shown] = begun["attempts"]
    assert shown == {
        "id": attempt, "created_at": "2023-11-14 22:13:22", "milliseconds": 35, "http_code": 503, "outcome": "failed",
        "error": "", "answer": "later", "forced": 0,
    }  # fmt: skip
    assert (queued["job_id"], queued["outcome"], queued["attempts"]) == (waiting, "waiting", [])
    text = sentence(found, "delivery-failed")
    assert "HTTP 503 after 35 ms" in text and "The next attempt is at 2023-11-14 22:13:50" in text


def queue(api: Api, conversion: str, job: str, *, postback_id: int = 1, attempts: int = 0) -> str:
    """A queued delivery; its id."""
    made = NewDelivery(
        job, DeliveryKind.POSTBACK, conversion, 1, postback_id, 7, 1, ADVERTISER, "1", "confirmed", URL, "a.example",
        NOW + 30_000, NOW + 1000, job,
    )  # fmt: skip
    with api.deps.database.write() as conn:
        deliveries.add(conn, [made])
        if attempts:
            conn.execute(update(delivery).values(attempts=attempts))
    return job


def test_conversion_without_delivery_says_so(api: Api) -> None:
    made = add_conversion(api.deps, 1, offer_id=1, affiliate_id=7, click={"time": NOW})
    found = explained(api, made.click_id)
    assert codes(found) == ["conversion-confirmed", "delivery-none"]
    assert "partner_id[]=7" in sentence(found, "delivery-none")


def test_explanation_of_old_records_says_how_long_the_log_is_kept(api: Api) -> None:
    api.clock.advance(91 * 86_400_000)
    click = recorded_click(api, 5)
    assert codes(explained(api, click.id)) == ["postback-unknown"]
    made = add_conversion(api.deps, 1, offer_id=1, affiliate_id=7, click={"time": NOW})
    assert codes(explained(api, made.id)) == ["conversion-confirmed", "delivery-unknown"]


@pytest.mark.parametrize("role", [Role.MANAGER_AFFILIATE, Role.MANAGER_SALES])
def test_manager_gets_explanations_in_scope_only(api: Api, role: Role) -> None:
    staff, manager = api.add_staff(role)
    own, (own_pid, _) = api.add_advertiser(manager=staff), api.add_affiliate(manager_id=staff)
    foreign, (foreign_pid, _) = api.add_advertiser(), api.add_affiliate()
    mine = {"affiliate": own_pid, "advertiser": own}
    theirs = {"affiliate": foreign_pid, "advertiser": foreign}
    seen, hidden = recorded_click(api, 1, **mine), recorded_click(api, 2, **theirs)
    logged(api, "{clickid}", "Broken clickid", action_id="macro", offer=0, affiliate=0, advertiser="")
    found = manager.get("/3.1/admin/explain", id=seen.id)["explanation"]
    assert codes(found) == ["postback-missing"]
    assert found["postbacks_without_click"] == [], "they may be of others"
    other = add_conversion(
        api.deps, 3, offer_id=1, affiliate_id=foreign_pid, advertiser_id=foreign, action_id="A-3", click={"time": NOW}
    )
    record = logged(api, hidden.id, "Access denied", action_id="A-4", affiliate=foreign_pid, advertiser=foreign)
    of = {"conversion_id": other.id, "affiliate": foreign_pid, "advertiser": foreign}
    attempt = add_attempt(api.deps.analytics, **of, time=NOW + 2000)
    waiting = undecided(api, hidden.id, action_id="A-5")
    for text in (hidden.id, other.id, other.click_id, "A-3", record, "A-4", attempt, waiting, "A-5", "macro"):
        assert explained(api, text), text
        assert manager.get("/3.1/admin/explain", id=text)["explanation"] is None, text


def test_explanation_of_foreign_click_costs_as_much_as_of_none(api: Api) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    click, unknown = recorded_click(api, 77), new_click(78).id
    ran = []
    for text in (unknown, click.id, unknown):  # the first request of a key also stores its use
        with recorded_statements() as statements:
            assert manager.get("/3.1/admin/explain", id=text)["explanation"] is None
        ran.append(statements)
    assert ran[1] == ran[2]


def test_explanation_names_the_lists_that_it_cuts(api: Api) -> None:
    click = recorded_click(api)
    rows = [(f"{NOW // 1000:08x}{number:016x}", NOW + number) for number in range(101)]
    for record, time in rows:
        logged(api, click.id, "Wrong sum", id=record, time=time)
    answer = api.admin.get("/3.1/admin/explain", id=click.id)
    assert answer["warnings"] == ["Only the newest postbacks are shown."]
    assert [each["id"] for each in answer["explanation"]["postbacks"]] == [record for record, _ in rows[1:]]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/in?x=1&secure=abc", "https://a.example/in?x=1&secure=***"),
        ("https://a.example/in?KEY=abc;sig=d&monkey=3", "https://a.example/in?KEY=***;sig=***&monkey=3"),
        ("https://a.example/in?access%5Ftoken=abc#frag", "https://a.example/in?access%5Ftoken=***#frag"),
        ("https://u:p@a.example/", "https://***@a.example/"),
        ("https://a.example/p?goal=1&mail=a@b.example", "https://a.example/p?goal=1&mail=a@b.example"),
        ("https://a.example/p?token=", "https://a.example/p?token="),
    ],
)
def test_secrets_in_addresses_are_masked(url: str, shown: str) -> None:
    assert mask_url(url) == shown
