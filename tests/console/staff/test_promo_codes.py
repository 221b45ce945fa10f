"""The pages of promo codes."""

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import staff_visitor
from trackyard.domain.people.roles import Role

PATH = "/console/promo-codes"
ITEM = "promocodes[0]"


def codes_of(api: Api) -> list[dict[str, object]]:
    found: list[dict[str, object]] = api.admin.get("/3.1/offers/promocodes")["data"]["promocodes"]
    return found


def test_promo_code_is_made_in_the_zone_of_the_person_changed_and_ended(api: Api) -> None:
    offer, (pid, _) = api.add_offer(title="Boots"), api.add_affiliate(name="Harbor")
    staff = staff_visitor(api)
    staff.post("/console/profile/preferences", timezone="Asia/Tokyo", single_keys="1")
    form = read_form(staff, f"{PATH}/new?offer={offer}")
    typed = {
        f"{ITEM}[affiliate_id]": str(pid),
        f"{ITEM}[code]": "a b",
        f"{ITEM}[date_from]": "2023-11-01T09:00",
        f"{ITEM}[date_to]": "2023-12-01T09:00",
    }
    refused = send(staff, f"{PATH}/new?offer={offer}", form, **typed)
    again = FormReader(refused.text)
    assert refused.status_code == 400 and again.faults["f-promocodes-0-code-fault"]
    assert again.value(f"{ITEM}[date_to]") == "2023-12-01T09:00:00"
    assert send(staff, f"{PATH}/new", again, **{f"{ITEM}[code]": "Run/10{x}"}).status_code == 303
    [made] = codes_of(api)
    assert (made["code"], made["offer_id"], made["affiliate_id"]) == ("Run/10{x}", offer, pid)
    assert (made["date_from"], made["date_to"]) == ("2023-11-01T00:00:00Z", "2023-12-01T00:00:00Z")
    page = staff.read(PATH)
    assert "Boots" in page.text and "Harbor" in page.text and "2023-12-01 09:00 Works" in page.text
    edit = f"{PATH}/edit?code=Run%2F10%7Bx%7D"
    assert edit in page.links
    form = read_form(staff, edit)
    assert form.value("date_to") == "2023-12-01T09:00:00"
    assert send(staff, edit, form, usage_limit="5", description="autumn").status_code == 303
    [changed] = codes_of(api)
    assert changed["usage_limit"] == 5 and changed["date_to"] == made["date_to"]
    assert staff.post(f"{PATH}/end", code=made["code"]).status_code == 303
    assert "Ended" in staff.read(PATH).text
    [ended] = codes_of(api)
    assert str(ended["date_to"]) < "2023-11-16"


def test_promo_code_that_has_not_begun_can_be_ended(api: Api) -> None:
    add(api, "LATER", date_from="2030-01-01T00:00:00Z", date_to="2030-02-01T00:00:00Z")
    staff = staff_visitor(api)
    assert "Not yet" in staff.read(PATH).text
    assert staff.post(f"{PATH}/end", code="later").status_code == 303
    assert str(codes_of(api)[0]["date_to"]) < "2024"
    assert staff.post(f"{PATH}/end", code="unknown").status_code == 404


def test_promo_codes_are_filtered_and_exported(api: Api) -> None:
    offer = add(api, "SPRING")
    add(api, "AUTUMN")
    staff = staff_visitor(api)
    found = staff.read(f"{PATH}?offer={offer}").text
    assert "SPRING" in found and "AUTUMN" not in found
    assert "Nothing meets these filters" in staff.read(f"{PATH}?q=none").text
    rows = read_file(staff, f"{PATH}?q=spr&format=csv&fields=all")
    assert [row["code"] for row in rows] == ["SPRING"]


def test_promo_codes_are_for_those_who_may_write_offers(api: Api) -> None:
    add(api, "SPRING")
    manager = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert manager.get(PATH).status_code == 403
    assert PATH not in manager.read("/console/").links


def add(api: Api, code: str, **fields: str) -> int:
    """Add a promo code, and return its new offer."""
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    item = {
        "type": "manual",
        "code": code,
        "offer_id": offer,
        "affiliate_id": pid,
        "date_from": "2023-11-01T00:00:00Z",
        "date_to": "2030-01-01T00:00:00Z",
        **fields,
    }
    sent = {f"promocodes[0][{name}]": value for name, value in item.items()}
    api.admin.post("/3.1/offers/promocodes/bulk", **sent)
    return offer
