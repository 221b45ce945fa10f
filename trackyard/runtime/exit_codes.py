"""Exit codes of the commands (docs/commands.md#exit-codes)."""

from enum import IntEnum


class ExitCode(IntEnum):
    """An exit code of `trackyard`. text: what it means."""

    text: str

    def __new__(cls, number: int, text: str) -> "ExitCode":
        code = int.__new__(cls, number)
        code._value_ = number
        code.text = text
        return code

    OK = 0, "Done; nothing differs."
    FAILED = 1, "Something differs, was not found or could not be done; the output says what."
    USAGE = 2, "The command line is wrong, or the server rejects what was asked."
    AWAY = 3, "No server was found, or it does not answer."
    CONFIGURATION = 78, "A setting, or what it names, cannot be used; a restart would not help."
    INTERRUPTED = 130, "Ctrl-C stopped the command."
    READER_LEFT = 141, "The reader of the output closed it, as `head` does."
