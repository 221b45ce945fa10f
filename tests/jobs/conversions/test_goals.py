"""Goals are compared without outer spaces and letter case (docs/spec/conversions.md#goals)."""

from decimal import Decimal
from typing import Any

import pytest
from alembic import command
from sqlalchemy import select, update

from tests.support.clicks.inbound_postbacks import AT
from tests.support.limited_offer import MIDNIGHT, REACHED, LimitedOffer
from tests.support.stores.seeds import add_postback
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.goals import goal_key, stored_key
from trackyard.store.engine.schema import _config
from trackyard.store.tables import conversion, counter, delivery

TAKEN = ("confirmed", "")
NO_PAYMENT = ("declined", "Payments not found")
SPELLINGS = [
    ("Install", "install"),  # another system's letters
    ("install", "INSTALL"),
    ("Install", "Install "),  # a cell of a spreadsheet
    ("Install", "\tinstall\n"),
    ("Первый депозит", "первый депозит"),  # letters beyond ASCII
    ("Café", "cafe\u0301"),  # an accent that is a character of its own, as on a Mac
    ("Копии\u0306", "копий"),  # the same in the offer
    ("STRASSE", "straße"),  # a letter with another text in small form
    (" Install", "install"),  # an offer that was saved with a space
]
OTHERS = [("Install", "Instal"), ("Install", "In stall"), ("install", "ınstall"), ("1", "01")]


def paid(*goals: str, payout: str = "5") -> list[dict[str, Any]]:
    prices = {"total": "10", "currency": "USD", "type": "fixed"}
    return [{"goal": goal, "revenue": str(Decimal(payout) + place), **prices} for place, goal in enumerate(goals)]


def stored(limited: LimitedOffer) -> list[tuple[str, str, Decimal, str]]:
    """Return goal, key, payout and status of the conversions, oldest first."""
    columns = conversion.c
    query = select(columns.goal, columns.goal_key, columns.payout, columns.status)
    with limited.database.read() as conn:
        return [tuple(row) for row in conn.execute(query.order_by(columns.created_at, columns.id))]


@pytest.mark.parametrize(("own", "sent"), SPELLINGS)
def test_goal_of_another_spelling_is_paid_and_shown_as_the_offer_has_it(
    limited: LimitedOffer, own: str, sent: str
) -> None:
    limited.limit(payments=paid("other", own))
    assert limited.call(goal=sent) == TAKEN
    limited.imported(goal=sent)
    assert stored(limited) == [(own, stored_key(own), 6, "confirmed")] * 2


def test_goal_spellings_in_the_table() -> None:
    assert (len(SPELLINGS), len(OTHERS)) == (9, 4)
    assert all(goal_key(own) == goal_key(sent) for own, sent in SPELLINGS)


@pytest.mark.parametrize(("own", "sent"), OTHERS)
def test_goal_with_other_text_is_another_goal(limited: LimitedOffer, own: str, sent: str) -> None:
    limited.limit(payments=paid(own))
    assert limited.call(goal=sent) == NO_PAYMENT


def test_goal_without_text_is_the_first_goal(limited: LimitedOffer) -> None:
    assert limited.call(goal=" ") == TAKEN
    assert stored(limited) == [("1", "", 5, "confirmed")]


@pytest.mark.parametrize(("own", "sent"), SPELLINGS)
def test_goal_of_a_personal_payment_is_paid_in_any_spelling(limited: LimitedOffer, own: str, sent: str) -> None:
    personal = [each | {"partners": [limited.affiliate], "revenue": "9"} for each in paid(own)]
    limited.limit(payments=paid(own), partner_payments=personal)
    assert limited.call(goal=sent) == TAKEN
    assert stored(limited) == [(own, stored_key(own), 9, "confirmed")]


@pytest.mark.parametrize(("own", "sent"), SPELLINGS)
def test_goal_of_another_spelling_is_a_repeat(limited: LimitedOffer, own: str, sent: str) -> None:
    limited.limit(payments=paid(own))
    click = limited.click()
    limited.call(click, goal=own, status="2")
    limited.call(click, AT + 1, goal=sent, status="2")
    assert stored(limited) == [(own, stored_key(own), 5, "pending")]
    limited.call(click, AT + 2, goal=sent, status="1")
    assert stored(limited) == [(own, stored_key(own), 5, "confirmed")]


