"""Settings: defaults, sources, and one sentence for each wrong value."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from trackyard.base.ids import new_api_key
from trackyard.commands.main import main
from trackyard.domain.people.passwords import PasswordPolicy
from trackyard.domain.platform.retention import RetentionPolicy
from trackyard.runtime import settings as config
from trackyard.runtime.effective_settings import configuration_page

ROOT = Path(__file__).parents[2]


def test_configuration_page_equals_declarations() -> None:
    assert (ROOT / "docs/configuration.md").read_text() == configuration_page()


def test_command_version_is_that_of_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"trackyard {version('trackyard')}\n"


def test_settings_without_values_have_defaults() -> None:
    got = config.load({"TRACKYARD_DATA_DIR": "/srv/yard"})
    assert got.database_url == "sqlite:////srv/yard/trackyard.db"
    assert got.analytics_url == "chdb:////srv/yard/analytics"
    assert got.tracking_url == "http://127.0.0.1:8001"
    assert got.roles == config.ROLES


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("400 MB", 4 * 10**8), ("2GB", 2 * 10**9), ("100 MB", 10**8), ("1G", 10**9), ("512M", 512 * 10**6),
        ("1GiB", 2**30), ("512 MiB", 512 * 2**20), ("2gb", 2 * 10**9),
    ],
)  # fmt: skip
def test_setting_size_accepts_units(text: str, size: int) -> None:
    assert config.load({"TRACKYARD_REPORT_MEMORY": text}).report_memory == size


def test_environment_variable_overrides_config_file(tmp_path: Path) -> None:
    file = tmp_path / "yard.toml"
    file.write_text(
        'currency = "EUR"\ntimezone = "Asia/Kathmandu"\noutbound_allow = ["127.0.0.0/8", "::1"]\nedges = 2\n'
    )
    got = config.load({"TRACKYARD_CONFIG": str(file), "TRACKYARD_CURRENCY": "GBP"})
    assert (got.currency, got.timezone, got.edges, len(got.outbound_allow)) == ("GBP", "Asia/Kathmandu", 2, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_LISTEN", "8000"),
        ("API_LISTEN", "example.org:80"),
        ("API_LISTEN", "127.0.0.1:99999"),
        ("TRACKING_URL", "ftp://example.org"),
        ("TRACKING_URL", "http://[::1"),
        ("ADMIN_API_KEY", "short"),
        ("ADMIN_API_KEY", "a" * 40),
        ("ADMIN_API_KEY", "0123456789abcdef0123456789abcdef01234567"),
        ("ADMIN_API_KEY", "1763524176352417635217635241763524176352"),
        ("SECRET_KEY", "short"),
        ("DATABASE_URL", "mysql://x"),
        ("DATABASE_URL", "postgresql://me@db.example:port/yard"),
        ("ANALYTICS_URL", "x"),
        ("ANALYTICS_URL", "http://store.example:port"),
        ("TIMEZONE", "Mars/Olympus"),
        ("TRUSTED_PROXIES", "10.0.0.0/99"),
        ("CORS_ORIGINS", "app.example.com"),
        ("CORS_ORIGINS", "https://app.example.com/path"),
        ("CORS_ORIGINS", "https://me@app.example.com"),
        ("OUTBOUND_ALLOW", "everyone"),
        ("SMTP_URL", "mail.example.org"),
        ("SMTP_URL", "http://mail.example.org"),
        ("SMTP_URL", "smtp://user:password@host:port"),
        ("FILES_URL", "https://bucket.example/"),
        ("FILES_URL", "s3:///folder"),
        ("FILES_URL", "s3://key@bucket"),
        ("FILES_URL", "s3://bucket?regio=eu"),
        ("FILES_URL", "s3://bucket?region="),
        ("FILES_URL", "s3://bucket?endpoint=minio:9000"),
        ("MAIL_FROM", "nobody"),
        ("MAIL_FROM", "a@b.example\r\nBcc: c@d.example"),
        ("TRACKING_TLS_CERT", "/no/such/file"),
        ("COUNTRY_DATABASE", "/no/such/file"),
        ("EDGES", "0"),
        ("REPORT_MEMORY", "99 MB"),
        ("REPORT_MEMORY", "1000000000"),
        ("REPORT_SECONDS", "0"),
        ("HEAVY_REPORTS", "0"),
        ("PASSWORD_LENGTH", "11"),
        ("PASSWORD_LENGTH", "x"),
        ("REQUIRE_SECOND_FACTOR", "everybody"),
        ("SESSION_HOURS", "0"),
        ("SESSION_IDLE_MINUTES", "4"),
        ("ROLES", "edge,king"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("ROLES", "edge,api"),
        ("ANALYTICS_URL", "clickhouse://store.example:9000/yard"),
        ("DATA_DIR", ""),
        ("DATA_DIR", " "),
        ("API_URL", "https://api.example.org/a b"),
        ("TRACKING_URL", 'https://track.example.org/"onload='),
        ("QUOTES_URL", "https://quotes.example.org/\nrates"),
    ],
)
def test_setting_with_wrong_value_is_named_in_one_sentence(name: str, value: str) -> None:
    with pytest.raises(config.WrongSetting) as caught:
        config.load({f"TRACKYARD_{name}": value})
    text = str(caught.value)
    assert text.startswith(f"TRACKYARD_{name} ") and text.endswith(".") and "\n" not in text


@pytest.mark.parametrize("url", ["", "s3://bucket", "s3://k:s%2F@bucket/a?region=eu-west-1&endpoint=http://minio:9000"])
def test_setting_files_url_accepts_buckets(url: str) -> None:
    assert config.load({"TRACKYARD_FILES_URL": url}).files_url == url


@pytest.mark.parametrize("key", ["a" * 40, "ad" * 20, "0123456789" * 4])
def test_setting_admin_key_that_can_be_guessed_says_what_to_do(key: str) -> None:
    with pytest.raises(config.WrongSetting, match="too easy to guess: make a random key with") as caught:
        config.load({"TRACKYARD_ADMIN_API_KEY": key})
    assert key not in str(caught.value)


def test_setting_admin_key_of_random_digits_is_accepted() -> None:
    for _ in range(1000):
        key = new_api_key()
        assert config.load({"TRACKYARD_ADMIN_API_KEY": key}).admin_api_key == key


@pytest.mark.parametrize(
    "code", ["short", "x" * 21, "a" * 40, "no line\nbreak in a code here", "c" * 10 + "0123456789" * 20]
)
def test_setting_postback_code_that_can_be_guessed_stops_the_start(code: str) -> None:
    with pytest.raises(config.WrongSetting) as caught:
        config.load({"TRACKYARD_POSTBACK_CODE": code})
    sentence = "TRACKYARD_POSTBACK_CODE must be generate, none, or a code of at least 22 random characters."
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("given", "read"), [({}, None), ({"TRACKYARD_POSTBACK_CODE": ""}, None)]
    + [({"TRACKYARD_POSTBACK_CODE": text}, text) for text in ("generate", "none", "0f9d8c7b6a5e4d3c2b1a0f")],
)  # fmt: skip
def test_setting_postback_code_is_a_word_or_a_long_text(given: dict[str, str], read: str | None) -> None:
    assert config.load(given).postback_code == read


@pytest.mark.parametrize("name", ["ADMIN_API_KEY", "SECRET_KEY", "DATABASE_URL", "ANALYTICS_URL", "FILES_URL"])
def test_setting_with_wrong_secret_is_not_shown(name: str) -> None:
    with pytest.raises(config.WrongSetting) as caught:
        config.load({f"TRACKYARD_{name}": "mysql://pass"})
    assert "pass" not in str(caught.value)


def test_setting_tls_certificate_needs_its_key(tmp_path: Path) -> None:
    cert = tmp_path / "cert.pem"
    cert.write_text("x")
    with pytest.raises(config.WrongSetting, match="TRACKYARD_TRACKING_TLS_KEY"):
        config.load({"TRACKYARD_TRACKING_TLS_CERT": str(cert)})


@pytest.mark.parametrize("text", ['colour = "red"', "edges = true", "edges", "edges = { a = 1 }"])
def test_config_file_with_wrong_content_is_rejected(tmp_path: Path, text: str) -> None:
    file = tmp_path / "yard.toml"
    file.write_text(text)
    with pytest.raises(config.WrongSetting):
        config.load({}, file)


def test_secret_key_is_created_once_and_private(tmp_path: Path) -> None:
    settings = config.load({"TRACKYARD_DATA_DIR": str(tmp_path)})
    assert config.encryption_keys(settings) == config.encryption_keys(settings)
    assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("code", ["ZZZ", "XXX", "XAU", "EURO", ""])
def test_setting_currency_must_be_iso_4217_code(code: str) -> None:
    with pytest.raises(config.WrongSetting, match="TRACKYARD_CURRENCY must be the ISO 4217 code of a currency"):
        config.load({"TRACKYARD_CURRENCY": code})


def test_retention_settings_set_days_per_kind() -> None:
    assert config.load({}).retention_policy == RetentionPolicy(journals=35, clicks=400, logs=90, personal=400)
    given = {"JOURNAL_DAYS": "7", "CLICK_DAYS": "8", "LOG_DAYS": "9", "PERSONAL_DATA_DAYS": "10"}
    assert config.load(
        {f"TRACKYARD_{name}": value for name, value in given.items()}
    ).retention_policy == RetentionPolicy(7, 8, 9, 10)


@pytest.mark.parametrize("name", ["JOURNAL_DAYS", "CLICK_DAYS", "LOG_DAYS", "PERSONAL_DATA_DAYS"])
@pytest.mark.parametrize("value", ["6", "0", "-1", "", "3651", "7.5", "²0", "a week"])
def test_retention_days_out_of_bounds_are_rejected(name: str, value: str) -> None:
    with pytest.raises(config.WrongSetting, match=rf"^TRACKYARD_{name} must be a number of days from 7 to 3650, not "):
        config.load({f"TRACKYARD_{name}": value})


@pytest.mark.parametrize("name", ["CLICK_DAYS", "LOG_DAYS", "PERSONAL_DATA_DAYS"])
def test_retention_days_must_not_be_below_journal_days(name: str) -> None:
    with pytest.raises(config.WrongSetting, match=rf"^TRACKYARD_{name} must not be below TRACKYARD_JOURNAL_DAYS"):
        config.load({f"TRACKYARD_{name}": "34"})


def test_setting_database_file_must_be_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, which may read everything."""
    file = tmp_path / "city.mmdb"
    file.touch()
    assert config.load({"TRACKYARD_CITY_DATABASE": str(file)}).city_database == file
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(config.WrongSetting, match="TRACKYARD_CITY_DATABASE must name a file that this user may read"):
        config.load({"TRACKYARD_CITY_DATABASE": str(file)})


def test_setting_password_length_makes_the_rule_hold_everywhere() -> None:
    assert config.load({}).password_policy == PasswordPolicy(12, everywhere=False)
    assert config.load({"TRACKYARD_PASSWORD_LENGTH": "14"}).password_policy == PasswordPolicy(14, everywhere=True)


def test_setting_session_lengths_are_hours_and_minutes() -> None:
    found = config.load({"TRACKYARD_SESSION_HOURS": "8", "TRACKYARD_SESSION_IDLE_MINUTES": "30"}).session_policy
    assert (found.lifetime_ms, found.idle_ms) == (8 * 3_600_000, 30 * 60_000)
