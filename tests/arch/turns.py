"""Turns of phrase that need a second reading, and their number in texts (docs/glossary.md)."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

TURNS: Final = {
    "of the": re.compile(r"^ *[\w, *]{1,80}: (?:of|by) (?:the|an?|its|each|all)\b"),
    "return what": re.compile(r"\bReturns? what\b"),
    "is no": re.compile(r"\b(?<!here )(?:is|are|was|were) no\b(?! longer| more)"),
    "says": re.compile(
        r"\b(?:says|asks)\b"
        r"|(?<!the)(?<!their)(?<!its)(?<!of)(?<!or)(?<![,:]) names (?:the|an?|its|what|who|those|how|nothing|rows)\b"
    ),
}


def count_turns(texts: Iterable[str]) -> Counter[str]:
    """Return how often texts have each turn of phrase, line by line."""
    found: Counter[str] = Counter()
    for text in texts:
        for line in text.splitlines():
            found.update({name: len(turn.findall(line)) for name, turn in TURNS.items()})
    return found
