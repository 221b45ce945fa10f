"""Networks in one installation that must not learn of each other.

Every text of a side carries a tag that nothing else has, and its affiliates, offers and amounts have numbers of their
own, so that a leak is found by a search in the bytes of an answer.
"""

from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random
from typing import Any

from tests.contract.requests.accounts import add_own_key, add_own_report
from tests.contract.requests.companies import add_place, key_of_member
from tests.contract.requests.comparisons import add_own_comparison
from tests.contract.requests.messages import add_received
from tests.contract.requests.money import add_correction
from tests.contract.requests.threads import add_own_thread
from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks, load_views
from tests.support.stores import seeds
from trackyard.analytics.load import load
from trackyard.base.ids import new_id
from trackyard.base.money import ZERO
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestStatus
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.store.money import ledger, payment_requests

THINGS = ("staff", "affiliate", "advertiser", "offer", "postback", "pixel", "ticket", "traffic", "invoice", "payment")
"""What a tag is of, and of nothing else."""
SUBS = tuple(f"sub{number}" for number in range(1, 9))
STATUSES = (Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.DECLINED, Status.NOT_FOUND)


@dataclass
class Side:
    """One network: what it has, by kind, and who acts for it.

    tags: thing to the text that only its texts contain.
    ids: kind of a thing to ids of it.
    amounts: charges and payouts that no other side has.
    """

    name: str
    api: Api
    tags: dict[str, str]
    callers: dict[str, ApiClient] = field(default_factory=dict)
    ids: dict[str, list[Any]] = field(default_factory=dict)
    amounts: dict[str, list[Decimal]] = field(default_factory=lambda: {"charge": [], "payout": []})

    def one(self, kind: str) -> Any:
        """The first thing of a kind."""
        return self.ids[kind][0]

    def add(self, kind: str, number: Any) -> Any:
        """Notes a thing of this side."""
        self.ids.setdefault(kind, []).append(number)
        return number

    def text(self, thing: str) -> str:
        """A text of a thing."""
        return f"{self.tags[thing]} {thing}"


def make_side(api: Api, random: Random, name: str, *, joint: bool = False) -> Side:
    """A side with everything in it.

    joint: one manager of both kinds manages its affiliates and advertisers.
    """
    things = (*THINGS, "open")
    side = Side(name, api, {thing: f"{name}{random.getrandbits(40):010x}{thing}" for thing in things})
    _add_managers(side, joint)
    _add_affiliates(side, random)
    _add_advertiser(side)
    _add_people(side)
    _add_offers(side, random)
    add_tools(side)
    add_money(side, random)
    for client in side.callers.values():
        side.add("session", api.open_session(client)[0])
        side.add("key", add_own_key(client))
        side.add("saved report", add_own_report(side.api, client))
        side.add("comparison", add_own_comparison(side.api, client))
    reader = Account(AccountKind.AFFILIATE, str(side.one("affiliate")))
    side.add("thread", add_own_thread(api, reader, side.text("affiliate")))
    author = Account(AccountKind.STAFF, side.one("staff"))
    side.add("message", add_received(api, reader, author, side.text("staff")))
    side.callers["advertiser"] = api.advertiser_client(side.one("advertiser"))
    side.callers["advertiser"].call(
        "GET", "/3.1/advertiser/offers"
    )  # its first use is stored, that of later calls is not
    return side


def _add_managers(side: Side, joint: bool) -> None:
    kinds = {"affiliate_manager": [Role.MANAGER_AFFILIATE], "sales_manager": [Role.MANAGER_SALES]}
    if joint:
        kinds = {"manager": [Role.MANAGER_AFFILIATE, Role.MANAGER_SALES]}
    for kind, roles in kinds.items():
        number, side.callers[kind] = side.api.add_staff(*roles)
        tag = side.text("staff")
        named = {"first_name": tag, "last_name": tag, "skype": tag, "email": f"{kind}@{side.tags['staff']}.example"}
        assert side.api.admin.post(f"/3.0/admin/user/{number}", **named)["status"] == 1
        side.add("staff", number)


def _add_affiliates(side: Side, random: Random) -> None:
    tag, text = side.tags["affiliate"], side.text("affiliate")
    contact = {"name": text, "contact_person": text, "company": text, "address_1": text, "city": text, "phone": text}
    for place in range(2):
        with side.api.deps.database.write() as conn:  # the next number is above this one
            seeds.add_affiliate(conn, id=_free_number(random))
        more = {"ref": side.one("affiliate"), "ref_percent": "10"} if place else {}
        pid, client = side.api.add_affiliate(
            **contact | more, email=f"a{place}@{tag}.example", login=f"{tag}-{place}", notes=text,
            manager_id=side.ids["staff"][0], **{"tags[]": tag, "sub_account_1": tag},
        )  # fmt: skip
        side.add("affiliate", pid)
        if place == 0:
            side.callers["affiliate"] = client
    side.ids["login"] = [f"{tag}-0"]


