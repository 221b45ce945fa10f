"""Settings: one frozen Config from TRACKYARD_* variables and an optional TOML file.

The fields of `Config` are the declaration; `trackyard settings` writes docs/configuration.md from them. A variable
overrides the file, the file the default. Only runtime and commands read settings; other code gets values.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from trackyard.base.web_addresses import TELEGRAM_URL
from trackyard.domain.people.passwords import MIN_CHOSEN, PasswordPolicy
from trackyard.domain.people.sessions import SecondFactorRule, SessionPolicy
from trackyard.domain.platform.retention import MIN_JOURNAL_DAYS, RetentionPolicy
from trackyard.journal.durable import write_durably
from trackyard.runtime import setting_types
from trackyard.runtime.exit_codes import (
    CANNOT_START,
    CannotStart,
    DatabaseAway,
    NotInstalled,
    bind,
    unusable_directory,
)
from trackyard.runtime.setting_sources import PREFIX, GivenText, Setting, WrongSetting, read_texts, variable_of
from trackyard.runtime.setting_types import ROLES, Address, Network

# besides what is defined here
__all__ = [
    "CANNOT_START",
    "PREFIX",
    "ROLES",
    "CannotStart",
    "DatabaseAway",
    "NotInstalled",
    "WrongSetting",
    "bind",
    "unusable_directory",
]

CLIENT_VARIABLES: Final = (f"{PREFIX}URL", f"{PREFIX}KEY", f"{PREFIX}FROM_KEY")
"""Variables of commands: the server that they speak to (docs/commands.md)."""
SECRET_FILE = "secret.key"  # noqa: S105 (the name of a file)
OLD_SECRET_FILE = "secret.key.old"  # noqa: S105 (the name of a file)

T = TypeVar("T")


def _setting(parse: Callable[[str], T], default: str, text: str, *, secret: bool = False) -> T:
    return field(metadata={"setting": Setting(parse, default, text, secret)})  # type: ignore[no-any-return]


_days: Final = setting_types.number("number of days", MIN_JOURNAL_DAYS, 3650)
_count: Final = setting_types.number("whole number", 1, 1_000_000)


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting. Paths are absolute.

    A field's name is its name in the TOML file; the variable is TRACKYARD_ and the name in capitals.
    """

    data_dir: Path = _setting(setting_types.path, "./data", "Directory of everything that the program stores.")
    api_listen: Address = _setting(setting_types.address, "127.0.0.1:8000", "IP address and port of the API.")
    tracking_listen: Address = _setting(
        setting_types.address, "127.0.0.1:8001", "IP address and port of clicks and inbound postbacks."
    )
    monitoring_listen: Address | None = _setting(
        setting_types.optional_address,
        "127.0.0.1:8002",
        "IP address and port of /metrics and of /readyz with reasons and lags, for monitoring; empty = none.",
    )
    api_url: str = _setting(
        setting_types.url, "", "Start of the URLs of files and of links in mails; empty = the API's URL."
    )
    tracking_url: str = _setting(setting_types.url, "", "Start of tracking links; empty = the tracking listener's URL.")
    admin_api_key: str | None = _setting(
        setting_types.admin_key,
        "",
        "Key of the first administrator, 40 random hex digits (`openssl rand -hex 20`); empty = one is generated.",
        secret=True,
    )
    secret_key: str | None = _setting(
        setting_types.secret,
        "",
        "Encrypts API keys at rest, at least 32 characters; empty = one is generated and stored in the data directory.",
        secret=True,
    )
    old_secret_key: str | None = _setting(
        setting_types.secret,
        "",
        "The previous secret key: it decrypts until `trackyard rotate-key` has encrypted everything with the new one "
        "(docs/operating.md); empty = none.",
        secret=True,
    )
    database_url: str = _setting(
        setting_types.database_url,
        "",
        "SQL database, sqlite:///file or postgresql://user:password@host/name; empty = SQLite in the data directory.",
        secret=True,
    )
    analytics_url: str = _setting(
        setting_types.analytics_url,
        "",
        "Analytic store, chdb:///directory or http(s)://user:password@host:8123/name (a ClickHouse server); "
        "empty = chDB in the data directory.",
        secret=True,
    )
    analytics_cluster: str = _setting(
        setting_types.cluster_name,
        "",
        "Name of the cluster in the configuration of the ClickHouse servers, over which the tables of the analytic "
        "store are replicated and distributed (docs/spec/engine.md#clickhouse-cluster); empty = one server.",
    )
    redis_url: str = _setting(
        setting_types.redis_url,
        "",
        "Redis or Valkey that the edges of several machines share, redis://user:password@host:6379/0, rediss:// for "
        "TLS or unix:///path; empty = one machine takes clicks.",
        secret=True,
    )
    timezone: str = _setting(
        setting_types.zone, "UTC", "Platform time zone, an IANA name: days, months and the times in answers."
    )
    currency: str = _setting(
        setting_types.currency, "USD", "Platform currency, an ISO 4217 code; fixed once a conversion exists."
    )
    postback_code: str | None = _setting(
        setting_types.postback_code,
        "",
        "Code that inbound postbacks carry as `secure`: generate (one is made, and each new advertiser gets its own), "
        "a text of at least 22 characters, or none (postbacks of advertisers and offers without a code need none). "
        "Empty = as before; a new installation generates.",
        secret=True,
    )
    trusted_proxies: tuple[Network, ...] = _setting(
        setting_types.networks,
        "127.0.0.0/8,::1",
        "Networks of proxies that are trusted with X-Forwarded-For and X-Forwarded-Proto, a comma list.",
    )
    click_senders: tuple[Network, ...] = _setting(
        setting_types.networks,
        "",
        "Networks of servers that may report any click for a visitor by ip= and ua=, a comma list; empty = none. "
        "Servers of an affiliate that are on its server_ip list need no entry.",
    )
    cors_origins: tuple[str, ...] = _setting(
        setting_types.origins,
        "",
        "Origins of web applications that may call the API from browsers, a comma list such as "
        "https://app.example.com, or * for all; they send the API key as a header. Empty = none.",
    )
    hsts_days: int = _setting(
        setting_types.number("number of days", 0, 730),
        "1",
        "Days for which browsers that came by https use nothing else (Strict-Transport-Security of API answers and of "
        "pages); 0 = no such header. Set 365 once every host speaks https for good.",
    )
    outbound_allow: tuple[Network, ...] = _setting(
        setting_types.networks,
        "",
        "Private networks that outbound postbacks may reach, a comma list; empty = none.",
    )
    quotes_url: str = _setting(
        setting_types.url,
        "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist-90d.xml",
        "Source of exchange rates, read every hour, in the format of the European Central Bank's feed; empty = rates "
        "stay as shipped, or as staff set them.",
    )
    telegram_url: str = _setting(
        setting_types.url,
        TELEGRAM_URL,
        "Start of the URLs of Telegram's Bot API, or of a server of your own that speaks it.",
    )
    files_url: str = _setting(
        setting_types.files_url,
        "",
        "Storage of creatives and logos: a bucket, s3://key:secret@bucket/folder?region=eu-central-1, with "
        "&endpoint=https://host for vendors other than Amazon, each part percent-encoded; empty = files/ in the data "
        "directory. Without a key AWS_* variables or the machine's role are used.",
        secret=True,
    )
    journal_copy_url: str = _setting(
        setting_types.files_url,
        "",
        "Bucket that gets a copy of each journal every second, s3://… as for TRACKYARD_FILES_URL, so that a machine "
        "that is lost for good takes about one second of clicks with it; empty = no copies.",
        secret=True,
    )
    smtp_url: str = _setting(
        setting_types.smtp_url,
        "",
        "Mail server, smtp://user:password@host:587 (TLS where the server offers it; no password without) or "
        "smtps://user:password@host:465; empty = mail is written to mail/ in the data directory.",
        secret=True,
    )
    mail_from: str = _setting(
        setting_types.mail_from, "trackyard@localhost", "Sender of mail, such as Trackyard <mail@example.org>."
    )
    tracking_tls_cert: Path | None = _setting(
        setting_types.file, "", "Certificate chain (PEM) of the tracking listener; empty = plain HTTP."
    )
    tracking_tls_key: Path | None = _setting(
        setting_types.file, "", "Private key (PEM) of the tracking listener's certificate."
    )
    country_database: Path | None = _setting(
        setting_types.file,
        "",
        "Country database (MMDB); empty = the one shipped. This and the databases below are checked once a minute: a "
        "new file is loaded while the program runs.",
    )
    city_database: Path | None = _setting(
        setting_types.file,
        "",
        "Region and city database (MMDB of the type City or Enterprise); empty = regions and cities are unknown. Its "
        "country overrides the country of the country database.",
    )
    isp_database: Path | None = _setting(
        setting_types.file,
        "",
        "Internet provider database (MMDB of the type ISP or ASN); empty = providers are unknown.",
    )
    connection_database: Path | None = _setting(
        setting_types.file, "", "Connection type database (MMDB of the type Connection-Type); empty = it is unknown."
    )
    proxy_database: Path | None = _setting(
        setting_types.file,
        "",
        "Database of anonymizing IP addresses (MMDB of the type Anonymous-IP); empty = none is known.",
    )
    origin_database: Path | None = _setting(
        setting_types.file,
        "",
        "Origins of IP addresses, a file that `trackyard origins` wrote; empty = origins.bin of the data directory, "
        "else the one shipped.",
    )
    journal_days: int = _setting(
        _days,
        "35",
        "Days that loaded journals are kept, compressed, for `trackyard rebuild` and `trackyard audit` "
        "(docs/retention.md). At least 7.",
    )
    click_days: int = _setting(
        _days,
        "400",
        "Days that clicks and impressions are kept; clicks are always kept at least 35 days longer than the longest "
        "click session of an offer. Conversion events are kept forever.",
    )
    log_days: int = _setting(_days, "90", "Days that the logs of inbound and outbound postbacks are kept.")
    personal_data_days: int = _setting(
        _days,
        "400",
        "Days after which IP addresses, user agents, referrers, device and user ids are emptied everywhere.",
    )
    edges: int = _setting(
        setting_types.number("whole number", 1, 64), "1", "Number of edge processes that share the tracking listener."
    )
    unique_mb: int = _setting(
        _count,
        "256",
        "Most MB of a machine for unique visitors, in memory and on disk: one for 40,000 of an offer in 24 hours.",
    )
    api_rate: int = _setting(_count, "50", "API requests that a caller may make each second, on average.")
    api_burst: int = _setting(_count, "100", "API requests that a caller may make at once after a pause.")
    api_reports: int = _setting(_count, "4", "Reports that a caller may run at once.")
    network_connections: int = _setting(
        _count,
        "1000",
        "Connections of a network (/24, /48) to a listener of a process, at most a quarter of all; trusted "
        "proxies have no limit of their own.",
    )
    record_rate: int = _setting(
        _count,
        "20",
        "Rejected clicks of a network (/24, /48) that an edge process records each second, on average, and as many "
        "postbacks of unknown clicks; the rest is counted.",
    )
    record_burst: int = _setting(_count, "2000", "The same at once after a pause.")
    heavy_reports: int = _setting(
        _count,
        "2",
        "Reports of more than two seconds that run at once, one of each caller; further ones are queued.",
    )
    report_seconds: int = _setting(
        _count, "30", "Seconds that a report may take; a longer one is rejected with advice on how to narrow it."
    )
    report_memory: int = _setting(
        setting_types.size,
        "1 GB",
        "Memory of a report, such as 400 MB or 2 GB; larger ones are sorted and summed on disk, or rejected with "
        "advice on how to narrow them where that does not help.",
    )
    password_length: int | None = _setting(
        setting_types.optional_number("number of characters", MIN_CHOSEN, 200),
        "",
        "Fewest characters of a new password wherever it is set, 12 at least, and then none is one of the commonest; "
        "empty = 12 where people choose their own, and in the API's writes of staff 5 for staff, 6 for affiliates.",
    )
    require_second_factor: SecondFactorRule = _setting(
        setting_types.second_factor,
        "none",
        "Accounts that may do nothing in a session without a second factor but set one up: none, administrators or "
        "staff. Lasting keys are not concerned.",
    )
    require_confirmed_email: bool = _setting(
        setting_types.switch,
        "0",
        "1 = an affiliate that signed up can be made active, and can sign in, after it has confirmed its e-mail "
        "address by the link in a mail. Affiliates that staff made, and keys, are not concerned. 0 = staff see "
        "whether it has.",
    )
    require_second_person: bool = _setting(
        setting_types.switch,
        "0",
        "1 = payments to affiliates, and changes of their payment systems, wait for another administrator.",
    )
    session_hours: int = _setting(
        setting_types.number("number of hours", 1, 8760), "12", "Hours after which a session of a person ends."
    )
    session_idle_minutes: int = _setting(
        setting_types.number("number of minutes", 5, 525_600),
        "120",
        "Minutes without a request after which a session of a person ends.",
    )
    roles: tuple[str, ...] = _setting(
        setting_types.roles, "all", f"Roles of this machine: all, or a comma list of {', '.join(ROLES)}."
    )
    delivery_retries: tuple[int, ...] = _setting(
        setting_types.retries,
        "5,60,600,3600,21600",
        "Seconds from a failed postback to its next attempt, a comma list; after the last one it is dead.",
    )
    database_wait: int = _setting(
        setting_types.number("number of seconds", 0, 3600),
        "60",
        "Seconds that a start waits for databases that do not answer yet; then it ends with exit code 1.",
    )
    log_level: str = _setting(setting_types.log_level, "INFO", "DEBUG, INFO, WARNING or ERROR.")
    log_format: str = _setting(
        setting_types.log_format,
        "auto",
        "Form of the log: text, one short line; json, one object a line; auto = text at a terminal, else json.",
    )
    log_file: Path | None = _setting(
        setting_types.log_file,
        "",
        "File of a copy of the log as JSON lines, for `trackyard logs`; at 8 MB it is renamed, and one older file is "
        "kept. Empty = log/trackyard.log in the data directory; none = no copy.",
    )

    @property
    def retention_policy(self) -> RetentionPolicy:
        """Return the retention policy."""
        return RetentionPolicy(self.journal_days, self.click_days, self.log_days, self.personal_data_days)

    @property
    def password_policy(self) -> PasswordPolicy:
        """Return the rule for new passwords."""
        return PasswordPolicy() if self.password_length is None else PasswordPolicy(self.password_length, True)

    @property
    def session_policy(self) -> SessionPolicy:
        """Return how long sessions last."""
        lifetime, idle = self.session_hours * 3_600_000, self.session_idle_minutes * 60_000
        return SessionPolicy(lifetime, idle, self.require_second_factor)

    @property
    def hsts_seconds(self) -> int:
        """Return the seconds of `hsts_days`."""
        return self.hsts_days * 86_400

    @property
    def failing_roles_file(self) -> Path:
        """Return the file that lists the roles that the supervisor cannot keep running, as JSON."""
        return self.data_dir / "run" / "dying.json"

    @property
    def sqlite_file(self) -> Path | None:
        """Return the file of the SQL database; None for PostgreSQL."""
        scheme, _, path = self.database_url.partition(":///")
        return Path(path.partition("?")[0]).resolve() if scheme == "sqlite" else None

    @property
    def chdb_directory(self) -> Path | None:
        """Return the directory of chDB; None with a ClickHouse server."""
        is_chdb = self.analytics_url.startswith("chdb:")
        return Path(self.analytics_url.removeprefix("chdb://")) if is_chdb else None

    @property
    def processes_file(self) -> Path:
        """Return the file of the process ids by role that the supervisor writes, as JSON."""
        return self.data_dir / "run" / "processes.json"


