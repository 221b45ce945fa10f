"""Known vulnerabilities of the pinned packages, as the index named them when `script/pin` asked.

The check reads tests/supply/vulnerabilities.json and nothing else, so that it works without a network and always ends
the same way for the same files. A release needs a list that is whole and young, or a reason in its entry of
CHANGELOG.md. usage: python -m tests.supply.vulnerabilities [--renew | --wheel REASON]
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from tests.supply.pins import DEVELOPMENT, ROOT, RUNTIME, pins_of

SNAPSHOT: Final = Path(__file__).with_name("vulnerabilities.json")
OLD_DAYS: Final = 30
RENEW: Final = ".venv/bin/python -m tests.supply.vulnerabilities --renew"

ACCEPTED: Final[dict[str, str]] = {}
"""Vulnerability to the reason why it does not harm, such as "only in a part that is not used"."""


UNAUDITED: Final = "Known vulnerabilities of its packages were not looked up: "
"""The beginning of the line of CHANGELOG.md that has the reason."""


class NotAnswered(Exception):
    """The index did not answer about every package."""


def faults(snapshot: dict[str, Any], pins: Iterable[tuple[str, str]]) -> list[str]:
    """Return the known vulnerabilities of pinned packages."""
    found = []
    for name, version in sorted(pins):
        pin = f"{name}=={version}"
        for known in snapshot["packages"].get(pin, ()):
            if known["id"] not in ACCEPTED:
                fixed = ", ".join(known["fixed"]) or "no version"
                found.append(f"{pin} has {known['id']}, mended in {fixed}: run script/pin --upgrade")
    return found


def warning_of(snapshot: dict[str, Any], pins: Iterable[tuple[str, str]], today: date) -> str:
    """Return a warning about pins that were not asked about, or long ago; "" = there are none."""
    new = [f"{name}=={version}" for name, version in sorted(pins) if f"{name}=={version}" not in snapshot["packages"]]
    if new and not snapshot["packages"]:
        return (
            f"the list of known vulnerabilities is empty: none of the {len(new)} pinned packages was ever "
            f"looked up, and a vulnerability in one would not be found here; run {RENEW}"
        )
    if new:
        named = f"{', '.join(new[:3])}{', …' if len(new) > 3 else ''}"
        return f"vulnerabilities of {len(new)} packages ({named}) were never looked up; run {RENEW}"
    days = (today - date.fromisoformat(snapshot["asked_on"])).days
    return f"the known vulnerabilities are {days} days old; run {RENEW}" if days > OLD_DAYS else ""


def wheel_faults(warning: str, changelog: str, reason: str, *, is_tagged: bool) -> list[str]:
    """Return why the wheel of a release may not be built.

    Its vulnerabilities must have been looked up, or a reason be given. It is a release when the commit has a tag, or
    when the newest entry of the changelog is no longer "Unreleased".
    warning: see `warning_of`. reason: why a release does without; "" = none.
    """
    [newest, *_] = re.split(r"(?m)^## ", changelog)[1:]
    if reason and not warning:
        return ["the list of known vulnerabilities is whole: leave --unaudited out"]
    if not warning or (newest.startswith("Unreleased") and not is_tagged):
        return []
    if not reason:
        return [f"{warning}. A release needs that, or --unaudited REASON"]
    line = f"- {UNAUDITED}{reason}"
    if line not in newest.splitlines():
        return [f"the newest entry of CHANGELOG.md lacks the line: {line}"]
    return []


def renewed(today: date) -> dict[str, Any]:
    """Return a new snapshot. It asks the package index about every pin."""
    command = ["-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"]
    command += ["--requirement", str(RUNTIME), "--requirement", str(DEVELOPMENT)]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        raise NotAnswered(done.stderr[-2000:])
    packages = {}
    for each in json.loads(done.stdout)["dependencies"]:
        if "version" not in each:
            raise NotAnswered(each.get("skip_reason"))
        known = [{"id": one["id"], "fixed": one["fix_versions"]} for one in each["vulns"]]
        packages[f"{each['name']}=={each['version']}"] = known
    return {"asked_on": today.isoformat(), "packages": dict(sorted(packages.items()))}


def main() -> None:
    """Check the snapshot, or renew it first; exit with status 1 when something is wrong."""
    today = datetime.now(UTC).date()
    if "--renew" in sys.argv:
        try:
            SNAPSHOT.write_text(json.dumps(renewed(today), indent=1) + "\n")
        except NotAnswered as fault:
            print(f"warning: the known vulnerabilities stay as they were: {fault}", file=sys.stderr)
    snapshot = json.loads(SNAPSHOT.read_text())
    wrong = faults(snapshot, pins_of(RUNTIME, DEVELOPMENT))
    warning = warning_of(snapshot, pins_of(RUNTIME, DEVELOPMENT), today)
    if warning:
        print(f"warning: {warning}", file=sys.stderr)
    if "--wheel" in sys.argv:
        [reason] = sys.argv[sys.argv.index("--wheel") + 1 :]
        tags = subprocess.run(["git", "tag", "--points-at", "HEAD", "v*"], cwd=ROOT, capture_output=True, check=True)
        changelog = (ROOT / "CHANGELOG.md").read_text()
        wrong += wheel_faults(warning, changelog, reason, is_tagged=bool(tags.stdout))
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
