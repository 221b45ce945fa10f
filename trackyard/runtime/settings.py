"""Settings: one frozen Config from TRACKYARD_* variables and an optional TOML file.

`SETTINGS` is the one declaration; docs/configuration.md is written from it (`trackyard settings`).
A variable wins over the file, the file over the default. A wrong value is a WrongSetting: one sentence that
names it. Read in app and cli only: everything else receives values.
"""

import base64
import hashlib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trackyard.domain.platform.retention import MIN_JOURNAL_DAYS, RetentionPolicy
from trackyard.runtime import compiled, setting_types
from trackyard.runtime.setting_types import ROLES, Address, Network

__all__ = [
    "CANNOT_START",
    "ROLES",
    "Address",
    "CannotStart",
    "Config",
    "Network",
    "Setting",
    "WrongSetting",
    "configuration_page",
    "encryption_keys",
    "load",
]

PREFIX = "TRACKYARD_"
SECRET_FILE = "secret.key"
OLD_SECRET_FILE = "secret.key.old"


class WrongSetting(Exception):
    """A setting the program cannot start with; the message is one sentence that names it."""


class CannotStart(Exception):
    """The program, or one of its roles, cannot start and a restart would not help; the message is one sentence.

    Without a message: the process that found out has said why.
    """


CANNOT_START = 78
"""Exit status of a role that cannot start (EX_CONFIG)."""


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
    old_secret_key: str | None
    database_url: str
    analytics_url: str
    timezone: str
    currency: str
    trusted_proxies: tuple[Network, ...]
    outbound_allow: tuple[Network, ...]
    quotes_url: str
    files_url: str
    smtp_url: str
    mail_from: str
    tracking_tls_cert: Path | None
    tracking_tls_key: Path | None
    country_database: Path | None
    city_database: Path | None
    isp_database: Path | None
    connection_database: Path | None
    proxy_database: Path | None
    journal_days: int
    click_days: int
    log_days: int
    personal_data_days: int
    edges: int
    unique_mb: int
    api_rate: int
    api_burst: int
    api_reports: int
    heavy_reports: int
    report_seconds: int
    report_memory: int
    roles: tuple[str, ...]
    log_level: str

    @property
    def retention_policy(self) -> RetentionPolicy:
        """How long things are kept."""
        return RetentionPolicy(self.journal_days, self.click_days, self.log_days, self.personal_data_days)

    @property
    def failing_roles_file(self) -> Path:
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


