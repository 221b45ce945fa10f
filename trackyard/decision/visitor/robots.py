"""The patterns of bots and tools in user agents.

script/robots writes their file (docs/spec/tracking.md#bots).
"""

from pathlib import Path
from typing import Final

PATTERN_FILE: Final = Path(__file__).with_name("data") / "robots.tsv"
"""Kind and pattern of each entry. A compiled module has the path of a library, so this one is not compiled."""


def patterns_of(kind: str) -> list[str]:
    """Return the patterns of a kind, bot or tool, in the order of the file."""
    rows = (line.split("\t") for line in PATTERN_FILE.read_text().splitlines())
    return [pattern for each, pattern in rows if each == kind]
