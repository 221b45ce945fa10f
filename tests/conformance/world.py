"""The world that every row shares: one running program, filled once over HTTP.

People     admin · sam (sales manager of shop) · mia (affiliate manager of ann) · clerk (rows give it roles first)
           pay, plain, full (administrators with switches of statistics) · switched (rows give it switches)
           ann (connected to hats, of tag north) · bob (connected to socks, of tag south, referred by ann) · una (does
           nothing) · mod (on moderation) · ban (banned) · ina (not active)
Advertisers shop (managed by sam, tag retail) · mill (no manager, tag wholesale)
Offers     shoes (public, of shop, tag summer) · hats (protected, of mill, tag winter, paid in EUR as percent of the
           sum) · socks (private, of shop) · boots (stopped) · gloves (suspended) · capes (full record: every field set)
Clicks     red: ann on shoes, iPhone, Berlin, sub1=red · blue: ann on shoes, Android, New York, sub1=blue ·
           green: bob on socks, Windows, Paris · gold: ann on hats, Mac, London · gray: bob on shoes, Windows, Paris ·
           pink: ann on shoes, a second click of red's visitor · one rejected click of bob on gloves
Conversions red confirmed (goal 1) · blue pending (goal 2) · green declined · gold confirmed, EUR · gray hold ·
           one imported with not_found (action id "lost")

Rows do not change these objects; a row that writes makes its own objects. The names of the world: see `names` of
`FilledProgram`; an offer `shoes` has its hash as `shoes_hash`, a person `ann` has its API key as `ann_key`.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.conformance.sentence import Caller, Names, SpecSentence
from tests.support.clicks.mmdb import write_mmdb
from tests.support.processes.program import KEY, HttpAnswer, RunningProgram, poll_until
from tests.support.processes.receiver import Receiver

PASSWORD = "a long enough password"

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/16.5 Mobile/15E148 Safari/604.1"
)
ANDROID = (
    "Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 "
    "Mobile Safari/537.36"
)
WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:115.0) Gecko/20100101 Firefox/115.0"
MAC = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 "
    "Safari/605.1.15"
)
BERLIN, NEW_YORK, PARIS, LONDON = "217.0.0.10", "8.8.8.10", "5.135.0.10", "81.2.69.10"
PROXY = "185.220.101.10"

_CITIES = {
    "217.0.0.0/24": ("DE", 2950157, 2950159, "Berlin"),
    "8.8.8.0/24": ("US", 5128638, 5128581, "New York City"),
    "5.135.0.0/24": ("FR", 3012874, 2988507, "Paris"),
    "81.2.69.0/24": ("GB", 6269131, 2643743, "London"),
    "185.220.101.0/24": ("DE", 2950157, 2950159, "Berlin"),
}
_PROVIDERS = {
    "217.0.0.0/24": "Deutsche Telekom",
    "8.8.8.0/24": "Verizon Wireless",
    "5.135.0.0/24": "Orange",
    "81.2.69.0/24": "Andrews & Arnold Ltd",
}
_CONNECTIONS = {"217.0.0.0/24": "Cable/DSL", "8.8.8.0/24": "Cellular", "5.135.0.0/24": "Cable/DSL"}


def address_databases(directory: Path) -> dict[str, str]:
    """Write the address databases; the settings that name them."""
    city = {
        network: {
            "country": {"iso_code": country},
            "subdivisions": [{"geoname_id": region}],
            "city": {"geoname_id": number, "names": {"en": name}},
        }
        for network, (country, region, number, name) in _CITIES.items()
    }
    files = {
        "city_database": write_mmdb(directory / "city.mmdb", city, "GeoIP2-City"),
        "isp_database": write_mmdb(
            directory / "isp.mmdb", {network: {"isp": name} for network, name in _PROVIDERS.items()}, "GeoIP2-ISP"
        ),
        "connection_database": write_mmdb(
            directory / "connection.mmdb",
            {network: {"connection_type": kind} for network, kind in _CONNECTIONS.items()},
            "GeoIP2-Connection-Type",
        ),
        "proxy_database": write_mmdb(
            directory / "proxy.mmdb", {"185.220.101.0/24": {"is_anonymous": True}}, "GeoIP2-Anonymous-IP"
        ),
    }
    return {name: str(path) for name, path in files.items()}


def days() -> dict[str, str]:
    """The names of days."""
    today = datetime.now(UTC).date()
    away = {"last_week": -7, "yesterday": -1, "today": 0, "tomorrow": 1}
    return {name: str(today + timedelta(number)) for name, number in away.items()}


class FilledProgram:
    """The program and the names of what it was filled with."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self.program = RunningProgram(directory, timezone="UTC", currency="USD", **address_databases(directory))
        stack.callback(self._stop)
        self.program.start()
        self.receiver = stack.enter_context(Receiver())
        self._row = 0
        self._read: dict[str, HttpAnswer] = {}
        self.names: Names = {**days()}
        self.names |= {
            "admin_key": KEY,
            "password": PASSWORD,
            "receiver": self.receiver.url(""),
            "nothing_hash": "f" * 24,
        }
        self._settings()
        self._people()
        self._references()
        self._offers()
        self._traffic()
        self._papers()

    def _stop(self) -> None:
        process = self.program.process
        if process is not None and process.poll() is None:
            self.program.stop()

    def hold(self, row: SpecSentence) -> None:
        """Run a row with the names of the world, and `unique`, a word that no other row has."""
        self._row += 1
        row.hold(self.program, {**self.names, "unique": f"row{self._row}x"}, self._read)

    # Filling

    def post(self, path: str, params: Mapping[str, Any], by: str = "admin") -> Any:
        """A POST that succeeds: its JSON."""
        answer = Caller(by).post(path, params).send(self.program, self.names)
        assert answer.status == 200, (path, answer.body)
        return answer.json

    def _settings(self) -> None:
        """What an installation may have other defaults for, is set."""
        self.post(
            "/3.1/admin/settings",
            {"hash_password": "", "trafficback_url": "https://elsewhere.example/?reason=none", "refuse_bots": 1},
        )

    def _people(self) -> None:
        names = self.names
        staff = {"sam": ["ROLE_MANAGER_SALES"], "mia": ["ROLE_MANAGER_AFFILIATE"], "clerk": []}
        for name, roles in staff.items():
            given = {"email": f"{name}@staff.example", "password": PASSWORD, "first_name": name.title()}
            given |= {"last_name": "Staff", "roles[]": roles, "skype": f"{name}.skype", "work_hours": "9-17"}
            user = self.post("/3.0/admin/user", given)["user"]
            names[name], names[f"{name}_key"] = user["id"], user["api_key"]
        self._switched_staff()
        affiliates: dict[str, dict[str, Any]] = {
            "ann": {"manager_id": "<mia>", "tags[]": "north", "name": "Ann Affiliate", "ref_percent": 5},
            "bob": {"tags[]": "south", "ref": "<ann>"},
            "una": {},
            "mod": {"status": "on moderation"},
            "ban": {"status": "banned"},
            "ina": {"status": "not active"},
        }
        for name, more in affiliates.items():
            given = {"email": f"{name}@affiliate.example", "password": PASSWORD, "login": f"{name}-login"}
            partner = self.post("/3.0/admin/partner", given | more)["partner"]
            names[name], names[f"{name}_key"] = partner["id"], partner["api_key"]
        advertisers = {
            "shop": {
                "manager": "<sam>",
                "tags[]": "retail",
                "email": "shop@advertiser.example",
                "contact": "Shopkeeper",
            },
            "mill": {"tags[]": "wholesale", "email": "mill@advertiser.example"},
        }
        for name, more in advertisers.items():
            given = {"title": name.title(), "hash_password": f"{name}-code", "url": f"https://{name}.example/"}
            names[name] = self.post("/3.0/admin/advertiser", given | more)["advertiser"]["id"]

    def _switched_staff(self) -> None:
        switches = {
            "pay": {"statistics_revenue": "payout"},
            "plain": {"statistics_rows": "plain"},
            "full": {"statistics_revenue": "advertiser", "statistics_rows": "full"},
            "switched": {},
        }
        for name, switched in switches.items():
            given = {"email": f"{name}@staff.example", "password": PASSWORD, "first_name": name, "last_name": "Staff"}
            user = self.post("/3.0/admin/user", given | {"roles[]": "ROLE_ADMIN"} | switched)["user"]
            self.names[name], self.names[f"{name}_key"] = user["id"], user["api_key"]

    def _references(self) -> None:
        names = self.names
        for name in ("fashion", "garden"):
            names[name] = self.post("/3.0/admin/category", {"title": name.title()})["category"]["id"]
        for name in ("search", "mail"):
            titles = {f"title_lang[{lang}]": f"{name.title()} {lang}" for lang in ("ru", "en", "es", "ka", "vi")}
            names[name] = self.post("/3.0/admin/offer/source", titles)["source"]["id"]
        domain = self.post("/3.1/admin/domains", {"url": "go.example", "use_https": 1})["domain"]
        names["domain"] = domain["id"]
        for name in ("best", "rest"):
            given = {"name": name.title(), "description": f"{name} offers"}
            names[name] = self.post("/3.0/admin/smartlink/category", given)["category"]["_id"]
        system = {"lang_label": "Bank", "currency": "USD", "fields[0][lang_label]": "IBAN", "fields[0][required]": 1}
        names["bank"] = self.post("/3.1/admin/payment_systems", system)["payment_system"]["id"]
        names["bank_field"] = self.program.api("GET", "/3.0/admin/payment_systems")["payment_systems"][0]["fields"][0][
            "id"
        ]
        names["messenger"] = self.post("/3.1/admin/custom_fields", {"name": "Messenger"})["field"]["id"]

    def offer(self, name: str, **params: Any) -> None:
        """An offer of the world. It has what an installation may have other defaults for."""
        given = {
            "title": name.title(),
            "url": f"https://{name}.example/?c={{clickid}}",
            "url_preview": f"https://{name}.example/preview",
            "status": "active",
            "redirect_type": "http302",
            "payments[0][goal]": "1",
            "payments[0][title]": "Sale",
            "payments[0][total]": 10,
            "payments[0][revenue]": 7,
            "payments[0][currency]": "USD",
        }
        offer = self.post("/3.0/admin/offer", given | params)["offer"]
        self.names[name], self.names[f"{name}_hash"] = offer["id"], offer["offer_id"]

    def _offers(self) -> None:
        lead = {"payments[1][goal]": "2", "payments[1][title]": "Lead", "payments[1][total]": 4}
        lead |= {"payments[1][revenue]": 3, "payments[1][currency]": "USD"}
        summer = {"categories[]": "<fashion>", "sources[]": "<search>", "tags[]": "summer", "countries[]": ["DE", "US"]}
        self.offer(
            "shoes", advertiser="<shop>", privacy="public", is_top=1, bundle_id="com.shoes", allow_impressions=1,
            **{"description_lang[en]": "Sell shoes", "smartlink_categories[]": "<best>"},
            **lead, **summer,
        )  # fmt: skip
        percent = {"payments[0][type]": "percent", "payments[0][currency]": "EUR", "payments[0][total]": 20}
        self.offer(
            "hats", advertiser="<mill>", privacy="protected",
            **{"categories[]": "<garden>", "tags[]": "winter", "countries[]": "GB"}, **percent,
            **{"payments[0][revenue]": 10},
        )  # fmt: skip
        self.offer("socks", advertiser="<shop>", privacy="private", **{"countries[]": "FR"})
        self.offer("boots", advertiser="<shop>", privacy="public", status="stopped")
        self.offer("gloves", advertiser="<mill>", privacy="public", status="suspended")
        self.offer("capes", advertiser="<mill>", privacy="protected", **FULL_OFFER)
        for offer, affiliate in (("hats", "ann"), ("socks", "bob")):
            pair = {"offer_id": f"<{offer}>", "pid": f"<{affiliate}>", "notice": 0}
            self.post("/3.0/offer/enable-affiliate", pair)
        for name, offer in (("ann_everywhere", None), ("ann_shoes", "<shoes>")):
            given = {"pid": "<ann>", "url": f"{self.receiver.url('/')}{name}?c={{clickid}}&s={{status}}"}
            given |= {"offer_id": offer} if offer else {}
            self.names[name] = self.post("/3.0/partner/postback", given)["postback"]["id"]
        given = {"pid": "<bob>", "url": self.receiver.url("/bob?c={clickid}"), "status": "confirmed", "goal": "1"}
        self.names["bob_everywhere"] = self.post("/3.0/partner/postback", given)["postback"]["id"]

    def click(self, offer: str, affiliate: str, *, ua: str, ip: str, **params: str) -> str:
        """A click; its id."""
        query = urlencode({"pid": self.names[affiliate], "offer_id": self.names[offer], **params})
        headers = {"User-Agent": ua, "X-Forwarded-For": ip, "Referer": "https://page.example/about"}
        answer = self.program.track(f"/click?{query}", **headers)
        found = parse_qs(urlsplit(answer.headers["location"]).query).get("c", [""])[0]
        assert found, answer
        return found

    def _traffic(self) -> None:
        names = self.names
        known = ("shoes", "hats", "socks", "capes")

        def at_the_edge() -> bool:
            pairs = (("shoes", "una"), ("hats", "ann"), ("socks", "bob"))
            return all(
                f"https://{offer}." in self.program.track(
                    f"/click?{urlencode({'pid': names[affiliate], 'offer_id': names[offer]})}",
                    **{"Purpose": "prefetch", "User-Agent": MAC},
                ).headers.get("location", "")
                for offer, affiliate in pairs
            )  # fmt: skip

        poll_until(at_the_edge, seconds=20, what=f"the offers {known} at the edge")
        subs = {f"sub{number}": f"s{number}" for number in range(3, 9)}
        devices = {"ios_idfa": "IDFA-1", "android_id": "AID-1"}
        made = {
            "red": self.click("shoes", "ann", ua=IPHONE, ip=BERLIN, sub1="red", sub2="warm", **subs, **devices),
            "blue": self.click("shoes", "ann", ua=ANDROID, ip=NEW_YORK, sub1="blue", sub2="cold"),
            "green": self.click("socks", "bob", ua=WINDOWS, ip=PARIS, sub1="green"),
            "gold": self.click("hats", "ann", ua=MAC, ip=LONDON, sub1="gold"),
            "gray": self.click("shoes", "bob", ua=WINDOWS, ip=PARIS, sub1="gray"),
            "pink": self.click("shoes", "ann", ua=IPHONE, ip=BERLIN, sub1="pink"),
        }
        names |= made
        for affiliate in ("bob", "una"):
            self.program.track(
                f"/click?pid={names[affiliate]}&offer_id={names['gloves']}",
                **{"User-Agent": WINDOWS, "X-Forwarded-For": PARIS},
            )
        self.program.track(
            f"/imp?aid={names['ann']}&oid={names['shoes']}", **{"User-Agent": IPHONE, "X-Forwarded-For": BERLIN}
        )
        custom = {f"custom_field{number}": f"field {number}" for number in range(1, 8)}
        self.call("red", "shop", action_id="order-red", status="1", comment="thanks", **custom)
        self.call("blue", "shop", action_id="order-blue", status="2", goal="2")
        self.call("green", "shop", action_id="order-green", status="3")
        self.call("gold", "mill", action_id="order-gold", status="1", sum="50", currency="EUR")
        self.call("gray", "shop", action_id="order-gray", status="5")
        self.program.track("/postback?clickid=broken&action_id=order-broken")
        lost = {"offer": "<shoes>", "pid": "<bob>", "action_id": "order-lost", "status": "not_found", "goal": 1}
        self.post("/3.0/admin/conversion/import", lost | {"ip": PARIS, "ua": WINDOWS})
        period = {"date_from": names["yesterday"], "date_to": names["tomorrow"]}

        def conversions() -> dict[str, str]:
            found = self.program.api("GET", "/3.0/stats/conversions", period)["conversions"]
            names.update({f"{each['action_id'].removeprefix('order-')}_conversion": each["id"] for each in found})
            return {each["action_id"]: each["status"] for each in found}

        poll_until(lambda: len(conversions()) == 6, seconds=30, what="six conversions")
        poll_until(
            lambda: len(self.program.api("GET", "/3.0/stats/clicks", period)["clicks"]) == 6,
            seconds=30,
            what="six clicks",
        )
        poll_until(
            lambda: len(self.program.api("GET", "/3.0/stats/affiliatepostbacks", period)["postbacks"]) == 3,
            seconds=30,
            what="three calls to affiliates",
        )
        poll_until(lambda: self.program.is_ready(), seconds=30, what="no lag")
        first = self.program.api("GET", "/3.0/stats/clicks", period)["clicks"]
        hours = {each["id"]: each["created_at"] for each in first}
        names |= {"day": hours[made["red"]][:10], "hour": int(hours[made["red"]][11:13])}
        names["other_hour"] = (names["hour"] + 12) % 24

    def call(self, click: str, advertiser: str, **params: str) -> None:
        """The advertiser's call for a click, with its code."""
        query = urlencode({"clickid": self.names[click], "secure": f"{advertiser}-code", **params})
        answer = self.program.track(f"/postback?{query}")
        assert answer.status == 200, answer

    def _papers(self) -> None:
        names = self.names
        for name, fixed, status in (("pinned", 1, 1), ("plain", 0, 1), ("draft", 0, 0)):
            given = {"title": name.title(), "small_desc": "Short", "desc": "Long", "fixed": fixed, "status": status}
            names[f"{name}_news"] = self.post("/3.1/admin/news", given)["news"]["_id"]["$id"]
        for name, offer, by in (("open_ticket", "hats", "una"), ("closed_ticket", "capes", "bob")):
            given = {"offer_id": f"<{offer}>", "comment": f"please {name}"}
            self.post("/3.0/partner/activation/offer", given, by)
        tickets = self.program.api("GET", "/3.0/admin/tickets")["tickets"]
        for ticket in tickets:
            name = "open_ticket" if "open_ticket" in ticket["description"] else "closed_ticket"
            names[name] = ticket["id"]
        self.post(f"/3.0/admin/ticket/{names['closed_ticket']}/offer", {"do": "reject"})
        for name, advertiser, status, start in (
            ("paid_invoice", "<shop>", "paid", "2020-01-01"),
            ("unpaid_invoice", "<mill>", "unpaid", "2021-01-01"),
        ):
            given = {"supplier_id": advertiser, "currency": "USD", "status": status, "start_date": start}
            given |= {"end_date": start[:8] + "31", "comment": name}
            given |= {"detail[0][offer_id]": "<shoes>" if advertiser == "<shop>" else "<hats>"}
            given |= {"detail[0][payout_type]": "RPA", "detail[0][actions]": 3, "detail[0][amount]": 30}
            given |= {"detail[0][comment]": "line"}
            names[name] = self.post("/3.0/admin/advertiser-invoice", given)["number"]
        for name, pid in (("ann_pixel", "<ann>"), ("bob_pixel", "<bob>")):
            given = {"pid": pid, "offer_id": "<shoes>", "name": name, "code_type": "image", "is_active": 1}
            given |= {"code": "<img src='https://pixel.example/'>", "moderation_status": 1}
            names[name] = self.post("/3.0/partner/pixel", given)["pixel"]["id"]


