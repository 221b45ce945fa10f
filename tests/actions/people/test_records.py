"""What acts on presets, preferences and blacklists return or refuse, one a row."""

from typing import Any

import pytest

from tests.actions.money.desk import ABSENT, MoneyDesk, Step, open_desk, outcome
from tests.support.api import Api
from trackyard.actions.people import blacklist, preferences, presets
from trackyard.domain.people.preferences import MAX_PAGES

NOTHING = "0" * 24
"""An id that nothing has."""


def after(*steps: Step) -> Step:
    """Several acts, of which the last one counts."""
    return lambda desk: [step(desk) for step in steps][-1]


def added(desk: MoneyDesk) -> str:
    desk.made["preset"] = presets.add_preset(desk.deps, "Sales", "manager", {"stats.clicks-list": "deny"}).id
    return presets.get_preset(desk.deps, desk.made["preset"]).name


def renamed(desk: MoneyDesk) -> str:
    return presets.edit_preset(desk.deps, desk.made["preset"], {"name": "Trainees"}).name


def removed(desk: MoneyDesk) -> None:
    presets.remove_preset(desk.deps, desk.made["preset"])


def preferring(**given: Any) -> Step:
    return lambda desk: preferences.edit_preferences(desk.deps, desk.own.caller.account, given).language


def listed(**lists: tuple[int, ...]) -> Step:
    def step(desk: MoneyDesk) -> None:
        sent = {name: [each or desk.pid for each in numbers] for name, numbers in lists.items()}
        with desk.deps.database.write() as conn:
            blacklist.set_affiliate_lists(conn, desk.staff, desk.made["advertiser"], sent, desk.deps.clock.now_ms())

    return step


def blocked(pid: int = 0) -> Step:
    return lambda desk: blacklist.block_affiliate(desk.deps, desk.staff, [desk.made["advertiser"]], pid or desk.pid)


def unblocked(desk: MoneyDesk) -> int:
    return len(blacklist.unblock_affiliate(desk.deps, desk.staff, [desk.made["advertiser"]], desk.pid))


ROWS: dict[str, tuple[Step, Any]] = {
    "add a preset": (added, "Sales"),
    "rename a preset": (after(added, renamed), "Trainees"),
    "remove a preset": (after(added, removed), None),
    "remove a preset twice": (after(added, removed, removed), "NotFound"),
    "rename a preset that was removed": (after(added, removed, renamed), "NotFound"),
    "a preset that does not exist": (lambda desk: presets.get_preset(desk.deps, NOTHING), "NotFound"),
    "the presets": (after(added, lambda desk: presets.list_presets(desk.deps, page=1, limit=1)[1] > 0), True),
    "choose a language": (preferring(language="es"), "es"),
    "a language stays": (
        after(
            preferring(language="ru"),
            preferring(timezone="Europe/Riga"),
            lambda desk: preferences.get_preferences(desk.deps, desk.own.caller.account).language,
        ),
        "ru",
    ),
    "too many pages": (
        preferring(pages={f"/portal/{each}": "x" for each in range(1000)}),
        f"BadInput pages: At most {MAX_PAGES} pages are kept.",
    ),
    "block an affiliate": (blocked(), None),
    "block nobody": (blocked(ABSENT), f"BadInput pid: An affiliate {ABSENT} does not exist."),
    "unblock an affiliate": (after(blocked(), unblocked), 1),
    "unblock an affiliate that is free": (unblocked, 0),
    "allow some affiliates alone": (after(listed(affiliates_enabled=(0,)), unblocked), 0),
    "list an affiliate that does not exist": (
        listed(affiliates_disabled=(ABSENT,)),
        f"BadInput affiliates_disabled: An affiliate {ABSENT} does not exist.",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_act_on_records_of_people_has_the_outcome_of_its_row(shared_api: Api, name: str) -> None:
    act, expected = ROWS[name]
    desk = open_desk(shared_api)
    desk.made["advertiser"] = shared_api.add_advertiser()
    assert outcome(act, desk) == expected


def test_affiliate_in_both_lists_is_refused_by_its_number(shared_api: Api) -> None:
    desk = open_desk(shared_api)
    desk.made["advertiser"] = shared_api.add_advertiser()
    refused = outcome(listed(affiliates_enabled=(0,), affiliates_disabled=(0,)), desk)
    text = f"Affiliate {desk.pid} is in affiliates_enabled, too; send it in one list."
    assert refused == f"BadInput affiliates_disabled: {text}"
