"""`--json`: one document on standard output, everything else on standard error."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_erase import NOTHING, FakeApi
from tests.commands.test_rebuild import DIFFERENCE, ENDED, FakeRebuildApi
from tests.support.command import run_command
from trackyard.commands.frame.options import Invocation
from trackyard.commands.main import root
from trackyard.runtime import settings
from trackyard.runtime.preparation import prepare

HAVE_JSON = (
    "status check settings key rotate-key report explain compare audit rebuild "
    "erase demo user.list user.create user.passwd"
)


def run_with(monkeypatch: pytest.MonkeyPatch, api: Any, *words: str, typed: str = "") -> tuple[int, Any, str]:
    """Run a command against a fake API; return its exit code, its JSON and its standard error."""
    monkeypatch.setattr(Invocation, "api", lambda _self: api)
    found = run_command(*words, typed=typed)
    return found.exit_code, json.loads(found.stdout) if found.stdout else None, found.stderr


@pytest.mark.parametrize("name", HAVE_JSON.split())
def test_command_has_json(name: str) -> None:
    command: Any = root
    for part in name.split("."):
        command = command.commands[part]
    assert "--json" in {option for param in command.params for option in param.opts}


def test_rebuild_as_json_is_one_document_with_progress_on_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    running = ENDED | {"ended": False, "stage": "doubling", "step": "journals", "done": 1, "total": 9}
    code, answer, progress = run_with(monkeypatch, FakeRebuildApi(running, ENDED), "rebuild", "--json")
    assert (code, answer) == (0, ENDED)
    assert progress.startswith("journals: ")


def test_rebuild_as_json_with_differences_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = ENDED | {"stage": "kept", "wish": "check", "count": 1, "differences": [DIFFERENCE]}
    code, answer, _ = run_with(monkeypatch, FakeRebuildApi(kept), "rebuild", "--check", "--json")
    assert (code, answer["differences"]) == (1, [DIFFERENCE])


@pytest.mark.parametrize(("words", "typed"), [(("--yes",), ""), ((), "y\n")])
def test_erase_as_json_asks_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], typed: str
) -> None:
    counts = NOTHING | {"views": 1}
    code, answer, shown = run_with(monkeypatch, FakeApi(counts), "erase", "user", "ann", "--json", *words, typed=typed)
    assert code == 0
    assert answer == {"erasure": 7, "subject": "user", "id": "ann", "named": counts, "done": True}
    assert ("Erase it? [y/N]" in shown) == (not words)


def test_erase_as_json_without_consent_has_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    code, answer, shown = run_with(
        monkeypatch, FakeApi(NOTHING | {"views": 1}), "erase", "user", "ann", "--json", typed="n\n"
    )
    assert (code, answer) == (1, None)
    assert shown.endswith("trackyard: nothing was erased.\n")


def test_rotate_key_as_json_counts_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"TRACKYARD_DATA_DIR": str(tmp_path), "TRACKYARD_ROLES": "api"}
    prepare(settings.load(given))
    found = run_command("rotate-key", "--json", env=given)
    assert (found.exit_code, json.loads(found.stdout)) == (0, {"values": 1, "source": "file"})
