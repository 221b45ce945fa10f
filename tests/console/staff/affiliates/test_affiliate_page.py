"""The page of one affiliate."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.page_forms import read_form, send
from tests.support.pages import console_app, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of, earn
from tests.support.processes.mails import mails
from trackyard.domain.people.roles import Role


def stored(api: Api, pid: int) -> Any:
    """The affiliate as the API shows it."""
    return api.admin.get(f"/3.1/admin/partner/{pid}")["partner"]


def test_affiliate_page_shows_figures_and_balance_of_the_api(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    advertiser = api.add_advertiser()
    pid, _ = api.add_affiliate(name="Harbour Media")
    personal = {"partner_payments[0][partners][]": pid, "partner_payments[0][total]": "10"}
    offer = api.add_offer(
        advertiser=advertiser, title="Shoes", privacy="public", **personal, **{"partner_payments[0][revenue]": "8.5"}
    )
    earn(api, pid, "12.50")
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=advertiser) for number in range(8)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    sent = {"slice[]": "affiliate", "filter[date_from]": "2023-11-09", "filter[date_to]": "2023-11-15"}
    [row] = api.admin.get("/3.1/stats/custom", **sent)["stats"]
    available = stored(api, pid)["balance"]["USD"]["available"]
    text = staff_visitor(api).read(f"/console/affiliates/{pid}").text
    assert f"Clicks {row['traffic']['raw']} " in text
    assert f"Charge ${Decimal(str(row['actions']['confirmed']['charge'])):.2f} " in text
    assert f"Available ${available:.2f}" in text
    assert "may send traffic to 1 offer" in text
    assert "Personal payouts Offer Goal Only Charge Payout Action Shoes 1 all $10.00 $8.50" in text


def test_affiliate_page_shows_contact_postbacks_referrals_and_answers(api: Api) -> None:
    field = api.admin.post("/3.1/admin/custom_fields", name="Traffic", required=0)["field"]["id"]
    contact = {"contactPerson": "Ann Lee", "city": "Riga", "country": "LV", "notes": "Calls on Mondays"}
    pid, _ = api.add_affiliate(**contact, **{f"custom_fields[{field}]": "Mail", "tags[]": "top"})
    other, _ = api.add_affiliate(name="Brought", ref=pid)
    api.admin.post("/3.1/partner/postback", pid=pid, url="https://a.example/?c={clickid}", status="confirmed")
    page = staff_visitor(api).read(f"/console/affiliates/{pid}")
    for words in ("Ann Lee", "Riga", "Latvia", "Calls on Mondays", "Traffic Mail", "https://a.example/?c={clickid}"):
        assert words in page.text, words
    assert f"/console/affiliates/{other}" in page.links and "Brought" in page.text


def test_affiliate_page_shows_hostile_texts_as_text_and_no_key(api: Api) -> None:
    pid, client = api.add_affiliate(name=HOSTILE, notes=HOSTILE, company=HOSTILE)
    visitor = staff_visitor(api)
    answer = visitor.get(f"/console/affiliates/{pid}")
    assert "<script>alert" not in answer.text
    assert client.key is not None and client.key not in answer.text
    assert HOSTILE in visitor.read(f"/console/affiliates/{pid}").text


def test_affiliate_page_changes_status_manager_and_offers(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    offer = api.add_offer(privacy="private", title="Closed")
    pid, _ = api.add_affiliate(name="Ann")
    visitor = staff_visitor(api)
    page = f"/console/affiliates/{pid}"
    assert visitor.post(f"{page}/status", status="banned").headers["location"] == page
    assert "Ann is blocked" in visitor.read(page).text
    assert stored(api, pid)["status"] == "banned"
    visitor.post(f"{page}/status", status="active")
    assert visitor.post(f"{page}/manager", manager_id=manager).status_code == 303
    assert stored(api, pid)["manager"]["id"] == manager
    assert visitor.post(f"{page}/connect", do="connect", offer_id=offer).status_code == 303
    assert "Closed" in visitor.read(page).text
    assert visitor.post(f"{page}/connect", do="disconnect", offer_id=offer).status_code == 303
    assert "It may send traffic to no offer." in visitor.read(page).text
    refused = visitor.post(f"{page}/connect", do="connect", offer_id="999")
    assert refused.status_code == 400 and 'role="alert"' in refused.text
    assert visitor.post(f"{page}/status", status="banned", form_token="x").status_code == 403


def test_affiliate_approval_that_waits_for_the_address_leads_to_its_confirmation(api: Api) -> None:
    strict = replace(api, deps=replace(api.deps, needs_confirmed_email=True))
    sent = {"email": "new@a.example", "password": "a long enough password"}
    api.admin.with_key(None).post("/3.1/partner", **sent)
    [pid] = [row["id"] for row in api.admin.get("/3.1/admin/partners")["partners"]]
    visitor = staff_visitor(api, app=console_app(strict))
    refused = visitor.post(f"/console/affiliates/{pid}/status", status="active")
    assert refused.status_code == 409
    assert "Confirm the e-mail address and approve" in refused.text
    assert visitor.post(f"/console/affiliates/{pid}/status", status="active", email_confirmed="1").status_code == 303
    assert (stored(api, pid)["status"], stored(api, pid)["email_state"]) == ("active", "confirmed")


def test_affiliate_page_of_a_manager_has_own_affiliates_alone(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=desk.manager)
    foreign, _ = api.add_affiliate()
    assert "Block" in desk.visitor.read(f"/console/affiliates/{own}").text
    assert desk.visitor.get(f"/console/affiliates/{foreign}").status_code == 404
    assert desk.visitor.post(f"/console/affiliates/{foreign}/status", status="banned").status_code == 404
    sales = staff_visitor(api, Role.MANAGER_SALES)
    assert sales.get(f"/console/affiliates/{own}").status_code == 403
    assert sales.post(f"/console/affiliates/{own}/status", status="banned").status_code == 403
    assert stored(api, foreign)["status"] == stored(api, own)["status"] == "active"


def test_affiliate_is_invited_and_edited_by_forms(api: Api) -> None:
    visitor = staff_visitor(api)
    new = "/console/affiliates/new"
    form = read_form(visitor, new)
    assert "password" not in form.names and "message" in form.names
    refused = send(visitor, new, form, email="no address", name=HOSTILE)
    assert refused.status_code == 400
    assert "no address" in refused.text and "<script>alert" not in refused.text
    made = send(visitor, new, form, email="new@a.example", name="New", message="Welcome")
    assert [each.recipient for each in mails(api) if "Welcome" in each.body] == ["new@a.example"]
    path = made.headers["location"]
    pid = int(path.rpartition("/")[2])
    sent = {"name": "Newer", "contact_person": "Ann", "tags": "top, new", "ref_percent": "5"}
    changed = send(visitor, f"{path}/edit", read_form(visitor, f"{path}/edit"), **sent)
    assert changed.headers["location"] == path
    found = stored(api, pid)
    assert (found["name"], found["contactPerson"], found["tags"]) == ("Newer", "Ann", ["top", "new"])
    assert (found["email"], found["ref_percent"]) == ("new@a.example", "5")
    reader = staff_visitor(api, Role.MANAGER_SALES)
    assert reader.get("/console/affiliates/new").status_code == reader.get(f"{path}/edit").status_code == 403