SETTINGS: Final[Mapping[str, Setting]] = {each.name: each.metadata["setting"] for each in fields(Config)}
"""The declarations by name."""


def load(environment: Mapping[str, str], file: Path | None = None) -> Config:
    """Return the configuration of a process. Raises WrongSetting.

    file: a TOML file; None = the file in TRACKYARD_CONFIG, if any.
    """
    return parse(read(environment, file))


def read(environment: Mapping[str, str], file: Path | None = None) -> dict[str, GivenText]:
    """Return the text of every setting, and where it comes from. Raises WrongSetting. file: see `load`."""
    named = environment.get(PREFIX + "CONFIG")
    return read_texts(SETTINGS, environment, file or (Path(named) if named else None))


def parse(texts: Mapping[str, GivenText]) -> Config:
    """Return the configuration of the texts of all settings. Raises WrongSetting."""
    values: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        given = texts[name]
        try:
            values[name] = setting.parse(given.text)
        except (ValueError, OSError) as fault:
            shown = "" if setting.secret else f", not {given.text!r}"
            raise WrongSetting(f"{given.place} {fault}{shown}.") from None
    return _complete(values)


def _complete(values: dict[str, Any]) -> Config:
    data_dir: Path = values["data_dir"]
    if (values["tracking_tls_cert"] is None) != (values["tracking_tls_key"] is None):
        missing = "TRACKYARD_TRACKING_TLS_KEY" if values["tracking_tls_key"] is None else "TRACKYARD_TRACKING_TLS_CERT"
        raise WrongSetting(f"{missing} must be set too: the tracking listener's TLS needs a certificate and its key.")
    if values["api_listen"] == values["tracking_listen"]:
        raise WrongSetting("TRACKYARD_TRACKING_LISTEN must differ from TRACKYARD_API_LISTEN.")
    if values["monitoring_listen"] in (values["api_listen"], values["tracking_listen"]):
        raise WrongSetting("TRACKYARD_MONITORING_LISTEN must differ from the listeners of the API and of clicks.")
    for name in ("click_days", "log_days", "personal_data_days"):
        if values[name] < values["journal_days"]:
            raise WrongSetting(
                f"{variable_of(name)} must not be below {PREFIX}JOURNAL_DAYS: the journal holds the same."
            )
    if values["log_file"] == Path():
        values["log_file"] = data_dir / "log" / "trackyard.log"
    scheme = "https" if values["tracking_tls_cert"] else "http"
    values["api_url"] = values["api_url"] or values["api_listen"].url()
    values["tracking_url"] = values["tracking_url"] or values["tracking_listen"].url(scheme)
    values["database_url"] = values["database_url"] or f"sqlite:///{data_dir / 'trackyard.db'}"
    values["analytics_url"] = values["analytics_url"] or f"chdb:///{data_dir / 'analytics'}"
    if values["analytics_cluster"] and values["analytics_url"].startswith("chdb:"):
        raise WrongSetting(
            "TRACKYARD_ANALYTICS_CLUSTER needs a ClickHouse server: name it in TRACKYARD_ANALYTICS_URL, or remove it."
        )
    return Config(**values)