def _add_advertiser(side: Side) -> None:
    tag, text = side.tags["advertiser"], side.text("advertiser")
    contact = dict.fromkeys(("title", "contact", "skype", "note", "address_1", "city", "vat_code"), text)
    side.add(
        "advertiser",
        side.api.add_advertiser(
            **contact, email=f"shop@{tag}.example", url=f"https://{tag}.example/", hash_password=f"{tag}-code",
            manager=side.ids["staff"][-1], **{"tags[]": tag, "sub_account_1": tag},
        ),
    )  # fmt: skip
    pair = {"advertisers_id[]": side.one("advertiser"), "pid": side.ids["affiliate"][1]}
    assert side.api.admin.post("/3.0/admin/advertiser/disable-affiliate", **pair)["status"] == 1


def _add_people(side: Side) -> None:
    """Members of the affiliate and the advertiser; the first one calls with a key of its own."""
    for kind in (AccountKind.AFFILIATE, AccountKind.ADVERTISER):
        company = Account(kind, str(side.one(kind)))
        member = side.add("member", add_place(side.api, company, name=side.text(kind)))
        side.add("company", company.name)
        if kind is AccountKind.AFFILIATE:
            side.callers["affiliate_member"] = key_of_member(side.api, member)


def _add_offers(side: Side, random: Random) -> None:
    """A private offer that the affiliate is connected to, and a protected one that it asked to join."""
    for privacy in ("private", "protected"):
        with side.api.deps.database.write() as conn:
            seeds.add_offer(conn, side.one("advertiser"), id=_free_number(random), removed_at=NOW)
        side.add("offer", side.api.add_offer(**_offer_params(side, privacy)))
    offer, closed = side.ids["offer"]
    found = side.api.admin.get(f"/3.0/offer/{offer}")["offer"]
    side.add("offer_hash", found["offer_id"])
    joined = {"offer_id": offer, "pid": side.one("affiliate"), "notice": 0}
    assert side.api.admin.post("/3.0/offer/enable-affiliate", **joined)["status"] == 1
    asked = {"offer_id": closed, "pid": side.one("affiliate"), "comment": side.text("ticket")}
    assert side.api.admin.post("/3.0/partner/activation/offer", **asked)["status"] == 1
    found = side.api.admin.get("/3.0/admin/tickets", pid=side.one("affiliate"))["tickets"]
    side.add("ticket", found[0]["id"])


def _offer_params(side: Side, privacy: str) -> dict[str, Any]:
    thing = "offer" if privacy == "private" else "open"
    tag, text = side.tags[thing], side.text(thing)
    url = f"https://{tag}.example/"
    return {
        "title": text, "privacy": privacy, "advertiser": side.one("advertiser"), "url": url + "?click={clickid}",
        "url_preview": url, "trafficback_url": url, "macro_url": "m=" + tag, "cross_postback_url": url,
        "impressions_url": url, "notes": text, "note_aff": text, "note_sales": text, "description_lang[en]": text,
        "kpi[en]": text, "bundle_id": tag, "external_offer_id": tag, "tags[]": tag, "hash_password": f"{tag}-code",
        "landings[0][title]": text, "landings[0][url]": url, "landings[0][url_preview]": url,
        "landings[0][type]": "landing", "payments[0][title]": text, "sub_account_1": tag,
        "creativeUrls[]": url + "a.png",
    }  # fmt: skip


def add_tools(side: Side) -> None:
    """Postbacks, a pixel and an invoice."""
    pid, offer = side.one("affiliate"), side.one("offer")
    for more in ({}, {"offer_id": offer}):
        url = f"https://{side.tags['postback']}.example/?c={{clickid}}"
        body = side.api.admin.post("/3.1/partner/postback", pid=pid, url=url, **more)
        side.add("postback", body["postback"]["id"])
    code = f'<img src="https://{side.tags["pixel"]}.example/">'
    pixel = {"pid": pid, "offer_id": offer, "name": side.text("pixel"), "code": code, "code_type": "image"}
    side.add("pixel", side.api.admin.post("/3.0/partner/pixel", **pixel)["pixel"]["id"])
    code = f"{side.tags['affiliate']}.{len(side.ids.get('promo code', ()))}"
    promo = {"type": "manual", "code": code, "offer_id": offer, "affiliate_id": pid}
    promo |= {"description": side.text("affiliate"), "date_from": "2020-01-01T00:00:00Z"}
    sent = {f"promocodes[0][{name}]": value for name, value in promo.items()}
    sent |= {"promocodes[0][date_to]": "2040-01-01T00:00:00Z"}
    made = side.api.admin.post("/3.1/offers/promocodes/bulk", **sent)["data"]["promocodes"]
    side.add("promo code", made[0]["id"])
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}
    line |= {"detail[0][comment]": side.text("invoice"), "comment": side.text("invoice")}
    made = side.api.admin.post(
        "/3.0/admin/advertiser-invoice", supplier_id=side.one("advertiser"), currency="USD", **line
    )
    side.add("invoice", made["number"])