FULL_OFFER: dict[str, Any] = {
    "external_offer_id": "ext-9",
    "bundle_id": "com.capes",
    "macro_url": "https://macro.example/?m={sub1}",
    "parallel_tracking_url": "https://parallel.example/",
    "cross_postback_url": "https://cross.example/",
    "domain_url": "<domain>",
    "description_lang[en]": "Capes for all",
    "description_lang[ru]": "Плащи",
    "kpi[en]": "No incentives",
    "countries[]": ["ES"],
    "sources[]": ["<search>", "<mail>"],
    "categories[]": ["<fashion>", "<garden>"],
    "tags[]": ["autumn"],
    "is_top": 0,
    "is_cpi": 1,
    "landings[0][title]": "First",
    "landings[0][url]": "https://capes.example/first",
    "landings[0][url_preview]": "https://capes.example/first-preview",
    "landings[0][type]": "landing",
    "landings[1][title]": "Way",
    "landings[1][url]": "https://capes.example/way",
    "landings[1][url_preview]": "https://capes.example/way-preview",
    "landings[1][type]": "transit",
    "partner_payments[0][total]": 12,
    "partner_payments[0][revenue]": 9,
    "partner_payments[0][currency]": "USD",
    "partner_payments[0][partners][]": ["<ann>"],
    "payments[0][countries][]": ["ES"],
    "payments[0][country_exclude]": 0,
    "payments[0][devices][]": ["mobile", "tablet"],
    "payments[0][os][]": ["Android"],
    "payments[0][goal_alias]": "buy",
    "payments[0][url]": "https://capes.example/pay",
    "payments[0][sub1]": "one,two",
    "strictly_country": 1,
    "restriction_os[0][os]": "Android",
    "restriction_os[0][versions][]": [">=9"],
    "restriction_isp[0][country]": "ES",
    "restriction_isp[0][name]": "Movistar",
    "strictly_devices[]": ["mobile"],
    "strictly_brands[]": ["Samsung"],
    "strictly_connection_type": "wi-fi",
    "is_redirect_overcap": 1,
    "notice_percent_overcap": 80,
    "hold_period": 30,
    "notes": "For staff",
    "note_aff": "For affiliates",
    "note_sales": "For sales",
    "allowed_ip": "10.0.0.1\n10.0.0.5-10.0.0.9",
    "disallowed_ip": "10.1.0.1",
    "hash_password": "capes-code",
    "allow_deeplink": 1,
    "redirect_type": "meta",
    "start_at": "2020-01-01 00:00:00",
    "stopDate": "2090-01-01",
    "sub_account_1": "red,blue",
    "sub_account_1_except": 1,
    "sub_restrictions[0][sub1]": "bad",
    "caps[0][period]": "day",
    "caps[0][type]": "conversions",
    "caps[0][value]": 100,
    "caps[0][goal_type]": "exact",
    "caps[0][goals][]": ["1"],
    "caps[0][affiliate_type]": "exact",
    "caps[0][affiliates][]": ["<ann>"],
    "caps[0][country_type]": "exact",
    "caps[0][country][]": ["ES"],
    "caps[1][period]": "all",
    "caps[1][type]": "budget",
    "caps[1][value]": 500.5,
    "commission_tiers[0][timeframe]": "month",
    "commission_tiers[0][type]": "conversions",
    "commission_tiers[0][value]": 10,
    "commission_tiers[0][modifier_type]": "by_percent",
    "commission_tiers[0][modifier_value]": 5,
    "commission_tiers[0][goals][]": ["1"],
    "commission_tiers[0][target_goals][]": ["1"],
    "commission_tiers[0][affiliate_type]": "exact",
    "commission_tiers[0][affiliates][]": ["<ann>"],
    "commission_tiers[0][countries][]": ["ES"],
    "commission_tiers[0][conversion_status][]": ["confirmed"],
    "enabled_commission_tiers": 1,
    "caps_timezone": "Europe/Madrid",
    "caps_status[]": ["confirmed", "pending"],
    "caps_goal_overcap": "1",
    "search_empty_sub": 2,
    "allow_impressions": 1,
    "smartlink_categories[]": ["<best>", "<rest>"],
    "click_session": "30d",
    "minimal_click_session": "10s",
    "uniqIpOnly": 1,
    "rejectNotUniqIp": 1,
    "consider_personal_targeting_only": "true",
    "schedule[enabled]": 1,
    "schedule[date_start]": "2020-01-01",
    "schedule[date_to]": "2090-01-01",
    "schedule[timezone]": "Europe/Madrid",
    "schedule[intervals][1][0][From]": 8,
    "schedule[intervals][1][0][To]": 20,
    "targeting[0][country][allow][]": ["ES"],
    "targeting[0][country][deny][]": ["PT"],
    "targeting[0][region][allow][ES][]": [3117732],
    "targeting[0][city][allow][ES][]": [3117735],
    "targeting[0][os][allow][0][name]": "Android",
    "targeting[0][os][allow][0][comparison]": "GTE",
    "targeting[0][os][allow][0][version]": "9",
    "targeting[0][isp][allow][ES][]": ["Movistar"],
    "targeting[0][ip][allow][]": ["10.0.0.0/8", "10.0.0.1-10.0.0.9", "2001:db8::1"],
    "targeting[0][ip][deny][]": ["10.9.9.9"],
    "targeting[0][device_type][]": ["mobile"],
    "targeting[0][browser][allow][]": ["Chrome"],
    "targeting[0][browser][deny][]": ["Firefox"],
    "targeting[0][brand][allow][]": ["Samsung"],
    "targeting[0][brand][deny][]": ["Nokia"],
    "targeting[0][sub][allow][1][]": ["good"],
    "targeting[0][sub][deny][2][]": ["bad"],
    "targeting[0][sub][deny_groups][0][1]": "a",
    "targeting[0][sub][deny_groups][0][2]": "",
    "targeting[0][connection][]": ["wi-fi"],
    "targeting[0][block_proxy]": 1,
    "targeting[0][affiliate_id][]": ["<ann>"],
    "targeting[0][urls][0][url]": "https://capes.example/a",
    "targeting[0][urls][0][weight]": 40,
}
"""Every parameter of an offer that has a field in its record."""
