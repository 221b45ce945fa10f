"""Parsers of settings. Each returns the value of a text or raises ValueError with a rule."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import SplitResult, parse_qs, urlsplit

from trackyard.base.zones import find_zone
from trackyard.domain.conversions.codes import MIN_CODE_LENGTH, CodeMode, is_strong_code
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.people.sessions import SecondFactorRule

ROLES = ("edge", "projector", "worker", "api")

_FEWEST_DIGITS: Final = 8
"""Different digits that a key has; of 10^10 random keys hardly one has fewer."""

_NATIVE_PORTS: Final = {9000: ("http", 8123), 9440: ("https", 8443)}
"""Ports of ClickHouse's own protocol, with scheme and port of HTTP."""

_SIZE_UNITS: Final = {"M": 10**6, "MB": 10**6, "MIB": 2**20, "G": 10**9, "GB": 10**9, "GIB": 2**30}

Network = IPv4Network | IPv6Network
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Address:
    """The address and port of a listener."""

    host: str
    port: int

    def url(self, scheme: str = "http") -> str:
        """Return the host and port as the start of a URL. Every interface becomes the loopback."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"{scheme}://[{host}]:{self.port}" if ":" in host else f"{scheme}://{host}:{self.port}"


def path(text: str) -> Path:
    """Return an absolute path."""
    if not text.strip() or "\0" in text:  # an empty path would be the working directory
        raise ValueError("must be a path")
    return Path(text).expanduser().resolve()


def file(text: str) -> Path | None:
    """Return a file that exists and can be read; empty = None."""
    if not text:
        return None
    found = path(text)
    if not found.is_file():
        raise ValueError("must name a file that exists")
    if not os.access(found, os.R_OK):
        raise ValueError("must name a file that this user may read")
    return found


def address(text: str) -> Address:
    """Return the address and port of a listener."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ValueError("must be an IP address and a port, such as 127.0.0.1:8000 or [::1]:8000")
    host = host.removeprefix("[").removesuffix("]")
    if host != "localhost":
        try:
            ip_address(host)
        except ValueError:
            raise ValueError("must begin with an IP address or localhost, such as 127.0.0.1:8000") from None
    return Address("127.0.0.1" if host == "localhost" else host, int(port))


def redis_url(text: str) -> str:
    """Return the address of a Redis or Valkey server; empty = none."""
    rule = "must be redis://host:6379/0, rediss://host:6379/0 or unix:///path of a Redis or Valkey server"
    if not text:
        return text
    try:
        parts = urlsplit(text)
        named = parts.path if parts.scheme == "unix" else parts.hostname
        valid = parts.scheme in ("redis", "rediss", "unix") and bool(named) and parts.port != 0
    except ValueError:
        raise ValueError(rule) from None
    database = parts.path.strip("/") if parts.scheme != "unix" else ""
    if not valid or (database and not (database.isascii() and database.isdigit())):
        raise ValueError(rule)
    return text


def optional_address(text: str) -> Address | None:
    """Return the address and port of a listener; empty = None."""
    return address(text) if text else None


def url(text: str) -> str:
    """Return the start of an http(s) URL, without a slash at its end; empty stays empty."""
    if not text:
        return ""
    parts = _parts(text)
    is_http = parts is not None and parts.scheme in ("http", "https") and parts.hostname
    if (
        parts is None
        or not is_http
        or parts.query
        or parts.fragment
        or re.search(r"[\s\x00-\x1f\x7f\"<>\\^`{|}]", text)
    ):
        raise ValueError("must be a URL that begins with http:// or https:// and has no query")
    return text.rstrip("/")


def _parts(text: str) -> SplitResult | None:
    """Return the parts of a URL; None when its host or port is malformed."""
    try:
        parts = urlsplit(text)
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def _checked(is_valid: Callable[[str], object], rule: str) -> Callable[[str], str]:
    """Return the parser of texts that a function accepts. rule: the error of other texts."""

    def parse(text: str) -> str:
        if not is_valid(text):
            raise ValueError(rule)
        return text

    return parse


