"""Goals that offers pay (docs/spec/offers.md#goals)."""

from tests.support.api import Api


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
