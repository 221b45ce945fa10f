"""The goals that offers pay (docs/spec/offers.md#goals)."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.ids import is_number
from trackyard.domain.offers.goals import goal_key
from trackyard.domain.offers.payments import payment_name
from trackyard.domain.people.callers import Access
from trackyard.store.offers import offers


@dataclass(frozen=True, slots=True)
class PaidGoal:
    """A goal by the value that postbacks send. value, title: the most frequent ones."""

    value: str
    title: str


def list_goals(deps: Deps, access: Access) -> list[PaidGoal]:
    """Return the goals of the offers that a caller may see: numbers in their order, then other values."""
    titles: dict[str, Counter[str]] = defaultdict(Counter)
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    with deps.database.read() as conn:
        for payment in offers.each_payment(conn, scope_of(conn, access), access.affiliate_id):
            key = goal_key(payment["goal"])
            spellings[key][payment["goal"]] += 1
            titles[key][payment_name(payment.get("title"), payment.get("goal_alias"))] += 1
    values = {key: _commonest(counted) for key, counted in spellings.items()}
    found = [PaidGoal(values[key], _commonest(counted) or values[key]) for key, counted in titles.items()]
    return sorted(found, key=lambda goal: (not is_number(goal.value), len(goal.value), goal.value))


def _commonest(texts: Counter[str]) -> str:
    """Return the text that most payments have, of equal ones the first by letter."""
    named = [(-count, title) for title, count in texts.items() if title]
    return min(named)[1] if named else ""
