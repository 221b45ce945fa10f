"""Secrets of other services in the files of the repository, by the forms that their issuers gave them.

usage: python -m tests.supply.secrets
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.supply.pins import ROOT

FORMS: Final = (
    "AKIA[0-9A-Z]{16}",
    "AIza[0-9A-Za-z_-]{35}",
    "-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "gh[pousr]_[A-Za-z0-9]{36}",
    "github_pat_[A-Za-z0-9_]{40}",
    "glpat-[A-Za-z0-9_-]{20}",
    "npm_[A-Za-z0-9]{36}",
    "pypi-AgE[A-Za-z0-9_-]{40}",
    "sk_live_[A-Za-z0-9]{20}",
    "xox[abprs]-[A-Za-z0-9-]{20}",
    "eyJ[A-Za-z0-9_-]{20,}[.]eyJ[A-Za-z0-9_-]{20,}",
)


def find_secrets(directory: Path = ROOT) -> list[str]:
    """Return the places of secrets, file and line, in the tracked files; elsewhere in all files."""
    patterns = [part for form in FORMS for part in ("-e", form)]
    command = ["git", "grep", "--line-number", "-I", "-E", *(() if directory == ROOT else ("--no-index",)), *patterns]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return [":".join(line.split(":", 2)[:2]) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    found = find_secrets()
    for place in found:
        print(f"{place}: a secret: remove it, and have its issuer end it", file=sys.stderr)
    sys.exit(1 if found else 0)
