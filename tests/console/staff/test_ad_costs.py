"""The pages of ad costs."""

from typing import Any

from tests.console.test_list_files import read_file
from tests.support.api import Api
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import staff_visitor
from trackyard.domain.people.roles import Role

PATH = "/console/ad-costs"


def costs_of(api: Api, offer: int) -> list[tuple[int, str, str, float]]:
    found = api.admin.get("/3.1/adcosts", offer_id=offer)["costs"]
    return [(each["affiliate_id"], each["date"], each["sub8"], float(each["costs"])) for each in found]


def test_ad_cost_is_entered_replaced_and_removed(api: Api) -> None:
    offer, (pid, _) = api.add_offer(title="Boots"), api.add_affiliate(name="Harbor")
    staff = staff_visitor(api)
    assert "Choose an offer" in staff.read(PATH).text
    form = read_form(staff, f"{PATH}/new?offer={offer}")
    typed = {"affiliate_id": str(pid), "date": "2023-11-10", "costs": "much"}
    refused = send(staff, f"{PATH}/new", form, **typed)
    again = FormReader(refused.text)
    assert refused.status_code == 400 and again.faults["f-costs-fault"] and again.value("date") == "2023-11-10"
    assert send(staff, f"{PATH}/new", again, costs="12.5").status_code == 303
    assert costs_of(api, offer) == [(pid, "2023-11-10", "", 12.5)]
    page = staff.read(f"{PATH}?offer={offer}")
    assert "Harbor" in page.text and "2023-11-10" in page.text
    assert [row["costs"] for row in read_file(staff, f"{PATH}?offer={offer}&format=csv&fields=all")] == ["12.5"]
    place: dict[str, Any] = {"offer_id": str(offer), "affiliate_id": str(pid), "date": "2023-11-10", "sub8": ""}
    assert staff.post(f"{PATH}/remove", **place).status_code == 303
    assert costs_of(api, offer) == []
    assert staff.post(f"{PATH}/remove", **place).status_code == 404


def test_import_shows_what_each_line_does_before_it_saves_anything(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    staff = staff_visitor(api)
    api.admin.post("/3.1/adcosts", offer_id=offer, affiliate_id=pid, date="2023-11-10", sub8="a", costs="3")
    lines = (
        f"{offer},{pid},2023-11-10,a,4",
        f"{offer},{pid},2023-11-11,,5.5",
        f"{offer},{pid},2023-11-11,,6",
        f"{offer},{pid},yesterday,,7",
        f"999,{pid},2023-11-11,,8",
        f"{offer},999,2023-11-11,,9",
    )
    text = "\n".join(("Offer,Affiliate,Day,sub8,Cost", *lines))
    shown = staff.post(f"{PATH}/import", text=text)
    assert shown.status_code == 200 and costs_of(api, offer) == [(pid, "2023-11-10", "a", 3)]
    for words in (
        "Replaces",
        "Save 2 ad costs",
        "4 lines are refused",
        "Line 3 is about the same clicks.",
        "An offer 999 does not exist.",
        "An affiliate 999 does not exist.",
    ):
        assert words in shown.text, words
    done = staff.post(f"{PATH}/import", text=text, do="import")
    assert "2 ad costs are saved." in done.text and "Lines that were refused" in done.text
    assert costs_of(api, offer) == [(pid, "2023-11-11", "", 5.5), (pid, "2023-11-10", "a", 4)]
    good = "\n".join(("offer_id,affiliate_id,date,costs", f"{offer},{pid},2023-11-12,1"))
    assert staff.post(f"{PATH}/import", text=good, do="import").status_code == 303


def test_import_names_the_columns_that_are_missing(api: Api) -> None:
    answer = staff_visitor(api).post(f"{PATH}/import", text="offer,day\n1,2023-11-10")
    assert answer.status_code == 400 and "Affiliate number, Cost" in answer.text and "1,2023-11-10" in answer.text


def test_ad_costs_are_changed_by_those_who_may_alone(api: Api) -> None:
    manager = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert "New ad cost" not in manager.read(PATH).text
    assert manager.get(f"{PATH}/import").status_code == 403
