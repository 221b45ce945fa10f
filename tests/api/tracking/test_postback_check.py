"""postback-check: the verdict of each step equals the decision of the worker."""

from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import func, select, update

from tests.support.api import NOW, Api
from tests.support.clicks.inbound_postbacks import make_inbox_postback
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from tests.support.stores.outbox_lines import queued_lines
from trackyard.actions.conversions.postback_codes import store_postback_code
from trackyard.actions.tracking.postback_check import STEPS
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_click_id, new_id
from trackyard.domain.conversions.decisions import DECLINE_CHECKS, POSTBACK_CHECKS
from trackyard.domain.conversions.sessions import DAY_MS, MIN_CLICK_RETENTION_MS
from trackyard.domain.conversions.signatures import sign, signed_text
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.journal.records import Click, InboundPostback
from trackyard.store.conversions import inbox
from trackyard.store.statistics import checkpoints
from trackyard.store.tables import affiliate, conversion, counter, delivery, offer, outbox
from trackyard.store.tracking import edges

AGE_MS = 3_600_000


class PostbackCheckSetup:
    """An offer, an affiliate with a postback, and a click of it from one hour ago."""

    def __init__(self, api: Api, **params: Any) -> None:
        self.api = api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(advertiser=self.advertiser, **params)
        self.pid, client = api.add_affiliate()
        self.postback = client.post(
            "/3.1/partner/postback",
            pid=self.pid,
            url="https://pid.example/?s={status_name}&p={sum}&c={comment}&x={sub1}",
        )["postback"]["id"]
        self._numbers = count(1)
        self.click = self.add_click()
        self.positions = count(1)

    def add_click(self, **fields: Any) -> Click:
        made = new_click(
            next(self._numbers), offer=self.offer, affiliate=self.pid, advertiser=self.advertiser,
            **{"time": NOW - AGE_MS, "ip": "198.51.100.7", "sub1": "a b"} | fields,
        )  # fmt: skip
        load_clicks(self.api.deps, [made])
        return made

    def check(self, **params: Any) -> dict[str, Any]:
        """The answer about a call, by default one for the click."""
        asked = {f"params[{name}]": value for name, value in ({"clickid": self.click.id} | params).items()}
        found: dict[str, Any] = self.api.admin.post("/3.1/admin/postback-check", ip="192.0.2.9", **asked)["check"]
        return found

    def call(self, **params: str) -> str:
        """The same call, made: what the log says of it."""
        params = {"clickid": self.click.id} | params
        click = self.click if params["clickid"] == self.click.id else None
        with self.api.deps.database.write() as conn:
            call = InboundPostback(NOW, new_id(NOW), "postback", "GET", "192.0.2.9", "", "", "", params)
            inbox.add_entries(conn, "001-1", [make_inbox_postback(next(self.positions), call, click)])
        deps = self.api.deps
        PostbackProcessor(deps.database, "USD", ZoneInfo("UTC"), ManualClock(NOW), cipher=deps.cipher).step()
        return msgspec.json.decode(
            queued_lines(self.api.deps.database, "server_log")[-1], type=ServerPostbackLog
        ).response

    def set(self, **columns: Any) -> None:
        with self.api.deps.database.write() as conn:
            conn.execute(update(offer).where(offer.c.id == self.offer).values({"title": "Shoes"} | columns))


@pytest.fixture
def shop(api: Api) -> PostbackCheckSetup:
    return PostbackCheckSetup(api)


def verdicts(checked: dict[str, Any]) -> dict[str, str]:
    return {step["name"]: step["verdict"] for step in checked["steps"]}


def detail(checked: dict[str, Any], name: str) -> str:
    [found] = [step["detail"] for step in checked["steps"] if step["name"] == name]
    return str(found)


def test_postback_check_of_valid_postback_makes_conversion(shop: PostbackCheckSetup) -> None:
    checked = shop.check(sum="12.50", comment="thanks")
    assert (checked["response"], checked["click_id"], checked["offer_id"], checked["pid"]) == (
        "", shop.click.id, shop.offer, shop.pid,
    )  # fmt: skip
    assert list(verdicts(checked)) == list(STEPS)
    assert set(verdicts(checked).values()) == {"passed"}
    made = checked["conversion"]
    assert (made["is_new"], made["status"], made["goal"], made["comment"]) == (True, "confirmed", "1", "thanks")
    assert (made["sum"], made["revenue"], made["payouts"], made["currency"]) == (12.5, 10, 7, "USD")
    assert checked["postbacks"] == [
        {"postback_id": shop.postback, "url": "https://pid.example/?s=confirmed&p=7&c=thanks&x=a%20b"}
    ]
    assert detail(checked, "payment") == (
        "1: total 10 USD, revenue 7 USD; general, asks for nothing, most specific of 1 that fit"
    )
    assert detail(checked, "amounts") == "sum 12.5, charge 10, payout 7 USD"
    assert (detail(checked, "hold"), detail(checked, "tiers"), detail(checked, "caps")) == (
        "not held", "none applies", "none counts it",
    )  # fmt: skip