@pytest.mark.parametrize("door", ["postback", "import"])
def test_goal_stored_in_an_earlier_spelling_is_found(limited: LimitedOffer, door: str) -> None:
    """A conversion of the time before, and an offer that was renamed."""
    limited.limit(payments=paid("Install"))
    limited.call(goal="Install", action_id="a1")
    limited.limit(payments=paid("INSTALL"))
    if door == "postback":
        limited.send(goal="install", action_id="a1")
        limited.settle()
    else:
        limited.imported(goal="install", action_id="a1")
    assert stored(limited) == [("Install", "install", 5, "confirmed")]


def test_goal_without_payment_keeps_the_spelling_of_its_first_conversion(limited: LimitedOffer) -> None:
    """Also within one batch."""
    for place, goal in enumerate(("Lead", "lead", "LEAD")):
        limited.send(goal=goal, time=AT + place)
    limited.settle()
    limited.call(goal="lEAD", time=AT + 9)
    assert [goal for goal, *_ in stored(limited)] == ["Lead"] * 4


def test_goals_that_an_offer_pays_in_two_spellings_stay_apart(limited: LimitedOffer) -> None:
    """A pair that was saved earlier: the exact spelling wins, another one means the first."""
    limited.limit(payments=paid("Install", "install"))
    click = limited.click()
    for place, goal in enumerate(("install", "Install", "INSTALL")):
        limited.send(click, AT + place, goal=goal)
        limited.settle()
    assert sorted(stored(limited)) == [
        ("Install", "install", 5, "confirmed"),
        ("install", "", 6, "confirmed"),
    ]


LIMITS: list[tuple[str, dict[str, Any]]] = [
    ("exact", {"goal_type": "exact", "goals": ["install"]}),
    ("each", {"goal_type": "each"}),
    ("all", {}),
]


@pytest.mark.parametrize(("_name", "side"), LIMITS)
def test_goal_cap_counts_every_spelling(limited: LimitedOffer, _name: str, side: dict[str, Any]) -> None:
    limited.limit({"value": "2", **side}, payments=paid("Install"))
    states = [limited.call(goal=goal) for goal in ("Install", "INSTALL ", "install")]
    assert states == [TAKEN, TAKEN, ("declined", REACHED)]
    assert [count for count, _ in limited.held().values() if count] == [2]


@pytest.mark.parametrize(("_name", "side"), LIMITS)
def test_goal_cap_half_filled_before_the_upgrade_is_not_run_over(
    limited: LimitedOffer, _name: str, side: dict[str, Any]
) -> None:
    limited.limit({"value": "4", **side}, payments=paid("install"))
    clicks = [limited.click() for _ in range(3)]
    for click in clicks:
        limited.call(click, goal="install")
    as_before(limited, dict(zip([each.id for each in clicks], ["install", "Install", "INSTALL "], strict=True)), side)
    states = [limited.call(goal="Install") for _ in range(2)]
    assert states == [TAKEN, ("declined", REACHED)]
    assert max(count for count, _ in limited.held().values()) == 4


def as_before(limited: LimitedOffer, goals: dict[str, str], side: dict[str, Any]) -> None:
    """Give conversions these spellings, and counters of exact ones; then upgrade."""
    with limited.database.write() as conn:
        for click_id, goal in goals.items():
            conn.execute(update(conversion).where(conversion.c.click_id == click_id).values(goal=goal))
        rows = [dict(row._mapping) for row in conn.execute(select(counter))]
        conn.execute(counter.delete())
        for row in rows:
            if side.get("goal_type") == "exact":
                conn.execute(counter.insert().values(row | {"conversions": 1, "budget": Decimal(5)}))
            elif row["goal"] is None:
                conn.execute(counter.insert().values(row))
            else:
                start = row["name"].rpartition("/")[0]
                for goal in goals.values():
                    name = f"{start}/{len(goal)}:{goal}"
                    held = {"name": name, "goal": goal, "conversions": 1, "budget": Decimal(5)}
                    conn.execute(counter.insert().values(row | held))
    with limited.database.write() as conn:
        config = _config(conn)
        command.downgrade(config, "0040")
        command.upgrade(config, "head")


def test_goal_keys_are_filled_by_the_upgrade_where_they_differ(limited: LimitedOffer) -> None:
    clicks = [limited.click() for _ in range(3)]
    for click in clicks:
        limited.call(click)
    as_before(limited, dict(zip([each.id for each in clicks], ["Install", "1", "Первый "], strict=True)), {})
    assert sorted((goal, key) for goal, key, *_ in stored(limited)) == [
        ("1", ""),
        ("Install", "install"),
        ("Первый ", "первый"),
    ]


