"""The list and page of advertisers."""

from decimal import Decimal
from typing import Any

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.page_forms import read_form, send
from tests.support.pages import staff_visitor
from tests.support.people_pages import HOSTILE, desk_of, numbers
from trackyard.domain.people.roles import Role

LIST = "/console/advertisers"


def shown(api: Api, advertiser: str) -> Any:
    """The advertiser as the API shows it."""
    return api.admin.get(f"/3.1/admin/advertiser/{advertiser}")["advertiser"]


def test_advertiser_pages_show_figures_of_the_api(api: Api) -> None:
    api.clock.advance(NOON + 3_600_000 - NOW)
    reef = api.add_advertiser(title="Royal Reef", email="reef@a.example", **{"tags[]": "top"})
    offer = api.add_offer(advertiser=reef, title="Casino deposit")
    pid, _ = api.add_affiliate()
    load_clicks(api.deps, [new_click(number, offer=offer, affiliate=pid, advertiser=reef) for number in range(8)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=reef)
    sent = {"slice[]": "advertiser", "filter[date_from]": "2023-11-09", "filter[date_to]": "2023-11-15"}
    [row] = api.admin.get("/3.1/stats/custom", **sent)["stats"]
    charge = Decimal(str(row["actions"]["confirmed"]["charge"]))
    visitor = staff_visitor(api)
    text = visitor.read(LIST).text
    assert (
        f"Royal Reef reef@a.example Active — 1 {row['traffic']['raw']} new 1 new ${charge:.2f} new $3.00 new top"
        in text
    )
    page = visitor.read(f"{LIST}/{reef}")
    assert f"Charge ${charge:.2f} " in page.text and "Casino deposit" in page.text
    address = shown(api, reef)["postback_url"]
    assert [given["data-copy"] for _, given in page.elements if "data-copy" in given] == [address]


def test_advertiser_list_filters_and_orders_by_its_address(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    visitor = staff_visitor(api)
    assert "There are no advertisers yet." in visitor.read(LIST).text
    reef = api.add_advertiser(title="Reef", manager=manager, country="DE", **{"tags[]": "top"})
    bank = api.add_advertiser(title="Bank")
    for query in ("q=ree", f"q={reef}", f"manager={manager}", "country=DE", "tag=top"):
        assert numbers(visitor, f"{LIST}?{query}") == [reef], query
    assert numbers(visitor, f"{LIST}?sort=title") == [bank, reef]
    assert "Nothing meets these filters." in visitor.read(f"{LIST}?tag=none").text


def test_advertiser_is_made_and_edited_by_forms(api: Api) -> None:
    visitor = staff_visitor(api)
    form = read_form(visitor, f"{LIST}/new")
    refused = send(visitor, f"{LIST}/new", form, title="", email="no address", contact=HOSTILE)
    assert refused.status_code == 400
    assert "no address" in refused.text and "<script>alert" not in refused.text
    made = send(visitor, f"{LIST}/new", form, title=HOSTILE, email="reef@a.example", tags="top, new")
    path = made.headers["location"]
    number = path.rpartition("/")[2]
    assert (shown(api, number)["title"], shown(api, number)["tags"]) == (HOSTILE, ["top", "new"])
    for page in (path, LIST, f"{path}/edit"):
        assert "<script>alert" not in visitor.get(page).text
    form = read_form(visitor, f"{path}/edit")
    assert send(visitor, f"{path}/edit", form, title="Reef", allowed_ip="192.0.2.1").status_code == 303
    assert (shown(api, number)["title"], shown(api, number)["allowed_ip"]) == ("Reef", ["192.0.2.1"])
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    assert visitor.post(f"{path}/manager", manager_id=manager).headers["location"] == path
    assert shown(api, number)["manager"] == manager


def test_advertiser_form_names_affiliates_and_hides_statuses(api: Api) -> None:
    advertiser, (first, _), (second, _) = api.add_advertiser(), api.add_affiliate(), api.add_affiliate()
    visitor, path = staff_visitor(api), f"/console/advertisers/{advertiser}/edit"
    typed = {"affiliates_enabled": str(first), "affiliates_disabled": str(second), "hide_conversion_status": "1"}
    typed["subaccounts_encryption"] = "1"
    assert send(visitor, path, read_form(visitor, path), **typed).status_code == 303
    found = api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]
    assert [each["id"] for each in found["affiliates_enabled"]] == [first]
    assert [each["id"] for each in found["affiliates_disabled"]] == [second]
    assert found["hide_conversion_status"] is True and found["subaccounts_encryption"] is True
    form = read_form(visitor, path)
    assert ("affiliates_enabled", str(first)) in form.pairs
    assert send(visitor, path, form, affiliates_enabled="", affiliates_disabled="none").status_code == 400
    assert send(visitor, path, form, affiliates_enabled="").status_code == 303
    found = api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]
    assert (found["affiliates_enabled"], len(found["affiliates_disabled"])) == ([], 1)


def test_advertiser_form_has_the_custom_fields_of_the_network(api: Api) -> None:
    region = api.admin.post("/3.1/admin/custom_fields", name="Region", required=1)["field"]["id"]
    size = api.admin.post("/3.1/admin/custom_fields", name="Size", field_type="select", field_values=["S", "L"])
    names = (f"custom_fields[{region}]", f"custom_fields[{size['field']['id']}]")
    advertiser, visitor = api.add_advertiser(), staff_visitor(api)
    path = f"/console/advertisers/{advertiser}/edit"
    assert (
        send(visitor, path, read_form(visitor, path), **dict(zip(names, ("North", "L"), strict=True))).status_code
        == 303
    )
    found = api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]
    assert found["custom_fields"] == {str(region): "North", str(size["field"]["id"]): "L"}
    form = read_form(visitor, path)
    assert set(zip(names, ("North", "L"), strict=True)) <= set(form.pairs)
    assert "North" in visitor.read(f"/console/advertisers/{advertiser}").text
    refused = send(visitor, path, form, **{names[1]: "XXL"})
    assert (refused.status_code, "Size" in refused.text) == (400, True)
    assert api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]["custom_fields"] == found["custom_fields"]


def test_advertiser_pages_show_managers_their_own_and_codes_to_writers_alone(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_SALES)
    own = api.add_advertiser(manager=desk.manager, hash_password="own-secret-code")
    foreign = api.add_advertiser(hash_password="foreign-secret-code")
    assert numbers(desk.visitor, LIST) == [own]
    assert "own-secret-code" in desk.visitor.get(f"{LIST}/{own}").text
    assert desk.visitor.get(f"{LIST}/{foreign}").status_code == 404
    assert desk.visitor.post(f"{LIST}/{foreign}/manager", manager_id="").status_code == 404
    reader = staff_visitor(api, Role.MANAGER_AFFILIATE)
    for page in (LIST, f"{LIST}/{own}", f"{LIST}/new", f"{LIST}/{own}/edit"):
        assert reader.get(page).status_code == 403
    assert LIST not in reader.read("/console/affiliates").links