def encryption_keys(config: Config) -> tuple[str, ...]:
    """Return the encryption keys of stored secrets: the current one, then older ones that decrypt.

    They are derived from TRACKYARD_SECRET_KEY and TRACKYARD_OLD_SECRET_KEY, by default from `secret.key` and
    `secret.key.old` in the data directory (commands/rotate_key.py). Raises CannotStart for an empty file.
    """
    secrets = [config.secret_key, config.old_secret_key]
    if config.secret_key is None:
        path = config.data_dir / SECRET_FILE
        if not path.exists():
            write_private(path, new_secret())
        secrets[0] = _read_secret(path)
        old = config.data_dir / OLD_SECRET_FILE
        secrets += [_read_secret(old)] if old.exists() else []
    return tuple(_derive_key(secret) for secret in secrets if secret)


def _read_secret(path: Path) -> str:
    secret = path.read_text("utf-8").strip()
    if not secret:
        raise CannotStart(f"{path} cannot be used: it is empty. Restore it from a backup of the data directory.")
    return secret


def _derive_key(secret: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).decode()


def new_secret() -> str:
    """Return the content of a new secret file."""
    return os.urandom(32).hex() + "\n"


def write_private(path: Path, text: str) -> None:
    """Write a file durably, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path, text.encode(), mode=0o600)
