"""The pinned packages of requirements.txt and requirements-dev.txt."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
RUNTIME: Final = ROOT / "requirements.txt"
DEVELOPMENT: Final = ROOT / "requirements-dev.txt"

_PIN: Final = re.compile(r"^([a-z0-9-]+)==([^ \\;]+)", re.MULTILINE)


def pins_of(*files: Path) -> set[tuple[str, str]]:
    """Return name and version of every pinned package of the files."""
    return {(name, version) for file in files for name, version in _PIN.findall(file.read_text())}
