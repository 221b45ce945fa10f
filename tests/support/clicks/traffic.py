"""Traffic for the oracle of statistics: drawn by Hypothesis, played on a whole installation.

Clicks, views and calls go into journals that the real writer writes and the real workers read; edits and imports are
asked for over the API; holds end by their job.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.support.api import NOW
from tests.support.client import ApiClient
from tests.support.installation import SteppedInstallation
from tests.support.models.events import new_click
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_staff
from trackyard.base.ids import new_api_key, new_id
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Role
from trackyard.journal.records import InboundPostback, RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Connection
from trackyard.store.people import keys
from trackyard.store.tracking import edges

HOUR, DAY = 3_600_000, 86_400_000
CENTRES = tuple(
    int(datetime(*moment, tzinfo=UTC).timestamp()) * 1000
    for moment in (
        (2026, 1, 1, 0),  # the turn of the year
        (2026, 3, 1, 0),  # of a month
        (2026, 3, 8, 7),  # New York's clocks go forward
        (2026, 3, 29, 1),  # Berlin's go forward, and those of the Azores over midnight
        (2026, 4, 4, 15),  # Lord Howe's go half an hour back
        (2026, 4, 23, 22),  # Cairo has no midnight
        (2026, 10, 3, 15),  # Lord Howe's go half an hour forward
        (2026, 10, 25, 1),  # Berlin's go back, and those of the Azores over midnight
        (2026, 11, 1, 6),  # New York's go back
        (2026, 12, 31, 12),
    )
)
"""Moments, UTC ms, around which things happen."""
END = CENTRES[-1] + 40 * DAY
"""When everything is asked."""
AFFILIATES, OFFERS = 4, 3
OTHER_CURRENCY = {"EUR": ("0.8", "0.9333"), "JPY": ("151.5", "149.2501")}
"""Rates before and after the summer of 2026."""
GOALS = ("1", "install", "sale", "free")
PAYMENTS: tuple[list[dict[str, Any]], ...] = (
    [
        {"goal": "1", "total": "10", "revenue": "7.1235", "currency": "USD", "type": "fixed"},
        {"goal": "install", "total": "12.5", "revenue": "3.3333", "currency": "EUR", "type": "percent"},
        {"goal": "sale", "total": "15", "revenue": "2.5", "currency": "JPY", "type": "mixed"},
        {"goal": "free", "total": "1", "revenue": "0", "currency": "USD", "type": "fixed"},
    ],
    [
        {"goal": "1", "total": "4.0001", "revenue": "3", "currency": "EUR", "type": "fixed"},
        {"goal": "install", "total": "1", "revenue": "0.5", "currency": "USD", "type": "fixed"},
    ],
    [{"goal": goal, "total": "2", "revenue": "1", "currency": "EUR", "type": "fixed"} for goal in GOALS],
)
"""What each offer pays; the last one holds for a day."""
PAGES: list[dict[str, Any]] = [
    {"id": number, "title": f"Page {number}", "url": f"https://page.example/{number}", "url_preview": "", "type": kind}
    for number, kind in ((1, "landing"), (2, "transit"))
]
"""The pages of offers: the first offer has none, the second one, the last both."""
VISITORS: tuple[dict[str, Any], ...] = (
    {"country": "DE", "city": "Köln", "city_id": 2886242, "os": "iOS", "os_version": "17.4", "device": "mobile",
     "device_model": "iPhone", "browser": "Mobile Safari", "browser_version": "17", "connection": "wi-fi",
     "isp": "Телеком", "sub1": "x'y", "sub2": "a", "sub8": "ü", "landing": 1},
    {"country": "DE", "city": "Berlin", "city_id": 2950159, "os": "Android", "os_version": "14", "device": "tablet",
     "device_model": "Pixel", "browser": "Chrome", "browser_version": "120", "connection": "cellular",
     "isp": "Vodafone", "sub1": "\\", "sub3": "b", "sub4": "c"},
    {"country": "NP", "city": "Kathmandu", "city_id": 1283240, "os": "Android", "os_version": "9", "device": "mobile",
     "device_model": "", "browser": "Chrome", "browser_version": "99", "sub1": "x'y", "sub5": "d", "sub6": "e",
     "smart_id": "5" * 24, "prelanding": 2},
    {"country": "US", "city": "", "os": "Windows", "os_version": "10", "device": "desktop", "browser": "Ёлка",
     "browser_version": "1.0", "sub1": "", "sub7": "f{}%_", "smart_id": "6" * 24, "landing": 7},
    {"country": ""},
)  # fmt: skip
REASONS = (*[""] * 7, "bot", "overcap", "mistargeting-country", "not-counted")


@dataclass(frozen=True)
class DrawnPostback:
    """A call for a click. after: ms since the click · fields: its parameters."""

    after: int
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnVisit:
    """A click, or a view. at: UTC ms · who, offer, visitor: places in the lists above."""

    at: int
    who: int
    offer: int
    visitor: int
    reason: str = ""
    uniq: int = 1
    is_view: bool = False
    edge: int = 0
    calls: tuple[DrawnPostback, ...] = ()


@dataclass(frozen=True)
class DrawnEdit:
    """An edit of some of the conversions there are by then."""

    at: int
    which: int
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnImport:
    """A conversion made by hand."""

    at: int
    who: int
    offer: int
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnTraffic:
    """All that happens."""

    visits: tuple[DrawnVisit, ...]
    edits: tuple[DrawnEdit, ...] = ()
    imports: tuple[DrawnImport, ...] = ()


def _pairs(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    return st.fixed_dictionaries(required, optional=optional).map(lambda fields: tuple(fields.items()))


_some = st.integers(0, 11)
_near = st.one_of(
    st.sampled_from([0, -1, 1, HOUR, HOUR - 1, -HOUR, HOUR // 2, 15 * 60_000, -14 * HOUR, 26 * HOUR]),
    st.integers(-30 * HOUR, 30 * HOUR),
)
moments = st.builds(lambda centre, near: centre + near, st.sampled_from(CENTRES), _near)
_sums = st.sampled_from(["10", "33.33335", "0", "1000.01"])
_calls = st.builds(
    DrawnPostback,
    after=st.sampled_from([0, 1_000, 30_000, 30_001, 600_000, 600_001, HOUR, 3 * DAY]),
    fields=_pairs(
        {"goal": st.sampled_from(GOALS)},
        {
            "status": st.sampled_from(["1", "2", "2", "3", "5"]),
            "sum": _sums,
            "currency": st.sampled_from(["USD", "EUR"]),
            "action_id": st.sampled_from(["A", "B"]),
            "custom_field3": st.just("gold"),
        },
    ),
)
visits = st.builds(
    DrawnVisit,
    at=moments,
    who=_some,
    offer=_some,
    visitor=_some,
    reason=st.sampled_from(REASONS),
    uniq=st.integers(0, 1),
    is_view=st.sampled_from([*[False] * 7, True]),
    edge=st.integers(0, 1),
    calls=st.one_of(st.lists(_calls, min_size=1, max_size=4).map(tuple), st.just(())),
)
edits = st.lists(
    st.builds(
        DrawnEdit,
        at=moments,
        which=_some,
        fields=_pairs(
            {},
            {
                "status": st.sampled_from(["confirmed", "pending", "declined", "not_found", "not_found", "hold"]),
                "currency": st.sampled_from(["EUR", "USD", "JPY"]),
                "payouts": st.sampled_from(["0", "3.5", "11.1111"]),
                "revenue": st.sampled_from(["0", "20", "7.7777"]),
            },
        ),
    ),
    min_size=4,
    max_size=6,
).map(tuple)
imports = st.lists(
    st.builds(
        DrawnImport,
        at=moments,
        who=_some,
        offer=_some,
        fields=_pairs(
            {"goal": st.sampled_from(["1", "2"])},
            {
                "status": st.sampled_from(["confirmed", "declined", "not_found", "pending_cap"]),
                "sum": _sums,
                "ip": st.sampled_from(["8.8.8.8", "192.0.2.3"]),
            },
        ),
    ),
    min_size=3,
    max_size=5,
).map(tuple)


def drawn_traffic(visits_at_least: int, visits_at_most: int) -> st.SearchStrategy[DrawnTraffic]:
    """Traffic with so many clicks and views."""
    return st.builds(
        DrawnTraffic,
        visits=st.lists(visits, min_size=visits_at_least, max_size=visits_at_most).map(tuple),
        edits=edits,
        imports=imports,
    )


def boundary_traffic() -> st.SearchStrategy[DrawnTraffic]:
    """Clicks and their conversions just before and after each centre and whole hours from it."""
    others = (-14 * HOUR, -2 * HOUR, -HOUR, -HOUR // 2, -1, 0, HOUR // 2, HOUR - 1, HOUR, 2 * HOUR, 11 * HOUR)
    moments = [centre + each for centre in CENTRES for each in others]
    of_kinds = (
        (DrawnPostback(1_000, (("goal", "1"),)), DrawnPostback(HOUR, (("goal", "sale"), ("sum", "33.33")))),
        (
            DrawnPostback(30_000, (("goal", "install"), ("sum", "33.33"))),
            DrawnPostback(DAY, (("goal", "free"), ("status", "2"))),
        ),
        (),
        (
            DrawnPostback(0, (("goal", "install"),)),
            DrawnPostback(600_001, (("goal", "sale"),)),
            DrawnPostback(0, (("goal", "free"),)),
        ),
        (
            DrawnPostback(HOUR, (("goal", "1"), ("status", "3"))),
            DrawnPostback(HOUR + 1, (("goal", "install"), ("status", "5"))),
        ),
    )
    visits_then = [
        DrawnVisit(
            at,
            number,
            number // 2,
            number // 3,
            reason="bot" if number % 11 == 5 else "",
            uniq=number % 2,
            is_view=number % 7 == 6,
            edge=number // 4 % 2,
            calls=of_kinds[number % 5],
        )
        for number, at in enumerate(moments)
    ]
    return st.builds(DrawnTraffic, st.just(tuple(visits_then)), edits=edits, imports=imports)


@dataclass
class TrafficPeople:
    """Who there is. clients: by caller ("admin", "affiliate 0" …, "affiliate manager", "sales", "both")."""

    advertisers: list[str] = field(default_factory=list)
    affiliates: list[int] = field(default_factory=list)
    offers: list[int] = field(default_factory=list)
    managers: dict[str, str] = field(default_factory=dict)
    clients: dict[str, ApiClient] = field(default_factory=dict)


def create_people(plant: SteppedInstallation) -> TrafficPeople:
    """The people of the traffic.

    Of affiliates the first two have a manager, the third one another, the last none; of advertisers the second has
    none. The second affiliate was brought by the first, the last by the third.
    """
    people, clients = TrafficPeople(), dict[str, str]()
    roles = {
        "affiliate manager": [Role.MANAGER_AFFILIATE],
        "sales": [Role.MANAGER_SALES],
        "both": [Role.MANAGER_AFFILIATE, Role.MANAGER_SALES],
        "statistician": [Role.SECTION_STATS],
    }
    with plant.database.write() as conn:
        for name, given in roles.items():
            user = add_staff(conn, first_name=name.title(), last_name="Ünal", roles=[role.value for role in given])
            people.managers[name] = user
            clients[name] = _with_key(plant, conn, AccountKind.STAFF, user)
        boss = people.managers["both"]
        people.advertisers = [
            add_advertiser(conn, title="Shop & Söhne", manager_id=people.managers["sales"], tags=["gold", "old"]),
            add_advertiser(conn, title="Nobody's", tags=["silver"]),
            add_advertiser(conn, title="Third", manager_id=boss),
        ]
        managers = [people.managers["affiliate manager"], people.managers["affiliate manager"], boss, None]
        tags = [["vip"], ["vip", "new"], [], ["new"]]
        for place in range(AFFILIATES):
            brought = (
                {"ref": people.affiliates[place - 1]} if place % 2 else {"ref_percent": Decimal("12.5") * (place + 1)}
            )
            pid = add_affiliate(conn, name=f"N {place}", manager_id=managers[place], tags=tags[place], **brought)
            people.affiliates.append(pid)
            clients[f"affiliate {place}"] = _with_key(plant, conn, AccountKind.AFFILIATE, str(pid))
        for place in range(OFFERS):
            shown = {
                "title": f"Offer {place}",
                "url_preview": "https://see.example/",
                "tags": [["hot"], [], ["hot"]][place],
            }
            terms = {"payments": PAYMENTS[place], "hold_period": int(place == 2), "landings": PAGES[:place]}
            people.offers.append(add_offer(conn, people.advertisers[place], **shown, **terms))
    people.clients = {name: plant.api.admin.with_key(key) for name, key in clients.items()}
    people.clients["admin"] = plant.api.admin
    return people


def _with_key(plant: SteppedInstallation, conn: Connection, kind: AccountKind, owner: str) -> str:
    key = new_api_key()
    keys.add_key(conn, kind, owner, key, plant.api.deps.cipher, NOW)
    return key


def enter_costs(people: TrafficPeople) -> None:
    """Enter costs of advertising on days around the centres, change some, and remove one."""
    admin = people.clients["admin"]
    days = [datetime.fromtimestamp(at // 1000, UTC).date().isoformat() for at in CENTRES]
    for place, day in enumerate(days):
        about = {
            "offer_id": people.offers[place % OFFERS],
            "affiliate_id": people.affiliates[place % AFFILIATES],
            "date": day,
            "sub8": "none" if place % 2 else "b",
        }
        admin.post("/3.1/adcosts", **about, costs="700")
        admin.post("/3.1/adcosts", **about, costs=f"{place}.{place + 1:04}")
    removed = {"offer_id": people.offers[0], "affiliate_id": people.affiliates[0], "date": days[0], "sub8": "b"}
    assert admin.call("DELETE", "/3.1/adcosts", params=removed).status_code == 200


def enter_payments(people: TrafficPeople) -> None:
    """Make payments to two affiliates that refer no other; one of the payments is executed."""
    admin = people.clients["admin"]
    for place, pid in enumerate((people.affiliates[1], people.affiliates[3])):
        made = admin.post("/3.1/admin/payments", **{"pid[]": [pid]})["payments"]
        for payment in made[place:1]:
            admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")


class TrafficPlayer:
    """Lets traffic happen, each thing at its time, and ends when all of it is worked off."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self.plant = plant
        self.people = create_people(plant)
        with plant.database.write() as conn:
            second = edges.claim_edge(conn, "d" * 24, 1, NOW)
        self.writers = [plant.writer, JournalWriter(plant.home / "journal", second, plant.clock)]
        self.edges = [plant.edge, second]
        self._made = 0
        self._is_settled = True

    def play(self, traffic: DrawnTraffic) -> None:
        """Everything, in the order of time."""
        self._quote(0)
        due: list[tuple[int, Callable[[], None]]] = [(CENTRES[5] + 40 * DAY, lambda: self._quote(1))]
        due.append((CENTRES[4], self._rotate))
        for visit in traffic.visits:
            due += self._of_visit(visit)
        due += [(edit.at + 3 * DAY, lambda edit=edit: self._edit(edit)) for edit in traffic.edits]  # type: ignore[misc]
        due += [(made.at, lambda made=made: self._import(made)) for made in traffic.imports]  # type: ignore[misc]
        for at, happen in sorted(due, key=lambda each: each[0]):
            self._wait_until(at)
            happen()
        self._wait_until(END)
        self.settle()
        self.plant.end_holds()
        self.plant.work()

    def settle(self) -> None:
        """Works off what was recorded."""
        if not self._is_settled:
            self.plant.clock.advance(400)
            for writer in self.writers:
                writer.write_checkpoint(self.plant.clock.now_ms())
                writer.sync()
            self.plant.work()
        self._is_settled = True

    def close(self) -> None:
        """Seals the journals."""
        for writer in self.writers:
            writer.close()

    def _wait_until(self, at: int) -> None:
        self.plant.clock.advance(max(0, at - self.plant.clock.now_ms()))

    def _of_visit(self, visit: DrawnVisit) -> list[tuple[int, Callable[[], None]]]:
        self._made += 1
        number = self._made
        place = visit.offer % OFFERS
        made = new_click(
            number,
            time=visit.at,
            id=f"{visit.at // 1000:08x}{self.edges[visit.edge]:02x}{number:014x}",
            affiliate=self.people.affiliates[visit.who % AFFILIATES],
            offer=self.people.offers[place],
            advertiser=self.people.advertisers[place],
            reason=visit.reason,
            uniq=0 if visit.is_view else visit.uniq,
            **VISITORS[visit.visitor % len(VISITORS)],
        )
        kind = RecordKind.IMPRESSION if visit.is_view else RecordKind.CLICK
        happenings = [(visit.at, lambda: self._record(visit.edge, kind, encode(made)))]
        if visit.is_view:
            return happenings
        for shown in visit.calls:
            params = {"clickid": made.id} | dict(shown.fields)
            if "action_id" in params:
                params["action_id"] += str(number)
            at = visit.at + shown.after
            call = InboundPostback(at, new_id(at), "postback", "GET", "192.0.2.9", "shop", "", "", params)
            happenings.append((at, lambda call=call: self._record(visit.edge, RecordKind.POSTBACK, encode(call))))  # type: ignore[misc]
        return happenings

    def _record(self, edge: int, kind: RecordKind, payload: bytes) -> None:
        self.writers[edge].append(kind, payload)
        self._is_settled = False

    def _rotate(self) -> None:
        """The second edge restarts with another journal."""
        self.writers[1].close()
        self.writers[1] = JournalWriter(self.plant.home / "journal", self.edges[1], self.plant.clock)

    def _quote(self, place: int) -> None:
        for code, rates in OTHER_CURRENCY.items():
            path = "/3.1/admin/currencies" if not place else f"/3.1/admin/currencies/{ {'EUR': 978, 'JPY': 392}[code] }"
            answer = self.plant.api.admin.call("POST", path, data={"code": code, "rate": rates[place]})
            assert answer.status_code == 200, answer.text

    def _edit(self, edit: DrawnEdit) -> None:
        self.settle()
        body = self.plant.api.admin.get(
            "/3.0/stats/conversions", date_from="2025-12-01", date_to="2027-12-31", limit=5000
        )
        known = sorted(body["conversions"], key=lambda item: (item["created_at"], item["clickid"], item["goal_value"]))
        ids = [item["id"] for item in known]
        chosen = ids[edit.which % 3 :: 4] if ids else []
        self._ask("/3.0/admin/conversion/edit", {"ids": chosen} | dict(edit.fields)) if chosen else None

    def _import(self, made: DrawnImport) -> None:
        who = {"offer": self.people.offers[made.offer % OFFERS], "pid": self.people.affiliates[made.who % AFFILIATES]}
        self._made += 1
        self._ask("/3.0/admin/conversion/import", who | dict(made.fields) | {"action_id": f"I{self._made}"})

    def _ask(self, path: str, body: dict[str, Any]) -> None:
        answer = self.plant.api.admin.call("POST", path, json=body)
        assert answer.status_code == 200, answer.text
        self._is_settled = False