def add_money(side: Side, random: Random) -> None:
    """A payment of the affiliate, a request to be paid, and a correction."""
    pid, now = side.one("affiliate"), side.api.clock.now_ms()
    amount = _amount(random)
    side.amounts["payout"].append(amount)
    entry = LedgerEntry(pid, "conversion", new_id(now), 1, "USD", ZERO, amount, now)
    with side.api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])
    made = side.api.admin.post("/3.1/admin/payments", **{"pid[]": pid}, comment=side.text("payment"))["payments"]
    side.add("payment", made[0]["id"])
    side.add("payment correction", add_correction(side.api, made[0]["id"]))
    correction = _amount(random)
    side.amounts["payout"].append(correction)
    sent = {"pid": pid, "currency": "USD", "comment": side.text("payment")}
    side.api.admin.post("/3.1/admin/corrections", **sent, amount=str(correction))
    request = PaymentRequest(
        affiliate_id=pid, currency="USD", amount=correction, system_id=None, comment=side.text("payment"),
        created_at=now, updated_at=now,
    )  # fmt: skip
    if "payment request" in side.ids:  # one may be open
        request = replace(request, status=PaymentRequestStatus.WITHDRAWN)
    with side.api.deps.database.write() as conn:
        side.add("payment request", payment_requests.add_request(conn, request).id)


def add_traffic(side: Side, random: Random, offers: list[int], advertisers: list[str]) -> None:
    """Clicks, impressions, conversions and both logs of the first affiliate, on these offers."""
    for offer, advertiser in zip(offers, advertisers, strict=True):
        owners = {"offer": offer, "affiliate": side.one("affiliate"), "advertiser": advertiser}
        numbers = [random.getrandbits(50) for _ in range(random.randint(2, 5))]
        clicks = [new_click(number, **owners, **_click_texts(side, random)) for number in numbers]
        rejected = new_click(random.getrandbits(50), **owners, **_click_texts(side, random), reason="overcap")
        load_clicks(side.api.deps, [*clicks, rejected])
        load_views(side.api.deps, [new_click(random.getrandbits(50), **owners, **_click_texts(side, random))])
        for number in numbers[:-1]:
            _add_conversion(side, random, number, offer, advertiser)
        for click in clicks:
            side.add("click", click.id)


def _click_texts(side: Side, random: Random) -> dict[str, Any]:
    tag = side.tags["traffic"]
    texts = {name: f"{tag}-{name}" for name in SUBS} | {"ua": f"Mozilla {tag}", "referrer": f"https://{tag}.example/"}
    return texts | {
        "ip": f"198.51.100.{random.randint(1, 254)}",
        "country": random.choice(["DE", "FR", "EE"]),
        "os": random.choice(["Android", "iOS"]),
        "browser": f"{tag}-browser",
        "device": random.choice(["mobile", "desktop"]),
    }


def _add_conversion(side: Side, random: Random, number: int, offer: int, advertiser: str) -> None:
    tag, text = side.tags["traffic"], side.text("traffic")
    charge, payout = _amount(random), _amount(random)
    side.amounts["charge"].append(charge)
    side.amounts["payout"].append(payout)
    made = add_conversion(
        side.api.deps, number, offer_id=offer, affiliate_id=side.one("affiliate"), advertiser_id=advertiser,
        charge=charge, payout=payout, status=random.choice(STATUSES), action_id=f"{tag}-{number}", comment=text,
        goal_title=text, user_id=f"{tag}-user", custom_fields={"1": text}, click=_click_texts(side, random),
    )  # fmt: skip
    side.add("conversion", made.id)
    side.add("action", f"{tag}-{number}")
    of = {"offer": offer, "affiliate": side.one("affiliate"), "advertiser": advertiser, "conversion_id": made.id}
    attempt = add_attempt(
        side.api.deps.analytics, **of, postback_id=side.one("postback"), time=NOON,
        url=f"https://{side.tags['postback']}.example/?c=1", error=text, answer=text, outcome="failed",
    )  # fmt: skip
    side.add("attempt", attempt)
    line = ServerPostbackLog(
        id=new_id(NOON), revision=1, time=NOON, click_id=made.click_id, goal="1", action_id=made.action_id, status=1,
        method="GET", ip="192.0.2.9", ua=text, query=f"clickid={made.click_id}&x={tag}", body="", response="",
        journal="001-0000000000001", position=number, **of,
    )  # fmt: skip
    load(side.api.deps.analytics, "server_log", [encode_row(line)], f"line-{number}")


def _amount(random: Random) -> Decimal:
    """An amount that no other row has, in this form."""
    return Decimal(random.randint(10_000_000, 99_999_999)) / 1000


def _free_number(random: Random) -> int:
    """A number of seven digits, of which few are taken."""
    return random.randint(1_000_000, 9_000_000)
