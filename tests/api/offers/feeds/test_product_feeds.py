"""Product feeds: staff write them, affiliates get products of offers that they may run."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.offers.feeds.product_feeds import read_products
from trackyard.api.offers.feeds.product_feeds import routes
from trackyard.domain.offers.feeds.product_feeds import MOST_BYTES, FeedFault
from trackyard.domain.people.roles import Role

FEEDS = "/3.1/admin/product-feeds"
FEED = "/3.1/admin/product-feed"
FILE = "\n".join(
    (
        "SKU,Title,Link,Price,Image-Link,color",
        "b1,Boots & more,https://www.shop.example/boots?size=4&c={clickid},12.50 eur,https://cdn.example/b.png,red",
        "h2,Hat,https://other.example/hat,7,,",
    )
)


def add_feed(api: Api, name: str = "Autumn", csv: str = FILE) -> str:
    return str(api.admin.post(FEED, name=name, csv=csv)["product_feed"]["id"])


def items_of(api: Api, client: Any, feed: str, affiliate: int, offer: int, **paging: Any) -> list[dict[str, Any]]:
    asked = {"affiliate_id": affiliate, "offer_id": offer} | paging
    found: list[dict[str, Any]] = client.get(f"/3.1/product-feed/{feed}/items", **asked)["data"]
    return found


def target_of(api: Api, link: str) -> str:
    """Where a click on a link leads."""
    checked = api.admin.post("/3.1/admin/click-check", url=link, ip="90.190.0.1", ua="Mozilla/5.0 Firefox/130.0")
    assert checked["check"]["passes"]
    return str(checked["check"]["target"])


def test_feed_gives_an_affiliate_links_that_lead_to_the_pages_of_products(api: Api) -> None:
    feed = add_feed(api)
    offer = api.add_offer(privacy="public", product_feed_id=feed, allow_deeplink=1)
    pid, client = api.add_affiliate()
    boots, hat = items_of(api, client, feed, pid, offer)
    assert (boots["sku"], boots["name"], boots["price"], boots["currency"]) == ("b1", "Boots & more", "12.50", "EUR")
    assert boots["image_url"] == "https://cdn.example/b.png" and boots["product_feed_id"] == feed
    target = target_of(api, boots["affise_url"])
    assert target.startswith("https://www.shop.example/boots?size=4&c=") and "{clickid}" not in target
    assert "redirect" not in hat["affise_url"], "its page is on no site of the offer"
    assert target_of(api, hat["affise_url"]) == "https://shop.example/"
    assert items_of(api, api.admin, feed, pid, offer) == [boots, hat]
    assert items_of(api, client, feed, pid, offer, page=2, limit=1) == [hat]


def test_links_of_a_feed_are_plain_where_the_offer_takes_no_deep_links(api: Api) -> None:
    feed = add_feed(api)
    offer, (pid, client) = api.add_offer(privacy="public", product_feed_id=feed), api.add_affiliate()
    assert {target_of(api, each["affise_url"]) for each in items_of(api, client, feed, pid, offer)} == {
        "https://shop.example/"
    }


def test_affiliate_gets_feeds_of_offers_that_it_may_run_alone(api: Api) -> None:
    feed, unused = add_feed(api), add_feed(api, "Unused")
    offer = api.add_offer(privacy="protected", product_feed_id=feed)
    hidden = api.add_offer(privacy="private", product_feed_id=feed)
    (pid, client), (other, _) = api.add_affiliate(), api.add_affiliate()

    def refusal(feed_id: str, offer_id: int, affiliate: int = pid) -> tuple[int, Any]:
        asked = {"affiliate_id": affiliate, "offer_id": offer_id}
        return client.refusal("GET", f"/3.1/product-feed/{feed_id}/items", params=asked)

    assert refusal(feed, offer) == (400, ["offer_id"]), "not connected"
    assert refusal(feed, hidden) == refusal(feed, 99_999) == (400, ["offer_id"])
    assert refusal(unused, offer)[0] == refusal("f" * 24, offer)[0] == 404
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid, notice=0)
    assert len(items_of(api, client, feed, pid, offer)) == 2
    assert refusal(feed, offer, other) == refusal(feed, offer, 99_999) == (400, ["affiliate_id"])
    assert client.refusal("GET", FEEDS)[0] == 403
    api.admin.post("/3.0/offer/disable-affiliate", offer_id=offer, pid=pid, notice=0)
    assert refusal(feed, offer) == (400, ["offer_id"])


def test_products_are_replaced_as_a_whole_and_keep_their_ids_by_sku(api: Api) -> None:
    feed = add_feed(api)
    before = {each["sku"]: each["id"] for each in api.admin.get(f"{FEED}/{feed}")["items"]}
    assert api.admin.refusal("POST", f"{FEED}/{feed}", data={"csv": f"{FILE}\nb1,,nowhere"}) == (400, ["file"])
    assert api.admin.get(f"{FEED}/{feed}")["product_feed"]["items"] == 2, "a faulty file changes nothing"
    edited = api.admin.post(
        f"{FEED}/{feed}", name="Winter", csv="sku,name,url\nn1,New,https://a.example\n b1 ,B,http://b"
    )
    assert (edited["product_feed"]["name"], edited["product_feed"]["items"]) == ("Winter", 2)
    after = {each["sku"]: each["id"] for each in api.admin.get(f"{FEED}/{feed}")["items"]}
    assert list(after) == ["n1", "b1"] and after["b1"] == before["b1"] and after["n1"] not in before.values()
    assert api.admin.post(f"{FEED}/{feed}", name="Spring")["product_feed"]["items"] == 2, "the file is left out"


def test_check_of_a_file_says_what_it_has_and_stores_nothing(api: Api) -> None:
    total = api.admin.get(FEEDS)["pagination"]["total_count"]
    checked = api.admin.post(f"{FEED}/check", csv=FILE)
    assert checked["items"] == 2 and [each["name"] for each in checked["first"]] == ["Boots & more", "Hat"]
    sent = {"file": ("p.csv", FILE.encode("utf-16"), "text/csv")}
    assert api.admin.call("POST", f"{FEED}/check", files=sent).json()["items"] == 2
    assert api.admin.refusal("POST", f"{FEED}/check") == (400, ["file"])
    assert api.admin.get(FEEDS)["pagination"]["total_count"] == total


def test_offer_names_a_feed_that_exists_and_keeps_it_from_being_removed(api: Api) -> None:
    feed, offer = add_feed(api), api.add_offer()
    place = f"/3.0/admin/offer/{offer}"
    assert api.admin.refusal("POST", place, data={"product_feed_id": "f" * 24}) == (400, ["product_feed_id"])
    api.admin.post(place, product_feed_id=feed)
    [listed] = [each for each in api.admin.get(FEEDS)["product_feeds"] if each["id"] == feed]
    assert listed["offers"] == 1
    assert api.admin.refusal("DELETE", f"{FEED}/{feed}")[0] == 409
    api.admin.post(place, product_feed_id="")
    assert api.admin.call("DELETE", f"{FEED}/{feed}").status_code == 200
    assert api.admin.refusal("GET", f"{FEED}/{feed}")[0] == 404


WRITES = (("POST", "", {"name": "Taken"}), ("POST", "/read", {}), ("DELETE", "", {}))
"""The methods that write a feed which exists: method, end of the path, parameters."""


def test_writes_of_a_feed_are_all_in_the_table() -> None:
    with_id = [each for each in routes.endpoints if each.path.startswith("/admin/product-feed/{id}")]
    writes = {(each.method, each.path.removeprefix("/admin/product-feed/{id}")) for each in with_id}
    assert writes - {("GET", "")} == {(method, end) for method, end, _ in WRITES}
    assert len(WRITES) == 3


def test_sales_manager_writes_only_feeds_without_offers_of_others(api: Api) -> None:
    (first, own), (second, other) = api.add_staff(Role.MANAGER_SALES), api.add_staff(Role.MANAGER_SALES)
    feed = str(own.post(FEED, name="Autumn", url="https://shop.example/p.csv")["product_feed"]["id"])

    def statuses(client: ApiClient) -> list[int]:
        return [client.call(method, f"{FEED}/{feed}{end}", data=sent).status_code for method, end, sent in WRITES]

    used = api.add_offer(advertiser=api.add_advertiser(manager=first), product_feed_id=feed)
    assert statuses(other) == [403, 403, 403]
    theirs = api.add_offer(advertiser=api.add_advertiser(manager=second), product_feed_id=feed)
    assert statuses(other) == statuses(own) == [403, 403, 403], "the offer of another manager uses it too"
    assert api.admin.get(f"{FEED}/{feed}")["product_feed"]["name"] == "Autumn"
    api.admin.post(f"/3.0/admin/offer/{theirs}", product_feed_id="")
    assert statuses(own) == [200, 200, 409]
    assert statuses(other) == [403, 403, 403] and statuses(api.admin) == [200, 200, 409]
    api.admin.post(f"/3.0/admin/offer/{used}", product_feed_id="")
    assert statuses(other) == [200, 200, 200], "no offer uses it"


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        ({"url": "https://user:secret@shop.example/p.csv"}, ["url"]),
        ({"url": "https://user@shop.example/p.csv"}, ["url"]),
        ({"url": "https://shop.example/{clickid}.csv"}, ["url"]),
        ({"url": "ftp://shop.example/p.csv"}, ["url"]),
        ({"url": "https://shop.example:x/p.csv"}, ["url"]),
        ({"url": "https://[::1/p.csv"}, ["url"]),
        ({"url": f"https://shop.example/{'a' * 2000}"}, ["url"]),
        ({"url": "https://shop.example/p.csv", "csv": FILE}, ["url"]),
        ({"url": "https://shop.example/p.csv", "refresh_hours": 0}, ["refresh_hours"]),
        ({"url": "https://shop.example/p.csv", "refresh_hours": 169}, ["refresh_hours"]),
        ({"refresh_hours": 24}, ["file"]),
    ],
)
def test_url_of_a_feed_that_cannot_be_read_is_refused(api: Api, sent: dict[str, Any], fields: list[str]) -> None:
    assert api.admin.refusal("POST", FEED, data={"name": "A"} | sent) == (400, fields)


def test_feed_changes_from_a_file_to_a_url_and_back(api: Api) -> None:
    feed = add_feed(api)
    read = api.admin.post(f"{FEED}/{feed}", url="https://shop.example/p.csv")["product_feed"]
    assert (read["url"], read["refresh_hours"], read["items"]) == ("https://shop.example/p.csv", 24, 2)
    assert read["next_read_at"] and not read["last_read_at"]
    assert api.admin.refusal("POST", f"{FEED}/{feed}", data={"csv": FILE}) == (400, ["file"])
    login = {"url": "https://user:secret@shop.example/p.csv"}
    assert api.admin.refusal("POST", f"{FEED}/{feed}", data=login) == (400, ["url"])
    renamed = api.admin.post(f"{FEED}/{feed}", name="Winter")["product_feed"]
    assert renamed["url"] == read["url"] and renamed["next_read_at"] == read["next_read_at"]
    back = api.admin.post(f"{FEED}/{feed}", url="", csv=FILE)["product_feed"]
    assert (back["url"], back["next_read_at"], back["items"]) == ("", "", 2)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["The first row names the columns, and each further row is one record: this file has none."]),
        ("sku,price\n1,2", ["No column is known for: Name, URL. Name it in the first row."]),
        ("sku,name,name,url\n1,a,b,http://a", ["The file has the column 'name' more than once. Rename all but one."]),
        (
            "sku;name;url;price;currency\n1;;http://a;1,500;\n\n1;A;a b;2;euro",
            [
                "Row 2, name: This value is required.",
                "Row 2, price: '1,500' may be a thousand or a fraction; write it without a separator of thousands.",
                "Row 4, currency: 'euro' is not a currency code of three letters.",
                "Row 4, url: This is not a URL: it begins with http:// or https:// and has no spaces.",
                "Row 4, sku: Row 2 has the same value.",
            ],
        ),
        (f"sku,name,url\n{'1' * 201},A,http://a", ["Row 2, sku: This value has more than 200 characters."]),
        ("sku,name,url\n" + "1,,http://a\n" * 11, None),
    ],
)  # fmt: skip
def test_file_with_faults_names_rows_and_columns(text: str, faults: list[str] | None) -> None:
    with pytest.raises(FeedFault) as found:
        read_products(text.encode())
    if faults is None:
        assert len(found.value.faults) == 21 and found.value.faults[-1] == "Further faults: 1."
    else:
        assert list(found.value.faults) == faults


def test_file_that_is_too_large_or_no_text_is_no_feed() -> None:
    for content in (b"a" * (MOST_BYTES + 1), b"\xff\xfes", b"sku,name,url\n\0,a,http://a"):
        with pytest.raises(FeedFault):
            read_products(content)
