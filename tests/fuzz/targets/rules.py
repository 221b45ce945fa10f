"""Fuzzed texts of people and visitors: macros, targeting, user agents, durations, other values."""

from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from tests.decision.clicks import make_hit
from trackyard.api.offers.targeting import TargetingItem
from trackyard.base.errors import BadInput
from trackyard.base.ids import find_click_id
from trackyard.decision.target.templates import compile_url
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.targeting.versions import find_version, versions_of
from trackyard.decision.visitor.client_hints import find_hints
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.conversions.sessions import duration_ms
from trackyard.domain.tracking.ip_lists import find_address_range, find_packed, network_of, split_entries
from trackyard.domain.tracking.macros import Template, encode_value
from trackyard.domain.tracking.ruleset import Restrictions
from trackyard.wire.request import scalars
from trackyard.wire.request.brackets import query_pairs, tree_of
from trackyard.wire.request.parsing import read_params

MOST_TEXT = 8192
"""Bytes of a URL or of a value, as the API and an edge cut them."""
GROWTH = 3
"""Characters of one percent-encoded byte."""


def fill_macros(data: bytes) -> None:
    """Fill a URL with macros: its first line, from `name=value` lines, as a redirect and as a postback."""
    first, _, rest = data.decode("utf-8", "replace").partition("\n")
    values = dict(line.partition("=")[::2] for line in rest.split("\n"))
    template = first[:MOST_TEXT]
    _check_url(Template(template).fill(values), template, values, is_encoded=False)
    click = make_hit(values, ua=values.get("ua", ""))
    filled = compile_url(template).fill(click.hit, click.route.offer)
    _check_url(filled, template, values | {"ua": values.get("ua", "")}, is_encoded=True)


def _check_url(url: str, template: str, values: dict[str, str], *, is_encoded: bool) -> None:
    """No value brings characters of its own into a URL, and each counts as often as it is named."""
    longest = max((len(value.encode("utf-8", "surrogatepass")) for value in values.values()), default=0)
    most = GROWTH * (len(template.encode()) + template.count("{") * max(longest, 64))
    assert len(url) <= most, f"a URL of {len(template)} characters was filled to {len(url)}"
    if is_encoded:
        assert url.isascii() and url.isprintable() and " " not in url, f"a header would hold {url!r}"
    for value in values.values():
        assert set(encode_value(value)) <= _ENCODED, f"{value!r} is not encoded"


_ENCODED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~-%")


def compile_targeting(data: bytes) -> None:
    """Compile a targeting group that is sent as parameters, and decide clicks by it."""
    try:
        tree = tree_of(query_pairs(data))
        params, _ = read_params(TargetingItem, tree, staff=True, version="3.1")
    except BadInput:
        return
    assert isinstance(params, TargetingItem)
    targeting = Targeting(Restrictions(groups=(params.written(),)))
    for values in ({}, {"sub1": "a", "sub2": "b"}):
        for ip in ("192.0.2.9", "2001:db8::1", ""):
            hit = make_hit(values, ip=ip).hit
            found = targeting.find_rejections(hit, personal_only=False)
            assert all(len(each.detail) <= 64 for each in found.values()), "the detail of a rejection is too long"
            group = targeting.find_group(hit, personal_only=False)
            assert group is None or not found, "a group takes a click that it rejects"


@cache
def _visitors() -> VisitorLookup:
    return VisitorLookup(agents=1)


def read_agent(data: bytes) -> None:
    """Parse a user agent, its first line, with client hints, `name: value` lines."""
    first, _, rest = data.partition(b"\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in rest.split(b"\n"))
    }
    agent = _visitors().agent(first[:2048].decode("utf-8", "replace"), find_hints(headers))
    for name in agent.__struct_fields__:
        value = getattr(agent, name)
        assert len(value) <= 2048 + len(rest), f"{name} of a user agent has {len(value)} characters"


_CONTEXT: dict[str, Any] = {"version": "3.1", "staff": True, "zone": ZoneInfo("UTC")}


@cache
def _scalars() -> list[scalars.Scalar]:
    """Every named type of one value that needs no arguments."""
    found = [value for value in vars(scalars).values() if isinstance(value, scalars.Scalar)]
    for value in vars(scalars).values():
        found += [each for each in getattr(value, "__metadata__", ()) if isinstance(each, scalars.Scalar)]
    return found


def read_values(data: bytes) -> None:
    """Read one text as a value of every named type, and as what an edge reads."""
    text = data.decode("utf-8", "replace")
    for scalar in _scalars():
        try:
            read = scalar.read(text, _CONTEXT)
        except ValueError as fault:
            assert len(str(fault)) <= 1024 + len(text), "the fault of a value is longer than the value"
        else:
            assert len(str(read)) <= 1024 + 8 * len(text), "a value grows when it is read"
    try:
        duration = scalars._DURATION_TEXT.read(text, _CONTEXT)
    except ValueError:
        pass
    else:
        assert 0 <= duration_ms(duration) < 10**24, "a duration has no end"
    find_click_id(text)
    find_packed(text)
    network_of(text)
    find_version(text)
    versions_of([("GTE", text), ("LT", text), ("", text)])
    for entry in split_entries(text)[:100]:
        find_address_range(entry)
