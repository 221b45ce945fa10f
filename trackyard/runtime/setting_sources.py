"""Where values of settings come from: variables, files of secrets, a TOML file, defaults."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Final

from trackyard.runtime.exit_codes import ExitCode

PREFIX: Final = "TRACKYARD_"
FILE_SUFFIX: Final = "_FILE"
"""The end of a variable that names a file with the value of a secret setting."""
_SERVICE_VARIABLE: Final = re.compile(
    rf"{PREFIX}(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR)?)"
)
"""What Kubernetes sets in every container for services named trackyard, trackyard-foo and so on."""
_SERVICE_PORT: Final = re.compile(rf"{PREFIX}(\w+_)?PORT")
_SERVICE_ADDRESS: Final = re.compile(r"(tcp|udp|sctp)://.*")
_HINTS: Final = {f"{PREFIX}{name}": f"{PREFIX}API_LISTEN" for name in ("PORT", "HOST", "LISTEN", "BIND")}
"""Names that other programs have, with the setting that was meant."""


class WrongSetting(Exception):
    """A setting is invalid. The message is one sentence with its name."""

    exit_code: ClassVar[ExitCode] = ExitCode.CONFIGURATION


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of a setting: parser, default and documentation.

    secret: an invalid value is not shown, since it may contain a password; the variable may end with _FILE.
    """

    parse: Callable[[str], Any]
    default: str
    help: str
    secret: bool = False


class SettingSource(Enum):
    """Where a value comes from; the later one wins."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class GivenText:
    """The text of a setting. place: the variable, or name and file, for messages."""

    text: str
    source: SettingSource
    place: str


def variable_of(name: str) -> str:
    """Return the variable of a setting."""
    return PREFIX + name.upper()


def read_texts(
    settings: Mapping[str, Setting], environment: Mapping[str, str], file: Path | None
) -> dict[str, GivenText]:
    """Return the text of every setting. Raises WrongSetting."""
    from_file = {} if file is None else _read_toml(settings, file)
    found = {}
    for name, setting in settings.items():
        given = _from_environment(variable_of(name), setting, environment) or from_file.get(name)
        found[name] = given or GivenText(setting.default, SettingSource.DEFAULT, variable_of(name))
    return found


def _from_environment(variable: str, setting: Setting, environment: Mapping[str, str]) -> GivenText | None:
    text = environment.get(variable)
    file = environment.get(variable + FILE_SUFFIX) if setting.secret else None
    if not file:
        return None if text is None else GivenText(text, SettingSource.ENVIRONMENT, variable)
    if text:
        raise WrongSetting(f"{variable} and {variable}{FILE_SUFFIX} are both set: unset one of them.")
    return GivenText(
        _read_secret(variable + FILE_SUFFIX, Path(file)), SettingSource.ENVIRONMENT, variable + FILE_SUFFIX
    )


def _read_secret(variable: str, file: Path) -> str:
    try:
        text = file.read_text("utf-8").strip()
    except OSError as fault:
        raise WrongSetting(f"{variable} names {str(file)!r}, which cannot be read: {fault.strerror}.") from None
    except UnicodeDecodeError:
        raise WrongSetting(f"{variable} names {str(file)!r}, which is not a text file.") from None
    if not text:
        raise WrongSetting(f"{variable} names {str(file)!r}, which is empty.")
    return text


def _read_toml(settings: Mapping[str, Setting], file: Path) -> dict[str, GivenText]:
    try:
        with file.open("rb") as handle:
            table = tomllib.load(handle)
    except OSError as fault:
        raise WrongSetting(f"TRACKYARD_CONFIG names {str(file)!r}, which cannot be read: {fault.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise WrongSetting(f"TRACKYARD_CONFIG names {str(file)!r}, which is not a TOML file: {fault}.") from None
    return {name: _toml_text(settings, name, value, f"{name} in {file}") for name, value in table.items()}


def _toml_text(settings: Mapping[str, Setting], name: str, value: object, place: str) -> GivenText:
    if isinstance(value, dict):
        raise WrongSetting(f"{place} is a table: tables are not supported, all settings stand at the top level.")
    if name not in settings:
        raise WrongSetting(f"{place} is not a setting{_advice(name, settings)}.")
    if isinstance(value, list):
        value = ",".join(str(item) for item in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongSetting(f"{place} must be a text, a whole number or a list of texts.")
    return GivenText(str(value), SettingSource.FILE, place)


def unknown_variables(settings: Mapping[str, Setting], others: Iterable[str], given: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that begins as a setting but does not exist.

    others: further variables that the program reads.
    """
    known = {variable_of(name) for name in settings} | set(others)
    known |= {variable_of(name) + FILE_SUFFIX for name, setting in settings.items() if setting.secret}
    return [
        f"{name} is not a setting and is ignored{_advice(name, known)}."
        for name in sorted(given)
        if name.startswith(PREFIX) and name not in known and not _is_of_kubernetes(name, given[name])
    ]


def _is_of_kubernetes(name: str, value: str) -> bool:
    if _SERVICE_VARIABLE.fullmatch(name):
        return True
    return bool(_SERVICE_PORT.fullmatch(name) and _SERVICE_ADDRESS.fullmatch(value))


def _advice(name: str, known: Collection[str]) -> str:
    """Return the name that was probably meant, or the document that lists every name."""
    near = [_HINTS[name]] if name in _HINTS else get_close_matches(name, known, n=1, cutoff=0.8)
    return f" (did you mean {near[0]}?)" if near else ": docs/configuration.md lists all"