def test_postback_check_writes_nothing(shop: PostbackCheckSetup) -> None:
    shop.set(caps=[{"id": "c" * 24, "period": "day", "type": "conversions", "value": "1"}])
    for _ in range(3):
        assert verdicts(shop.check())["caps"] == "passed"
    with shop.api.deps.database.read() as conn:
        for table in (conversion, counter, delivery, outbox):
            assert conn.execute(select(func.count()).select_from(table)).scalar_one() == 0


@pytest.mark.parametrize(
    ("columns", "params", "step", "response"),
    [
        ({"status": "stopped"}, {}, "offer", "Offer disabled"),
        ({"hash_password": "x"}, {"secure": "y"}, "secure", "Access denied"),
        ({"allowed_ip": "10.0.0.1"}, {}, "address", "Current IP-address is denied"),
        ({}, {"status": "9"}, "status", "Wrong status"),
        ({}, {"sum": "-1"}, "sum", "Wrong sum"),
        ({}, {"currency": "XAU"}, "currency", "Wrong currency"),
        ({"click_session": "30i"}, {}, "click session", ""),
        ({"minimal_click_session": "2h"}, {}, "minimal click session", ""),
        ({}, {"goal": "77"}, "payment", ""),
        ({"caps": [{"id": "c" * 24, "period": "day", "type": "conversions", "value": "0"}]}, {}, "caps", ""),
        (
            {"payments": [{"goal": "1", "total": "1", "revenue": "1", "currency": "GBP"}]}, {}, "amounts",
            "Wrong currency",
        ),
    ],
)  # fmt: skip
def test_postback_check_equals_worker_decision(
    shop: PostbackCheckSetup, columns: dict[str, Any], params: dict[str, str], step: str, response: str
) -> None:
    shop.set(**columns)
    checked = shop.check(**params)
    unhappy = {name: verdict for name, verdict in verdicts(checked).items() if verdict in ("stopped", "declined")}
    assert unhappy == {step: "stopped" if response else "declined"}
    assert checked["response"] == response == shop.call(**params)
    if response:
        assert (checked["conversion"], checked["postbacks"]) == (None, [])
        return
    with shop.api.deps.database.read() as conn:
        row = conn.execute(select(conversion)).one()
    made = checked["conversion"]
    assert (made["status"], made["comment"], made["payouts"]) == (row.status, row.comment, row.payout)


def test_postback_check_shows_steps_after_a_fault(shop: PostbackCheckSetup) -> None:
    shop.set(hash_password="x", click_session="30i")
    checked = shop.check()
    assert (checked["response"], checked["conversion"]) == ("Access denied", None)
    assert (verdicts(checked)["secure"], verdicts(checked)["click session"]) == ("stopped", "declined")
    assert detail(checked, "amounts") == "sum 0, charge 10, payout 7 USD"
    nothing = verdicts(shop.check(status="9"))
    assert {nothing[name] for name in ("exists", *DECLINE_CHECKS, "tiers", "hold", "amounts")} == {"not asked"}
    assert {nothing[name] for name in POSTBACK_CHECKS} == {"passed", "stopped"}


def test_postback_check_of_repeated_postback_shows_existing_conversion(shop: PostbackCheckSetup) -> None:
    shop.call(status="2")
    again = shop.check(status="2")
    assert (again["response"], verdicts(again)["exists"], again["postbacks"]) == ("Conversion exists", "stopped", [])
    confirmed = shop.check(status="1")
    assert (confirmed["response"], confirmed["conversion"]["is_new"]) == ("", False)
    assert (confirmed["conversion"]["status"], verdicts(confirmed)["payment"]) == ("confirmed", "not asked")
    assert "is pending" in detail(confirmed, "exists")
    assert confirmed["postbacks"][0]["url"].startswith("https://pid.example/?s=confirmed")
    shop.call(status="1")
    assert shop.check(status="3")["response"] == "Conversion status is not pending"
    shop.set(caps=[{"id": "c" * 24, "period": "all", "type": "conversions", "value": "1"}], caps_status=["confirmed"])
    shop.click = shop.add_click()
    shop.call(status="2")
    full = shop.check(status="1")
    assert (full["conversion"]["status"], full["conversion"]["comment"]) == ("declined", "Cap is reached")
    assert (verdicts(full)["caps"], detail(full, "caps")) == ("declined", "1 of 1 conversions (all, full)")


