"""The page of one offer."""

from decimal import Decimal
from typing import Any

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.offer_pages import sales_desk
from tests.support.pages import Visitor, console_app, staff_visitor
from trackyard.domain.people.roles import Role

HOSTILE = '"><script>alert(1)</script>'
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Version/17.4 Mobile Safari/604.1"


def stored(api: Api, offer: int) -> Any:
    """The offer as the API shows it."""
    return api.admin.get(f"/3.1/offer/{offer}")["offer"]


def test_offer_page_shows_figures_of_the_api(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser(title="Royal Reef")
    offer = api.add_offer(advertiser=advertiser, title="Casino deposit")
    pid, _ = api.add_affiliate()
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser) for number in range(8)])
    load_clicks(api.deps, [new_click(50, offer=offer + 1, affiliate=pid, advertiser=advertiser)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    sent = {"slice[]": "offer", "filter[offer][]": offer, "filter[date_from]": "2023-10-17"}
    [row] = api.admin.get("/3.1/stats/custom", **sent, **{"filter[date_to]": "2023-11-15"})["stats"]
    charge = Decimal(str(row["actions"]["confirmed"]["charge"]))
    text = staff_visitor(api).read(f"/console/offers/{offer}").text
    assert f"Clicks {row['traffic']['raw']} " in text
    assert f"Charge ${charge:.2f} " in text
    assert "Casino deposit #1 · Royal Reef Active" in text
    assert "1 everyone all $10.00 $7.00 30 %" in text
    assert "Every visitor gets through." in text


def test_offer_page_shows_hostile_texts_as_text(api: Api) -> None:
    landing = {"landings[0][title]": HOSTILE, "landings[0][url]": "https://a.example/", "landings[0][url_preview]": ""}
    landing["landings[0][url_preview]"] = "https://a.example/"
    offer = api.add_offer(title=HOSTILE, **landing, **{"payments[0][title]": HOSTILE})
    visitor = staff_visitor(api)
    for path in (f"/console/offers/{offer}", f"/console/offers/{offer}/delete"):
        assert "<script>alert" not in visitor.get(path).text
        assert HOSTILE in visitor.read(path).text


def test_offer_page_gives_the_link_of_the_chosen_affiliate(api: Api) -> None:
    offer = api.add_offer(privacy="public")
    pid, affiliate = api.add_affiliate()
    [given] = affiliate.get("/3.1/partner/offers")["offers"]
    page = staff_visitor(api).read(f"/console/offers/{offer}?affiliate={pid}")
    assert [given["link"]] == [attrs["data-copy"] for _, attrs in page.elements if "data-copy" in attrs]
    private = api.add_offer(privacy="private")
    text = staff_visitor(api).read(f"/console/offers/{private}?affiliate={pid}").text
    assert "Clicks on this link are rejected now: the affiliate is not connected to the offer." in text


def test_click_test_says_why_and_records_nothing(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public", **{"strictly_devices[]": "tv"})
    visitor = staff_visitor(api)
    query = f"?affiliate={pid}&test=1&ip=203.0.113.9&device={PHONE}"
    sent = {"params[offer_id]": offer, "params[pid]": pid, "ip": "203.0.113.9", "ua": PHONE}
    check = api.admin.post("/3.1/admin/click-check", **sent)["check"]
    text = visitor.read(f"/console/offers/{offer}{query}").text
    assert (check["passes"], check["reason"]) == (False, "mistargeting-device")
    assert "Rejected: The type of the visitor's device is not allowed" in text
    assert check["detail"] in text and "Nothing was recorded." in text
    api.admin.post(f"/3.1/admin/offer/{offer}", strictly_devices="")
    assert "The click gets through." in visitor.read(f"/console/offers/{offer}{query}").text
    period = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
    assert api.admin.get("/3.1/stats/clicks", **period)["pagination"]["total_count"] == 0
    assert "IP address" in visitor.read(f"/console/offers/{offer}?affiliate={pid}&test=1&ip=nowhere").text


def test_offer_is_paused_and_activated_by_forms(api: Api) -> None:
    offer = api.add_offer()
    visitor = staff_visitor(api)
    assert visitor.post(f"/console/offers/{offer}/status", status="suspended").status_code == 303
    assert stored(api, offer)["status"] == "suspended"
    assert visitor.post(f"/console/offers/{offer}/status", status="active").status_code == 303
    assert stored(api, offer)["status"] == "active"
    assert visitor.post(f"/console/offers/{offer}/status", status="active", form_token="x").status_code == 403


def test_offer_is_removed_after_a_question(api: Api) -> None:
    offer = api.add_offer(title="Casino")
    visitor = staff_visitor(api)
    assert "It cannot be undone." in visitor.read(f"/console/offers/{offer}/delete").text
    assert stored(api, offer)["title"] == "Casino"
    assert visitor.post(f"/console/offers/{offer}/delete").headers["location"] == "/console/offers"
    assert visitor.get(f"/console/offers/{offer}").status_code == 404


def test_offer_page_offers_changes_to_those_who_may_make_them(api: Api) -> None:
    desk = sales_desk(api)
    own, foreign = (desk.visitor.read(f"/console/offers/{number}") for number in (desk.own, desk.foreign))
    assert "Pause the offer" in own.text and f"/console/offers/{desk.own}/delete" in own.links
    assert "Pause the offer" not in foreign.text and f"/console/offers/{desk.foreign}/delete" not in foreign.links
    assert desk.visitor.post(f"/console/offers/{desk.foreign}/status", status="stopped").status_code == 404
    assert stored(api, desk.foreign)["status"] == "active"
    reader = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert "Pause the offer" not in reader.read(f"/console/offers/{desk.own}").text
    for page in ("status", "delete"):
        assert reader.post(f"/console/offers/{desk.own}/{page}", status="stopped").status_code == 403
    assert reader.get(f"/console/offers/{desk.own}/delete").status_code == 403
    api.add_affiliate(email="aff@example.org", password="long-enough")
    visitor = Visitor(console_app(api))
    visitor.sign_in("aff@example.org", "long-enough")
    assert visitor.get(f"/console/offers/{desk.own}").status_code == 403


def test_caps_of_an_offer_are_meters_with_numbers_of_the_api(api: Api) -> None:
    api.clock.advance(NOON - NOW)
    caps = {"caps[0][period]": "day", "caps[0][type]": "budget", "caps[0][value]": "10"}
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, **caps)
    pid, _ = api.add_affiliate()
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    [cap] = api.admin.get("/3.1/stats/caps", offer_id=offer)["stats"][0]["stats"]
    page = staff_visitor(api).read(f"/console/offers/{offer}")
    assert f"Budget today ${cap['current_value']:.2f} of $10.00" in page.text
    assert "70.0%" in [given.get("width") for tag, given in page.elements if tag == "rect"]
