"""Options that commands share, before or after the command."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from trackyard.commands.local_api import ApiClient
    from trackyard.runtime.effective_settings import EffectiveSetting
    from trackyard.runtime.settings import Config

F = TypeVar("F", bound=Callable[..., Any])
SYSTEM_CONFIG: Final = Path("/etc/trackyard.toml")
"""The file of settings where neither `--config`, TRACKYARD_CONFIG nor TRACKYARD_DATA_DIR is given."""


class Number(click.IntRange):
    """A whole number in ASCII digits, within bounds (docs/spec/api-conventions.md#parameters)."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number. The fault of a wrong one is the same as of any other text."""
        if not str(value).isascii():
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return int(super().convert(value, param, ctx))


@dataclass(slots=True)
class Invocation:
    """The options of the command line for settings and the server.

    config: the file of `--config`.
    url, key: the URL and API key of a server elsewhere.
    """

    config: Path | None = None
    url: str | None = None
    key: str | None = None
    system_config: Path = field(default=SYSTEM_CONFIG)

    def settings(self, roles: str | None = None) -> "Config":
        """Return the settings, which processes that the command starts get too. Raises WrongSetting.

        roles: replace the roles in the settings.
        """
        from trackyard.runtime import settings

        self._name_file()
        if roles:
            os.environ["TRACKYARD_ROLES"] = roles
        return settings.load(os.environ)

    def effective_settings(self) -> "list[EffectiveSetting]":
        """Return the settings with what set each. Raises WrongSetting."""
        from trackyard.runtime.effective_settings import effective_settings

        self._name_file()
        return effective_settings(os.environ)

    def _name_file(self) -> None:
        file = self.config or system_config(os.environ, self.system_config)
        if file is not None:
            os.environ["TRACKYARD_CONFIG"] = str(file.resolve())

    def names_server(self) -> bool:
        """Return whether the command line or the environment has the URL of a server."""
        return bool(self.url or os.environ.get("TRACKYARD_URL"))

    def api(self) -> "ApiClient":
        """Return the API of the server, as its first administrator unless a key is given.

        Raises WrongSetting, ServerAway, WrongUse.
        """
        from trackyard.commands.servers import GivenServer, find_server

        given = GivenServer(self.config, self.url, self.key, self.system_config)
        return find_server(given, self.settings)


def system_config(environment: Mapping[str, str], file: Path) -> Path | None:
    """Return the system's settings file; None when it is unreadable, or the environment has settings."""
    if "TRACKYARD_CONFIG" in environment or "TRACKYARD_DATA_DIR" in environment:
        return None
    return file if os.access(file, os.R_OK) else None


def config_option(function: F) -> F:
    """Add `--config`. The one after the command wins, as for the other options here."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE",
        expose_value=False,
        callback=_remember,
        help="TOML file of settings.",
    )(function)


def server_options(function: F) -> F:
    """Add `--config`, and `--url` and `--key` for a server elsewhere."""
    function = click.option(
        "--key",
        metavar="KEY",
        expose_value=False,
        callback=_remember,
        help="API key for --url; better in TRACKYARD_KEY, where other users of the machine do not see it.",
    )(function)
    function = click.option(
        "--url",
        metavar="URL",
        expose_value=False,
        callback=_remember,
        help="URL of the API of a server elsewhere, or TRACKYARD_URL.",
    )(function)
    return config_option(function)


def json_option(function: F) -> F:
    """Add `--json`, the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(function)


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    invocation = ctx.ensure_object(Invocation)
    if value is not None:
        setattr(invocation, param.name or "", value)


def read_pairs(_ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the name and value of each NAME=VALUE."""
    pairs = [text.partition("=") for text in texts]
    if any(not name or not equals for name, equals, _ in pairs):
        raise click.BadParameter("must be NAME=VALUE")
    return tuple((name, value) for name, _, value in pairs)
