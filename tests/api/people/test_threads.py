"""Threads between staff and companies: who may write about what, who hears, and what is unread."""

from io import BytesIO
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.events import make_notices
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.domain.people.roles import Role
from trackyard.domain.people.threads import FILE_MAX, MOST_AN_HOUR
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import file, mail, thread, thread_message, thread_seen

THREADS = "/3.1/threads"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + (8).to_bytes(4) + (8).to_bytes(4) + b"\x08\x02"


class ThreadNetwork:
    """Two affiliates and two advertisers with their managers, and things of the first ones."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.manager_id, self.manager = api.add_staff(Role.MANAGER_AFFILIATE)
        self.sales_id, self.sales = api.add_staff(Role.MANAGER_SALES)
        self.pid, self.ann = api.add_affiliate(email="ann@a.example", name="Ann", manager_id=self.manager_id)
        self.other_pid, self.bob = api.add_affiliate(email="bob@a.example", name="Bob")
        self.shop_id = api.add_advertiser(email="shop@a.example", title="Shop", manager=self.sales_id)
        self.rival_id = api.add_advertiser(email="rival@a.example", title="Rival")
        self.shop, self.rival = (api.advertiser_client(each) for each in (self.shop_id, self.rival_id))
        self.offer = api.add_offer(advertiser=self.shop_id, privacy="private", title="Shoes")
        api.admin.post("/3.1/offer/enable-affiliate", offer_id=self.offer, pid=self.pid, notice="0")
        owners = {"offer": self.offer, "affiliate": self.pid, "advertiser": self.shop_id}
        load_clicks(api.deps, [new_click(1, **owners)])
        self.conversion = add_conversion(
            api.deps, 1, offer_id=self.offer, affiliate_id=self.pid, advertiser_id=self.shop_id
        ).id
        closed = api.add_offer(advertiser=self.shop_id, privacy="protected", title="Boots")
        self.ann.post("/3.0/partner/activation/offer", offer_id=closed, comment="mails")
        self.ticket = api.admin.get("/3.0/admin/tickets", pid=self.pid)["tickets"][0]["id"]
        self.heard()

    @property
    def things(self) -> dict[str, Any]:
        """Things of the first companies, by kind."""
        return {
            "ticket": self.ticket,
            "conversion": self.conversion,
            "offer": self.offer,
            "affiliate": self.pid,
            "advertiser": self.shop_id,
        }

    def heard(self) -> dict[str, list[str]]:
        """The subjects of mails by recipient, since the last time."""
        make_notices(self.api.deps.database, self.api.clock.now_ms())
        found: dict[str, list[str]] = {}
        with self.api.deps.database.write() as conn:
            for row in conn.execute(select(mail.c.recipient, mail.c.subject).order_by(mail.c.id)).all():
                found.setdefault(row.recipient, []).append(row.subject)
            conn.execute(mail.delete())
        return found


@pytest.fixture
def network(api: Api) -> ThreadNetwork:
    return ThreadNetwork(api)


def write(client: ApiClient, subject: str, subject_id: Any, text: str = "Hello", **more: Any) -> dict[str, Any]:
    return client.post(THREADS, subject=subject, subject_id=str(subject_id), text=text, **more)["thread"]


MAY = {
    "ann": {"ticket", "conversion", "offer", "affiliate"},
    "bob": set(),
    "shop": {"conversion", "offer", "advertiser"},
    "rival": set(),
    "manager": {"ticket", "conversion", "affiliate"},
    "sales": {"offer", "advertiser"},
}
"""Each kind of caller with the kinds of things of the first companies that it writes about."""


def test_each_caller_writes_about_what_it_sees_alone(network: ThreadNetwork) -> None:
    seen = 0
    for name, kinds in MAY.items():
        client = getattr(network, name)
        for kind, thing in network.things.items():
            sent = {"subject": kind, "subject_id": str(thing), "text": "Hello"}
            answer = client.call("POST", THREADS, data=sent)
            assert answer.status_code == (200 if kind in kinds else 400), (name, kind, answer.text)
            if kind not in kinds:
                missing = {"conversion": "0" * 24, "advertiser": "0" * 24}.get(kind, "4711")
                unknown = client.call("POST", THREADS, data=sent | {"subject_id": missing})
                assert unknown.json()["fields"] == answer.json()["fields"], "as one that does not exist"
            seen += 1
    assert seen == 30
    assert network.api.admin.get(THREADS)["pagination"]["total_count"] == 7, "one thread a company and thing"


def test_thread_of_others_is_as_missing_for_every_caller(network: ThreadNetwork) -> None:
    number = write(network.ann, "conversion", network.conversion)["id"]
    outsiders = [network.bob, network.shop, network.rival, network.sales]
    for client in outsiders:
        for method, path in (("GET", ""), ("POST", ""), ("POST", "/seen")):
            assert client.call(method, f"{THREADS}/{number}{path}", data={"text": "x"}).status_code == 404
        assert client.get(THREADS)["threads"] == []
    for client in (network.ann, network.manager, network.api.admin):
        assert [each["id"] for each in client.get(THREADS)["threads"]] == [number]


def test_offer_that_is_hidden_later_hides_its_thread(network: ThreadNetwork) -> None:
    number = write(network.ann, "offer", network.offer)["id"]
    network.api.admin.post("/3.1/offer/disable-affiliate", offer_id=network.offer, pid=network.pid, notice="0")
    assert network.ann.call("GET", f"{THREADS}/{number}").status_code == 404
    assert (network.ann.get(THREADS)["threads"], network.ann.get(f"{THREADS}/unread")["unread"]) == ([], 0)
    assert network.manager.get(f"{THREADS}/{number}")["thread"]["id"] == number


def test_people_of_a_company_read_threads_by_their_role(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    keys = {}
    for role in ("manager", "reports"):
        made = network.ann.post("/3.1/people", email=f"{role}@a.example", role=role, name=role)["person"]
        keys[role] = network.api.caller_of(network.ann), made["id"]
    make_notices(network.api.deps.database, network.api.clock.now_ms())
    network.heard()
    write(network.manager, "affiliate", network.pid, "Answer")
    told = network.heard()
    assert "manager@a.example" in told and "reports@a.example" not in told and "ann@a.example" in told
    assert network.ann.get(f"{THREADS}/{number}")["thread"]["messages"] == 2


def test_answer_reaches_the_other_side_by_mail_and_bell_with_the_page_of_the_thread(network: ThreadNetwork) -> None:
    number = write(network.ann, "offer", network.offer, "May I use coupons?")["id"]
    manager = network.api.admin.get(f"/3.0/admin/user/{network.manager_id}")["user"]["email"]
    told = network.heard()
    assert told[manager] == [f"Ann writes about #{network.offer} Shoes"]
    assert not told.keys() & {"ann@a.example", "bob@a.example", "shop@a.example"}
    network.manager.post(f"{THREADS}/{number}", text="Yes.")
    assert list(network.heard()) == ["ann@a.example"]
    [notice] = [each for each in network.ann.get("/3.1/notices")["notices"] if each["kind"] == "thread.answered"]
    assert notice["link"].endswith(f"/portal/threads/{number}")
    write(network.shop, "advertiser", network.shop_id)
    assert "ann@a.example" not in network.heard()
    [notice] = [each for each in network.sales.get("/3.1/notices")["notices"] if each["kind"].startswith("thread.")]
    assert "/console/threads/" in notice["link"]
    network.sales.post(THREADS, subject="advertiser", subject_id=network.shop_id, text="Hello shop")
    assert network.heard() == {"shop@a.example": ["Trackyard writes about Shop"]}, "without the name of the manager"
    network.ann.post("/3.1/notices/choices", **{"mail[thread.answered]": "0"})
    network.manager.post(f"{THREADS}/{number}", text="And codes.")
    assert "ann@a.example" not in network.heard()


def test_unread_threads_are_counted_for_each_person(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    network.ann.post(f"{THREADS}/{number}", text="Still there?")

    def unread(client: ApiClient) -> tuple[int, int]:
        shown = client.get(f"{THREADS}/{number}")["thread"]
        return client.get(f"{THREADS}/unread")["unread"], shown["unread"]

    admin = network.api.admin
    assert [unread(each) for each in (network.ann, network.manager, admin)] == [(0, 0), (1, 2), (1, 2)]
    assert network.manager.post(f"{THREADS}/{number}/seen")["thread"]["unread"] == 0
    assert [unread(each) for each in (network.ann, network.manager, admin)] == [(0, 0), (0, 0), (1, 2)]
    network.manager.post(f"{THREADS}/{number}", text="Yes")
    assert [unread(each) for each in (network.ann, network.manager, admin)] == [(1, 1), (0, 0), (1, 3)]
    assert admin.get(THREADS)["unread"] == 1
    texts = [each["text"] for each in network.ann.get(f"{THREADS}/{number}", limit=2)["messages"]]
    assert texts == ["Yes", "Still there?"], "the newest first"


def upload(client: ApiClient, path: str, content: bytes, name: str = "a.png", **more: Any) -> Any:
    return client.call("POST", path, data={"text": "See"} | more, files={"files": (name, BytesIO(content))})


def test_files_are_stored_with_their_message_and_bad_ones_are_refused(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    assert upload(network.ann, f"{THREADS}/{number}", PNG).status_code == 200
    [stored] = network.manager.get(f"{THREADS}/{number}")["messages"][0]["files"]
    assert (stored["name"], stored["mime"], stored["size"]) == ("a.png", "image/png", len(PNG))
    refused = upload(network.ann, f"{THREADS}/{number}", PNG + bytes(FILE_MAX))
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["files"])
    assert upload(network.ann, f"{THREADS}/{number}", b"#!/bin/sh").status_code == 415
    assert upload(network.bob, f"{THREADS}/{number}", PNG).status_code == 404, "a foreign thread"
    with network.api.deps.database.read() as conn:
        assert conn.execute(select(func.count()).select_from(file)).scalar_one() == 1
        assert conn.execute(select(func.count()).select_from(thread_message)).scalar_one() == 2


def test_file_of_a_thread_is_served_to_its_readers_alone_and_not_for_ever(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    upload(network.ann, f"{THREADS}/{number}", PNG)
    upload(network.ann, f"{THREADS}/{number}", PNG, "b.png")
    rows = network.manager.get(f"{THREADS}/{number}")["messages"]
    place, other = (each["files"][0]["url"].partition(network.api.deps.api_url)[2] for each in rows[:2])
    stranger = TestClient(network.api.app)
    served = stranger.get(place)
    assert (served.status_code, served.content) == (200, PNG)
    assert (served.headers["cache-control"], served.headers["x-content-type-options"]) == (
        "private, no-store",
        "nosniff",
    )
    bare = place.rpartition("/")[0]
    for wrong in (bare, f"{bare}/", f"{bare}/{other.rpartition('/')[2]}", f"{place[:-2]}AA"):
        assert stranger.get(wrong).status_code == 404, wrong
    network.api.clock.advance(24 * 3_600_000)
    assert stranger.get(place).status_code == 404


@pytest.mark.parametrize(
    ("name", "value"), [("text", ""), ("text", "x" * 5001), ("subject", "news"), ("subject_id", "x" * 41)]
)
def test_bad_thread_message_is_refused_with_its_field(network: ThreadNetwork, name: str, value: str) -> None:
    sent = {"subject": "affiliate", "subject_id": str(network.pid), "text": "Hello"} | {name: value}
    refused = network.ann.call("POST", THREADS, data=sent)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, [name])


def test_account_writes_a_limited_number_of_messages_an_hour(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    for _ in range(MOST_AN_HOUR - 1):
        network.ann.post(f"{THREADS}/{number}", text="More")
    refused = network.ann.call("POST", f"{THREADS}/{number}", data={"text": "More"})
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) <= 3601
    network.manager.post(f"{THREADS}/{number}", text="The other side may")
    network.api.clock.advance(3_601_000)
    network.ann.post(f"{THREADS}/{number}", text="More")


def test_erased_affiliate_has_no_thread(network: ThreadNetwork) -> None:
    number = write(network.ann, "affiliate", network.pid)["id"]
    upload(network.ann, f"{THREADS}/{number}", PNG)
    write(network.shop, "advertiser", network.shop_id)
    with network.api.deps.database.write() as conn:
        redact_account(conn, network.pid, "hash", network.api.clock.now_ms())
        counts = [
            conn.execute(select(func.count()).select_from(each)).scalar_one() for each in (thread, thread_message)
        ]
        assert counts == [1, 1], "the advertiser's stays"
        assert conn.execute(select(thread_seen.c.account)).scalars().all() == [f"advertiser:{network.shop_id}"]
        assert conn.execute(select(func.count()).select_from(file)).scalar_one() == 0