SETTINGS: tuple[Setting, ...] = (
    Setting("data_dir", "./data", setting_types.path, "Directory of everything the program keeps."),
    Setting("api_listen", "127.0.0.1:8000", setting_types.address, "Address and port of the API."),
    Setting(
        "tracking_listen", "127.0.0.1:8001", setting_types.address, "Address and port of clicks and inbound calls."
    ),
    Setting("api_url", "", setting_types.url, "What addresses of files begin with; empty = the API's address."),
    Setting(
        "tracking_url",
        "",
        setting_types.url,
        "What tracking links begin with; empty = the tracking listener's address.",
    ),
    Setting(
        "admin_api_key",
        "",
        setting_types.admin_key,
        "Key of the first administrator, 40 hex digits; empty = one is made.",
        secret=True,
    ),
    Setting(
        "secret_key",
        "",
        setting_types.secret,
        "Encrypts API keys at rest, at least 32 characters; empty = one is made and kept in the data directory.",
        secret=True,
    ),
    Setting(
        "old_secret_key",
        "",
        setting_types.secret,
        "The secret key before this one: what it sealed is opened until `trackyard rotate-key` sealed it anew "
        "(docs/operating.md); empty = none.",
        secret=True,
    ),
    Setting(
        "database_url",
        "",
        setting_types.database_url,
        "SQL database, sqlite:///file or postgresql://user:password@host/name; empty = SQLite in the data directory.",
        secret=True,
    ),
    Setting(
        "analytics_url",
        "",
        setting_types.analytics_url,
        "Analytic store, chdb:///directory or http(s)://user:password@host:8123/name (a ClickHouse server); "
        "empty = chDB in the data directory.",
        secret=True,
    ),
    Setting(
        "timezone",
        "UTC",
        setting_types.zone,
        "Platform time zone, an IANA name: days, months and the times in answers.",
    ),
    Setting(
        "currency",
        "USD",
        setting_types.currency,
        "Platform currency, an ISO 4217 code; fixed once a conversion exists.",
    ),
    Setting(
        "trusted_proxies",
        "127.0.0.0/8,::1",
        setting_types.networks,
        "Networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, a comma list.",
    ),
    Setting(
        "outbound_allow",
        "",
        setting_types.networks,
        "Private networks that calls to affiliates may reach all the same, a comma list; empty = none.",
    ),
    Setting(
        "quotes_url",
        "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml",
        setting_types.url,
        "Where currency rates are refreshed from every hour, in the form of the European Central Bank's feed; empty = "
        "they stay as shipped, or as staff set them.",
    ),
    Setting(
        "files_url",
        "",
        setting_types.files_url,
        "Where creatives and logos are kept: a bucket, s3://key:secret@bucket/folder?region=eu-central-1, with "
        "&endpoint=https://host for other makers than Amazon, each part percent-encoded; empty = files/ in the data "
        "directory. Without a key AWS_* variables or the machine's role are used.",
        secret=True,
    ),
    Setting(
        "smtp_url",
        "",
        setting_types.smtp_url,
        "Mail server, smtp://user:password@host:587 (TLS where the server offers it; no password without) or "
        "smtps://user:password@host:465; empty = mail is written to mail/ in the data directory.",
        secret=True,
    ),
    Setting(
        "mail_from",
        "trackyard@localhost",
        setting_types.mail_from,
        "Sender of mail, such as Trackyard <mail@example.org>.",
    ),
    Setting(
        "tracking_tls_cert",
        "",
        setting_types.file,
        "Certificate chain (PEM) of the tracking listener; empty = plain HTTP.",
    ),
    Setting("tracking_tls_key", "", setting_types.file, "Private key (PEM) of the tracking listener's certificate."),
    Setting(
        "country_database",
        "",
        setting_types.file,
        "Address to country database (MMDB); empty = the one shipped. This and the databases below are looked at once "
        "a minute: a new file is taken over while the program runs.",
    ),
    Setting(
        "city_database",
        "",
        setting_types.file,
        "Address to region and city database (MMDB of the type City or Enterprise); empty = they are not known. The "
        "country of an address that it knows is the one it tells.",
    ),
    Setting(
        "isp_database",
        "",
        setting_types.file,
        "Address to internet provider database (MMDB of the type ISP or ASN); empty = providers are not known.",
    ),
    Setting(
        "connection_database",
        "",
        setting_types.file,
        "Address to kind of connection database (MMDB of the type Connection-Type); empty = it is not known.",
    ),
    Setting(
        "proxy_database",
        "",
        setting_types.file,
        "Database of addresses that hide who is behind them (MMDB of the type Anonymous-IP); empty = none is known.",
    ),
    Setting(
        "journal_days",
        "35",
        setting_types.days(MIN_JOURNAL_DAYS),
        "Days that journals are kept, compressed, once they are loaded: what `trackyard rebuild` and `trackyard audit` "
        "read (docs/retention.md). At least 7.",
    ),
    Setting(
        "click_days",
        "400",
        setting_types.days(MIN_JOURNAL_DAYS),
        "Days that clicks and views are kept; clicks are kept at least 35 days longer than the longest click session "
        "of an offer, whatever stands here. Facts of conversions are kept for ever.",
    ),
    Setting(
        "log_days",
        "90",
        setting_types.days(MIN_JOURNAL_DAYS),
        "Days that the logs of calls, received and made, are kept.",
    ),
    Setting(
        "personal_data_days",
        "400",
        setting_types.days(MIN_JOURNAL_DAYS),
        "Days after which addresses, user agents, referrers, device and user ids are emptied wherever they are kept.",
    ),
    Setting("edges", "1", setting_types.edges, "Number of edge processes that share the tracking listener."),
    Setting(
        "unique_mb",
        "256",
        setting_types.count,
        "Memory of a machine for unique visitors, in MB: a MB for 40,000 visitors of an offer in 24 hours.",
    ),
    Setting("api_rate", "50", setting_types.count, "Calls of the API that one key may make a second, on and on."),
    Setting("api_burst", "100", setting_types.count, "Calls of the API that one key may make at once after a pause."),
    Setting("api_reports", "4", setting_types.count, "Reports that one key may have running at once."),
    Setting(
        "heavy_reports",
        "2",
        setting_types.count,
        "Reports that run longer than two seconds and do so at once, one of each key; the others wait for their turn.",
    ),
    Setting(
        "report_seconds", "30", setting_types.count, "Time of a report; a longer one is refused, with how to narrow it."
    ),
    Setting(
        "report_memory",
        "1 GB",
        setting_types.size,
        "Memory of a report, such as 400 MB or 2 GB; what does not fit is sorted and summed on disk, and refused, with "
        "how to narrow it, where that does not help.",
    ),
    Setting(
        "roles", "all", setting_types.roles, f"What this machine runs: all, or a comma list of {', '.join(ROLES)}."
    ),
    Setting("log_level", "INFO", setting_types.log_level, "DEBUG, INFO, WARNING or ERROR."),
)