def _folded(fold: Callable[[str], str], parse: Callable[[str], T]) -> Callable[[str], T]:
    """Return the parser of texts in any case, with spaces around.

    fold: changes a text to the case that is meant.
    """
    return lambda text: parse(fold(text.strip()))


def _optional(parse: Callable[[str], str]) -> Callable[[str], str | None]:
    """Return the parser of texts of which an empty one is None."""
    return lambda text: parse(text) if text else None


def _admin_key(text: str) -> str:
    """Return a key of 40 hex digits that look random: one that repeats or has few digits would be guessed."""
    if not re.fullmatch(r"[0-9a-f]{40}", text):
        raise ValueError("must be 40 lower-case hex digits")
    repeats = any(text == (text[:length] * len(text))[: len(text)] for length in range(1, len(text) // 2 + 1))
    if repeats or len(set(text)) < _FEWEST_DIGITS:
        raise ValueError("is too easy to guess: make a random key with `openssl rand -hex 20`, or leave it empty")
    return text


admin_key = _optional(_admin_key)
secret = _optional(_checked(lambda text: len(text) >= 32, "must have at least 32 characters"))
zone = _checked(find_zone, "must be an IANA zone name, such as Europe/Tallinn")
currency = _folded(str.upper, _checked(NUMBERS.__contains__, "must be the ISO 4217 code of a currency, such as EUR"))
log_level = _folded(
    str.upper, _checked(("DEBUG", "INFO", "WARNING", "ERROR").__contains__, "must be DEBUG, INFO, WARNING or ERROR")
)
NO_FILE: Final = "none"


def log_file(text: str) -> Path | None:
    """Return the file of the log; none = None. Empty = the file in the data directory, as Path()."""
    if text.strip().lower() == NO_FILE:
        return None
    return path(text) if text else Path()


log_format = _folded(str.lower, _checked(("auto", "text", "json").__contains__, "must be auto, text or json"))
mail_from = _checked(
    re.compile(r"([^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)").fullmatch,
    "must be an e-mail address such as mail@example.org or Trackyard <mail@example.org>",
)


def analytics_url(text: str) -> str:
    """Return the address of an analytic store; empty stays empty."""
    parts = _parts(text)
    if text and (parts is None or not re.match(r"(chdb:///.|https?://.|clickhouses?://.)", text)):
        raise ValueError("must be a URL that begins with chdb:///, http://, https://, clickhouse:// or clickhouses://")
    if parts is not None and parts.port in _NATIVE_PORTS and parts.scheme in ("clickhouse", "clickhouses"):
        scheme, port = _NATIVE_PORTS[parts.port]
        raise ValueError(
            f"names port {parts.port}, which speaks ClickHouse's own protocol: name the port of HTTP, such as "
            f"{scheme}://{parts.hostname}:{port}/trackyard"
        )
    return text


cluster_name = _checked(
    re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)?").fullmatch, "must be the name of a cluster: letters, digits, _ and -"
)


def database_url(text: str) -> str:
    """Return SQLAlchemy's URL of a database; empty stays empty. postgres:// is postgresql://."""
    text = re.sub(r"^postgres://", "postgresql://", text)
    if text and (not re.match(r"(sqlite:///.|postgresql(\+psycopg)?://)", text) or _parts(text) is None):
        raise ValueError("must be a URL that begins with sqlite:/// or postgresql://")
    return re.sub(r"^postgresql://", "postgresql+psycopg://", text)


def postback_code(text: str) -> str | None:
    """Return generate, none, or a code of inbound postbacks; empty = None."""
    if text and text not in (CodeMode.GENERATE, CodeMode.NONE) and not is_strong_code(text):
        raise ValueError(f"must be generate, none, or a code of at least {MIN_CODE_LENGTH} random characters")
    return text or None


def networks(text: str) -> tuple[Network, ...]:
    """Return the networks of a comma list."""
    try:
        return tuple(ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())
    except ValueError:
        raise ValueError("must be a comma list of IP addresses or networks, such as 10.0.0.0/8,::1") from None


def origins(text: str) -> tuple[str, ...]:
    """Return the origins of a comma list; * is any."""
    listed = tuple(part.strip().rstrip("/").lower() for part in text.split(",") if part.strip())
    for each in listed:
        parts = _parts(each)
        if each != "*" and (parts is None or parts.scheme not in ("http", "https") or each != _origin_of(parts)):
            raise ValueError("must be a comma list of origins, such as https://app.example.com, or *")
    return listed


def _origin_of(parts: SplitResult) -> str:
    """Return the scheme and authority of a URL, without a login."""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.hostname else ""


def smtp_url(text: str) -> str:
    """Return the URL of a mail server; empty stays empty."""
    parts = _parts(text)
    if text and (parts is None or parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/")):
        raise ValueError("must be a URL such as smtp://user:password@host:587 or smtps://host")
    return text


def files_url(text: str) -> str:
    """Return the address of a bucket; empty stays empty."""
    parts = _parts(text)
    if text and (
        parts is None or parts.scheme != "s3" or not parts.hostname or parts.port or not _is_complete_bucket_url(parts)
    ):
        raise ValueError("must be a URL such as s3://key:secret@bucket/folder?region=eu-central-1")
    return text


def _is_complete_bucket_url(parts: SplitResult) -> bool:
    options = parse_qs(parts.query, keep_blank_values=True)
    url = options.get("endpoint", ["https://none"])[0]
    return (
        bool(parts.username) == bool(parts.password)
        and options.keys() <= {"region", "endpoint"}
        and all(values[0] for values in options.values())
        and url.startswith(("http://", "https://"))
    )


def number(what: str, lowest: int, highest: int) -> Callable[[str], int]:
    """Return the parser of a whole number between two bounds."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,7}", text) or not lowest <= int(text) <= highest:
            raise ValueError(f"must be a {what} from {lowest} to {highest}")
        return int(text)

    return parse


def optional_number(what: str, lowest: int, highest: int) -> Callable[[str], int | None]:
    """Return the parser of a whole number between two bounds; empty = None."""
    parse = number(what, lowest, highest)
    return lambda text: parse(text) if text else None


def switch(text: str) -> bool:
    """Return whether something is on."""
    if text not in ("0", "1"):
        raise ValueError("must be 0 or 1")
    return text == "1"


def second_factor(text: str) -> SecondFactorRule:
    """Return the accounts that need a second factor."""
    text = text.strip().lower()
    if text not in list(SecondFactorRule):
        raise ValueError(f"must be one of {', '.join(SecondFactorRule)}")
    return SecondFactorRule(text)


def size(text: str) -> int:
    """Return a size in bytes, at least 100 MB."""
    found = re.fullmatch(r"([0-9]{1,6}) ?([MG](?:I?B)?)", text.strip().upper())
    size = int(found[1]) * _SIZE_UNITS[found[2]] if found else 0
    if size < 10**8:
        raise ValueError("must be a size from 100 MB on, such as 400 MB, 2G or 1 GiB")
    return size


def roles(text: str) -> tuple[str, ...]:
    """Return the roles of a comma list; all = each of ROLES."""
    roles = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if roles == ("all",):
        return ROLES
    if not roles or not set(roles) <= set(ROLES):
        raise ValueError(f"must be all, or a comma list of {', '.join(ROLES)}")
    if "edge" in roles and "projector" not in roles:
        raise ValueError(
            "must have projector with edge: the projector loads the journal of its machine and publishes the ruleset"
        )
    return roles


def retries(text: str) -> tuple[int, ...]:
    """Return the seconds between attempts of a comma list; empty = no further attempt."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= 604_800 for part in found):
        raise ValueError("must be a comma list of seconds, each from 1 to 604800")
    return tuple(int(part) for part in found)


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def hidden_secret(text: str) -> str:
    """Return a secret as it can be shown.

    A URL loses its password and query; of other texts only that they are set is shown.
    """
    parts = _parts(text)
    if parts is None or "://" not in text:
        return "(set)" if text else ""
    user, _, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    netloc = f"{name}:***@{host}" if colon else parts.netloc
    return f"{parts.scheme}://{netloc}{parts.path}{'?***' if parts.query else ''}"
