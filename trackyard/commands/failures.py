"""What ends a command early: one sentence and an exit code (docs/commands.md#exit-codes)."""

from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.settings import CannotStart


class CommandFailed(CannotStart):
    """Something differs, is missing or cannot be done; the message is one sentence."""

    exit_code = ExitCode.FAILED


class ServerAway(CannotStart):
    """No server was found, or it does not answer; the message lists the places that were searched."""

    exit_code = ExitCode.AWAY


class WrongUse(CannotStart):
    """The command line has a value or a combination that does not exist."""

    exit_code = ExitCode.USAGE