def load(environment: Mapping[str, str], file: Path | None = None) -> Config:
    """The configuration of a process. `file`: a TOML file; None = the one named by TRACKYARD_CONFIG, if any.

    Raises WrongSetting.
    """
    named = environment.get(PREFIX + "CONFIG")
    path = file or (Path(named) if named else None)
    from_file = _from_file(path) if path else {}
    known = {setting.variable for setting in SETTINGS} | {PREFIX + "CONFIG", compiled.PURE_VARIABLE}
    for variable in sorted(environment):
        if variable.startswith(PREFIX) and variable not in known:
            raise WrongSetting(f"{variable} is no setting: see docs/configuration.md for those there are.")
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        source = setting.variable
        if text is None:
            text, source = from_file.get(setting.name, setting.default), setting.variable
            if setting.name in from_file:
                source = f"{setting.name} in {path}"
        try:
            values[setting.name] = setting.parse(text)
        except (ValueError, OSError) as fault:
            raise WrongSetting(f"{source} {fault}." if setting.secret else f"{source} {fault}, not {text!r}.") from None
    return _complete(values)


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


def _complete(values: dict[str, Any]) -> Config:
    data_dir: Path = values["data_dir"]
    if (values["tracking_tls_cert"] is None) != (values["tracking_tls_key"] is None):
        missing = "TRACKYARD_TRACKING_TLS_KEY" if values["tracking_tls_key"] is None else "TRACKYARD_TRACKING_TLS_CERT"
        raise WrongSetting(f"{missing} must be set too: the tracking listener's TLS needs a certificate and its key.")
    if values["api_listen"] == values["tracking_listen"]:
        raise WrongSetting("TRACKYARD_TRACKING_LISTEN must differ from TRACKYARD_API_LISTEN.")
    for name in ("click_days", "log_days", "personal_data_days"):
        if values[name] < values["journal_days"]:
            raise WrongSetting(
                f"{PREFIX}{name.upper()} must not be below {PREFIX}JOURNAL_DAYS: the journal holds the same."
            )
    scheme = "https" if values["tracking_tls_cert"] else "http"
    values["api_url"] = values["api_url"] or values["api_listen"].url()
    values["tracking_url"] = values["tracking_url"] or values["tracking_listen"].url(scheme)
    values["database_url"] = values["database_url"] or f"sqlite:///{data_dir / 'trackyard.db'}"
    values["analytics_url"] = values["analytics_url"] or f"chdb:///{data_dir / 'analytics'}"
    return Config(**values)


def encryption_keys(config: Config) -> tuple[str, ...]:
    """The keys of what is sealed at rest, the one that seals first; older ones open what is not sealed anew yet.

    They are made of TRACKYARD_SECRET_KEY and TRACKYARD_OLD_SECRET_KEY, else of `secret.key` and `secret.key.old` in the
    data directory (commands/rotate_key.py).
    """
    secrets = [config.secret_key, config.old_secret_key]
    if config.secret_key is None:
        path = config.data_dir / SECRET_FILE
        if not path.exists():
            write_private(path, new_secret())
        secrets[0] = path.read_text().strip()
        old = config.data_dir / OLD_SECRET_FILE
        secrets += [old.read_text().strip()] if old.exists() else []
    return tuple(_derive_key(secret) for secret in secrets if secret)


def _derive_key(secret: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()


def new_secret() -> str:
    """The content of a secret file."""
    return os.urandom(32).hex() + "\n"


def write_private(path: Path, text: str) -> None:
    """Writes a file that its owner alone may read, durably, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    partial.rename(path)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def configuration_page() -> str:
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
            f"With `{compiled.PURE_VARIABLE}` set to anything, modules that were compiled run as plain Python.",
            "",
            "| variable | in the file | default | what it does |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
