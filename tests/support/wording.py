"""Whether a text says more than the name that it explains."""

import re
from typing import Final

STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been by for from has have if in into is it its of on one or that the their them "
        "this to was were which with field parameter value list name given sent",
    )
)


def words_of(text: str) -> set[str]:
    """Return the words of a text or name, each without an ending: `offers` and `offer` are one."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return {re.sub(r"(ies|es|s|ed|ing)$", "", word) for word in re.findall(r"[a-z]+", apart.lower())}


def adds_nothing(name: str, text: str) -> bool:
    """Return whether every word of a text is a word of the name or a stop word."""
    return words_of(text) <= words_of(name) | words_of(" ".join(STOP_WORDS))
