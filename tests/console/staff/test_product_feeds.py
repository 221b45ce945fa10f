"""The pages of product feeds, and the products that an affiliate downloads."""

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.page_forms import FormReader
from tests.support.pages import affiliate_visitor, staff_visitor
from trackyard.domain.people.roles import Role
from trackyard.jobs.schedule.feed_reads import FeedReader

PATH = "/console/product-feeds"
FILE = "sku,name,url,price\nb1,Boots,https://shop.example/boots,12.50\nh2,Hat,https://shop.example/hat,7"


def test_feed_is_checked_saved_replaced_and_removed(api: Api) -> None:
    staff = staff_visitor(api)
    faulty = staff.post(f"{PATH}/new", name="Autumn", csv=f"{FILE}\nb1,,x", do="check")
    assert faulty.status_code == 400
    for words in ("Row 4, name: This value is required.", "Row 4, sku: Row 2 has the same value.", "Nothing is saved."):
        assert words in faulty.text
    shown = staff.post(f"{PATH}/new", name="Autumn", csv=FILE, do="check")
    assert "nothing is saved yet" in shown.text and "2 products" in shown.text and "Boots" in shown.text
    assert api.admin.get("/3.1/admin/product-feeds")["product_feeds"] == []
    kept = FormReader(shown.text)
    saved = staff.post(f"{PATH}/new", name="Autumn", csv=kept.value("csv"), do="save")
    assert saved.status_code == 303
    [feed] = api.admin.get("/3.1/admin/product-feeds")["product_feeds"]
    assert (feed["name"], feed["items"]) == ("Autumn", 2) and saved.headers["location"].startswith(
        f"{PATH}/{feed['id']}"
    )
    assert "Boots" in staff.read(f"{PATH}/{feed['id']}").text and "Autumn" in staff.read(PATH).text
    assert staff.post(f"{PATH}/{feed['id']}/edit", name="Winter", csv="", do="save").status_code == 303
    offer = api.add_offer(product_feed_id=feed["id"])
    assert "Winter" in staff.read(f"/console/offers/{offer}/edit").text
    assert staff.post(f"{PATH}/{feed['id']}/remove").status_code == 409
    api.admin.post(f"/3.1/admin/offer/{offer}", product_feed_id="")
    assert staff.post(f"{PATH}/{feed['id']}/remove").status_code == 303
    assert "There is no product feed yet." in staff.read(PATH).text


def test_feed_with_a_url_is_saved_read_now_and_shows_its_last_error(api: Api) -> None:
    staff, address = staff_visitor(api), "https://user:secret@shop.invalid:1/p.csv"
    refused = staff.post(f"{PATH}/new", name="Autumn", url=address, refresh_hours="200", do="save")
    form = FormReader(refused.text)
    assert refused.status_code == 400 and (form.value("url"), form.value("refresh_hours")) == (address, "200")
    assert 'id="refresh_hours-fault"' in refused.text and "Nothing is saved." in refused.text
    refused = staff.post(f"{PATH}/new", name="Autumn", url=address, refresh_hours="6", do="save")
    assert 'id="url-fault">Leave out the name and password before the host' in refused.text
    private = staff.post(f"{PATH}/new", name="Autumn", url="http://127.0.0.1:1/p.csv", refresh_hours="6", do="save")
    assert 'id="url-fault">127.0.0.1 is a private IP address' in private.text
    address = "http://shop.invalid:1/p.csv"
    assert 'id="url-fault">Only a file has a preview' in staff.post(f"{PATH}/new", url=address, do="check").text
    saved = staff.post(f"{PATH}/new", name="Autumn", url=address, refresh_hours="6", do="save")
    [feed] = api.admin.get("/3.1/admin/product-feeds")["product_feeds"]
    assert saved.status_code == 303 and (feed["url"], feed["refresh_hours"]) == (address, 6)
    place = f"{PATH}/{feed['id']}"
    assert address in staff.read(place).text and "The feed has no products yet" in staff.read(place).text
    FeedReader(api.deps.database, api.clock).read_one()
    shown = staff.read(place).text
    assert "The last reading failed" in shown and "shop.invalid" in shown
    assert "The last reading failed" in staff.read(PATH).text
    assert "Read now" in shown and staff.post(f"{place}/read").status_code == 303
    kept = FormReader(staff.get(f"{place}/edit").text)
    assert (kept.value("url"), kept.value("refresh_hours")) == (address, "6")
    assert staff.post(f"{place}/edit", name="Autumn", url="", csv=FILE, do="save").status_code == 303
    assert "Read now" not in staff.read(place).text and staff.post(f"{place}/read").status_code == 409


def test_affiliate_downloads_the_products_with_its_own_links(api: Api) -> None:
    feed = api.admin.post("/3.1/admin/product-feed", name="Autumn", csv=FILE)["product_feed"]["id"]
    offer = api.add_offer(privacy="protected", product_feed_id=feed, allow_deeplink=1)
    pid, visitor = affiliate_visitor(api)
    place = f"/portal/offers/{offer}"
    assert "Download the products" not in visitor.read(place).text
    assert visitor.get(f"{place}/products").status_code == 400
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid, notice=0)
    assert "Download the products" in visitor.read(place).text
    boots, hat = read_file(visitor, f"{place}/products")
    assert boots["affise_url"].endswith(f"pid={pid}&offer_id={offer}&redirect=https%3A%2F%2Fshop.example%2Fboots")
    assert (hat["sku"], hat["price"]) == ("h2", "7")
    plain = api.add_offer(privacy="public")
    assert visitor.get(f"/portal/offers/{plain}/products").status_code == 404


def test_feeds_are_written_by_those_who_may_alone(api: Api) -> None:
    manager = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert "New product feed" not in manager.read(PATH).text
    assert manager.get(f"{PATH}/new").status_code == 403


def test_buttons_of_a_feed_are_shown_to_those_who_may_write_it_alone(api: Api) -> None:
    staff_id, own = api.add_staff(Role.MANAGER_SALES)
    feed = api.admin.post("/3.1/admin/product-feed", name="Shoes", csv=FILE)["product_feed"]["id"]
    theirs, mine = api.add_advertiser(), api.add_advertiser(manager=staff_id)
    assert own.get(f"/3.1/admin/product-feed/{feed}")["is_writable"], "no offer names it"
    api.add_offer(advertiser=mine, product_feed_id=feed)
    assert own.get(f"/3.1/admin/product-feed/{feed}")["is_writable"]
    api.add_offer(advertiser=theirs, product_feed_id=feed)
    assert not own.get(f"/3.1/admin/product-feed/{feed}")["is_writable"]
    path = f"{PATH}/{feed}"
    for visitor, shown in ((staff_visitor(api), True), (staff_visitor(api, Role.MANAGER_SALES), False),
                           (staff_visitor(api, Role.MANAGER_AFFILIATE), False)):  # fmt: skip
        page = visitor.get(path).text
        assert [f'"{path}/{act}"' in page for act in ("edit", "remove")] == [shown, shown]
