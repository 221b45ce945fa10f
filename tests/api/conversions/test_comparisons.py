"""Comparisons of files over the API: what differs and why, and edits that remove it."""

from typing import Any

from tests.api.statistics.test_health import server_row
from tests.support.api import Api
from tests.support.counted import counted
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.spreadsheets import XLSX, book, sheet_xml
from trackyard.actions.conversions.comparisons import KEPT
from trackyard.analytics.load import load
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.rows import encode_row
from trackyard.jobs.conversions.edits import ConversionEditor

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-17"}
DAY_MS = 86_400_000
JOURNAL = {"journal": "001-1", "position": 1}


def compared(api: Api, path: str, text: str, **params: Any) -> dict[str, Any]:
    """Upload a file; return the answer."""
    sent = {"files": {"file": ("their.csv", text.encode(), "text/csv")}, "data": PERIOD | params}
    response = api.admin.call("POST", f"/3.1{path}/comparisons", **sent)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def found(answer: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(each["row"], each["difference"], each["why"], each["text"]) for each in answer["differences"]]


def check_sums(answer: dict[str, Any]) -> None:
    for each in answer["comparison"]["sums"]:
        parts = sum(part["difference"] for part in each["classes"])
        assert each["ours"] - each["theirs"] == each["difference"] == parts


def world(api: Api) -> tuple[str, int, dict[int, str]]:
    """Return an advertiser, an affiliate, and ids of clicks by number."""
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate()
    own = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser, **JOURNAL}
    add_conversion(api.deps, 1, **own, action_id="a1")
    add_conversion(api.deps, 2, **own, action_id="a2")
    add_conversion(api.deps, 3, **own, status=Status.DECLINED, comment="Cap is reached")
    add_conversion(api.deps, 4, **own, action_id="a4")
    add_conversion(api.deps, 5, **own, action_id="a5", created_at=NOON + 3 * DAY_MS)
    clicks = {
        number: new_click(number, offer=offer, affiliate=pid, advertiser=advertiser, reason=reason)
        for number, reason in ((20, ""), (21, "overcap"), (22, ""))
    }
    load_clicks(api.deps, list(clicks.values()))
    of = {"offer": offer, "affiliate": pid, "advertiser": advertiser, "time": NOON}
    refused = server_row(7, click_id=clicks[22].id, response="Wrong sum", **of)
    load(api.deps.analytics, "server_log", [encode_row(refused)], "refused")
    return advertiser, pid, {number: new_click(number).id for number in (1, 2, 3, 4, 20, 21, 22)}


def file_of(ids: dict[int, str]) -> str:
    lines = [
        f"{ids[1]},a1,approved,10", f"{ids[2]},a2,approved,12.50", f"{ids[3]},,approved,10", f"{ids[20]},,approved,1",
        f"{ids[21]},,approved,2", f"{ids[22]},,approved,3", ",a5,approved,4", f"{ids[1]},a1,approved,10",
    ]  # fmt: skip
    return "\n".join(["click_id,order_id,status,amount", *lines])


def test_file_is_explained_and_accepted(api: Api) -> None:
    advertiser, _, ids = world(api)
    answer = compared(api, f"/admin/advertiser/{advertiser}", file_of(ids))
    assert found(answer) == [
        (3, "other_sum", "sum", ""),
        (4, "other_status", "declined", "Cap is reached"),
        (5, "missing_here", "never_arrived", ""),
        (6, "missing_here", "click_rejected", "overcap"),
        (7, "missing_here", "postback_refused", "Wrong sum"),
        (8, "missing_here", "other_day", ""),
        (9, "missing_here", "duplicate_row", ""),
        (None, "missing_there", "not_listed", ""),
    ]
    check_sums(answer)
    [usd] = answer["comparison"]["sums"]
    assert (usd["ours"], usd["theirs"], usd["difference"]) == (30, 52.5, -22.5)
    key = answer["comparison"]["id"]
    path = f"/3.1/admin/comparison/{key}"
    assert api.admin.get(path)["differences"] == answer["differences"]
    assert len(api.admin.get(path, classes="other_sum,missing_there", limit=1)["differences"]) == 1
    listed = api.admin.get(f"/3.1/admin/advertiser/{advertiser}/comparisons")["comparisons"]
    assert [(each["id"], each["file_name"], each["rows"]) for each in listed] == [(key, "their.csv", 8)]
    every = "other_status,other_sum,missing_there"
    preview = api.admin.post(f"{path}/accept", classes=every)
    assert (preview["applied"], preview["number"]) == (False, 3)
    assert preview["totals"] == [{"currency": "USD", "before": -22.5, "after": -20}]
    editor = ConversionEditor(api.deps.database, api.deps.currency, api.deps.zone, api.clock)
    assert editor.step() == 0
    add_comment = {"ids[]": f"{2:024x}", "revenue": "11"}
    api.admin.post("/3.1/admin/conversion/edit", **add_comment)
    while editor.step():
        pass
    done = api.admin.post(f"{path}/accept", classes=every, apply=1)
    assert (done["applied"], done["number"]) == (True, 2)
    assert done["skipped"] == [{"conversion_id": f"{2:024x}", "why": "changed_since"}]
    while editor.step():
        pass
    changed = {each["id"]: each for each in api.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]}
    assert (changed[f"{3:024x}"]["status"], changed[f"{3:024x}"]["revenue"]) == ("confirmed", 10)
    assert (changed[f"{4:024x}"]["status"], changed[f"{4:024x}"]["comment"]) == (
        "declined", "Not in the advertiser's file",
    )  # fmt: skip
    again = api.admin.post(f"{path}/accept", classes=every, apply=1)
    assert again["number"] == 0 and {each["why"] for each in again["skipped"]} == {"accepted_before", "changed_since"}


