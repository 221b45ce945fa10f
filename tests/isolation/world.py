"""Three sides in one installation, what they share, and calls with the things of one by another."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.contract.requests import (
    accounts,
    advertisers,
    affiliates,
    companies,
    comparisons,
    messages,
    money,
    offers,
    people,
    postbacks,
    rules,
    staff,
    threads,
)
from tests.contract.test_every_endpoint import as_sent
from tests.isolation.callers import ROLES, CallerKind
from tests.isolation.evidence import Evidence, rows_of, text_of, watched_call
from tests.isolation.sides import Side, add_traffic, make_side
from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.permissions import DEFAULTS
from trackyard.domain.people.roles import Permission, permissions_of
from trackyard.wire.endpoint import Endpoint


@dataclass
class SideRequests:
    """Parameters with which each method succeeds for a side, and things for its path."""

    params: dict[str, dict[str, Any]]
    subjects: dict[str, Callable[[], Any]]


@dataclass
class World:
    """Sides that must not learn of each other.

    own, joint: sides that call; the second has one manager of both kinds.
    other: the side of the things that they name.
    rows: of the other side, in SQL.
    shared: an offer of all affiliates, of an advertiser that no side manages.
    """

    api: Api
    random: Random
    own: Side
    joint: Side
    other: Side
    shared: int
    shared_advertiser: str
    rows: set[str]
    examples: dict[str, SideRequests]

    def side(self, kind: CallerKind) -> Side:
        """The side of a kind of callers."""
        return self.joint if kind.joint else self.own

    def client(self, kind: CallerKind) -> ApiClient:
        """The caller of a kind."""
        return self.side(kind).callers[kind.name]

    def company(self, kind: CallerKind) -> Account:
        """A company of the caller's side that callers of a kind may manage, if they may manage any."""
        of = AccountKind.ADVERTISER if kind.name in ("advertiser", "sales_manager") else AccountKind.AFFILIATE
        return Account(of, str(self.side(kind).one(of)))

    def subject(self, kind: CallerKind, endpoint: Endpoint[Any]) -> Any:
        """A thing of the caller's side for the path of a method, made for this call."""
        own = accounts.own_subjects(self.api) | money.own_subjects(self.api) | comparisons.own_subjects(self.api)
        own |= messages.own_subjects(self.api) | threads.own_subjects(self.api) | advertisers.own_subjects(self.api)
        if endpoint.id in own:
            return own[endpoint.id](self.client(kind))
        if endpoint.id.startswith("admin.invoices."):
            make = advertisers.issued if endpoint.id.endswith((".credit", ".document")) else advertisers.draft
            side = self.side(kind)
            return make(self.api, str(side.one("advertiser")), int(side.one("offer")))
        if endpoint.id in companies.own_subjects(self.api, 0):
            return companies.add_place(self.api, self.company(kind))
        return self.examples[self.side(kind).name].subjects[endpoint.id]()

    def call(
        self, kind: CallerKind, endpoint: Endpoint[Any], *, subject: Any = None, form: str = "json", **more: Any
    ) -> Evidence:
        """One call with the parameters of the caller's side, of which `more` replaces some."""
        examples = self.examples[self.side(kind).name]
        path = f"/{endpoint.versions[-1]}{endpoint.path}"
        client = self.client(kind)
        if endpoint.variables:
            subject = str(subject or self.subject(kind, endpoint))
            path = path.replace("{creative_id}", offers.HTML_KEY).replace("{" + endpoint.variables[0] + "}", subject)
        params = {name: as_sent(value) for name, value in examples.params.get(endpoint.id, {}).items()} | more
        if form != "json":
            params["format"] = form
        place = "data" if endpoint.method == "POST" else "params"
        own = accounts.own_params(self.api) | money.own_params(self.api) | companies.own_params(self.api)
        own |= threads.own_params(self.api)
        if endpoint.id in companies.good_params(0) and "company" not in more:
            params |= {"company": self.company(kind).name} if "{" not in endpoint.path else {}
        if (
            endpoint.id in own
            and not own[endpoint.id](client).keys() & more.keys()
            and endpoint.admits(self.api.caller_of(client))
        ):
            params |= own[endpoint.id](client)
        with watched_call() as found:
            found.sent = [str(subject), *map(str, params.values())]
            response = client.call(endpoint.method, path, **{place: params})
        found.is_read = endpoint.method == "GET"
        found.status, found.text, found.headers = response.status_code, text_of(response), dict(response.headers)
        if endpoint.id in ("partner.api_key.renew", "advertiser.api_key.renew") and response.status_code == 200:
            shown = response.json()
            renewed = client.with_key(shown.get("user", shown)["api_key"])
            renewed.call("GET", "/3.1/auth/keys")  # its first use is stored, that of later calls is not
            self.side(kind).callers[kind.name] = renewed
        return found


