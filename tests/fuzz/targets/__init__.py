"""The parts of the program that read what strangers and people write, as functions of bytes.

Each raises on a defect: an error that nothing catches, an answer that breaks its own form, or one that grows without
bound. Files in tests/fuzz/corpus are the inputs that are always tried: examples, and every input that once failed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.fuzz.targets.clicks import ask_postback, ask_tracking
from tests.fuzz.targets.connections import feed_api, feed_edge
from tests.fuzz.targets.journals import read_archive, read_journal
from tests.fuzz.targets.requests import read_request
from tests.fuzz.targets.rules import compile_targeting, fill_macros, read_agent, read_values

TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "parameters": read_request,
    "clicks": ask_tracking,
    "postbacks": ask_postback,
    "edge-connection": feed_edge,
    "api-connection": feed_api,
    "journal": read_journal,
    "archive": read_archive,
    "macros": fill_macros,
    "targeting": compile_targeting,
    "agents": read_agent,
    "values": read_values,
}
"""Name to target."""

CORPUS: Final = Path(__file__).parents[1] / "corpus"


def corpus_of(target: str) -> list[Path]:
    """Return the stored inputs of a target."""
    return sorted((CORPUS / target).iterdir())
