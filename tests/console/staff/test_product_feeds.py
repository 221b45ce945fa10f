"""The pages of product feeds, and the products that an affiliate downloads."""

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.page_forms import FormReader
from tests.support.pages import affiliate_visitor, staff_visitor
from trackyard.domain.people.roles import Role

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