def test_postback_check_of_repeated_ip_is_declined(shop: PostbackCheckSetup) -> None:
    shop.set(reject_not_uniq_ip=True)
    shop.call()
    shop.click = shop.add_click()
    checked = shop.check()
    assert (checked["response"], checked["conversion"]["comment"]) == ("", "IP duplicate")
    assert detail(checked, "ip duplicate") == "1 conversions of 198.51.100.7"


def test_postback_check_of_pixel_judges_its_page_and_code(shop: PostbackCheckSetup) -> None:
    def check(page: str, code: str) -> dict[str, Any]:
        url = f"http://track.example/success.jpg?offer_id={shop.offer}&afclick={shop.click.id}&afsecure={code}"
        asked = {"url": url, "referrer": page, "ip": "192.0.2.9"}
        found: dict[str, Any] = shop.api.admin.post("/3.1/admin/postback-check", **asked)["check"]
        return found

    shop.set(pixel_pages=["shop.example"], pixel_code="p" * 40)
    taken = check("https://www.shop.example/thanks", "")
    assert (taken["response"], taken["conversion"]["status"]) == ("", "confirmed")
    assert detail(taken, "pixel") == "of a page of www.shop.example; the offer takes shop.example"
    for page, shown in (("attacker.example", "attacker.example"), ("", "an unknown host")):
        refused = check(page, "")
        assert (refused["response"], verdicts(refused)["pixel"]) == ("Current page is denied", "stopped")
        assert detail(refused, "pixel") == f"of a page of {shown}; the offer takes shop.example"
    store_postback_code(shop.api.deps.database, "generate")
    assert check("shop.example", "")["response"] == "Access denied"
    announced = check("shop.example", "p" * 40)
    assert (announced["response"], announced["conversion"]["status"]) == ("", "pending")
    assert detail(announced, "secure") == "the code of the offer's pixels counts"
    assert announced["params"]["secure"] == "***"
    shop.set(pixels=False)
    assert check("shop.example", "p" * 40)["response"] == "Pixels are disabled"
    assert detail(shop.check(), "pixel") == "it is not a pixel"


