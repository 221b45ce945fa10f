"""Goals that offers pay (docs/spec/offers.md#goals)."""

import pytest
from sqlalchemy import select, update

from tests.support.api import Api
from trackyard.store.tables import offer


def test_goals_are_those_of_the_offers_a_caller_sees(api: Api) -> None:
    pid, client = api.add_affiliate()
    paid = [("1", "Sale"), ("12", ""), ("lead", "Lead")]
    payments = {
        f"payments[{place}][{name}]": value
        for place, (goal, title) in enumerate(paid)
        for name, value in (("goal", goal), ("title", title), ("total", "5"), ("revenue", "3"))
    }
    api.add_offer(privacy="public", **payments)
    api.add_offer(privacy="public", **{"payments[0][title]": "Order", "payments[0][goal]": "1"})
    api.add_offer(privacy="public", **{"payments[0][title]": "Order", "payments[0][goal]": "1"})
    api.add_offer(privacy="private", **{"payments[0][goal]": "2", "payments[0][title]": "Secret"})
    hidden = {"payments[0][goal]": "3", "payments[0][title]": "Hidden", "hide_payments": "1"}
    api.add_offer(privacy="public", **hidden)
    own = {"partner_payments[0][goal]": "4", "partner_payments[0][title]": "Own", "partner_payments[0][total]": "5"}
    own |= {"partner_payments[0][revenue]": "3", "partner_payments[0][partners][]": pid}
    api.add_offer(privacy="public", **own)
    seen = [(goal["id"], goal["title"], goal["value"]) for goal in client.get("/3.0/goals")["goals"]]
    assert seen == [(1, "Order", "1"), (4, "Own", "4"), (12, "12", "12"), (0, "Lead", "lead")]
    _, other = api.add_affiliate()
    assert [goal["value"] for goal in other.get("/3.1/goals")["goals"]] == ["1", "12", "lead"]
    assert [goal["value"] for goal in api.admin.get("/3.0/goals")["goals"]] == ["1", "2", "3", "4", "12", "lead"]


def paid(*goals: str, field: str = "payments", **more: str) -> dict[str, str]:
    """Return the parameters of payments of these goals."""
    values = {"total": "5", "revenue": "3"} | more
    return {
        f"{field}[{place}][{name}]": value
        for place, goal in enumerate(goals)
        for name, value in (("goal", goal), *values.items())
    }


def test_goals_in_several_spellings_are_listed_once(api: Api) -> None:
    for goals in (("Install",), ("install",), ("install", "1")):
        api.add_offer(**paid(*goals))
    assert [goal["value"] for goal in api.admin.get("/3.0/goals")["goals"]] == ["1", "install"]


REFUSED = [
    ((), ("Install", "install"), "payments[1][goal]"),
    ((), ("Install", "1", "INSTALL "), "payments[2][goal]"),
    ((), ("Первый", "первый"), "payments[1][goal]"),
    (("Install",), ("Install", "install"), "payments[1][goal]"),
    (("1", "2"), ("1", "Lead", "lead"), "payments[2][goal]"),
]
TAKEN = [
    ((), ("Install", "Install"), ["Install", "Install"]),  # with other conditions
    ((), (" Install ",), ["Install"]),
    (("Install",), ("install",), ["install"]),  # it was renamed
    (("Install", "2"), ("INSTALL",), ["INSTALL"]),
]


@pytest.mark.parametrize(("before", "sent", "name"), REFUSED)
def test_goal_paid_in_two_new_spellings_is_refused(
    api: Api, before: tuple[str, ...], sent: tuple[str, ...], name: str
) -> None:
    number = api.add_offer(**paid(*before))
    assert api.admin.refusal("POST", f"/3.1/admin/offer/{number}", data=paid(*sent)) == (400, [name])


@pytest.mark.parametrize(("before", "sent", "stored"), TAKEN)
def test_goal_in_one_spelling_is_saved_without_outer_spaces(
    api: Api, before: tuple[str, ...], sent: tuple[str, ...], stored: list[str]
) -> None:
    number = api.add_offer(**paid(*before))
    answer = api.admin.post(f"/3.1/admin/offer/{number}", **paid(*sent))
    assert [item["goal"] for item in answer["offer"]["payments"]] == stored
    assert "warnings" not in answer


def test_goal_rows_of_the_tables() -> None:
    assert (len(REFUSED), len(TAKEN)) == (5, 4)


def test_goal_of_a_personal_payment_is_compared_with_the_general_ones(api: Api) -> None:
    pid, _ = api.add_affiliate()
    number = api.add_offer(**paid("Install"))
    own = paid("install", field="partner_payments") | {"partner_payments[0][partners][]": str(pid)}
    refusal = api.admin.refusal("POST", f"/3.1/admin/offer/{number}", data=own)
    assert refusal == (400, ["partner_payments[0][goal]"])


def test_goal_pair_of_the_time_before_is_sent_again_with_a_warning(api: Api) -> None:
    number = api.add_offer(**paid("Install", "2"))
    with api.deps.database.write() as conn:
        stored = conn.execute(select(offer.c.payments).where(offer.c.id == number)).scalar_one()
        stored[1]["goal"] = "install"
        conn.execute(update(offer).where(offer.c.id == number).values(payments=stored))
    answer = api.admin.post(f"/3.1/admin/offer/{number}", **paid("Install", "install"))
    assert [item["goal"] for item in answer["offer"]["payments"]] == ["Install", "install"]
    assert [sentence.partition(":")[0] for sentence in answer["warnings"]] == ["payments[1][goal]"]


def test_goal_in_another_spelling_keeps_the_fields_that_were_not_sent(api: Api) -> None:
    number = api.add_offer(**paid("Install", title="First"))
    answer = api.admin.post(f"/3.1/admin/offer/{number}", **{"payments[0][goal]": "install"})
    [payment] = answer["offer"]["payments"]
    assert (payment["goal"], payment["title"], payment["total"]) == ("install", "First", 5)


def test_goal_of_a_cap_has_the_name_of_the_payment_in_any_spelling(api: Api) -> None:
    cap = {"period": "day", "type": "conversions", "value": "2", "goal_type": "exact", "goals][": "INSTALL"}
    number = api.add_offer(
        **paid("Install", title="First"), **{f"caps[0][{name}]": value for name, value in cap.items()}
    )
    answer = api.admin.get(f"/3.1/offer/{number}")
    assert answer["offer"]["caps"][0]["goals"] == {"INSTALL": "First"}
