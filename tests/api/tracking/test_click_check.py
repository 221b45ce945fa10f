"""Why a click passes or not: each step's verdict, of a click that does not come and of one that did."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import load_clicks
from tests.support.stores.statements import recorded_statements
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.rejections import REJECTION_REASONS
from trackyard.store.tracking import rulesets

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
)


@pytest.fixture
def offer(api: Api) -> int:
    """A public offer for Estonia and Latvia; its trafficback has the reason."""
    return api.add_offer(
        **{
            "privacy": "public",
            "url": "https://shop.example/?c={clickid}&s={sub1}",
            "trafficback_url": "https://back.example/?o={offer_id}",
            "targeting[0][country][allow][]": ["EE", "LV"],
            "redirect_type": "js",
        }
    )


def check(api: Api, **params: Any) -> dict[str, Any]:
    """The answer about a click."""
    found: dict[str, Any] = api.admin.post("/3.1/admin/click-check", **params)["check"]
    return found


def verdicts(checked: dict[str, Any]) -> dict[str, str]:
    """Verdict by step."""
    return {step["name"]: step["verdict"] for step in checked["steps"]}


def test_click_check_of_accepted_click_passes_every_step(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    checked = check(
        api, **{"params[pid]": pid, "params[offer_id]": offer, "params[sub1]": "a b", "ip": "90.190.0.1", "ua": CHROME}
    )
    assert (checked["passes"], checked["reason"], checked["redirect_type"]) == (True, "", "js")
    assert checked["target"].startswith("https://shop.example/?c=")
    assert checked["target"].endswith("&s=a%20b")
    assert list(verdicts(checked)) == list(REJECTION_REASONS)
    assert set(verdicts(checked).values()) == {"passed"}
    assert (checked["visitor"]["country"], checked["visitor"]["os"]) == ("EE", "Windows")


def test_click_check_shows_the_subs_that_the_advertiser_gets(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    sent = {"params[pid]": pid, "params[offer_id]": offer, "params[sub1]": "own", "ip": "90.190.0.1", "ua": CHROME}
    replaced = {"macros_replacement[sub1][]": ["instead"]}
    for enabled, value in (("", "own"), ("sub1", "instead")):
        api.admin.post(f"/3.1/admin/offer/{offer}", **replaced, **{"macros_replacement_enabled[]": enabled})
        assert check(api, **sent)["target"].endswith(f"&s={value}")
    assert check(api, **sent | {"params[sub1]": ""})["target"].endswith("&s=instead")


def test_click_check_of_rejected_click_shows_step_and_reason(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate(status="banned")
    checked = check(api, **{"params[pid]": pid, "params[offer_id]": offer, "ip": "8.8.8.8", "ua": CHROME})
    assert (checked["passes"], checked["reason"]) == (False, "inactive-affiliate")
    assert checked["target"] == f"https://back.example/?o={offer}"
    found = verdicts(checked)
    assert (found["inactive-affiliate"], found["mistargeting-country"]) == ("refused", "refused")
    assert found["inactive-offer"] == "passed"
    [country] = [step for step in checked["steps"] if step["name"] == "mistargeting-country"]
    assert "US" in country["detail"]


TARGETED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("referrer", {"[referrer][deny][]": r"^https?://(\w+\.)*spam\.", "[referrer][is_regexp]": "1"},
     {"headers[referer]": "https://a.spam.example/"}),
    ("ua", {"[ua][allow][]": "Firefox"}, {}),
    ("browser-version", {"[browser_version][deny][0][name]": "Chrome", "[browser_version][deny][0][comparison]": "LTE",
                         "[browser_version][deny][0][version]": "120"}, {}),
    ("zip", {"[zip][allow][]": "10115"}, {}),
    ("organization", {"[isp_organization][deny_empty]": "1"}, {}),
    ("model", {"[device_model][allow][]": "Pixel 8"}, {}),
    ("os", {"[os][allow][0][name]": "Windows", "[os_deny]": "1"}, {}),
    ("device", {"[device_type][]": "desktop", "[device_type_deny]": "1"}, {}),
    ("ip", {"[ip][ipv6_deny]": "1"}, {"ip": "2001:db8::1"}),
]  # fmt: skip


def test_click_check_names_the_condition_of_targeting_that_rejects(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    click = {"params[pid]": pid, "params[offer_id]": offer, "ip": "90.190.0.1", "ua": CHROME}
    for reason, group, visit in TARGETED:
        sent = {f"targeting[0]{name}": value for name, value in group.items()}
        assert api.admin.post(f"/3.1/admin/offer/{offer}", **sent)["status"] == 1
        checked = check(api, **click | visit)
        assert (checked["reason"], checked["passes"]) == (f"mistargeting-{reason}", False)
        shown = api.admin.get(f"/3.1/offer/{offer}")["offer"]["targeting"]
        assert api.admin.call("POST", f"/3.1/admin/offer/{offer}", json={"targeting": shown}).status_code == 200
        assert api.admin.get(f"/3.1/offer/{offer}")["offer"]["targeting"] == shown


def test_empty_lists_of_older_clients_are_no_conditions(api: Api, offer: int) -> None:
    names = ("zip", "browser_version", "device_model", "isp_organization", "referrer", "ua")
    sent: dict[str, Any] = {"targeting": [{"block_known_bots": 1} | {name: [] for name in names}]}
    assert api.admin.call("POST", f"/3.1/admin/offer/{offer}", json=sent).status_code == 200
    [group] = api.admin.get(f"/3.1/offer/{offer}")["offer"]["targeting"]
    assert (group["block_known_bots"], group["zip"]) == (True, {"allow": [], "deny": []})


def test_click_check_without_offer_skips_later_steps(api: Api) -> None:
    checked = check(api, **{"params[offer_id]": "77"})
    found = verdicts(checked)
    assert (found["invalid-offer"], found["unknown-offer"]) == ("passed", "refused")
    assert set(list(found.values())[2:]) == {"not asked"}
    assert (checked["offer_id"], checked["pid"], checked["target"]) == (None, None, None)


def test_click_check_reads_long_and_short_links(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    long = f"http://track.example/click?pid={pid}&offer_id={offer}&sub1=x"
    assert check(api, url=long, ip="90.190.0.1")["target"].endswith("&s=x")
    assert check(api, **{"url": long, "ip": "90.190.0.1", "params[sub1]": "y"})["target"].endswith("&s=y")
    for other in ("https://elsewhere.example/page", "http://[::1", "http://\u2100.example/click"):
        assert api.admin.refusal("POST", "/3.1/admin/click-check", data={"url": other}) == (400, ["url"])


def test_click_check_uses_time_headers_and_address(api: Api) -> None:
    offer = api.add_offer(privacy="public", start_at="2030-01-01 00:00:00")
    pid, _ = api.add_affiliate()
    asked = {"params[pid]": pid, "params[offer_id]": offer, "ua": CHROME, "ip": "::ffff:90.190.0.1"}
    assert check(api, **asked)["reason"] == "inactive-offer"
    later = check(api, **asked, time="2030-01-01 00:00:00")
    assert (later["passes"], later["time"]) == (True, "2030-01-01 00:00:00")
    assert (later["visitor"]["ip"], later["visitor"]["country"]) == ("90.190.0.1", "EE")
    prefetch = check(api, **asked, **{"time": "2030-01-01 00:00:00", "headers[Sec-Purpose]": "prefetch"})
    assert (prefetch["reason"], prefetch["visitor"]["bot"]) == ("bot", True)
    assert prefetch["target"] == "https://shop.example/"


def test_click_check_counts_nothing(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    with api.deps.database.read() as conn:
        before = rulesets.ruleset_version(conn)
    for _ in range(3):
        assert check(api, **{"params[pid]": pid, "params[offer_id]": offer, "ip": "90.190.0.1"})["passes"]
    with api.deps.database.read() as conn:
        assert rulesets.ruleset_version(conn) == before


def test_click_check_by_manager_covers_own_affiliates_only(api: Api, offer: int) -> None:
    staff_id, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    own, other = api.add_affiliate(manager_id=staff_id)[0], api.add_affiliate()[0]
    asked = {"params[offer_id]": offer, "ip": "90.190.0.1"}
    assert manager.post("/3.1/admin/click-check", **asked, **{"params[pid]": own})["check"]["passes"]
    refused = manager.call("POST", "/3.1/admin/click-check", data=asked | {"params[pid]": str(other)})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["params[pid]"])
    missing = manager.call("POST", "/3.1/admin/click-check", data=asked | {"params[pid]": str(other + 1)})
    assert missing.text.replace(str(other + 1), str(other)) == refused.text


def test_click_check_of_smartlink_selects_its_offer(api: Api, offer: int) -> None:
    api.admin.post("/3.1/admin/settings", trafficback_url="https://back.example/?o={offer_id}")
    link = f"http://track.example/sl?id={'f' * 24}&pid=1&offer_id={offer}"
    checked = check(api, **{"url": link, "params[offer_id]": str(offer)})
    assert (checked["offer_id"], checked["target"]) == (None, "https://back.example/?o=")


def test_click_check_by_manager_names_field_of_foreign_offer(api: Api) -> None:
    staff_id, manager = api.add_staff(Role.MANAGER_SALES)
    own, other = (api.add_advertiser(email=f"{name}@shop.example") for name in ("own", "other"))
    smartlink = api.admin.post("/3.0/admin/smartlink/category", name="All")["data"]["_id"]
    offer = api.add_offer(privacy="public", advertiser=other, **{"smartlink_categories[]": [smartlink]})
    api.admin.post(f"/3.0/admin/advertiser/{own}", manager=staff_id)
    pid, _ = api.add_affiliate()
    for asked, field in (
        ({"params[offer_id]": offer, "params[pid]": pid}, "params[offer_id]"),
        ({"url": f"https://track.example/sl?id={smartlink}&pid={pid}"}, "url"),
    ):
        assert manager.refusal("POST", "/3.1/admin/click-check", data=asked) == (400, [field])


def test_click_explain_shows_recorded_and_current_decision(api: Api, offer: int) -> None:
    pid, _ = api.add_affiliate()
    advertiser = api.admin.get(f"/3.0/offer/{offer}")["offer"]["advertiser"]
    passed = new_click(1, offer=offer, affiliate=pid, advertiser=advertiser, country="EE", sub1="x")
    refused = new_click(
        2, offer=offer, affiliate=pid, advertiser=advertiser, reason="mistargeting-os", detail="Linux", country="US"
    )
    load_clicks(api.deps, [passed, refused])
    first = api.admin.get(f"/3.1/admin/click/{passed.id}/explain")
    assert (first["click"]["passed"], first["click"]["reason"], first["today"]["passes"]) == (True, "", True)
    assert first["today"]["target"] == f"https://shop.example/?c={passed.id}&s=x"
    second = api.admin.get(f"/3.1/admin/click/{refused.id}/explain")
    assert (second["click"]["reason"], second["click"]["detail"]) == ("mistargeting-os", "Linux")
    assert (second["click"]["passed"], second["today"]["reason"]) == (False, "mistargeting-country")


@pytest.mark.parametrize("recorded", [{"reason": "bot"}, {"reason": "inactive-offer", "device": "bot"}])
def test_click_explain_uses_current_bot_detection(api: Api, offer: int, recorded: dict[str, str]) -> None:
    pid, _ = api.add_affiliate()
    advertiser = api.admin.get(f"/3.0/offer/{offer}")["offer"]["advertiser"]
    click = new_click(1, offer=offer, affiliate=pid, advertiser=advertiser, country="EE", **recorded)
    load_clicks(api.deps, [click])
    today = api.admin.get(f"/3.1/admin/click/{click.id}/explain")["today"]
    assert (today["reason"], today["visitor"]["bot"], today["redirect_type"]) == ("bot", True, "js")
    assert today["target"].startswith("https://shop.example/")


def test_click_explain_of_foreign_affiliate_is_404(api: Api, offer: int) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate()
    click = new_click(3, offer=offer, affiliate=pid)
    load_clicks(api.deps, [click])
    assert manager.call("GET", f"/3.1/admin/click/{click.id}/explain").status_code == 404
    assert api.admin.call("GET", f"/3.1/admin/click/{'e' * 24}/explain").status_code == 404


def test_click_explain_of_foreign_click_costs_as_much_as_of_none(api: Api, offer: int) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    pid, _ = api.add_affiliate()
    click = new_click(77, offer=offer, affiliate=pid)
    load_clicks(api.deps, [click])
    ran = []
    unknown = new_click(78).id
    for number in (unknown, click.id, unknown):  # the first request of a key also stores its use
        with recorded_statements() as statements:
            assert manager.call("GET", f"/3.1/admin/click/{number}/explain").status_code == 404
        ran.append(statements)
    assert ran[1] == ran[2]
