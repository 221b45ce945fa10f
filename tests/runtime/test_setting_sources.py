"""Where settings come from: variables, files of secrets, a TOML file; and names that are none of ours."""

from pathlib import Path

import pytest

from trackyard.runtime.effective_settings import effective_settings, setting_warnings
from trackyard.runtime.setting_sources import SettingSource, WrongSetting
from trackyard.runtime.settings import SETTINGS, load

SECRETS = sorted(name.upper() for name, setting in SETTINGS.items() if setting.secret)
SECRET = "0123456789abcdef0123456789abcdef-secret"


def warnings_of(**environment: str) -> list[str]:
    given = {f"TRACKYARD_{name}": value for name, value in environment.items()}
    return setting_warnings(given, load(given))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "tcp://10.0.0.1:8000"),
        ("SERVICE_HOST", "10.0.0.1"),
        ("SERVICE_PORT", "8000"),
        ("SERVICE_PORT_HTTP", "8000"),
        ("PORT_8000_TCP", "tcp://10.0.0.1:8000"),
        ("PORT_8000_TCP_PROTO", "tcp"),
        ("PORT_8000_TCP_PORT", "8000"),
        ("PORT_53_UDP_ADDR", "10.0.0.1"),
        ("FOO_SERVICE_HOST", "10.0.0.1"),
        ("FOO_BAR_SERVICE_PORT_API", "8000"),
        ("FOO_PORT", "tcp://10.0.0.1:8000"),
        ("FOO_PORT_8000_TCP_ADDR", "10.0.0.1"),
    ],
)
def test_settings_variable_of_kubernetes_is_ignored(name: str, value: str) -> None:
    assert warnings_of(**{name: value}) == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("LOGLEVEL", " (did you mean TRACKYARD_LOG_LEVEL?)"),
        ("TIMEZOEN", " (did you mean TRACKYARD_TIMEZONE?)"),
        ("SECRET_KEY_FIEL", " (did you mean TRACKYARD_SECRET_KEY_FILE?)"),
        ("TIMEZONE_FILE", " (did you mean TRACKYARD_TIMEZONE?)"),
        ("PORT", " (did you mean TRACKYARD_API_LISTEN?)"),
        ("QQQQ", ": docs/configuration.md lists all"),
    ],
)
def test_settings_unknown_variable_is_a_warning_with_advice(name: str, advice: str) -> None:
    assert warnings_of(**{name: "9000"}) == [f"TRACKYARD_{name} is not a setting and is ignored{advice}."]


