"""How full caps are, in plain Python over all clicks and conversions.

(docs/spec/conversions.md#caps, docs/spec/statistics.md#cap-statistics, docs/decisions/0014).

A period is what a clock of the cap's zone shows; a counter is a dictionary entry. An answer is what stats/caps must
give of an offer, cell by cell.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.models.oracle import Oracle, Viewer
from tests.support.models.oracle_records import Record

Cap = Mapping[str, Any]
"""A cap by the names of the specification."""
Counter = tuple[int | None, str | None, str | None]
"""The affiliate, country or goal of a count; None = together."""
CLOCKS = {"hour": "%Y-%m-%d %H", "day": "%Y-%m-%d", "month": "%Y-%m", "all": ""}
WORDS = {"hour": "an hour", "day": "a day", "month": "a month", "all": "in all"}
QUARTER = 15 * 60_000
ZERO = Decimal(0)


@dataclass(frozen=True)
class CapsOracle:
    """The caps of an offer, and when they are looked at.

    now: UTC ms · zone: of their calendar · statuses: in which a conversion counts · goal_names: by goal.
    """

    oracle: Oracle
    offer: int
    items: tuple[Cap, ...]
    zone: ZoneInfo
    now: int
    statuses: frozenset[str]
    goal_names: Mapping[str, str]

    def label(self, period: str, at: int) -> str:
        """The key of a period."""
        return datetime.fromtimestamp(at // 1000, UTC).astimezone(self.zone).strftime(CLOCKS[period])

    def ends(self, period: str) -> int:
        """When the period that is now ends, UTC seconds; 0 = never. Clocks are set by quarters of an hour."""
        if period == "all":
            return 0
        return next(at for at in count(self.now - self.now % QUARTER, QUARTER) if not self.is_now(period, at)) // 1000

    def is_now(self, period: str, at: int) -> bool:
        """Whether a moment is in the current period."""
        return self.label(period, at) == self.label(period, self.now)

    def known(self, viewer: Viewer) -> list[Cap]:
        """The caps that a caller knows of."""
        return [
            cap
            for cap in self.items
            if not viewer.is_affiliate
            or cap["affiliate_type"] != "exact"
            or set(cap["affiliates"]) & set(viewer.affiliates or ())
        ]

    def records(self, cap: Cap) -> Iterator[Record]:
        """What counts."""
        of_clicks = cap["type"] == "clicks"
        for each in self.oracle.clicks if of_clicks else self.oracle.conversions:
            if each["offer"] != self.offer or not self.is_now(cap["period"], each["time"]):
                continue
            if each["reason"] not in ("", "not-counted") if of_clicks else each["status"] not in self.statuses:
                continue
            sides = [("affiliate_type", "affiliates", "affiliate"), ("country_type", "country", "country")]
            sides += [] if of_clicks else [("goal_type", "goals", "goal")]
            if all(cap[kind] != "exact" or each[name] in cap[values] for kind, values, name in sides):
                yield each

    def counters(self, cap: Cap, viewer: Viewer) -> dict[Counter, dict[str, Decimal]]:
        """What each counter holds that a caller sees, by goal ("" of clicks)."""
        of_clicks = cap["type"] == "clicks"
        apart_by_goal = cap["goal_type"] == "each" and not of_clicks
        each_of = (cap["affiliate_type"] == "each", cap["country_type"] == "each", apart_by_goal)
        found: dict[Counter, dict[str, Decimal]] = {} if any(each_of) else {(None, None, None): {}}
        for one in self.records(cap):
            goal = "" if of_clicks else one["goal"]
            who, where, what = (
                value if is_each else None
                for value, is_each in zip((one["affiliate"], one["country"], goal), each_of, strict=True)
            )
            if who is None or viewer.affiliates is None or who in viewer.affiliates:
                held = found.setdefault((who, where, what), {})
                held[goal] = held.get(goal, ZERO) + (one["payout_base"] if cap["type"] == "budget" else 1)
        return dict(sorted(found.items(), key=lambda item: tuple(part or "" for part in map(str, _filled(item[0])))))

    # --- 3.1 --------------------------------------------------------------------------------------------------

    def stats(self, viewer: Viewer) -> list[dict[str, Any]]:
        """The items of 3.1, without ids, each with the place of its cap."""
        return [item for cap in self.known(viewer) for item in self._items(cap, viewer)]

    def _items(self, cap: Cap, viewer: Viewer) -> Iterator[dict[str, Any]]:
        together: dict[tuple[int | None, str | None], list[dict[str, Decimal]]] = {}
        for (who, where, _), held in self.counters(cap, viewer).items():
            together.setdefault((who, where), []).append(held)
        for (who, where), helds in (together or {(None, None): []}).items():
            now = max((sum(held.values(), ZERO) for held in helds), default=ZERO)
            is_click = cap["type"] == "clicks"
            goals = sorted(cap["goals"]) if cap["goal_type"] == "exact" and not is_click else []
            by_goal = dict.fromkeys(goals, ZERO) | {goal: n for held in helds for goal, n in held.items() if goal}
            yield {
                "place": cap["place"],
                "timeframe": cap["period"],
                "type": cap["type"],
                "value": cap["value"],
                "current_value": now,
                "is_remaining": now < cap["value"],
                "reset_to_value": self.ends(cap["period"]),
                "goal_type": "all" if is_click else cap["goal_type"],
                "goals": goals,
                "goal_stats": by_goal,
                "affiliate_type": cap["affiliate_type"],
                "affiliates": self.own_affiliates(cap, viewer) if who is None else [who],
                "country_type": cap["country_type"],
                "countries": sorted(cap["country"]) if where is None else [where],
            }

    @staticmethod
    def own_affiliates(cap: Cap, viewer: Viewer) -> list[int]:
        """The affiliates that a cap names, as far as a caller sees them."""
        return sorted(who for who in cap["affiliates"] if viewer.affiliates is None or who in viewer.affiliates)

    # --- 3.0 --------------------------------------------------------------------------------------------------

    def old(self, viewer: Viewer) -> dict[str, Any]:
        """The answer of 3.0, caps by their place.

        The affiliates asked for are the caller itself, if it is one,
        else none."""
        known = self.known(viewer)
        rows = {cap["place"]: list(self._rows(cap, viewer)) for cap in known}
        merged = {place: _merged([row["current_value"] for row in each]) for place, each in rows.items()}
        fullest = max(known, key=lambda cap: merged[cap["place"]]["max"] / cap["value"], default=None)
        limit = dict.fromkeys(("place", "period", "type", "value"))
        if fullest is not None:
            limit = {name: fullest[name] for name in limit}
        return {
            "descr": "\n".join(self.words(cap, viewer) for cap in known),
            "stats": [row for each in rows.values() for row in each],
            "stats_merged": (_merged([]) if fullest is None else merged[fullest["place"]]) | limit | {"caps": merged},
        }

    def _rows(self, cap: Cap, viewer: Viewer) -> Iterator[dict[str, Any]]:
        own = sorted(viewer.affiliates or ()) if viewer.is_affiliate else []
        if cap["affiliate_type"] == "each":
            values = dict.fromkeys(own, ZERO)
        else:
            values = {cap["affiliates"][0] if len(cap["affiliates"]) == 1 else 0: ZERO}
        for (who, _, _), held in self.counters(cap, viewer).items():
            owner = next(iter(values)) if cap["affiliate_type"] != "each" else who or 0
            values[owner] = max(values.get(owner, ZERO), sum(held.values(), ZERO))
        for owner, value in sorted(values.items()):
            yield {
                "place": cap["place"],
                "affiliate_id": owner,
                "period": cap["period"],
                "type": cap["type"],
                "current_value": value,
                "value": cap["value"],
            }

    def words(self, cap: Cap, viewer: Viewer) -> str:
        """A cap in words."""
        value = f"{cap['value']}"
        value = value.rstrip("0").rstrip(".") if "." in value else value
        amount = f"{value} USD of payouts" if cap["type"] == "budget" else f"{value} {cap['type']}"
        sides = [
            _side(
                cap["affiliate_type"], "affiliate", "affiliates", [str(who) for who in self.own_affiliates(cap, viewer)]
            ),
            _side(cap["country_type"], "country", "countries", sorted(cap["country"])),
        ]
        if cap["type"] != "clicks":
            names = [self.goal_names.get(goal, goal) for goal in sorted(cap["goals"])]
            sides.append(_side(cap["goal_type"], "goal", "goals", names))
        return f"{amount} {WORDS[cap['period']]}: {'; '.join(filter(None, sides)) or 'all together'}"


def _filled(counter: Counter) -> tuple[str, str, str]:
    who, where, what = counter
    return f"{who or 0:09}", where or "", what or ""


def _side(kind: str, one: str, many: str, values: list[str]) -> str:
    if kind != "exact":
        return f"each {one}" if kind == "each" else ""
    return f"{one} {values[0]}" if len(values) == 1 else f"{many} {', '.join(values)} together"


def _merged(values: list[Decimal]) -> dict[str, Decimal]:
    held = values or [ZERO]
    total = sum(held, ZERO)
    mean = (total / len(held)).quantize(Decimal("0.0001"), ROUND_HALF_EVEN)
    return {"cap_val": total, "min": min(held), "max": max(held), "avg": mean}
