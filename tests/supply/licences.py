"""docs/licences.md: the licences of the packages that the program needs, read from their metadata.

usage: python -m tests.supply.licences
"""

import re
from importlib.metadata import PackageNotFoundError, metadata
from typing import Final

from tests.supply.pins import ROOT, RUNTIME, pins_of

PAGE: Final = ROOT / "docs" / "licences.md"

ACCEPTED: Final = {
    "0BSD": "permissive",
    "Apache-2.0": "permissive",
    "BSD-2-Clause": "permissive",
    "BSD-3-Clause": "permissive",
    "CC0-1.0": "none",
    "CNRI-Python": "permissive",
    "ISC": "permissive",
    "MIT": "permissive",
    "MIT-0": "permissive",
    "MIT-CMU": "permissive",
    "PSF-2.0": "permissive",
    "Zlib": "permissive",
    "MPL-2.0": "copyleft of its own files, which are used unchanged",
    "LGPL-3.0-only": "copyleft of the library, which is installed unchanged as a package of its own",
}
"""SPDX identifier to what it asks. Others need a decision, above all those of the GPL, which ask it of the program."""

_SPELLINGS: Final = {
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "mit license": "MIT",
    "the mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "gnu lesser general public license v3 (lgplv3)": "LGPL-3.0-only",
    "python software foundation license": "PSF-2.0",
    "isc license (iscl)": "ISC",
}
"""How metadata spell licences."""

_WITHOUT_METADATA: Final = {"crawler-user-agents": "MIT", "currencyconverter": "Apache-2.0"}
"""Packages that carry the text of their licence alone."""

_NOT_INSTALLED: Final = {"async-timeout": "Apache-2.0"}
"""Packages that only some versions of Python need, which may not be the one that runs this."""

_OPERATORS: Final = re.compile(r"\s+(?:AND|OR|WITH)\s+|[()]")


def licence_of(package: str) -> str | None:
    """Return the SPDX expression of a package.

    "" when it names none, None when it is not installed.
    """
    try:
        found = metadata(package)
    except PackageNotFoundError:
        return _NOT_INSTALLED.get(package)
    if expression := found.get("License-Expression"):
        return str(expression)
    classifiers = [each.rpartition(" :: ")[2] for each in found.get_all("Classifier") or () if "License ::" in each]
    written = (found.get("License") or "").strip()
    for text in (*classifiers, written if len(written) < 60 else ""):
        if text in ACCEPTED:
            return text
        if text.lower() in _SPELLINGS:
            return _SPELLINGS[text.lower()]
    return _WITHOUT_METADATA.get(package, "")


def unaccepted(expression: str) -> list[str]:
    """Return the licences of an expression that are not accepted; of an OR the program may choose one."""
    for choice in re.split(r"\s+OR\s+", expression):
        words = [word for word in _OPERATORS.split(choice) if word.strip()]
        if words and all(word.strip() in ACCEPTED for word in words):
            return []
    return [word for word in _OPERATORS.split(expression) if word.strip() and word.strip() not in ACCEPTED] or [""]


def listed() -> dict[str, str]:
    """Return package to licence as the page has them."""
    if not PAGE.exists():
        return {}
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|([^|]*)\|$", PAGE.read_text(), re.MULTILINE)
    return {name: licence.strip() for name, licence in rows}


def page() -> str:
    """Return the page. A package that this platform does not need keeps its line."""
    before = listed()
    lines = [
        "# Licences",
        "",
        "The packages that the program needs, by the metadata that they are installed with. `script/docs` writes this",
        "page; `script/lint` refuses a licence that is unknown, or that extends its terms to the whole program.",
        "",
        "| package | licence |",
        "|---|---|",
    ]
    for package in sorted({name for name, _ in pins_of(RUNTIME)}):
        licence = licence_of(package)
        lines.append(f"| `{package}` | {before.get(package, '') if licence is None else licence} |")
    lines += ["", "Terms of each:", "", "| licence | terms |", "|---|---|"]
    named = " ".join(line for line in lines)
    lines += [
        f"| {name} | {terms} |"
        for name, terms in ACCEPTED.items()
        if re.search(rf"\b{re.escape(name)}(?![\w.-])", named)
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
