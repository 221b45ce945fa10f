"""The output of `trackyard audit` and `trackyard settings`, and their JSON."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.command import run_command
from trackyard.actions.platform import reconciliation
from trackyard.commands.audit import _LABELS, _SENTENCES, audit_lines
from trackyard.runtime.exit_codes import ExitCode

DIFFERENCE: dict[str, Any] = {
    "what": "change by a call",
    "key": "6b02",
    "expected": "logged for 17",
    "found": "nothing",
}
ANSWER: dict[str, Any] = {"checked": {"calls": 1200}, "count": 3, "differences": [DIFFERENCE], "warnings": ["look"]}


def test_audit_explains_differences_in_sentences() -> None:
    assert list(audit_lines(ANSWER)) == [
        "       1,200 inbound postbacks in the journals",
        "DIFFERENT Postback 6b02 changed a conversion: the log should say logged for 17, and says nothing.",
        "… and 2 more differences",
        "WARNING look",
        "3 differences",
    ]
    other = ANSWER | {"differences": [DIFFERENCE | {"what": "new comparison"}]}
    assert "DIFFERENT new comparison 6b02: expected logged for 17, found nothing" in audit_lines(other)


def test_audit_says_how_many_records_of_which_journals_are_not_loaded_yet() -> None:
    answer = {"checked": {"clicks": 5}, "count": 0, "differences": [], "not_loaded": {"001-1795": 7, "002-1796": 1000}}
    assert list(audit_lines(answer)) == [
        "           5 clicks in the journals",
        "           7 records of journal 001-1795 that are not loaded yet",
        "       1,000 records of journal 002-1796 that are not loaded yet",
        "what is loaded adds up; not loaded yet: 1,007",
    ]
    assert list(audit_lines(answer | {"count": 2}))[-1] == "2 differences"


def test_audit_has_a_sentence_for_each_comparison() -> None:
    text = Path(reconciliation.__file__).read_text()
    added = re.findall(r'add_discrepancy\(\s*f?"([^"]+)"', text) + re.findall(r'_compare_ledger\("([^"]+)"', text)
    named = {name.replace("{table}", table) for name in added for table in ("click", "view")}
    assert len(named) > 10 and named <= set(_SENTENCES)
    checked = set(re.findall(r'findings\.check\("([^"]+)"', text)) | {"clicks", "views"}
    assert checked <= set(_LABELS)


def test_audit_command_prints_json_for_programs(api: Api) -> None:
    found = run_command("audit", "--json", api=api)
    assert (found.exit_code, json.loads(found.stdout)["differences"]) == (0, [])


def test_settings_command_shows_what_is_in_force_and_no_secrets(tmp_path: Path) -> None:
    file = tmp_path / "yard.toml"
    file.write_text('currency = "EUR"\n')
    given: dict[str, str | None] = {
        "TRACKYARD_CONFIG": str(file), "TRACKYARD_SECRET_KEY": "s3cret" * 8, "TRACKYARD_EDGES": "2",
    }  # fmt: skip
    text = run_command("settings", env=given).stdout
    assert "s3cret" not in text
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert rows["TRACKYARD_EDGES"] == ["2", "TRACKYARD_EDGES"]
    assert rows["TRACKYARD_CURRENCY"][0] == "EUR" and str(file) in text
    of_defaults = [name for name, row in rows.items() if row[-1] == "default"]
    assert len(of_defaults) == len(rows) - 4, "the heading and those that are set"
    assert run_command("settings", "--effective", env=given).stdout == text
    found = json.loads(run_command("settings", "--json", env=given).stdout)
    assert (found["TRACKYARD_EDGES"]["value"], found["TRACKYARD_EDGES"]["source"]) == ("2", "environment")


@pytest.mark.parametrize("other", ["--effective", "--json"])
def test_settings_page_is_printed_alone(other: str) -> None:
    assert run_command("settings", "--markdown").stdout.startswith("# Configuration")
    assert run_command("settings", "--markdown", other).exit_code == ExitCode.USAGE
