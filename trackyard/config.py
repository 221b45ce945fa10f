"""Settings: one frozen Config from TRACKYARD_* variables and an optional TOML file.

`SETTINGS` is the one declaration; docs/configuration.md is written from it (`trackyard settings`).
A variable wins over the file, the file over the default. A wrong value is a WrongSetting: one sentence that
names it. Read in app and cli only: everything else receives values.
"""

import base64
import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from trackyard import compiled
from trackyard.base.zones import find_zone
from trackyard.domain.currencies import NUMBERS

PREFIX = "TRACKYARD_"
ROLES = ("edge", "projector", "worker", "api")

Network = IPv4Network | IPv6Network


class WrongSetting(Exception):
    """A setting the program cannot start with; the message is one sentence that names it."""


class CannotStart(Exception):
    """The program, or one of its roles, cannot start and a restart would not help; the message is one sentence.

    Without a message: the process that found out has said why.
    """


CANNOT_START = 78
"""Exit status of a role that cannot start (EX_CONFIG)."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a listener binds."""

    host: str
    port: int

    def url(self, scheme: str = "http") -> str:
        """The address as the start of a URL; a listener on every interface is reached at the loopback."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"{scheme}://[{host}]:{self.port}" if ":" in host else f"{scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set. Paths are absolute."""

    data_dir: Path
    api_listen: Address
    tracking_listen: Address
    api_url: str
    tracking_url: str
    admin_api_key: str | None
    secret_key: str | None
    database_url: str
    analytics_url: str
    timezone: str
    currency: str
    trusted_proxies: tuple[Network, ...]
    outbound_allow: tuple[Network, ...]
    quotes_url: str
    smtp_url: str
    mail_from: str
    tracking_tls_cert: Path | None
    tracking_tls_key: Path | None
    country_database: Path | None
    city_database: Path | None
    isp_database: Path | None
    connection_database: Path | None
    proxy_database: Path | None
    edges: int
    unique_mb: int
    api_rate: int
    api_burst: int
    api_reports: int
    roles: tuple[str, ...]
    log_level: str

    @property
    def dying_file(self) -> Path:
        """Where the parent names, in a JSON list, the roles that it cannot keep alive."""
        return self.data_dir / "run" / "dying.json"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `name` in the TOML file, TRACKYARD_ and the name in capitals as a variable.

    secret: a wrong value is not shown, since it may hold a password.
    """

    name: str
    default: str
    parse: Callable[[str], Any]
    text: str
    secret: bool = False

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + self.name.upper()


def _path(text: str) -> Path:
    if "\0" in text:
        raise ValueError("must be a path")
    return Path(text).expanduser().resolve()


def _file(text: str) -> Path | None:
    if not text:
        return None
    path = _path(text)
    if not path.is_file():
        raise ValueError("must name a file that exists")
    return path


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise ValueError("must be an address and a port, such as 127.0.0.1:8000 or [::1]:8000")
    host = host.removeprefix("[").removesuffix("]")
    if host != "localhost":
        try:
            ip_address(host)
        except ValueError:
            raise ValueError("must begin with an IP address or localhost, such as 127.0.0.1:8000") from None
    return Address("127.0.0.1" if host == "localhost" else host, int(port))


def _url(text: str) -> str:
    if not text:
        return ""
    parts = _parts(text)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be a URL that begins with http:// or https:// and has no query")
    return text.rstrip("/")


def _parts(text: str) -> SplitResult | None:
    """A URL in parts; None when its host or port is malformed."""
    try:
        parts = urlsplit(text)
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def _admin_key(text: str) -> str | None:
    if text and not re.fullmatch(r"[0-9a-f]{40}", text):
        raise ValueError("must be 40 lower-case hex digits")
    return text or None


def _secret(text: str) -> str | None:
    if text and len(text) < 32:
        raise ValueError("must have at least 32 characters")
    return text or None


def _database_url(text: str) -> str:
    if text and (not re.match(r"(sqlite:///.|postgresql(\+psycopg)?://)", text) or _parts(text) is None):
        raise ValueError("must be a URL that begins with sqlite:/// or postgresql://")
    return re.sub(r"^postgresql://", "postgresql+psycopg://", text)


def _analytics_url(text: str) -> str:
    if text and (not re.match(r"(chdb:///.|https?://.|clickhouses?://.)", text) or _parts(text) is None):
        raise ValueError("must be a URL that begins with chdb:///, http:// or https://")
    return text


def _zone(text: str) -> str:
    if find_zone(text) is None:
        raise ValueError("must be an IANA zone name, such as Europe/Tallinn")
    return text


def _currency(text: str) -> str:
    if text not in NUMBERS:
        raise ValueError("must be the ISO 4217 code of a currency, such as EUR")
    return text


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())
    except ValueError:
        raise ValueError("must be a comma list of addresses or networks, such as 10.0.0.0/8,::1") from None


def _smtp_url(text: str) -> str:
    parts = _parts(text)
    if text and (parts is None or parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/")):
        raise ValueError("must be a URL such as smtp://user:password@host:587 or smtps://host")
    return text


def _mail_from(text: str) -> str:
    if not re.fullmatch(r"([^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)", text):
        raise ValueError("must be an address such as mail@example.org or Trackyard <mail@example.org>")
    return text


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,7}", text) or not 1 <= int(text) <= 1_000_000:
        raise ValueError("must be a number from 1 to 1000000")
    return int(text)


def _edges(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 64:
        raise ValueError("must be a number from 1 to 64")
    return int(text)


def _roles(text: str) -> tuple[str, ...]:
    roles = tuple(part.strip() for part in text.split(",") if part.strip())
    if roles == ("all",):
        return ROLES
    if not roles or not set(roles) <= set(ROLES):
        raise ValueError(f"must be all, or a comma list of {', '.join(ROLES)}")
    return roles


def _log_level(text: str) -> str:
    if text not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
    return text


SETTINGS: tuple[Setting, ...] = (
    Setting("data_dir", "./data", _path, "Directory of everything the program keeps."),
    Setting("api_listen", "127.0.0.1:8000", _address, "Address and port of the API."),
    Setting("tracking_listen", "127.0.0.1:8001", _address, "Address and port of clicks and inbound calls."),
    Setting("api_url", "", _url, "What addresses of files begin with; empty = the API's address."),
    Setting("tracking_url", "", _url, "What tracking links begin with; empty = the tracking listener's address."),
    Setting(
        "admin_api_key",
        "",
        _admin_key,
        "Key of the first administrator, 40 hex digits; empty = one is made.",
        secret=True,
    ),
    Setting(
        "secret_key",
        "",
        _secret,
        "Encrypts API keys at rest, at least 32 characters; empty = one is made and kept in the data directory.",
        secret=True,
    ),
    Setting(
        "database_url",
        "",
        _database_url,
        "SQL database, sqlite:///file or postgresql://user:password@host/name; empty = SQLite in the data directory.",
        secret=True,
    ),
    Setting(
        "analytics_url",
        "",
        _analytics_url,
        "Analytic store, chdb:///directory or http(s)://user:password@host:8123/name (a ClickHouse server); "
        "empty = chDB in the data directory.",
        secret=True,
    ),
    Setting("timezone", "UTC", _zone, "Platform time zone, an IANA name: days, months and the times in answers."),
    Setting("currency", "USD", _currency, "Platform currency, an ISO 4217 code; fixed once a conversion exists."),
    Setting(
        "trusted_proxies",
        "127.0.0.0/8,::1",
        _networks,
        "Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, a comma list.",
    ),
    Setting(
        "outbound_allow",
        "",
        _networks,
        "Private networks that calls to affiliates may reach all the same, a comma list; empty = none.",
    ),
    Setting(
        "quotes_url",
        "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml",
        _url,
        "Where currency rates are refreshed from every hour, in the form of the European Central Bank's feed; empty = "
        "they stay as shipped, or as staff set them.",
    ),
    Setting(
        "smtp_url",
        "",
        _smtp_url,
        "Mail server, smtp://user:password@host:587 (TLS where the server offers it; no password without) or "
        "smtps://user:password@host:465; empty = mail is written to mail/ in the data directory.",
        secret=True,
    ),
    Setting("mail_from", "trackyard@localhost", _mail_from, "Sender of mail, such as Trackyard <mail@example.org>."),
    Setting(
        "tracking_tls_cert",
        "",
        _file,
        "Certificate chain (PEM) of the tracking listener; empty = plain HTTP.",
    ),
    Setting("tracking_tls_key", "", _file, "Private key (PEM) of the tracking listener's certificate."),
    Setting(
        "country_database",
        "",
        _file,
        "Address to country database (MMDB); empty = the one shipped. This and the databases below are looked at once "
        "a minute: a new file is taken over while the program runs.",
    ),
    Setting(
        "city_database",
        "",
        _file,
        "Address to region and city database (MMDB of the type City or Enterprise); empty = they are not known. The "
        "country of an address that it knows is the one it tells.",
    ),
    Setting(
        "isp_database",
        "",
        _file,
        "Address to internet provider database (MMDB of the type ISP or ASN); empty = providers are not known.",
    ),
    Setting(
        "connection_database",
        "",
        _file,
        "Address to kind of connection database (MMDB of the type Connection-Type); empty = it is not known.",
    ),
    Setting(
        "proxy_database",
        "",
        _file,
        "Database of addresses that hide who is behind them (MMDB of the type Anonymous-IP); empty = none is known.",
    ),
    Setting("edges", "1", _edges, "Number of edge processes that share the tracking listener."),
    Setting(
        "unique_mb",
        "256",
        _count,
        "Memory of a machine for unique visitors, in MB: a MB for 40,000 visitors of an offer in 24 hours.",
    ),
    Setting("api_rate", "50", _count, "Calls of the API that one key may make a second, on and on."),
    Setting("api_burst", "100", _count, "Calls of the API that one key may make at once after a pause."),
    Setting("api_reports", "4", _count, "Reports that one key may have running at once."),
    Setting("roles", "all", _roles, f"What this machine runs: all, or a comma list of {', '.join(ROLES)}."),
    Setting("log_level", "INFO", _log_level, "DEBUG, INFO, WARNING or ERROR."),
)


def load(environment: Mapping[str, str], file: Path | None = None) -> Config:
    """The configuration of a process. `file`: a TOML file; None = the one named by TRACKYARD_CONFIG, if any.

    Raises WrongSetting.
    """
    named = environment.get(PREFIX + "CONFIG")
    path = file or (Path(named) if named else None)
    given = _from_file(path) if path else {}
    known = {setting.variable for setting in SETTINGS} | {PREFIX + "CONFIG", compiled.SWITCH}
    for variable in sorted(environment):
        if variable.startswith(PREFIX) and variable not in known:
            raise WrongSetting(f"{variable} is no setting: see docs/configuration.md for those there are.")
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        shown = setting.variable
        if text is None:
            text, shown = given.get(setting.name, setting.default), setting.variable
            if setting.name in given:
                shown = f"{setting.name} in {path}"
        try:
            values[setting.name] = setting.parse(text)
        except (ValueError, OSError) as fault:
            raise WrongSetting(f"{shown} {fault}." if setting.secret else f"{shown} {fault}, not {text!r}.") from None
    return _completed(values)


def _from_file(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as handle:
            table = tomllib.load(handle)
    except OSError as fault:
        raise WrongSetting(f"TRACKYARD_CONFIG names {str(path)!r}, which cannot be read: {fault.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise WrongSetting(f"TRACKYARD_CONFIG names {str(path)!r}, which is no TOML file: {fault}.") from None
    names = {setting.name for setting in SETTINGS}
    out: dict[str, str] = {}
    for name, value in table.items():
        if name not in names:
            raise WrongSetting(f"{name} in {path} is no setting: see docs/configuration.md for those there are.")
        if isinstance(value, list):
            value = ",".join(str(item) for item in value)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise WrongSetting(f"{name} in {path} must be a text, a number or a list of texts.")
        out[name] = str(value)
    return out


def _completed(values: dict[str, Any]) -> Config:
    data_dir: Path = values["data_dir"]
    if (values["tracking_tls_cert"] is None) != (values["tracking_tls_key"] is None):
        missing = "TRACKYARD_TRACKING_TLS_KEY" if values["tracking_tls_key"] is None else "TRACKYARD_TRACKING_TLS_CERT"
        raise WrongSetting(f"{missing} must be set too: the tracking listener's TLS needs a certificate and its key.")
    if values["api_listen"] == values["tracking_listen"]:
        raise WrongSetting("TRACKYARD_TRACKING_LISTEN must differ from TRACKYARD_API_LISTEN.")
    scheme = "https" if values["tracking_tls_cert"] else "http"
    values["api_url"] = values["api_url"] or values["api_listen"].url()
    values["tracking_url"] = values["tracking_url"] or values["tracking_listen"].url(scheme)
    values["database_url"] = values["database_url"] or f"sqlite:///{data_dir / 'trackyard.db'}"
    values["analytics_url"] = values["analytics_url"] or f"chdb:///{data_dir / 'analytics'}"
    return Config(**values)


def seal_key(config: Config) -> str:
    """The key that seals API keys at rest: of TRACKYARD_SECRET_KEY, else of `secret.key` in the data directory."""
    secret = config.secret_key
    if secret is None:
        path = config.data_dir / "secret.key"
        if not path.exists():
            _write_private(path, os.urandom(32).hex() + "\n")
        secret = path.read_text().strip()
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()


def _write_private(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    partial.rename(path)


def document() -> str:
    """docs/configuration.md, written from the declarations."""
    rows = [f"| `{s.variable}` | `{s.name}` | {f'`{s.default}`' if s.default else ''} | {s.text} |" for s in SETTINGS]
    return "\n".join(
        [
            "# Configuration",
            "",
            "Set a variable, or a name in a TOML file that `TRACKYARD_CONFIG` (or `trackyard serve --config FILE`) "
            "points at; a variable wins. A wrong value stops the start with one sentence that names it. "
            "This page is written by `trackyard settings`.",
            "",
            f"With `{compiled.SWITCH}` set to anything, modules that were compiled run as plain Python.",
            "",
            "| variable | in the file | default | what it does |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