def test_postback_check_shows_the_text_to_be_signed(shop: PostbackCheckSetup) -> None:
    path = f"/3.1/admin/advertiser/{shop.advertiser}/signing-secret"
    secret = shop.api.admin.post(path)["signing_secret"]
    params = {"clickid": shop.click.id, "ts": str(NOW // 1000), "comment": "a b"}
    text = f"clickid={shop.click.id}&comment=a%20b&ts={NOW // 1000}"
    missing = shop.check(**params)
    assert (missing["response"], detail(missing, "signature")) == ("Wrong signature", "none was sent")
    wrong = shop.check(**params, secure="my code", signature="0" * 64)
    assert (wrong["response"], detail(wrong, "signature")) == ("Wrong signature", f"of {text}")
    signed = shop.check(**params, signature=sign(secret, text))
    assert (signed["response"], verdicts(signed)["signature"]) == ("", "passed")
    late = params | {"ts": "1"}
    expired = shop.check(**late, signature=sign(secret, signed_text(late)))
    assert expired["response"] == "Signature is expired"
    assert shop.call(**params) == "Wrong signature"
    assert shop.call(**params, signature=sign(secret, text)) == ""
    shop.api.admin.call("DELETE", path)
    assert detail(shop.check(), "signature") == "the advertiser has no signing secret"


def test_postback_check_of_repeated_conversion_is_declined(shop: PostbackCheckSetup) -> None:
    shop.set(one_conversion_per_click=True)
    shop.call()
    checked = shop.check(action_id="invented")
    assert (checked["response"], checked["conversion"]["comment"]) == ("", "Repeated conversion")
    assert detail(checked, "one conversion per click") == "1 conversions of the click for goal 1"


def test_postback_check_explains_hold_tier_and_payment(api: Api) -> None:
    shop = PostbackCheckSetup(
        api,
        hold_period=3,
        **{
            "payments[0][countries]": "DE", "payments[0][type]": "mixed", "payments[0][title]": "Sale",
            "payments[1][total]": "1", "payments[1][revenue]": "1",
            "enabled_commission_tiers": "1", "commission_tiers[0][timeframe]": "all",
            "commission_tiers[0][type]": "conversions", "commission_tiers[0][value]": "0",
            "commission_tiers[0][modifier_type]": "by_fix", "commission_tiers[0][modifier_value]": "2",
        },
    )  # fmt: skip
    checked = shop.check(sum="50")
    assert (checked["conversion"]["status"], checked["conversion"]["hold_date_expire"]) == (
        "hold",
        "2023-11-17 22:13:20",
    )
    assert detail(checked, "hold") == "until 2023-11-17 22:13:20"
    assert detail(checked, "payment") == (
        "Sale: total 10 % of the sum, revenue 7 USD; general, asks for countries, most specific of 2 that fit"
    )
    assert detail(checked, "tiers") == "by_fix 2 (payout)"
    assert (checked["conversion"]["revenue"], checked["conversion"]["payouts"]) == (5, 9)


def test_postback_check_of_missing_click_names_the_fault(shop: PostbackCheckSetup) -> None:
    with shop.api.deps.database.write() as conn:
        own = edges.claim_edge(conn, "d" * 24, 0, NOW)
    missing = shop.check(clickid="")
    assert (missing["response"], verdicts(missing)["clickid"]) == ("Missing mandatory parameter clickid", "stopped")
    assert set(list(verdicts(missing).values())[1:]) == {"not asked"}
    malformed = shop.check(clickid="nonsense")
    assert (malformed["response"], verdicts(malformed)["clickid"]) == ("Broken clickid", "stopped")
    fresh = new_click_id(NOW - 30_000, own)
    waits = shop.check(clickid=fresh)
    assert (waits["response"], verdicts(waits)["click"], waits["offer_id"]) == ("waiting", "waits", None)
    with shop.api.deps.database.write() as conn:
        checkpoints.finish_range(conn, own, "001-1", 0, 10, NOW, [])
    gone = shop.check(clickid=fresh)
    assert (gone["response"], verdicts(gone)["click"]) == ("Broken clickid", "stopped")
    old = shop.check(clickid=new_click_id(NOW - MIN_CLICK_RETENTION_MS - DAY_MS, own))
    assert (old["response"], verdicts(old)["click"]) == ("Click session lifespan is expired", "stopped")
    refused = shop.check(clickid=shop.add_click(reason="bot").id)
    assert (refused["response"], detail(refused, "click")) == ("Broken clickid", "it was refused: bot")


def test_postback_check_reads_url_with_aliases(shop: PostbackCheckSetup) -> None:
    def asked(url: str, **params: Any) -> dict[str, Any]:
        found: dict[str, Any] = shop.api.admin.post("/3.1/admin/postback-check", url=url, **params)["check"]
        return found

    long = f"https://track.example/postback?click_id={shop.click.id}&sum=3&secure=hunter2&unknown=1"
    checked = asked(long, method="POST")
    assert checked["params"] == {"clickid": shop.click.id, "sum": "3", "secure": "***"}
    assert (checked["response"], checked["conversion"]["sum"], checked["method"]) == ("", 3, "POST")
    assert asked(long, **{"params[sum]": "4"})["conversion"]["sum"] == 4
    pixel = asked(f"https://track.example/success.php?offer_id=1&afclick={shop.click.id}&afprice=5&afid=x&sum=9")
    assert pixel["params"] == {"clickid": shop.click.id, "sum": "5", "action_id": "x"}
    for other in ("https://shop.example/thanks", "http://[::1"):
        assert shop.api.admin.refusal("POST", "/3.1/admin/postback-check", data={"url": other}) == (400, ["url"])


def test_postback_check_uses_given_time(shop: PostbackCheckSetup) -> None:
    shop.set(click_session="1d")
    asked = {"params[clickid]": shop.click.id}
    later = shop.api.admin.post("/3.1/admin/postback-check", **asked, time="2023-11-20 00:00:00")["check"]
    assert (later["time"], later["conversion"]["comment"]) == (
        "2023-11-20 00:00:00",
        "Click session lifespan is expired",
    )


def test_postback_check_of_banned_affiliate_is_declined(shop: PostbackCheckSetup) -> None:
    with shop.api.deps.database.write() as conn:
        conn.execute(update(affiliate).values(status="banned"))
    checked = shop.check()
    assert (verdicts(checked)["affiliate"], checked["conversion"]["comment"]) == ("declined", "Partner is banned")


def test_postback_check_by_manager_covers_own_affiliates_only(shop: PostbackCheckSetup) -> None:
    staff_id, manager = shop.api.add_staff(Role.MANAGER_AFFILIATE)
    asked = {"params[clickid]": shop.click.id}
    assert manager.refusal("POST", "/3.1/admin/postback-check", data=asked) == (400, ["params[clickid]"])
    missing = asked | {"params[clickid]": shop.click.id[:-4] + "0000"}
    assert manager.refusal("POST", "/3.1/admin/postback-check", data=missing) == (400, ["params[clickid]"])
    shop.api.admin.post(f"/3.0/admin/partner/{shop.pid}", manager_id=staff_id)
    assert manager.post("/3.1/admin/postback-check", **asked)["check"]["response"] == ""


@pytest.mark.parametrize("url", ["http://[::1", "//[", "postback?clickid=", "\x7f", "http://track.example/click?pid=1"])
def test_postback_check_with_invalid_url_is_rejected(api: Api, url: str) -> None:
    assert api.admin.refusal("POST", "/3.1/admin/postback-check", data={"url": url}) == (400, ["url"])