def test_goal_counters_are_computed_from_conversions_in_every_spelling(limited: LimitedOffer) -> None:
    limited.limit({"value": "3", "goal_type": "each"}, payments=paid("install"))
    clicks = [limited.click() for _ in range(2)]
    for click in clicks:
        limited.call(click, goal="install")
    as_before(limited, {clicks[0].id: "Install"}, {})
    with limited.database.write() as conn:
        conn.execute(counter.delete())
    assert [limited.call(goal="install") for _ in range(2)] == [TAKEN, ("declined", REACHED)]


@pytest.mark.parametrize("field", ["goals", "target_goals"])
def test_goal_tiers_count_and_change_every_spelling(limited: LimitedOffer, field: str) -> None:
    limited.limit(payments=paid("Install"), tiers=({"value": "1", field: ["install"]},))
    limited.call(goal="Install")
    limited.call(goal="INSTALL", time=AT + 1)
    assert limited.payouts() == [5, 6]


def test_goal_tiers_that_differ_in_spelling_are_one_ladder(limited: LimitedOffer) -> None:
    steps = ({"value": "1", "goals": ["install"]}, {"value": "2", "goals": ["Install "], "modifier_value": "3"})
    limited.limit(payments=paid("Install"), tiers=steps)
    for place in range(3):
        limited.call(goal="Install", time=AT + place)
    assert limited.payouts() == [5, 6, 8]


@pytest.mark.parametrize(("own", "sent"), SPELLINGS)
def test_goal_of_an_affiliate_postback_hears_every_spelling(limited: LimitedOffer, own: str, sent: str) -> None:
    limited.limit(payments=paid(own))
    with limited.database.write() as conn:
        add_postback(conn, limited.affiliate, url="https://a.example/?g={goal}", goal=sent)
        add_postback(conn, limited.affiliate, url="https://b.example/", goal="other")
    limited.call(goal=sent)
    with limited.database.read() as conn:
        assert len(conn.execute(select(delivery.c.id)).all()) == 1


@pytest.mark.parametrize("column", ["one_conversion_per_click", "reject_not_uniq_ip"])
def test_goal_that_converts_once_does_so_in_any_spelling(limited: LimitedOffer, column: str) -> None:
    limited.limit(payments=paid("Install"), **{column: True})
    click = limited.click(ip="192.0.2.7")
    limited.call(click, goal="Install", action_id="a")
    limited.limit(payments=paid("INSTALL"), **{column: True})
    limited.send(click, AT + 1, goal="install", action_id="b")
    limited.settle()
    assert [(goal, status) for goal, _, _, status in stored(limited)] == [
        ("Install", "confirmed"),
        ("INSTALL", "declined"),
    ]


def test_goal_over_its_cap_rejects_clicks_in_any_spelling(limited: LimitedOffer) -> None:
    limited.limit(
        {"value": "1", "goal_type": "each"},
        payments=paid("Install", "other"),
        caps_goal_overcap="INSTALL",
        is_redirect_overcap=True,
    )
    limited.call(goal="other")
    assert limited.full() == ()
    limited.call(goal="install")
    assert len(limited.full()) == 1


ACTION_IDS = [
    ("ord-1", "ord-1 ", 1),  # a space at the end of a cell
    ("ord-1", "\tord-1", 1),
    (" ord-1 ", "ord-1", 1),
    ("ord-1", "ORD-1", 2),  # letter case matters
    ("ord-1", "ord 1", 2),
]


@pytest.mark.parametrize("door", ["postback", "import", "own"])
@pytest.mark.parametrize(("first", "second", "number"), ACTION_IDS)
def test_action_id_is_compared_without_outer_spaces(
    limited: LimitedOffer, door: str, first: str, second: str, number: int
) -> None:
    for place, action_id in enumerate((first, second)):
        if door == "postback":
            limited.send(action_id=action_id, time=AT + place)
            limited.settle()
        else:
            limited.imported(action_id=action_id, is_own=door == "own", status=Status.CONFIRMED)
    with limited.database.read() as conn:
        found = conn.execute(select(conversion.c.action_id)).scalars().all()
    assert sorted(found) == sorted([first.strip(), second.strip()][:number])


def test_action_ids_in_the_table() -> None:
    assert len(ACTION_IDS) == 5


def test_action_id_stored_with_its_space_is_found(limited: LimitedOffer) -> None:
    """A conversion of the time before, which its sender changes in the same form."""
    limited.call(action_id="ord-1", status="2")
    with limited.database.write() as conn:
        conn.execute(update(conversion).values(action_id="ord-1 ", identity="a:ord-1 "))
    limited.send(action_id="ord-1 ", status="1", time=MIDNIGHT - 1)
    limited.settle()
    assert [status for *_, status in stored(limited)] == ["confirmed"]
