"""The data of `script/bench stats`: clicks and conversion events, and the same conversions in SQL.

Nothing is random: a row is made of hashes of its number, so that the same figures give the same rows. Skewed as
traffic is: an affiliate's place in a list of 5,000 is 5,000 * u ** 3.5 (the first has 9 % of the clicks), each runs 20
offers at most, countries, cities, devices and subs have long tails; a click in twelve is refused, 30 conversions of
100 changed their status once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, get_type_hints

from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.rows import CUSTOM_FIELD_COLUMNS, ConversionEvent
from trackyard.journal.records import Click

NOW: Final = 1_700_000_000_000
"""The clock of tests."""
DAY_MS: Final = 86_400_000
OFFERS: Final = 1_000
AFFILIATES: Final = 5_000
ADVERTISERS: Final = 200
JOURNAL: Final = "001-1690000000000"
_CHUNK: Final = 2_000_000

_SYSTEMS: Final = ("Android", "iOS", "Windows", "macOS", "Linux", "ChromeOS")
_BROWSERS: Final = (
    "Chrome", "Safari", "Samsung Internet", "Firefox", "Edge", "Opera", "UC Browser", "Facebook", "Instagram",
    "TikTok", "Yandex", "Miui Browser",
)  # fmt: skip
_COUNTRIES: Final = (
    "US", "DE", "IN", "BR", "GB", "FR", "ES", "IT", "MX", "ID", "TR", "PL", "VN", "TH", "JP", "CA", "AU", "NL", "UA",
    "PH", "MY", "AR", "CO", "CL", "PE", "ZA", "NG", "EG", "SA", "AE", "KR", "TW", "SE", "NO", "FI", "DK", "CZ", "RO",
    "HU", "GR", "PT", "BE", "AT", "CH", "IE", "IL", "PK", "BD", "LK", "NP", "KE", "GH", "MA", "TN", "DZ", "KZ", "UZ",
    "GE", "AM", "AZ", "RS", "BG", "HR", "SI", "SK", "LT", "LV", "EE", "BY", "MD", "EC", "BO", "PY", "UY", "VE", "CR",
    "PA", "GT", "HN", "SV", "NI", "DO", "PR", "JM", "TT", "SG", "HK", "NZ", "KH", "LA", "MM", "MN", "IQ", "JO", "LB",
    "KW", "QA", "BH", "OM", "CY", "",
)  # fmt: skip
_REASONS: Final = ("mistargeting-country", "overcap", "non-unique-clicks", "bot", "mistargeting-os", "inactive-offer")


@dataclass(frozen=True, slots=True)
class Size:
    """The number of clicks, conversions and days before the clock of tests."""

    clicks: int
    conversions: int
    days: int

    @property
    def until(self) -> int:
        """The end of the last day, UTC ms."""
        return NOW - NOW % DAY_MS + DAY_MS

    @property
    def since(self) -> int:
        """The start of the first day, UTC ms."""
        return self.until - self.days * DAY_MS


def advertiser(number: int) -> str:
    """The id of an advertiser, from 0."""
    return f"{0xAD0000 + number:024x}"


def _u(salt: str) -> str:
    """Return SQL of a number of a row, from 0 to below 1."""
    return f"(cityHash64(number, '{salt}') / 18446744073709551616.)"


def _place(count: int, power: float, salt: str) -> str:
    """Return SQL of a place in a list; a greater power prefers the first places."""
    return f"toInt64(floor({count} * pow({_u(salt)}, {power})))"


def _of(values: tuple[str, ...], power: float, salt: str) -> str:
    listed = ", ".join(f"'{value}'" for value in values)
    return f"arrayElement([{listed}], 1 + {_place(len(values), power, salt)})"


def _moment(size: Size) -> str:
    """Return SQL of the time of a click: more by day than by night."""
    turn = f"(number * {size.days} / {size.clicks})"
    night = f"0.6 * sin(2 * pi() * ({turn} - floor({turn}))) / (2 * pi())"
    return f"toInt64({size.since} + floor(({turn} + {night}) * {DAY_MS}))"


_COLUMNS: Final = {
    "id": "concat(lower(leftPad(hex(intDiv(time, 1000)), 8, '0')), '01', lower(leftPad(hex(number), 14, '0')))",
    "reason": f"if(cityHash64(number, 'r') % 12 = 0, {_of(_REASONS, 2, 'reason')}, '')",
    "affiliate": f"1 + {_place(AFFILIATES, 3.5, 'affiliate')}",
    # one of the 20 offers that the affiliate runs
    "offer": f"1 + toInt64(floor({OFFERS} * pow(cityHash64(affiliate, {_place(20, 2, 'offer')}, 'runs')"
    " / 18446744073709551616., 2.5)))",
    "advertiser": f"lower(leftPad(hex({0xAD0000} + offer % {ADVERTISERS}), 24, '0'))",
    "landing": "offer % 3",
    "smart_id": "if(offer % 50 = 0, lower(leftPad(hex(offer % 7 + 1), 24, '0')), '')",
    "uniq": "if(reason = '' AND cityHash64(number, 'u') % 10 < 7, 1, 0)",
    "ip": "IPv4NumToString(toUInt32(cityHash64(intDiv(number, 3), 'ip')))",
    "country": _of(_COUNTRIES, 3, "country"),
    "region": f"if(country = '', '', concat(country, '-', toString({_place(16, 2, 'region')})))",
    "city_id": f"if(country = '', 0, cityHash64(country) % 90000 * 100 + {_place(90, 2.5, 'city')})",
    "city": "if(city_id = 0, '', concat('City ', toString(city_id)))",
    "isp": f"concat('Carrier ', toString(cityHash64(country) % 50 * 40 + {_place(40, 2, 'isp')}))",
    "connection": f"{_of(('wi-fi', 'cellular', ''), 1.3, 'connection')}",
    "os": _of(_SYSTEMS, 2, "os"),
    "os_version": f"toString(17 - {_place(17, 3, 'ov')}) || '.' || toString({_place(6, 2, 'om')})",
    "device": "multiIf(os = 'Android' OR os = 'iOS', if(cityHash64(number, 'd') % 9 = 0, 'tablet', 'mobile'),"
    " 'desktop')",
    "brand": "if(os = 'Android', concat('Brand ', toString(cityHash64(number, 'brand') % 20)), if(os = 'iOS', 'Apple',"
    " ''))",
    "device_model": f"if(brand = '', '', concat(brand, ' ', toString({_place(150, 2.5, 'model')})))",
    "browser": _of(_BROWSERS, 2.5, "browser"),
    "browser_version": f"toString(126 - {_place(60, 4, 'bv')})",
    "language": "lower(country)",
    "ua": "concat('Mozilla/5.0 (', os, ' ', os_version, '; ', device_model, ') AppleWebKit/537.36 (KHTML, like Gecko)',"
    " ' ', browser, '/', browser_version, '.0 Safari/537.36')",
    "referrer": f"if(affiliate % 3 = 0, '', concat('https://site', toString({_place(4000, 2, 'ref')}),"
    f" '.example/page/', toString({_place(300, 2, 'page')})))",
    "sub1": f"concat('c', hex(cityHash64(affiliate, toInt64(floor((100 + 30000 / affiliate)"
    f" * pow({_u('sub1')}, 2)))) % 4294967296))",
    "sub2": f"concat('src', toString({_place(20000, 3, 'sub2')}))",
    "sub3": "if(affiliate % 5 = 0, hex(cityHash64(number, 'sub3')), '')",  # the click's number of another program
    "sub4": f"if(affiliate % 4 = 0, concat('cr', toString({_place(500, 2, 'sub4')})), '')",
    "sub5": f"if(affiliate % 7 = 0, concat('kw ', toString({_place(50000, 2, 'sub5')})), '')",
    "user_id": "if(affiliate % 11 = 0, toString(cityHash64(number, 'user') % 100000000), '')",
    "fbclid": "if(browser = 'Facebook', concat('IwAR', hex(MD5(toString(number)))), '')",
}
"""SQL of columns of Click, from `number`, `time` and the columns above; others are empty."""


def _clicks(size: Size, start: int, end: int, *, where: str = "1") -> str:
    """Return a SELECT of rows of the table click by their numbers."""
    names = Click.__struct_fields__
    empty = {name: "0" if kind is int else "''" for name, kind in get_type_hints(Click).items()}
    made = [f"{_moment(size)} AS time", *(f"{sql} AS {name}" for name, sql in _COLUMNS.items())]
    rest = [name if name == "time" or name in _COLUMNS else empty[name] for name in names]
    return (
        f"SELECT '{JOURNAL}', toInt64(number), {', '.join(rest)} FROM ("
        f"SELECT number, {', '.join(made)} FROM numbers({start}, {end - start}) WHERE {where})"
    )


def add_clicks(analytics: Analytics, size: Size) -> None:
    """Fill `click` with parts as large as merged ones."""
    names = ", ".join(("journal", "position", *Click.__struct_fields__))
    for start in range(0, size.clicks, _CHUNK):
        rows = _clicks(size, start, min(start + _CHUNK, size.clicks))
        analytics.run(f"INSERT INTO click ({names}) {rows} SETTINGS {_MAKING}")


def add_lookup(analytics: Analytics, since: int) -> None:
    """Fill `click_lookup` day by day with clicks since a time in UTC ms."""
    columns = ", ".join(Click.__struct_fields__)
    [(last,)] = analytics.rows("SELECT max(time) FROM click", {}, tuple[int])
    for start in range(since, last + 1, DAY_MS):
        analytics.run(
            f"INSERT INTO click_lookup SELECT toFixedString(unhex(id), 12), toJSONString(tuple({columns})) FROM click "
            f"WHERE time >= {start} AND time < {start + DAY_MS} SETTINGS {_MAKING}"
        )


def _conversions(size: Size) -> str:
    """Return a SELECT of the converted clicks with their conversions.

    Columns of a conversion: number, made_at, states, amounts, and all its
    own columns. A conversion has one state, or two when it changed."""
    every = size.clicks * 11 // 12 // size.conversions
    number = "toUInt64(position)"
    u = f"(cityHash64({number}, '{{}}') / 18446744073709551616.)"
    first = f"multiIf({u.format('status')} < 0.55, 1, {u.format('status')} < 0.8, 2, {u.format('status')} < 0.92, 3, 5)"
    change = f"if(cityHash64({number}, 'later') % 10 < 3, [if(first_status = 1, 3, 1)], [])"
    rate = "multiIf(currency = 'EUR', 0.9, currency = 'INR', 83., 1.)"
    payout = f"if(cityHash64({number}, 'free') % 20 = 0, 0, intDiv(cents * 7, 10))"
    return (
        "SELECT *, "
        f"least(time + 5000 + toInt64(floor(pow({u.format('wait')}, 6) * 3 * {DAY_MS})), {size.until - 1}) AS made_at, "
        "concat(lower(leftPad(hex(intDiv(made_at, 1000)), 8, '0')), 'c0', substring(id, 11)) AS conversion_id, "
        f"{first} AS first_status, arrayConcat([first_status], {change}) AS states, "
        f"multiIf({u.format('goal')} < 0.6, '1', {u.format('goal')} < 0.8, 'install', "
        f"{u.format('goal')} < 0.95, 'sale', 'deposit') AS goal, "
        f"multiIf({u.format('currency')} < 0.8, 'USD', {u.format('currency')} < 0.95, 'EUR', 'INR') AS currency, "
        f"50 + cityHash64({number}, 'cents') % 4000 AS cents, {payout} AS payout_cents, {rate} AS rate, "
        "toDecimal64(cents / 100, 4) AS charge, toDecimal64(payout_cents / 100, 4) AS payout, "
        "toDecimal64(cents / 100 / rate, 4) AS charge_base, toDecimal64(payout_cents / 100 / rate, 4) AS payout_base "
        f"FROM click WHERE reason = '' AND cityHash64({number}, 'converts') % {every} = 0"
    )


def add_facts(analytics: Analytics, size: Size) -> None:
    """Fill `fact`: a changed conversion has three rows."""
    own = {
        "sign": "change.2", "version": "change.1", "status": "change.3", "time": "made_at", "click_time": "time",
        "click_id": "id", "payment_type": "'fixed'", "sum": "toDecimal64(0, 4)",
    }  # fmt: skip
    names = [name for name in ConversionEvent.__struct_fields__ if name not in CUSTOM_FIELD_COLUMNS]
    made = ", ".join(f"{own.get(name, name)} AS f_{name}" for name in names)
    changes = "arrayConcat([(1, 1, states[1])], if(length(states) = 2, [(1, -1, states[1]), (2, 1, states[2])], []))"
    analytics.run(
        f"INSERT INTO fact ({', '.join(names)}) SELECT {made} FROM ({_conversions(size)}) "
        f"ARRAY JOIN {changes} AS change SETTINGS {_MAKING}"
    )


_STATUSES: Final = {status.number: status.value for status in Status if status is not Status.PENDING_CAP}


def each_conversion(analytics: Analytics, size: Size) -> Iterator[list[dict[str, Any]]]:
    """Yield the last state of the conversions as rows of SQL, day by day."""
    kinds = ", ".join(f"{name} {'Int64' if kind is int else 'String'}" for name, kind in get_type_hints(Click).items())
    record = f"toJSONString(CAST(tuple({', '.join(Click.__struct_fields__)}) AS Tuple({kinds})))"
    columns = (
        "conversion_id, made_at, states[-1], length(states), goal, currency, charge, payout, charge_base, payout_base, "
        f"id, time, offer, affiliate, advertiser, country, os, device, browser, ip, user_id, {record}"
    )
    for start in range(size.since, size.until, DAY_MS):
        day = f"{_conversions(size)} AND time >= {start} AND time < {start + DAY_MS}"
        sql = f"SELECT {columns} FROM ({day}) ORDER BY made_at"
        yield [_stored(row) for row in analytics.rows(sql, {}, tuple)]


def _stored(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a row of the table conversion, in the values of SQLite."""
    (id_, made_at, status, version, goal, currency, *amounts, click_id, click_time, offer, affiliate, owner) = row[:15]
    country, os, device, browser, ip, user_id, record = row[15:]
    charge, payout, charge_base, payout_base = (int(Decimal(amount).scaleb(4)) for amount in amounts)
    return {
        "id": id_, "offer_id": offer, "goal": goal, "identity": f"c:{click_id}", "version": version,
        "action_id": id_[10:], "affiliate_id": affiliate, "advertiser_id": owner, "status": _STATUSES[status],
        "sent_status": _STATUSES[status], "goal_title": goal, "comment": "", "payment_type": "fixed", "payment": "null",
        "modifiers": "[]",
        "currency": currency, "rate": 10**10, "sum": 0, "charge": charge, "payout": payout, "charge_base": charge_base,
        "payout_base": payout_base, "custom_fields": "{}", "click_id": click_id, "click_time": click_time,
        "click": record, "country": country, "os": os, "device": device, "browser": browser, "click_ip": ip,
        "call_ip": "", "user_id": user_id, "journal": "", "position": 0, "hold_until": None, "created_at": made_at,
        "updated_at": made_at, "referrer_id": None, "referral_percent": 0,
    }  # fmt: skip


_MAKING: Final = (
    "max_insert_threads = 1, max_threads = 2, min_insert_block_size_rows = 500000, max_insert_block_size = 500000, "
    "min_insert_block_size_bytes = 1000000000, max_partitions_per_insert_block = 0, insert_deduplicate = 0"
)
