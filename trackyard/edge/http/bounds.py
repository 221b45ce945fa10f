"""The bounds of a connection: sizes, times, and what it may do in one turn."""

from typing import Final

MAX_HEADERS: Final = 64 * 1024
MAX_BODY: Final = 64 * 1024
REQUEST_S: Final = 20.0
"""Time from the first byte of a request to its last."""
IDLE_S: Final = 75.0
CROWDED_IDLE_S: Final = 5.0
"""The same where the network of the client, or all together, have more than half of their connections."""
LINGER_S: Final = 5.0
"""Time that a rejected client may still send before the connection is cut."""

TURN_REQUESTS: Final = 16
"""Requests of one connection that are answered before others have their turn."""
SLICE_SIZE: Final = 4096
"""Bytes that are parsed at once; pipelined requests behind them wait for their turn as they came."""
LARGEST_SLICE: Final = 64 * 1024
"""The same inside of one long body."""