def test_columns_and_words_are_kept_for_the_next_file(api: Api) -> None:
    _, pid, ids = world(api)
    path = f"/admin/partner/{pid}"
    text = f"Ref;Geld;Stand\n{ids[1]};7,00;gut\n{ids[2]};6,5;weg\n"
    named = {"column_click_id": "Ref", "column_sum": "Geld", "column_status": "Stand"}
    answer = compared(api, path, text, **named, words_confirmed="gut", words_declined="weg")
    check_sums(answer)
    assert found(answer)[0] == (3, "other_status", "status", "")
    assert compared(api, path, text)["comparison"]["columns"] == answer["comparison"]["columns"]
    refused = api.admin.refusal("POST", f"/3.1{path}/comparisons", data=PERIOD | {"csv": text, "column_goal": "x"})
    assert refused == (400, ["file"])
    accepted = api.admin.post(f"/3.1/admin/comparison/{answer['comparison']['id']}/accept", classes="other_status")
    assert [(each["status_after"], each["sum_after"]) for each in accepted["edits"]] == [("declined", 7)]


def test_spreadsheet_is_compared_by_the_sheet_that_is_named(api: Api) -> None:
    _, pid, ids = world(api)
    place = f"/3.1/admin/partner/{pid}/comparisons"
    first, second = sheet_xml([["Notes"], ["of May"]]), sheet_xml([["click_id", "amount"], [ids[1], 6.5], [ids[2], 7]])
    sent = {"file": ("their.xlsx", book(Notes=first, May=second), XLSX)}
    answer = api.admin.call("POST", place, data=PERIOD | {"sheet": "May"}, files=sent).json()
    assert (found(answer)[0], answer["comparison"]["rows"]) == ((2, "other_sum", "sum", ""), 2)
    check_sums(answer)
    before = counted("trackyard_comparisons_total", side="affiliate", outcome="refused")
    unnamed = api.admin.refusal("POST", place, data=PERIOD, files=sent)
    wrong = api.admin.refusal("POST", place, data=PERIOD | {"sheet": "June"}, files=sent)
    assert (unnamed, wrong) == ((400, ["file"]), (400, ["sheet"]))
    assert counted("trackyard_comparisons_total", side="affiliate", outcome="refused") == before + 2


def test_last_comparisons_of_a_sender_are_kept(api: Api) -> None:
    pid, _ = api.add_affiliate()
    for _ in range(KEPT + 1):
        key = compared(api, f"/admin/partner/{pid}", "click_id,sum\na,1\n")["comparison"]["id"]
        assert api.admin.call("GET", f"/3.1/admin/comparison/{key}").status_code == 200
    listed = api.admin.get(f"/3.1/admin/partner/{pid}/comparisons")
    assert listed["pagination"]["total_count"] == KEPT


def test_comparison_stays_within_the_scope_of_its_maker(api: Api) -> None:
    manager, sales = api.add_staff(Role.MANAGER_SALES)
    keeper, affiliates = api.add_staff(Role.MANAGER_AFFILIATE)
    own, (pid, _) = api.add_advertiser(manager=manager), api.add_affiliate(manager_id=keeper)
    other, (_, _) = api.add_advertiser(), api.add_affiliate()
    for number, advertiser in ((1, own), (2, other)):
        of = {"offer_id": api.add_offer(advertiser=advertiser), "advertiser_id": advertiser, **JOURNAL}
        add_conversion(api.deps, number, **of, affiliate_id=pid, action_id=f"a{number}")
    text = "action_id,payout\na1,7\na2,7\n"
    sent = {"data": PERIOD | {"csv": text}}
    assert sales.call("POST", f"/3.1/admin/advertiser/{other}/comparisons", **sent).status_code == 404
    seen = sales.call("POST", f"/3.1/admin/partner/{pid}/comparisons", **sent).json()
    assert found(seen) == [(3, "missing_here", "no_trace", "")]
    whole = affiliates.call("POST", f"/3.1/admin/partner/{pid}/comparisons", **sent).json()
    assert found(whole) == []
    key = whole["comparison"]["id"]
    assert sales.call("GET", f"/3.1/admin/comparison/{key}").status_code == 404
    assert api.admin.call("GET", f"/3.1/admin/comparison/{key}").status_code == 200
    assert (
        affiliates.call("POST", f"/3.1/admin/comparison/{key}/accept", data={"classes": "other_sum"}).status_code == 403
    )
    assert sales.get(f"/3.1/admin/partner/{pid}/comparisons")["comparisons"][0]["id"] == seen["comparison"]["id"]
