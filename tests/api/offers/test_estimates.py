"""What an edit of an offer would have changed, and the forms that show it."""

from typing import Any

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import staff_visitor
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.conversions.conversions import DeclineReason
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

DAY_MS = 86_400_000
PAYMENT = {"payments[0][goal]": "1", "payments[0][total]": "10", "payments[0][revenue]": "7"}


def traded_offer(api: Api) -> int:
    """An active offer of 10 and 7 USD with five conversions of 30 days, an old one, and four clicks."""
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, status="active", privacy="public", **PAYMENT)
    pid, _ = api.add_affiliate(status="active")
    now = api.deps.clock.now_ms()
    declined = {"status": Status.DECLINED, "sent_status": Status.CONFIRMED}
    for number, fields in enumerate(
        (
            {"created_at": now - DAY_MS},
            {"created_at": now - 20 * DAY_MS},
            {"created_at": now - DAY_MS, "click": {"time": now - 3 * DAY_MS}},
            {"created_at": now - DAY_MS, **declined, "comment": DeclineReason.NO_PAYMENT, "goal": "2"},
            {"created_at": now - DAY_MS, **declined, "comment": DeclineReason.CAP_REACHED},
            {"created_at": now - 40 * DAY_MS},
        ),
        1,
    ):
        times = {"click": {"time": fields["created_at"] - 1000}} | fields
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, **times)
    rows = (("DE", ""), ("DE", ""), ("FR", ""), ("GB", "mistargeting-country"))
    load_clicks(
        api.deps,
        [
            new_click(
                100 + place, offer=offer, affiliate=pid, advertiser=advertiser, country=country, reason=reason,
                time=now - DAY_MS,
            )
            for place, (country, reason) in enumerate(rows)
        ],
    )  # fmt: skip
    return offer


def estimate(api: Api, offer: int, kind: str, **changes: Any) -> Any:
    """The estimate of an edit."""
    answer = api.admin.post(f"/3.1/admin/offer/{offer}/estimate/{kind}", **changes)
    assert answer["status"] == 1, answer
    return answer["estimate"]


def test_estimated_terms_judge_recorded_conversions_and_change_nothing(api: Api) -> None:
    offer = traded_offer(api)
    stored = api.admin.get(f"/3.1/offer/{offer}")
    dearer = estimate(api, offer, "conversions", **{"payments[0][revenue]": "8.50"})
    assert (dearer["total"], dearer["judged"], dearer["days"]) == (5, 5, 30)
    assert dearer["before"] == {"conversions": 3, "declined": 1, "on_hold": 0, "charge": 30, "payout": 21}
    assert dearer["after"] == {"conversions": 3, "declined": 1, "on_hold": 0, "charge": 30, "payout": 25.5}
    second = PAYMENT | {"payments[1][goal]": "2", "payments[1][total]": "4", "payments[1][revenue]": "3"}
    more = estimate(api, offer, "conversions", **second)["after"]
    assert (more["conversions"], more["declined"], more["payout"]) == (4, 0, 24)
    shorter = estimate(api, offer, "conversions", click_session="1d")["after"]
    assert (shorter["conversions"], shorter["payout"]) == (2, 14)
    held = estimate(api, offer, "conversions", hold_period="7")["after"]
    assert (held["conversions"], held["on_hold"]) == (3, 2)
    assert api.admin.get(f"/3.1/offer/{offer}") == stored


def test_estimate_of_session_lengths_leaves_conversions_without_a_click_alone(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, status="active", privacy="public", **PAYMENT)
    pid, _ = api.add_affiliate(status="active")
    at = api.deps.clock.now_ms() - DAY_MS
    of = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser, "created_at": at}
    for number, edge in enumerate((1, IMPORT_EDGE), 1):
        click = {"time": at, "id": f"{at // 1000:08x}{edge:02x}{number:014x}"}
        add_conversion(api.deps, number, **of, click=click)
    found = estimate(api, offer, "conversions", minimal_click_session="1m")
    assert [(found[each]["conversions"], found[each]["declined"]) for each in ("before", "after")] == [(2, 0), (1, 1)]


def test_estimated_rules_decide_recorded_clicks_again(api: Api) -> None:
    offer = traded_offer(api)
    found = estimate(api, offer, "clicks", **{"targeting[0][country][allow][]": ["DE"]})
    assert found == {
        "days": 30, "total": 4, "judged": 4, "passed_before": 4, "passed_after": 2, "gained": 0, "lost": 2,
        "lost_by_reason": [{"reason": found["lost_by_reason"][0]["reason"], "clicks": 2}],
    }  # fmt: skip
    api.admin.post(f"/3.1/admin/offer/{offer}", **{"targeting[0][country][allow][]": ["DE"]})
    wider = estimate(api, offer, "clicks", **{"targeting[0][country][allow][]": ["FR", "GB"]})
    assert (wider["passed_before"], wider["passed_after"], wider["gained"], wider["lost"]) == (2, 2, 2, 2)
    refused = api.admin.post(f"/3.1/admin/offer/{offer}/estimate/clicks", **{"targeting[0][country][allow][]": ["XX"]})
    assert refused["status"] == 2


def test_offer_forms_show_the_effect_of_changes_before_they_are_saved(api: Api) -> None:
    offer = traded_offer(api)
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    form = read_form(visitor, path)
    preview = send(visitor, path, form, "preview", **{"payments[0][revenue]": "8.50", "title": "Casino deposit"}).text
    assert "3 conversions would have paid affiliates $25.50 instead of $21.00." in preview
    assert "Margin: $4.50 instead of $9.00." in preview
    assert "Not estimated: Title." in preview
    assert "would have paid" not in send(visitor, path, FormReader(preview), "add:payments").text
    path = f"/console/offers/{offer}/targeting"
    added = FormReader(send(visitor, path, read_form(visitor, path), "add:targeting").text)
    preview = send(visitor, path, added, "preview", **{"targeting[0][country][allow]": "DE"}).text
    assert "2 of 4 clicks would get through instead of 4." in preview
    assert "2 would be rejected instead:" in preview
    assert api.admin.get(f"/3.1/offer/{offer}")["offer"]["targeting"] == []


def test_effect_without_the_right_to_statistics_is_not_estimated(api: Api) -> None:
    offer = traded_offer(api)
    visitor = staff_visitor(api, Role.SECTION_OFFER)
    path = f"/console/offers/{offer}/edit"
    preview = send(visitor, path, read_form(visitor, path), "preview", **{"payments[0][revenue]": "8.50"}).text
    assert "would have paid" not in preview
    assert "Not estimated: Payout of payment 1." in preview