def test_settings_known_variables_make_no_warning(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    assert warnings_of(PURE="1", CONFIG="", SECRET_KEY_FILE=str(file), CURRENCY="EUR") == []


@pytest.mark.parametrize("name", SECRETS)
def test_settings_every_secret_can_be_in_a_file(tmp_path: Path, name: str) -> None:
    value = {
        "ADMIN_API_KEY": "6f1c09b7d2e84a35c07d9e1b54f3a826be60d7c1",
        "DATABASE_URL": "postgresql+psycopg://me:pw@db/yard",
        "ANALYTICS_URL": "http://me:pw@store:8123/yard",
        "REDIS_URL": "rediss://me:pw@redis:6379/0",
        "FILES_URL": "s3://key:secret@bucket/folder",
        "JOURNAL_COPY_URL": "s3://key:secret@bucket/folder",
        "SMTP_URL": "smtp://me:pw@mail.example.org",
    }.get(name, SECRET)
    file = tmp_path / "secret"
    file.write_text(f"{value}\n")
    assert getattr(load({f"TRACKYARD_{name}_FILE": str(file)}), name.lower()) == value


def test_settings_secret_file_overrides_config_file(tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "yard.toml"
    secret.write_text(SECRET)
    file.write_text(f'secret_key = "{"x" * 40}"\n')
    given = {"TRACKYARD_SECRET_KEY_FILE": str(secret), "TRACKYARD_SECRET_KEY": ""}
    assert load(given, file).secret_key == SECRET


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "which cannot be read: No such file or directory"),
        (b"", "which is empty"),
        (b" \n", "which is empty"),
        (b"\xff\xfe", "which is not a text file"),
    ],
)
def test_settings_secret_file_that_has_none_is_rejected(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(WrongSetting) as caught:
        load({"TRACKYARD_SECRET_KEY_FILE": str(file)})
    assert str(caught.value) == f"TRACKYARD_SECRET_KEY_FILE names {str(file)!r}, {reason}."


def test_settings_secret_given_twice_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    with pytest.raises(WrongSetting) as caught:
        load({"TRACKYARD_SECRET_KEY_FILE": str(file), "TRACKYARD_SECRET_KEY": SECRET})
    expected = "TRACKYARD_SECRET_KEY and TRACKYARD_SECRET_KEY_FILE are both set: unset one of them."
    assert str(caught.value) == expected


def test_settings_wrong_secret_in_file_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("mysql://pass")
    with pytest.raises(WrongSetting, match=r"^TRACKYARD_DATABASE_URL_FILE must be a URL") as caught:
        load({"TRACKYARD_DATABASE_URL_FILE": str(file)})
    assert "pass" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[server]\nport = 1",
            "server in {} is a table: tables are not supported, all settings stand at the top level.",
        ),
        ("loglevel = 'DEBUG'", "loglevel in {} is not a setting (did you mean log_level?)."),
        ("colour = 'red'", "colour in {} is not a setting: docs/configuration.md lists all."),
        ("edges = 1.5", "edges in {} must be a whole number from 1 to 64, not '1.5'."),
        ("edges = true", "edges in {} must be a text, a whole number or a list of texts."),
        ("edges", "TRACKYARD_CONFIG names '{}', which is not a TOML file: "),
    ],
)
def test_config_file_wrong_content_is_named_with_advice(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "yard.toml"
    file.write_text(text)
    with pytest.raises(WrongSetting) as caught:
        load({"TRACKYARD_CONFIG": str(file)})
    assert str(caught.value).startswith(sentence.format(file))


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("CURRENCY", "usd", "USD"),
        ("LOG_LEVEL", "debug", "DEBUG"),
        ("LOG_FORMAT", "JSON", "json"),
        ("ROLES", "API, Worker", ("api", "worker")),
        ("DATABASE_URL", "postgres://me@db/yard", "postgresql+psycopg://me@db/yard"),
        ("ANALYTICS_URL", "clickhouse://store/yard", "clickhouse://store/yard"),
    ],
)
def test_settings_value_that_is_plainly_meant_is_accepted(name: str, given: str, read: object) -> None:
    assert getattr(load({f"TRACKYARD_{name}": given}), name.lower()) == read


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("ROLES", "edge,api", "must have projector with edge"),
        ("ANALYTICS_URL", "clickhouse://me:pass@db:9000/yard", "such as http://db:8123/trackyard."),
        ("ANALYTICS_URL", "clickhouses://db:9440/yard", "such as https://db:8443/trackyard."),
        ("ANALYTICS_URL", "ftp://db", "chdb:///, http://, https://, clickhouse:// or clickhouses://"),
    ],
)
def test_settings_wrong_value_says_what_to_use(name: str, value: str, advice: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        load({f"TRACKYARD_{name}": value})
    assert advice in str(caught.value) and "pass@" not in str(caught.value)


@pytest.mark.parametrize(
    ("listen", "url", "warned"),
    [
        ("0.0.0.0:8001", "", True),
        ("[::]:8001", "", True),
        ("203.0.113.5:8001", "http://localhost:8001", True),
        ("203.0.113.5:8001", "", False),
        ("0.0.0.0:8001", "https://go.example.org", False),
        ("127.0.0.1:8001", "", False),
    ],
)
def test_settings_loopback_tracking_url_of_public_listener_is_a_warning(listen: str, url: str, warned: bool) -> None:
    found = warnings_of(TRACKING_LISTEN=listen, TRACKING_URL=url)
    assert [text.split()[0] for text in found] == ["TRACKYARD_TRACKING_URL"] * warned


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({"API_LISTEN": "0.0.0.0:8000"}, True),
        ({"REQUIRE_CONFIRMED_EMAIL": "1"}, True),
        ({"API_LISTEN": "0.0.0.0:8000", "API_URL": "https://api.example.org"}, False),
        ({}, False),
    ],
)
def test_settings_loopback_api_url_that_mails_would_name_is_a_warning(settings: dict[str, str], warned: bool) -> None:
    assert [text.split()[0] for text in warnings_of(**settings)] == ["TRACKYARD_API_URL"] * warned


def test_effective_settings_show_values_and_sources_without_secrets(tmp_path: Path) -> None:
    file, secret = tmp_path / "yard.toml", tmp_path / "smtp"
    file.write_text("edges = 2\ncurrency = 'eur'\n")
    secret.write_text("smtps://me:hush@mail.example.org")
    given = {
        "TRACKYARD_CURRENCY": "gbp",
        "TRACKYARD_DATA_DIR": str(tmp_path),
        "TRACKYARD_SECRET_KEY": SECRET,
        "TRACKYARD_DATABASE_URL": "postgres://me:hush@db/yard?password=hush",
        "TRACKYARD_SMTP_URL_FILE": str(secret),
    }
    found = {each.name: each for each in effective_settings(given, file)}
    assert found.keys() == SETTINGS.keys()
    shown = {name: (each.value, each.source, each.place) for name, each in found.items()}
    assert shown["currency"] == ("GBP", SettingSource.ENVIRONMENT, "TRACKYARD_CURRENCY")
    assert shown["edges"] == ("2", SettingSource.FILE, f"edges in {file}")
    assert shown["timezone"] == ("UTC", SettingSource.DEFAULT, "TRACKYARD_TIMEZONE")
    assert shown["secret_key"] == ("(set)", SettingSource.ENVIRONMENT, "TRACKYARD_SECRET_KEY")
    assert found["database_url"].value == "postgresql+psycopg://me:***@db/yard?***"
    assert shown["smtp_url"] == (
        "smtps://me:***@mail.example.org", SettingSource.ENVIRONMENT, "TRACKYARD_SMTP_URL_FILE",
    )  # fmt: skip
    assert (found["admin_api_key"].value, found["api_url"].value) == ("", "http://127.0.0.1:8000")
    assert found["analytics_url"].value == f"chdb:///{tmp_path}/analytics"
    assert not any("hush" in each.value or SECRET in each.value for each in found.values())
