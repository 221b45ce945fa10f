"""News: what affiliates read and staff maintain."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.pages import PASSWORD as PAGE_PASSWORD
from tests.support.pages import advertiser_visitor, affiliate_visitor
from trackyard.actions.platform import mailings, news_bells
from trackyard.actions.platform.mailings import queue_mails
from trackyard.actions.platform.news_bells import ring_next
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import mail

OWN_PASSWORDS = {"/portal/": PASSWORD, "/advertiser/": PAGE_PASSWORD}


def add(api: Api, title: str, **params: Any) -> str:
    """A piece of news, a minute after the one before; its id."""
    api.clock.advance(60_000)
    return str(api.admin.post("/3.1/admin/news", title=title, **params)["news"]["_id"]["$id"])


def titles(client: ApiClient, **params: Any) -> list[str]:
    return [item["title"] for item in client.get("/3.0/news", **params)["items"].values()]


def test_news_item_shows_stored_fields(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    number = add(api, "Summer", small_desc="Sale", desc="<b>Everything</b>")
    shown = {
        "_id": {"$id": number}, "title": "Summer", "small_desc": "Sale", "desc": "<b>Everything</b>", "status": 1,
        "fixed": 0, "created_at": {"sec": api.clock.now_ms() // 1000, "usec": api.clock.now_ms() % 1000 * 1000},
    }  # fmt: skip
    shown |= {"audience": "affiliates", "until": None}
    assert affiliate.get("/3.0/news") == {"status": 1, "items": {number: shown}, "all_items": 1}
    assert affiliate.get(f"/3.1/news/{number}") == {"status": 1, "news": shown}
    assert affiliate.get(f"/3.1/news/{number.upper()}") == {"status": 1, "news": shown}


def test_news_list_starts_with_pinned_then_newest(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    for title, fixed in (("1", 0), ("2", 1), ("3", 0), ("4", 1)):
        add(api, title, fixed=fixed)
    assert titles(affiliate) == ["4", "2", "3", "1"]
    assert titles(affiliate, fixed=1) == ["4", "2"]
    assert titles(affiliate, fixed=0) == ["3", "1"]
    assert titles(affiliate, limit=2, skip=1) == ["2", "3"]
    assert affiliate.get("/3.0/news", limit=1, fixed=0)["all_items"] == 2
    assert titles(affiliate, skip=4) == []


def test_news_list_limit_defaults_to_10_and_ends_at_100(api: Api) -> None:
    for number in range(102):
        add(api, str(number))
    assert len(titles(api.admin)) == 10
    assert len(titles(api.admin, limit=1000)) == 100
    assert api.admin.get("/3.0/news")["all_items"] == 102


@pytest.mark.parametrize(("name", "value"), [("limit", "0"), ("skip", "-1"), ("fixed", "2"), ("limit", "x")])
def test_news_list_with_invalid_parameter_is_rejected(api: Api, name: str, value: str) -> None:
    answer = api.admin.call("GET", "/3.0/news", params={name: value})
    assert (answer.status_code, answer.json()["fields"].keys()) == (400, {name})


def test_news_drafts_are_visible_to_staff_only(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    draft = add(api, "Draft", status=0)
    assert affiliate.get("/3.0/news") == {"status": 1, "items": {}, "all_items": 0}
    assert affiliate.call("GET", f"/3.0/news/{draft}").status_code == 404
    assert titles(api.admin) == ["Draft"]
    api.admin.post(f"/3.1/admin/news/{draft}", status=1)
    assert titles(affiliate) == ["Draft"]


def test_news_edit_changes_sent_fields_only(api: Api) -> None:
    number = add(api, "Summer", small_desc="Sale", desc="All", fixed=1)
    before = api.admin.get(f"/3.0/news/{number}")["news"]
    changed = api.admin.post(f"/3.1/admin/news/{number}", title="Winter", desc="")["news"]
    assert changed == before | {"title": "Winter", "desc": ""}
    assert api.admin.post(f"/3.1/admin/news/{number}", fixed=0)["news"] == changed | {"fixed": 0}
    assert api.admin.get(f"/3.0/news/{number}")["news"] == changed | {"fixed": 0}
    for params in ({"title": ""}, {"title": "x" * 201}):
        assert api.admin.call("POST", f"/3.1/admin/news/{number}", data=params).json()["fields"].keys() == {"title"}
    assert api.admin.call("POST", "/3.1/admin/news", data={"desc": "x"}).json()["fields"].keys() == {"title"}


def test_news_removed_item_is_404(api: Api) -> None:
    number, kept = add(api, "Old"), add(api, "New")
    before = api.admin.get(f"/3.0/news/{number}")
    assert api.admin.post(f"/3.1/admin/news/{number}/remove") == before
    for method, path in (("GET", "news/{}"), ("POST", "admin/news/{}"), ("POST", "admin/news/{}/remove")):
        assert api.admin.call(method, f"/3.1/{path.format(number)}").status_code == 404
    assert list(api.admin.get("/3.0/news")["items"]) == [kept]


def test_news_are_shown_until_their_last_day_in_the_zone_of_the_platform(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    number = add(api, "Sale", until="2023-11-15")
    assert affiliate.get(f"/3.1/news/{number}")["news"]["until"] == "2023-11-15"
    api.clock.advance(25 * 3_600_000)
    assert titles(affiliate) == ["Sale"], "the last day counts"
    api.clock.advance(3_600_000)
    assert titles(affiliate) == []
    assert affiliate.call("GET", f"/3.0/news/{number}").status_code == 404
    assert titles(api.admin) == ["Sale"], "staff who write news keep it"
    assert api.admin.post(f"/3.1/admin/news/{number}", until="")["news"]["until"] is None
    assert titles(affiliate) == ["Sale"]


def test_news_reach_the_kind_of_company_that_they_are_for(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    advertiser = api.advertiser_client(api.add_advertiser())
    ids = {audience: add(api, audience, audience=audience) for audience in ("affiliates", "advertisers", "all")}
    assert titles(affiliate) == ["all", "affiliates"]
    shown = advertiser.get("/3.1/advertiser/news")["items"].values()
    assert [item["title"] for item in shown] == ["all", "advertisers"]
    assert affiliate.call("GET", f"/3.0/news/{ids['advertisers']}").status_code == 404
    assert len(titles(api.admin)) == 3
    assert api.admin.call("POST", "/3.1/admin/news", data={"title": "x", "audience": "staff"}).status_code == 400


def test_unread_news_are_counted_for_each_person(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    _, other = api.add_affiliate()
    advertiser = api.advertiser_client(api.add_advertiser())
    add(api, "One")
    draft = add(api, "Draft", status=0)
    add(api, "Two", audience="all")
    assert [each.get("/3.1/news/unread")["unread"] for each in (affiliate, other, advertiser)] == [2, 2, 1]
    assert affiliate.post("/3.1/news/seen")["unread"] == 0
    assert [each.get("/3.1/news/unread")["unread"] for each in (affiliate, other, advertiser)] == [0, 2, 1]
    api.clock.advance(1000)
    api.admin.post(f"/3.1/admin/news/{draft}", status=1)
    assert affiliate.get("/3.1/news/unread")["unread"] == 1, "what is published later is new"
    assert api.admin.call("GET", "/3.1/news/unread").status_code == 403


def mails(api: Api) -> list[tuple[str, str]]:
    with api.deps.database.read() as conn:
        query = select(mail.c.recipient, mail.c.subject).where(mail.c.subject.like("News:%"))
        return sorted((row.recipient, row.subject) for row in conn.execute(query))


def run_mailings(api: Api) -> None:
    while queue_mails(api.deps.database, api.clock.now_ms()):
        pass


def test_sent_news_are_mailed_once_a_person(api: Api) -> None:
    for name in ("one", "two"):
        api.add_affiliate(email=f"{name}@a.example")
    api.add_affiliate(email="gone@a.example", status="not active")
    api.add_advertiser(email="shop@a.example")
    api.add_advertiser(email="ONE@a.example", title="Both")
    number = add(api, "Sale {name}", desc="<p>All</p>half", audience="all")
    send = f"/3.1/admin/news/{number}/send"
    assert api.admin.post(send, dry_run=1) == {"status": 1, "added": 3, "before": 0}
    assert mails(api) == [] and queue_mails(api.deps.database, api.clock.now_ms()) == 0
    assert api.admin.post(send) == {"status": 1, "added": 3, "before": 0}
    run_mailings(api)
    expected = [(f"{name}@a.example", "News: Sale {name}") for name in ("one", "shop", "two")]
    assert mails(api) == expected
    assert api.admin.post(send) == {"status": 1, "added": 0, "before": 3}
    api.add_affiliate(email="new@a.example")
    assert api.admin.post(send) == {"status": 1, "added": 1, "before": 3}
    run_mailings(api)
    assert len(mails(api)) == 4
    with api.deps.database.read() as conn:
        bodies = conn.execute(select(mail.c.body).where(mail.c.recipient == "shop@a.example")).scalars().all()
    assert any("All\nhalf" in body and "/advertiser/news" in body for body in bodies)


def test_news_that_are_not_shown_cannot_be_mailed(api: Api) -> None:
    api.add_affiliate()
    for params in ({"status": 0}, {"until": "2023-11-01"}):
        number = add(api, "Hidden", **params)
        assert api.admin.call("POST", f"/3.1/admin/news/{number}/send").status_code == 409
    assert mails(api) == []


def test_removed_news_and_erased_affiliates_get_no_more_mails(api: Api) -> None:
    pid, _ = api.add_affiliate(email="one@a.example")
    removed, kept = add(api, "Removed"), add(api, "Kept")
    for number in (removed, kept):
        api.admin.post(f"/3.1/admin/news/{number}/send")
    api.admin.post(f"/3.1/admin/news/{removed}/remove")
    with api.deps.database.write() as conn:
        redact_account(conn, pid, "hash", api.clock.now_ms())
    run_mailings(api)
    assert mails(api) == []


def test_mails_of_news_survive_a_failure_in_the_middle(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        api.add_affiliate(email=f"a{number}@a.example")
    api.admin.post(f"/3.1/admin/news/{add(api, 'Sale')}/send")
    monkeypatch.setattr(mailings, "BATCH", 2)
    real, calls = mailings.send_notice, list[int]()

    def fail_after_the_second_batch(*args: Any, **values: Any) -> list[str]:
        calls.append(1)
        queued = real(*args, **values)
        if len(calls) == 2:
            raise RuntimeError("killed")
        return queued

    monkeypatch.setattr(mailings, "send_notice", fail_after_the_second_batch)
    with pytest.raises(RuntimeError):
        run_mailings(api)
    assert len(mails(api)) == 2, "the batch that was cut short is undone"
    run_mailings(api)
    assert [recipient for recipient, _ in mails(api)] == [f"a{number}@a.example" for number in range(5)]


def ring(api: Api) -> None:
    """Do what the worker does until nothing is left."""
    while make_notices(api.deps.database, api.clock.now_ms()) or ring_next(api.deps.database):
        pass


def bell(client: ApiClient) -> list[tuple[str, str]]:
    found = client.get("/3.1/notices")["notices"]
    own = [each for each in found if each["kind"] == "news.published"]
    return [(each["text"], each["link"].removeprefix("http://api.example")) for each in own]


def test_news_that_are_shown_ring_the_bells_of_their_readers_once_without_a_mail(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news_bells, "BATCH", 2)
    affiliates = [api.add_affiliate(email=f"a{number}@a.example")[1] for number in range(5)]
    gone, _ = api.add_affiliate(email="gone@a.example")
    api.admin.post(f"/3.0/admin/partner/{gone}", status="not active")
    shops = [api.advertiser_client(api.add_advertiser(email=f"s{number}@a.example")) for number in range(3)]
    add(api, "For affiliates")
    draft = add(api, "For all", audience="all", status=0)
    ring(api)
    assert [bell(each) for each in affiliates] == [[("News: For affiliates", "/portal/news")]] * 5
    assert [bell(each) for each in shops] == [[]] * 3
    for _ in range(2):  # the second one changes nothing: it is shown already
        api.admin.post(f"/3.1/admin/news/{draft}", status=1)
        ring(api)
    assert [len(bell(each)) for each in affiliates] == [2] * 5
    assert [bell(each) for each in shops] == [[("News: For all", "/advertiser/news")]] * 3
    assert mails(api) == [], "only staff send mails"


def test_kill_between_batches_of_bells_leaves_no_reader_out(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news_bells, "BATCH", 2)
    affiliates = [api.add_affiliate(email=f"a{number}@a.example")[1] for number in range(5)]
    add(api, "Sale")
    make_notices(api.deps.database, api.clock.now_ms())
    real, killed = news_bells.news.edit_news, 0

    def die(*args: Any) -> None:
        real(*args)
        raise RuntimeError("killed")

    for _ in range(3):
        monkeypatch.setattr(news_bells.news, "edit_news", die)
        with pytest.raises(RuntimeError):
            ring_next(api.deps.database)
        killed += 1
        monkeypatch.setattr(news_bells.news, "edit_news", real)
        assert ring_next(api.deps.database)
    ring(api)
    assert killed == 3
    assert [len(bell(each)) for each in affiliates] == [1] * 5


def test_person_who_switched_news_off_gets_neither_mail_nor_bell(api: Api) -> None:
    _, ann = api.add_affiliate(email="ann@a.example")
    _, bob = api.add_affiliate(email="bob@a.example")
    ann.post("/3.1/notices/choices", **{"mail[news.published]": "0", "bell[news.published]": "0"})
    number = add(api, "Sale")
    ring(api)
    api.admin.post(f"/3.1/admin/news/{number}/send")
    run_mailings(api)
    assert (bell(ann), len(bell(bob))) == ([], 1)
    assert mails(api) == [("bob@a.example", "News: Sale")]
    assert titles(ann) == ["Sale"], "the page has them"


def test_home_of_both_portals_begins_with_pinned_news_until_their_last_day(api: Api) -> None:
    visitors = {"/portal/": affiliate_visitor(api)[1], "/advertiser/": advertiser_visitor(api)[1]}
    add(api, "Pinned rule", audience="all", fixed=1, until="2023-11-15")
    for number in range(4):
        add(api, f"Later {number}", audience="all")
    for path, visitor in visitors.items():
        text = visitor.read(path).text
        assert text.index("Pinned rule") < text.index("Later 3") and "Pinned" in text, path
    api.clock.advance(2 * 86_400_000)
    for path, visitor in visitors.items():
        visitor.sign_in(visitor.login, OWN_PASSWORDS[path])
        assert "Pinned rule" not in visitor.read(path).text and "Later 3" in visitor.read(path).text, path
