"""The settings in force, what about them is probably not meant, and the page about all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from trackyard.runtime.compiled import PURE_VARIABLE
from trackyard.runtime.setting_sources import (
    FILE_SUFFIX,
    PREFIX,
    GivenText,
    SettingSource,
    unknown_variables,
    variable_of,
)
from trackyard.runtime.setting_types import hidden_secret, is_loopback
from trackyard.runtime.settings import CANNOT_START, CLIENT_VARIABLES, SETTINGS, Config, parse, read


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """A setting that is in force.

    name: in the file; variable: in the environment.
    value: as text; of a password or key only whether there is one.
    source: what set it; place: the variable, or name and file, that did.
    """

    name: str
    variable: str
    value: str
    source: SettingSource
    place: str


def effective_settings(environment: Mapping[str, str], file: Path | None = None) -> list[EffectiveSetting]:
    """Return the settings that are in force, without secrets.

    file: a TOML file; None = the file in TRACKYARD_CONFIG, if any. Raises WrongSetting.
    """
    texts = read(environment, file)
    config = parse(texts)
    return [
        EffectiveSetting(
            name, variable_of(name), _shown(name, texts[name], getattr(config, name)), given.source, given.place
        )
        for name, given in texts.items()
    ]


def setting_warnings(environment: Mapping[str, str], config: Config) -> list[str]:
    """Return a sentence for each thing that is allowed and probably not meant."""
    warnings = unknown_variables(SETTINGS, (PREFIX + "CONFIG", PURE_VARIABLE, *CLIENT_VARIABLES), environment)
    host = urlsplit(config.tracking_url).hostname or ""
    if is_loopback(host) and not is_loopback(config.tracking_listen.host) and {"api", "edge"} & set(config.roles):
        warnings.append(
            f"TRACKYARD_TRACKING_URL is {config.tracking_url}, which only this machine can open, and clicks are taken "
            f"from everywhere: set it to the URL that visitors use, such as https://go.example.org."
        )
    host = urlsplit(config.api_url).hostname or ""
    is_open = not is_loopback(config.api_listen.host) or config.require_confirmed_email
    if "api" in config.roles and is_loopback(host) and is_open:
        warnings.append(
            f"TRACKYARD_API_URL is {config.api_url}, which only this machine can open, and links in mails lead "
            "there: set it to the URL that affiliates use, such as https://api.example.org."
        )
    return warnings


def _shown(name: str, given: GivenText, value: object) -> str:
    """Return a value as it can be given, without passwords and keys."""
    if SETTINGS[name].secret:
        return hidden_secret(str(value or ""))
    if isinstance(value, str | Path):  # complete, where the text was empty or relative
        return str(value)
    return given.text


def configuration_page() -> str:
    """Return docs/configuration.md, written from the declarations."""
    rows = [
        f"| `{variable_of(name)}`{f', `{variable_of(name)}{FILE_SUFFIX}`' if each.secret else ''} | `{name}` "
        f"| {f'`{each.default}`' if each.default else ''} | {each.help} |"
        for name, each in SETTINGS.items()
    ]
    return "\n".join(
        [
            "# Configuration",
            "",
            "Set a variable, or a name in a TOML file that `TRACKYARD_CONFIG` (or `trackyard serve --config FILE`) "
            "names; a variable overrides the file. An invalid value, or an unknown name in the file, stops the start "
            f"with exit code {CANNOT_START:d} and one sentence that names it. An unknown variable that begins with "
            f"{PREFIX} is logged and ignored, and so are, without a line, variables that Kubernetes sets for services. "
            "This page is written by `trackyard settings --markdown`.",
            "",
            "Where a second variable is named, that one is the path of a file with the value, such as a mounted "
            "secret; only one of the two may be set.",
            "",
            f"With `{PURE_VARIABLE}` set to anything, modules that were compiled run as plain Python.",
            "",
            "| variable | in the file | default | meaning |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
