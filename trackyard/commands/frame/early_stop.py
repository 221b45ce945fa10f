"""End `trackyard serve` in order even while Python still imports it.

`trackyard.commands.main` imports this first. Until the supervisor runs, nothing has begun that a stop must end, so a
SIGTERM is not a failure.
"""

import os
import signal
import sys


def end_in_order(arguments: list[str]) -> None:
    """Let SIGTERM end this process with status 0 when it shall serve. arguments: of the command line."""
    if "serve" in arguments[1:2]:
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


end_in_order(sys.argv)