def may_call(kind: CallerKind, endpoint: Endpoint[Any]) -> bool:
    """Whether callers of a kind may call a method."""
    if endpoint.audience == "anyone":
        return True
    if kind.name == "affiliate":
        return endpoint.audience in ("affiliate", "any")
    if kind.name == "affiliate_member":
        access = endpoint.credentials and endpoint.permission is not Permission.ACCOUNT
        permits = CompanyRole.MANAGER.rule.permits(endpoint.permission, writes=endpoint.method != "GET", access=access)
        return endpoint.audience in ("affiliate", "any") and permits
    if kind.name == "advertiser":
        return endpoint.advertisers
    return endpoint.audience in ("staff", "any") and endpoint.permission in permissions_of(ROLES[kind.name])


def make_world(api: Api, random: Random) -> World:
    """An installation with three sides and traffic on what they share."""
    sides = [make_side(api, random, "own"), make_side(api, random, "jnt", joint=True), make_side(api, random, "oth")]
    advertiser = api.add_advertiser(title="Shared shop")
    shared = api.add_offer(advertiser=advertiser, title="Shared", **_personal_terms(sides))
    for side in sides:
        joined = {"offer_id": shared, "pid": side.one("affiliate"), "notice": 0}
        assert api.admin.post("/3.0/offer/enable-affiliate", **joined)["status"] == 1
        levels = {f"permissions[{area}][{name}][level]": "write" for area, name in _denied_features()}
        assert api.admin.post(f"/3.0/user/{side.one('affiliate')}/permissions", **levels)["status"] == 1
        add_traffic(side, random, [side.one("offer"), shared], [side.one("advertiser"), advertiser])
    own, joint, other = sides
    examples = {side.name: _examples(side) for side in (own, joint)}
    rows = rows_of(api.deps.database, other)
    return World(api, random, own, joint, other, shared, advertiser, rows, examples)


def _denied_features() -> list[tuple[str, str]]:
    return [
        (area, name)
        for area, features in DEFAULTS.items()
        for name, level in features.items()
        if level == "deny" and area == "stats"
    ]


def _personal_terms(sides: list[Side]) -> dict[str, Any]:
    """Payments and limits of single affiliates in an offer that all of them see."""
    terms: dict[str, Any] = {}
    for place, side in enumerate(sides):
        pid, tag = side.one("affiliate"), side.tags["offer"]
        payment, group = f"partner_payments[{place}]", f"targeting[{place}]"
        terms |= {
            f"{payment}[partners][]": pid, f"{payment}[total]": "20", f"{payment}[revenue]": "9",
            f"{payment}[title]": tag, f"{payment}[url]": f"https://{tag}.example/",
            f"{group}[affiliate_id][]": pid, f"{group}[sub][deny][1][]": tag,
            f"personal_limits[{place}][partner]": pid, f"personal_limits[{place}][caps]": 50 + place,
            f"caps[{place}][period]": "day", f"caps[{place}][type]": "conversions", f"caps[{place}][value]": 60 + place,
            f"caps[{place}][affiliate_type]": "exact", f"caps[{place}][affiliates][]": pid,
        }  # fmt: skip
    return terms


def _connected(api: Api, advertiser: str, offer: int, pid: int) -> int:
    """Let an affiliate send clicks to an offer, which an earlier call may have ended; return the offer."""
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid, notice=0)
    api.admin.post("/3.0/admin/advertiser/enable-affiliate", advertisers_id=advertiser, pid=pid)
    return offer


