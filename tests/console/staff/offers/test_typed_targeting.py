"""A click is tried on targeting that was typed and not saved."""

from tests.support.api import Api
from tests.support.page_forms import read_form, send
from tests.support.pages import staff_visitor
from trackyard.console.staff.offers.click_test import DEVICES
from trackyard.store.tables import audit

PHONE, COMPUTER = DEVICES[0][0], DEVICES[3][0]


def test_click_is_tried_on_typed_targeting_and_nothing_is_saved(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public", **{"targeting[0][device_type][]": "mobile"})
    visitor, path = staff_visitor(api), f"/console/offers/{offer}/targeting"
    before = api.admin.get(f"/3.1/offer/{offer}")["offer"]
    form = read_form(visitor, path)
    click = {"test_affiliate": str(pid), "test_ip": "203.0.113.9", "test_device": PHONE}
    assert "The click gets through." in send(visitor, path, form, "try", **click).text
    typed = {"targeting[0][device_type]": ["tv"]}
    tried = send(visitor, path, form, "try", **click, **typed)
    assert tried.status_code == 200
    assert "Rejected: " in tried.text and "The click gets through." not in tried.text
    assert 'value="tv" checked' in tried.text or 'value="tv" selected' in tried.text, "what was typed is kept"
    assert api.admin.get(f"/3.1/offer/{offer}")["offer"] == before
    period = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
    assert api.admin.get("/3.1/stats/clicks", **period)["pagination"]["total_count"] == 0


def test_fault_of_a_tried_click_is_at_its_field(api: Api) -> None:
    offer = api.add_offer(privacy="public", **{"targeting[0][country][allow][]": "GB"})
    visitor, path = staff_visitor(api), f"/console/offers/{offer}/targeting"
    form = read_form(visitor, path)
    wrong_address = send(visitor, path, form, "try", test_ip="nowhere").text
    assert 'id="test-fault"' in wrong_address and 'value="nowhere"' in wrong_address
    wrong_country = send(visitor, path, form, "try", **{"targeting[0][country][allow]": "XX1"})
    assert wrong_country.status_code == 400 and "The click gets through." not in wrong_country.text


def test_api_checks_a_click_on_an_edit_that_is_not_made(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    path = f"/3.0/admin/offer/{offer}/click-check"
    click = {"click_params[pid]": pid, "click_ip": "203.0.113.9", "click_ua": COMPUTER}
    assert api.admin.post(path, **click)["check"]["passes"]
    changed = api.admin.post(path, **click, **{"targeting[0][device_type][]": "mobile"})["check"]
    assert (changed["passes"], changed["reason"]) == (False, "mistargeting-device")
    with api.deps.database.read() as conn:
        assert not [row for row in conn.execute(audit.select()) if row.method == "admin.offer.click-check"]
    stopped = api.admin.post(path, **click, status="stopped")["check"]
    assert not stopped["passes"]
    assert api.admin.post("/3.1/admin/click-check", **{"params[offer_id]": offer, "params[pid]": pid})["check"][
        "passes"
    ]
