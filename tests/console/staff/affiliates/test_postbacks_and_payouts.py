"""Staff change and test the postbacks of an affiliate, and its personal payouts."""

from typing import Any

from tests.support.api import Api
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import PageReader, staff_visitor, store_address
from tests.support.people_pages import HOSTILE, desk_of
from trackyard.domain.people.roles import Role


def postbacks_of(api: Api, pid: int) -> list[dict[str, Any]]:
    """The postbacks of an affiliate, as the API lists them."""
    found: list[dict[str, Any]] = api.admin.get("/3.1/admin/postbacks", **{"partner_id[]": pid})["postbacks"]
    return found


def payouts_of(api: Api, offer: int) -> list[tuple[list[int], str, float]]:
    """The personal payouts of an offer: affiliates, goal, amount."""
    found = api.admin.get(f"/3.1/offer/{offer}")["offer"]["partner_payments"]
    return [(each["partners"], each["goal"], each["revenue"]) for each in found]


def test_staff_add_edit_and_remove_the_postbacks_of_an_affiliate(api: Api) -> None:
    pid, _ = api.add_affiliate(name=HOSTILE)
    offer = api.add_offer(title="Shoes", privacy="public")
    visitor, page = staff_visitor(api), f"/console/affiliates/{pid}"
    new = f"{page}/postbacks/new"
    refused = send(visitor, new, read_form(visitor, new), url="no address")
    assert refused.status_code == 400 and "no address" in refused.text and "<script>alert" not in refused.text
    sent = {"url": "https://a.example/?c={clickid}", "status": "confirmed", "offer_id": str(offer)}
    assert send(visitor, new, read_form(visitor, new), **sent).headers["location"] == f"{page}#postbacks"
    [made] = postbacks_of(api, pid)
    assert (made["url"], made["status"], made["offer_id"]) == (sent["url"], "confirmed", str(offer))
    edit = f"{page}/postbacks/{made['id']}/edit"
    assert edit in visitor.read(page).links
    assert send(visitor, edit, read_form(visitor, edit), goal="sale").status_code == 303
    assert [each["goal"] for each in postbacks_of(api, pid)] == ["sale"]
    other, _ = api.add_affiliate()
    assert visitor.get(f"/console/affiliates/{other}/postbacks/{made['id']}/edit").status_code == 404
    delete = f"{page}/postbacks/{made['id']}/delete"
    assert "gets no more requests" in visitor.read(delete).text
    assert visitor.post(delete).headers["location"] == f"{page}#postbacks"
    assert postbacks_of(api, pid) == []


def test_staff_test_a_postback_of_an_affiliate_with_made_up_values(api: Api) -> None:
    pid, _ = api.add_affiliate()
    api.admin.post("/3.1/partner/postback", pid=pid, url="http://shop.example/?c={clickid}&g={goal}", goal="sale")
    store_address(api, "http://127.0.0.1:9/?c={clickid}&g={goal}")
    [postback] = postbacks_of(api, pid)
    visitor, page = staff_visitor(api), f"/console/affiliates/{pid}"
    answer = PageReader(visitor.post(f"{page}/postbacks/{postback['id']}/test").text)
    assert f"Test of postback {postback['id']} The server cannot be reached." in answer.text
    assert "&g=sale" in answer.text and "{clickid}" not in answer.text.partition("Nothing was recorded")[0][-200:]
    new = f"{page}/postbacks/new"
    typed = send(visitor, new, read_form(visitor, new), "try", url="http://127.0.0.1:9/?typed={goal}")
    assert "The server cannot be reached." in typed.text and "?typed=1" in typed.text
    assert len(postbacks_of(api, pid)) == 1


def test_staff_set_and_remove_personal_payouts_on_the_page_of_the_affiliate(api: Api) -> None:
    pid, other = (api.add_affiliate(name=name)[0] for name in ("Harbour", "Reef"))
    theirs = {"partner_payments[0][partners][]": other, "partner_payments[0][total]": "20"}
    offer = api.add_offer(title="Shoes", privacy="public", **theirs, **{"partner_payments[0][revenue]": "15"})
    visitor, page = staff_visitor(api), f"/console/affiliates/{pid}"
    assert "It is paid as every other affiliate." in visitor.read(page).text
    path = f"{page}/payouts?offer={offer}"
    form = FormReader(send(visitor, path, read_form(visitor, path), "add:partner_payments").text)
    assert form.value("partner_payments[0][partners]") == str(pid)
    row = {"[goal]": "1", "[total]": "12", "[revenue]": "9.5"}
    sent = {f"partner_payments[0]{name}": value for name, value in row.items()}
    refused = send(visitor, path, form, **sent | {"partner_payments[0][revenue]": "much"})
    assert refused.status_code == 400 and "much" in refused.text
    saved = send(visitor, path, form, **sent)
    assert saved.headers["location"] == f"{page}#payouts", saved.text
    assert sorted(payouts_of(api, offer)) == sorted([([pid], "1", 9.5), ([other], "1", 15)])
    shown = visitor.read(page)
    assert "Shoes 1 all $12.00 $9.50" in shown.text and path in shown.links
    form = read_form(visitor, path)
    dropped = FormReader(send(visitor, path, form, "drop:partner_payments:0").text)
    assert send(visitor, path, dropped).headers["location"] == f"{page}#payouts"
    assert payouts_of(api, offer) == [([other], "1", 15)]
    assert "An offer 999 does not exist" in visitor.read(f"{page}/payouts?offer=999", 404).text


def test_managers_change_postbacks_and_payouts_of_what_they_may_write_alone(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=desk.manager)
    foreign, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    assert desk.visitor.get(f"/console/affiliates/{own}/postbacks/new").status_code == 200
    assert desk.visitor.get(f"/console/affiliates/{foreign}/postbacks/new").status_code == 404
    page = desk.visitor.read(f"/console/affiliates/{own}")
    assert "Add a postback" in page.text and "Set personal payouts" not in page.text
    assert desk.visitor.get(f"/console/affiliates/{own}/payouts?offer={offer}").status_code == 403