def _examples(side: Side) -> SideRequests:
    api, pid, advertiser = side.api, side.one("affiliate"), side.one("advertiser")
    offer, closed = side.ids["offer"]
    params = (
        offers.good_params(api, advertiser, offer, pid)
        | people.good_params(closed, pid)
        | staff.good_params(api)
        | advertisers.good_params(api, advertiser, offer, pid)
        | postbacks.good_params(offer, pid)
        | affiliates.good_params(api, pid)
        | money.good_params(pid)
        | rules.good_params(offer, pid)
        | comparisons.good_params()
        | companies.good_params(pid)
        | messages.good_params()
        | threads.good_params(pid)
    )
    params |= {
        "stats.conversionsbyid": {"id": side.one("conversion")},
        "admin.conversion.edit": {"ids[]": side.one("conversion"), "comment": side.text("traffic")},
        "admin.conversion.edit-by-advertiser": {
            "ids[]": side.one("conversion"),
            "advertiser_id": advertiser,
            "comment": side.text("traffic"),
        },
        "admin.offer.delete": {"offer_id": lambda: api.add_offer(advertiser=advertiser)},
        "admin.offer.add": params["admin.offer.add"] | {"advertiser": advertiser},
        "admin.postback-check": {"params[clickid]": side.one("click"), "ip": "192.0.2.1"},
        "admin.explain": {"id": side.one("click")},
        "admin.partner.edit": {"notes": side.text("affiliate")},
        "admin.advertiser.edit": {"note": side.text("advertiser")},
    }
    subjects = (
        people.path_subjects(api, side.ids["affiliate"][1])
        | staff.path_subjects(api)
        | advertisers.path_subjects(api, advertiser)
        | postbacks.path_subjects(api, offer, pid)
        | affiliates.path_subjects(api, pid)
        | money.path_subjects(api)
        | rules.path_subjects(api, offer, pid)
        | offers.path_subjects(api, offer, pid)
    )
    subjects |= {
        **dict.fromkeys(("offer.get", "partner.offer.click-check"), lambda: offer),
        "admin.offer.edit": lambda: offer,
        "admin.offer.estimate.conversions": lambda: offer,
        "admin.offer.estimate.clicks": lambda: offer,
        "admin.offer.click-check": lambda: offer,
        **dict.fromkeys(("admin.offer.disable-affiliates", "offer.privacy.get"), lambda: closed),
        "admin.offer.tracking-link": lambda: _connected(api, advertiser, offer, pid),
        "admin.offer.remove-creative": lambda: api.add_offer(
            advertiser=advertiser, creativeUrls="https://a.example/a.png"
        ),
        "oses.versions": lambda: "android",
        "stats.conversion.history": lambda: side.one("conversion"),
        "stats.health.offer": lambda: offer,
        "advertiser.offer.get": lambda: offer,
        "stats.health.advertiser": lambda: advertiser,
        "stats.health.affiliate": lambda: pid,
        **comparisons.path_subjects(advertiser, pid),
        "admin.click.explain": lambda: side.one("click"),
        "admin.ticket.get": lambda: side.one("ticket"),
        "admin.ticket.offer": lambda: _new_ticket(side),
        "admin.ticket.answer": lambda: _new_ticket(side),
        "admin.ticket.smartlink": lambda: _new_smartlink_ticket(side),
        "admin.ticket.close": lambda: people.question(*side.api.add_affiliate(manager_id=side.ids["staff"][0])),
    }
    return SideRequests(params, subjects)


def _new_smartlink_ticket(side: Side) -> int:
    """An open ticket of a new affiliate of the side that asks for a SmartLink."""
    pid, _ = side.api.add_affiliate(manager_id=side.ids["staff"][0])
    return people.smartlink_ticket(side.api, side.ids["offer"][1], pid)


def _new_ticket(side: Side) -> int:
    """An open ticket of a new affiliate of the side."""
    pid, _ = side.api.add_affiliate(manager_id=side.ids["staff"][0])
    asked = {"offer_id": side.ids["offer"][1], "pid": pid, "comment": side.text("ticket")}
    assert side.api.admin.post("/3.0/partner/activation/offer", **asked)["status"] == 1
    return int(side.api.admin.get("/3.0/admin/tickets", pid=pid)["tickets"][0]["id"])
