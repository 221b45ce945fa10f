"""What a start prints when everything is ready."""

import sys
from pathlib import Path

import pytest

from trackyard.runtime import greeting as greeting_module
from trackyard.runtime.greeting import greeting
from trackyard.runtime.settings import load

KEY = "6f1c09b7d2e84a35c07d9e1b54f3a826be60d7c1"


def greeted(key: str, *, code: str = "generate", **settings: str) -> str:
    return greeting(load({f"TRACKYARD_{name.upper()}": value for name, value in settings.items()}), key, code)


def test_greeting_names_the_command_as_it_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "trackyard").touch(0o755)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert "run `.venv/bin/trackyard key`" in greeted("")
    monkeypatch.chdir("/")
    assert f"run `{programs / 'trackyard'} key`" in greeted("")
    monkeypatch.setenv("PATH", str(programs))
    assert "run `trackyard key`" in greeted("")


def test_greeting_shows_key_only_at_the_start_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting_module, "_command", lambda: "trackyard")
    assert f"{KEY}   (shown once)" in greeted(KEY)
    later = greeted("")
    assert KEY not in later and "run `trackyard key`" in later


def test_greeting_shows_link_of_the_administrator_when_it_has_one() -> None:
    link = "https://api.example/sign-in/link?token=5f"
    assert f"Console      {link}   (signs you in once, within 24 hours; " in greeting(load({}), "", "generate", link)
    assert "Console      http://127.0.0.1:8000/console/\n" in greeted("")


def test_greeting_leaves_room_for_the_log_on_a_first_screen() -> None:
    assert len(greeting(load({}), KEY, "generate", "link").splitlines()) <= 9


@pytest.mark.parametrize(
    ("roles", "shown"),
    [
        ("all", ["Console", "API", "Clicks", "Monitoring", "Postbacks", "API key"]),
        ("edge,projector", ["Clicks", "Monitoring"]),
        ("api", ["Console", "API", "Monitoring", "Postbacks", "API key"]),
    ],
)
def test_greeting_names_what_the_machine_runs(roles: str, shown: list[str]) -> None:
    lines = greeted(KEY, roles=roles).splitlines()
    assert [line[2:15].strip() for line in lines if line.startswith("  ")] == shown


def test_greeting_says_where_postbacks_need_no_code() -> None:
    assert "secure=CODE" in greeted(KEY)
    assert "no code is asked: see TRACKYARD_POSTBACK_CODE" in greeted(KEY, code="none")
