"""Targeting group of an offer, and what each rule does to a click."""

from collections.abc import Mapping
from typing import Any

from tests.conformance.sentence import (
    Caller,
    SpecRequest,
    SpecSentence,
    answers,
    each_row,
    equal,
    exactly,
    header,
    sentence,
    table,
    visit,
)
from tests.conformance.world import ANDROID, BERLIN, IPHONE, LONDON, NEW_YORK, PARIS, PROXY, WINDOWS, FilledProgram

SECTION = "Targeting group"
admin = Caller("admin")
CAPES = admin.get("/3.0/offer/<capes>")
NEW = {
    "title": "<unique>",
    "advertiser": "<shop>",
    "url": "https://target.example/?c={clickid}",
    "status": "active",
    "privacy": "public",
    "trafficback_url": "https://elsewhere.example/",
}
SENT = {
    "country.allow": ["ES"],
    "country.deny": ["PT"],
    "region.allow": {"ES": [3117732]},
    "city.allow": {"ES": [3117735]},
    "os.allow": [{"name": "Android", "comparison": "GTE", "version": "9"}],
    "isp.allow": {"ES": ["Movistar"]},
    "ip.allow": ["10.0.0.0/8", "10.0.0.1-10.0.0.9", "2001:db8::1"],
    "ip.deny": ["10.9.9.9"],
    "device_type": ["mobile"],
    "browser.allow": ["Chrome"],
    "browser.deny": ["Firefox"],
    "brand.allow": ["Samsung"],
    "brand.deny": ["Nokia"],
    "sub.allow": {"1": ["good"]},
    "sub.deny": {"2": ["bad"]},
    "connection": ["wi-fi"],
    "block_proxy": 1,
    "affiliate_id": ["<ann>"],
    "urls": [{"url": "https://capes.example/a", "weight": 40}],
}
EFFECTS: dict[str, tuple[dict[str, Any], dict[str, str], dict[str, str]]] = {
    "country[allow]": ({"country][allow][": "DE"}, {"ip": BERLIN}, {"ip": PARIS}),
    "country[deny]": ({"country][deny][": "FR"}, {"ip": BERLIN}, {"ip": PARIS}),
    "region[allow]": ({"region][allow][DE][": 2950157}, {"ip": BERLIN}, {"ip": NEW_YORK}),
    "region[deny]": ({"region][deny][US][": 5128638}, {"ip": BERLIN}, {"ip": NEW_YORK}),
    "city[allow]": ({"city][allow][DE][": 2950159}, {"ip": BERLIN}, {"ip": LONDON}),
    "city[deny]": ({"city][deny][GB][": 2643743}, {"ip": BERLIN}, {"ip": LONDON}),
    "os[allow]": ({"os][allow][0][name": "Android"}, {"ua": ANDROID}, {"ua": WINDOWS}),
    "os[allow] with a version at least": (
        {"os][allow][0][name": "Android", "os][allow][0][comparison": "GTE", "os][allow][0][version": "12"},
        {"ua": ANDROID},
        {"ua": ANDROID.replace("Android 13", "Android 9")},
    ),
    "os[allow] with a version below": (
        {"os][allow][0][name": "Android", "os][allow][0][comparison": "LT", "os][allow][0][version": "12"},
        {"ua": ANDROID.replace("Android 13", "Android 9")},
        {"ua": ANDROID},
    ),
    "isp[allow]": ({"isp][allow][DE][": "Deutsche Telekom"}, {"ip": BERLIN}, {"ip": LONDON}),
    "ip[allow] single": ({"ip][allow][": BERLIN}, {"ip": BERLIN}, {"ip": PARIS}),
    "ip[allow] range": ({"ip][allow][": "217.0.0.1-217.0.0.20"}, {"ip": BERLIN}, {"ip": PARIS}),
    "ip[allow] network": ({"ip][allow][": "217.0.0.0/24"}, {"ip": BERLIN}, {"ip": PARIS}),
    "ip[deny]": ({"ip][deny][": PARIS}, {"ip": BERLIN}, {"ip": PARIS}),
    "device_type": ({"device_type][": "mobile"}, {"ua": IPHONE}, {"ua": WINDOWS}),
    "browser[allow]": ({"browser][allow][": "Firefox"}, {"ua": WINDOWS}, {"ua": IPHONE}),
    "browser[deny]": ({"browser][deny][": "Firefox"}, {"ua": IPHONE}, {"ua": WINDOWS}),
    "brand[allow]": ({"brand][allow][": "Apple"}, {"ua": IPHONE}, {"ua": WINDOWS}),
    "brand[deny]": ({"brand][deny][": "Apple"}, {"ua": WINDOWS}, {"ua": IPHONE}),
    "sub[allow]": ({"sub][allow][1][": "good"}, {"sub1": "good"}, {"sub1": "bad"}),
    "sub[deny]": ({"sub][deny][1][": "bad"}, {"sub1": "good"}, {"sub1": "bad"}),
    "sub[deny_groups]": (
        {"sub][deny_groups][0][1": "a", "sub][deny_groups][0][2": "b"},
        {"sub1": "a", "sub2": "c"},
        {"sub1": "a", "sub2": "b"},
    ),
    "sub[deny_groups] with an empty sub": (
        {"sub][deny_groups][0][1": "a", "sub][deny_groups][0][2": ""},
        {"sub1": "a", "sub2": "c"},
        {"sub1": "a"},
    ),
    "connection": ({"connection][": "cellular"}, {"ip": NEW_YORK}, {"ip": BERLIN}),
    "block_proxy": ({"block_proxy": 1}, {"ip": BERLIN}, {"ip": PROXY}),
}


