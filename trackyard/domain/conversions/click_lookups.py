"""The look-up of several clicks, which an edge requests over a Unix socket (docs/decisions/0042).

A request is ASKS_KNOWN, ids of 24 hex digits without a separator, and a line end. The answer has one sign for each id.
"""

from typing import Final

LOOKUP_SOCKET: Final = "run/clicks.sock"
"""The socket, in the data directory."""
ASKS_KNOWN: Final = b"known "
MAX_ASKED: Final = 128
"""Ids in one request."""

KNOWN: Final = "1"
UNKNOWN: Final = "0"
"""No click has the id, and none will have it."""
UNDECIDED: Final = "?"
"""A click of this id may still be loaded."""
