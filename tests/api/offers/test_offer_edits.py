"""Changes and removals of offers: rules, rights, mail, and parallel edits."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import Api, installed
from tests.support.events import make_notices
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.stores.statements import recorded_statements
from trackyard.actions.offers.offers import edit_offer
from trackyard.actions.platform.files import NewFiles
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.store.engine.database import Database
from trackyard.store.tables import mail, offer
from trackyard.store.tracking import rulesets
from trackyard.store.tracking.rulesets import compile_row

TIER = {
    "commission_tiers[0][timeframe]": "day", "commission_tiers[0][type]": "conversions",
    "commission_tiers[0][modifier_type]": "by_fix", "commission_tiers[0][modifier_value]": "1",
}  # fmt: skip


def shown(api: Api, number: int) -> Any:
    return api.admin.get(f"/3.1/offer/{number}")["offer"]


def versions(api: Api) -> int:
    with api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


def tiers_of(api: Api, number: int) -> Any:
    with api.deps.database.read() as conn:
        return conn.execute(select(offer.c.commission_tiers).where(offer.c.id == number)).scalar_one()


def test_offer_edit_accepts_number_and_hash_id(api: Api) -> None:
    number = api.add_offer()
    hashed = shown(api, number)["offer_id"]
    for place, name in enumerate((number, hashed, hashed.upper())):
        body = api.admin.post(f"/3.0/admin/offer/{name}", notes=f"edit {place}")
        assert (body["id"], body["offer"]["notes"]) == (number, f"edit {place}")


def test_offer_edit_changes_sent_fields_only(api: Api) -> None:
    number = api.add_offer(**{"notes": "N", "tags[]": "a", "landings[0][title]": "L"} | {
        "landings[0][url]": "https://l.example", "landings[0][url_preview]": "https://p.example"})  # fmt: skip
    before = shown(api, number)
    api.clock.advance(60_000)
    body = api.admin.post(f"/3.0/admin/offer/{before['offer_id']}", title="New")
    assert (body["id"], body["offer"]) == (number, shown(api, number))
    assert shown(api, number) == before | {"title": "New", "updated_at": "2023-11-14 22:14:20"}
    assert before["landings"][0]["id"] == 1


def test_offer_edit_with_equal_values_changes_nothing(api: Api) -> None:
    number = api.add_offer()
    before, version = shown(api, number), versions(api)
    api.clock.advance(60_000)
    assert api.admin.post(f"/3.1/admin/offer/{number}", title=before["title"])["offer"] == before
    assert api.admin.post(f"/3.1/admin/offer/{number}")["offer"] == before
    assert versions(api) == version


def test_offer_edit_updates_ruleset_at_once(api: Api) -> None:
    number, version = api.add_offer(), versions(api)
    api.admin.post(f"/3.1/admin/offer/{number}", url="https://new.example/")
    with api.deps.database.read() as conn:
        assert [change.key for change in rulesets.changes_since(conn, version, 10)] == [str(number)]
        assert compile_row(conn, "offer", str(number)).url == "https://new.example/"  # type: ignore[union-attr]


def test_offer_payment_fields_are_cleared_by_empty_values(api: Api) -> None:
    number = api.add_offer(**{
        "payments[0][countries][]": "US", "payments[0][cities][]": "5368361", "payments[0][devices][]": "tv",
        "payments[0][os][]": "iOS",
    })  # fmt: skip
    api.admin.post(f"/3.1/admin/offer/{number}", **{"payments[0][revenue]": "8"})
    [payment] = shown(api, number)["payments"]
    assert (payment["total"], payment["revenue"]) == (10, 8)
    assert (payment["countries"], payment["os"]) == (["US"], ["iOS"])
    empty = {f"payments[0][{name}]": "" for name in ("countries", "cities", "devices", "os")}
    api.admin.post(f"/3.1/admin/offer/{number}", **empty)
    [payment] = shown(api, number)["payments"]
    assert [payment[name] for name in ("countries", "cities", "devices", "os")] == [[], [], [], []]
    assert (payment["total"], payment["revenue"]) == (10, 8)


def test_offer_tiers_keep_ids_unless_their_measure_changes(api: Api) -> None:
    number = api.add_offer(**TIER | {"commission_tiers[0][value]": "10"})
    [first] = tiers_of(api, number)
    api.admin.post(f"/3.1/admin/offer/{number}", **TIER | {"commission_tiers[0][value]": "20"})
    [same] = tiers_of(api, number)
    assert (same["id"], same["value"]) == (first["id"], "20.0000")
    api.admin.post(
        f"/3.1/admin/offer/{number}",
        **TIER | {"commission_tiers[0][value]": "20", "commission_tiers[0][timeframe]": "week"},
    )
    [other] = tiers_of(api, number)
    assert other["id"] != first["id"]
    api.admin.post(f"/3.1/admin/offer/{number}", title="T")
    assert tiers_of(api, number) == [other]
    api.admin.post(f"/3.1/admin/offer/{number}", commission_tiers="")
    assert tiers_of(api, number) == []


def test_offer_categories_sources_and_domain_are_set_and_cleared(api: Api) -> None:
    category = api.admin.post("/3.0/admin/category", title="C")["category"]["id"]
    source = api.admin.post("/3.0/admin/offer/source", **{"title_lang[en]": "S"})["source"]["id"]
    smartlink = api.admin.post("/3.0/admin/smartlink/category", name="S")["data"]["_id"]
    domain = api.admin.post("/3.1/admin/domains", url="go.example")["domain"]["id"]
    filed = {"categories[]": category, "sources[]": source, "smartlink_categories[]": smartlink, "domain_url": domain}
    number = api.add_offer(**filed)
    body = shown(api, number)
    assert (body["categories"], body["sources"], body["smartlink_categories"]) == ([category], [source], [smartlink])
    assert (body["full_categories"], body["domain_url"]) == ([{"id": category, "title": "C"}], "go.example")
    api.admin.post(f"/3.1/admin/offer/{number}", **{name.removesuffix("[]"): "" for name in filed})
    body = shown(api, number)
    assert (body["categories"], body["sources"], body["smartlink_categories"]) == ([], [], [])
    assert (body["full_categories"], body["domain_url"]) == ([], "track.example")


def test_offer_payment_is_required_since_3_1(api: Api) -> None:
    sent = {"title": "T", "url": "https://a.example", "advertiser": api.add_advertiser()}
    assert api.admin.call("POST", "/3.0/admin/offer", data=sent).status_code == 200
    assert list(api.admin.call("POST", "/3.1/admin/offer", data=sent).json()["fields"]) == ["payments"]


@pytest.mark.parametrize("prefix", ["3.0", "3.1"])
def test_offer_removal_deletes_it_from_every_list(api: Api, prefix: str) -> None:
    number, other = api.add_offer(title="Shoes"), api.add_offer()
    category = api.admin.post("/3.0/admin/category", title="C")["category"]["id"]
    api.admin.post(f"/3.1/admin/offer/{number}", **{"categories[]": category})
    missing = api.admin.call("POST", f"/{prefix}/admin/offer/delete", data={"offer_id[]": [number, 999]})
    assert (missing.status_code, missing.json()["error"]) == (400, "[offer_id] An offer 999 does not exist.")
    assert shown(api, number)["title"] == "Shoes"
    body = api.admin.post(f"/{prefix}/admin/offer/delete", **{"offer_id[]": number})
    assert body["message"] == f"Removed offers: {number} (Shoes)"
    with api.deps.database.read() as conn:
        assert compile_row(conn, "offer", str(number)) is None
    for method, path in (("GET", f"/3.1/offer/{number}"), ("POST", f"/3.1/admin/offer/{number}")):
        assert api.admin.call(method, path).status_code == 404
    assert [each["id"] for each in api.admin.get("/3.1/offers")["offers"]] == [other]
    again = api.admin.call("POST", f"/{prefix}/admin/offer/delete", data={"offer_id": [number, other]})
    assert (again.status_code, again.json()["error"]) == (404, "Resource Not Found")
    assert shown(api, other)["id"] == other
    refused = api.admin.call(
        "POST", f"/{prefix}/admin/offer/mass-update", data={"offer_id": number, "status": "active"}
    )
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["offer_id"])


def test_offer_removed_keeps_its_statistics(api: Api) -> None:
    advertiser, (pid, _) = api.add_advertiser(), api.add_affiliate()
    number = api.add_offer(advertiser=advertiser)
    load_clicks(api.deps, [new_click(1, offer=number, affiliate=pid, advertiser=advertiser)])
    add_conversion(api.deps, 1, offer_id=number, affiliate_id=pid, advertiser_id=advertiser)
    api.admin.post("/3.1/admin/offer/delete", offer_id=number)
    [conversion] = api.admin.get("/3.1/stats/conversions", date_from="2023-11-15", date_to="2023-11-15")["conversions"]
    assert (conversion["offer"], conversion["offer_id"]) == (None, number)
    day = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    [row] = api.admin.get("/3.1/stats/getbyprogram", **day)["stats"]
    assert (row["slice"]["offer"]["id"], row["slice"]["offer"]["title"]) == (number, "Shoes")
    assert row["actions"]["total"]["count"] == 1


def test_offer_bulk_writes_use_constant_number_of_statements(api: Api) -> None:
    numbers = [api.add_offer() for _ in range(6)]
    counts = []
    for group in (numbers[:1], numbers[1:]):
        with recorded_statements() as seen:
            api.admin.post("/3.1/admin/offer/mass-update", **{"offer_id[]": group, "privacy": "public"})
            api.admin.post("/3.1/admin/offer/delete", **{"offer_id[]": group})
        counts.append(len(seen))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("edits", [False, True])
def test_offer_answer_of_a_write_does_not_read_the_offer_again(api: Api, edits: bool) -> None:
    advertiser = api.add_advertiser()
    number = api.add_offer(advertiser=advertiser)
    sent = {"title": "Boots", "advertiser": advertiser, "url": "https://shop.example/", "notes": "n"}
    with recorded_statements() as seen:
        body = api.admin.post("/3.0/admin/offer" + (f"/{number}" if edits else ""), **sent)["offer"]
    with recorded_statements() as read_seen:
        read = shown(api, body["id"])
    answers = [[each for each in both if "offer.cr, offer.epc \nFROM offer" in each] for both in (seen, read_seen)]
    assert [["offer.notes" in each for each in found] for found in answers] == [[False] * edits, [True]]
    assert body == read and (read["title"], read["notes"], read["cr"], read["epc"]) == ("Boots", "n", 0, 0)


def test_offer_mass_update_changes_listed_offers_only(api: Api) -> None:
    one, two, other = api.add_offer(), api.add_offer(status="stopped"), api.add_offer()
    sent = {"offer_id[]": [one, two], "status": "suspended", "privacy": "private"}
    assert api.admin.post("/3.1/admin/offer/mass-update", **sent)["message"] == f"Updated offers: {one}, {two}"
    states = [(body["status"], body["privacy"]) for body in (shown(api, number) for number in (one, two, other))]
    assert states == [("suspended", "private"), ("suspended", "private"), ("active", "protected")]
    for wrong, name in (
        ({"offer_id[]": [other, 999], "status": "stopped"}, "offer_id"),
        ({"offer_id": other, "status": "closed"}, "status"),
        ({"status": "stopped"}, "offer_id"),
    ):
        assert api.admin.refusal("POST", "/3.1/admin/offer/mass-update", data=wrong) == (400, [name])
    assert shown(api, other)["status"] == "active"


def test_offer_mass_update_without_values_changes_nothing(api: Api) -> None:
    offer = api.add_offer()
    before = shown(api, offer)
    answer = api.admin.post("/3.0/admin/offer/mass-update", **{"offer_id[]": [offer]})
    assert (answer["status"], answer["message"]) == (1, f"Updated offers: {offer}")
    assert shown(api, offer) == before


def test_sales_manager_writes_offers_of_own_advertisers_only(api: Api) -> None:
    own_id, sales = api.add_staff(Role.MANAGER_SALES)
    advertiser, foreign_advertiser = api.add_advertiser(manager=own_id), api.add_advertiser()
    own, foreign = api.add_offer(advertiser=advertiser), api.add_offer(advertiser=foreign_advertiser)
    assert sales.post(f"/3.1/admin/offer/{own}", title="Mine")["offer"]["title"] == "Mine"
    assert sales.call("POST", f"/3.1/admin/offer/{foreign}", data={"title": "Mine"}).status_code == 404
    moved = sales.call("POST", f"/3.1/admin/offer/{own}", data={"advertiser": foreign_advertiser})
    assert list(moved.json()["fields"]) == ["advertiser"]
    for path, more in (("delete", {}), ("mass-update", {"status": "stopped"})):
        answer = sales.call("POST", f"/3.1/admin/offer/{path}", data={"offer_id[]": [own, foreign]} | more)
        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["offer_id"])
    assert (shown(api, own)["status"], shown(api, foreign)["title"]) == ("active", "Shoes")
    assert sales.post("/3.1/admin/offer/delete", offer_id=own)["status"] == 1


@pytest.mark.parametrize(
    ("flag", "sent", "mails"),
    [("1", {"title": "New"}, 1), ("1", {"notes": "New"}, 0), ("0", {"title": "New"}, 0), ("1", {}, 0)],
)
def test_offer_change_is_mailed_to_connected_affiliates(api: Api, flag: str, sent: dict[str, str], mails: int) -> None:
    number = api.add_offer(send_emails=flag)
    pid, _ = api.add_affiliate(email="ann@example.org", name="Ann")
    api.add_affiliate()
    api.admin.post("/3.1/offer/enable-affiliate", offer_id=number, pid=pid, notice="0")
    api.admin.post(f"/3.1/admin/offer/{number}", **sent)
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.read() as conn:
        queued = conn.execute(select(mail.c.recipient, mail.c.subject)).all()
    assert [tuple(each) for each in queued] == [("ann@example.org", f"#{number} New has changed")] * mails


def test_offer_edits_in_parallel_lose_no_field(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    number = api.add_offer()
    access = Access(StaffCaller("f" * 24, frozenset({Role.ADMIN})), Permission.OFFERS_WRITE)
    languages = ("ru", "en", "es", "ka", "vi")
    fields = ("notes", "note_aff", "note_sales", "bundle_id", "external_offer_id")
    for turn in range(4):
        start = Barrier(len(languages))

        def edit(place: int, turn: int = turn, start: Barrier = start) -> None:
            start.wait()
            sent = {
                "description_lang": {languages[place]: f"{turn}"},
                fields[place]: f"{turn}",
                "sub_accounts": {str(place % 2 + 1): {"values": (f"{turn}",)}},
            }
            edit_offer(api.deps, access, number, sent, NewFiles(), lambda _sentence: None)

        with ThreadPoolExecutor(len(languages)) as pool:
            list(pool.map(edit, range(len(languages))))
        body = shown(api, number)
        assert body["description_lang"] == dict.fromkeys(languages, f"{turn}")
        assert [body[name] for name in fields] == [f"{turn}"] * len(fields)
        assert [body["sub_accounts"][each]["value"] for each in "12"] == [f"{turn}"] * 2