def add(group: Mapping[str, Any]) -> SpecRequest:
    """Create an offer with one targeting group."""
    return admin.post("/3.0/admin/offer", {**NEW, **{f"targeting[0][{name}]": value for name, value in group.items()}})


open_offer = add


def click(ip: str = BERLIN, ua: str = IPHONE, pid: str = "<una>", **params: str) -> SpecRequest:
    """A click on the offer of the row."""
    return visit("/click", {"pid": pid, "offer_id": "<made>", **params}, {"X-Forwarded-For": ip, "User-Agent": ua})


ROWS = table(
    [
        sentence(f"Targeting: {path} is what was sent", CAPES, equal(f"offer.targeting[0].{path}", value))
        for path, value in SENT.items()
    ],
    [
        sentence(
            f"Targeting: device_type accepts {device}",
            add({"device_type][": device}),
            exactly("offer.targeting[0].device_type", device),
        )
        for device in ("mobile", "tablet", "desktop", "mediahub", "ereader", "console", "tv", "smartwatch")
    ],
    [
        sentence(
            f"Targeting: connection accepts {kind}",
            add({"connection][": kind}),
            exactly("offer.targeting[0].connection", kind),
        )
        for kind in ("wi-fi", "cellular")
    ],
    [
        sentence(
            f"Targeting: comparison accepts {sign}",
            add({"os][allow][0][name": "Android", "os][allow][0][comparison": sign, "os][allow][0][version": "9"}),
            equal("offer.targeting[0].os.allow[0].comparison", sign),
        )
        for sign in ("LT", "LTE", "EQ", "GT", "GTE")
    ],
    [
        sentence(
            f"Targeting: ip accepts {what}", add({"ip][allow][": value}), exactly("offer.targeting[0].ip.allow", value)
        )
        for what, value in {
            "a single address": "10.0.0.1",
            "a range": "10.0.0.1-10.0.0.9",
            "a network": "10.0.0.0/8",
            "IPv6": "2001:db8::1",
            "an IPv6 network": "2001:db8::/32",
        }.items()
    ],
    [
        sentence(f"Targeting: {name} refuses another value", add({sent: "other"}), answers(400))
        for name, sent in {
            "device_type": "device_type][",
            "connection": "connection][",
            "ip": "ip][allow][",
            "block_proxy": "block_proxy",
            "affiliate_id": "affiliate_id][",
        }.items()
    ],
    [
        sentence(
            f"Targeting: weight {weight} of urls is accepted",
            add({"urls][0][url": "https://a.example/x", "urls][0][weight": weight}),
            equal("offer.targeting[0].urls[0].weight", weight),
        )
        for weight in (0, 100)
    ],
    [
        sentence(
            f"Targeting: weight {weight} of urls is refused",
            add({"urls][0][url": "https://a.example/x", "urls][0][weight": weight}),
            answers(400),
        )
        for weight in (-1, 101)
    ],
    [
        sentence(
            f"a click passes and another does not: {what}",
            open_offer(rule).saving(made="offer.id", made_hash="offer.offer_id"),
            click(**passing).eventually(),
            header("Location", "https://target.example/"),
            click(**rejected),
            header("Location", "https://elsewhere.example/"),
        )
        for what, (rule, passing, rejected) in EFFECTS.items()
    ],
    sentence(
        "the weighted urls of a group replace the offer's URL",
        open_offer({"urls][0][url": "https://other.example/?c={clickid}", "urls][0][weight": 100}).saving(
            made="offer.id"
        ),
        click().eventually(),
        header("Location", "https://other.example/"),
    ),
    sentence(
        "a group with affiliate_id is personal",
        open_offer({"country][allow][": "DE", "affiliate_id][": "<bob>"}).saving(made="offer.id"),
        click().eventually(),
        header("Location", "https://target.example/"),
        click(pid="<bob>", ip=PARIS),
        header("Location", "https://elsewhere.example/"),
        click(pid="<bob>", ip=BERLIN),
        header("Location", "https://target.example/"),
        click(ip=PARIS),
        header("Location", "https://target.example/"),
    ),
)


@each_row(ROWS)
def test_offer_targeting_item_conforms_to_specification(row: SpecSentence, world: FilledProgram) -> None:
    world.hold(row)
