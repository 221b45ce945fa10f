"""Periods of commands: `--last 7d`, or `--from` and `--to`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

if TYPE_CHECKING:
    from trackyard.commands.local_api import ApiClient

F = TypeVar("F", bound=Callable[..., Any])
_LAST: Final = re.compile(r"([1-9][0-9]{0,3})([dw])")
_WORDS: Final = {"today": (1, 0), "yesterday": (1, 1)}
_DAY: Final = click.DateTime(["%Y-%m-%d"])


@dataclass(frozen=True, slots=True)
class DaySpan:
    """The days of a command, YYYY-MM-DD, both included."""

    first: str
    last: str

    def each_day(self) -> list[str]:
        """Return every day."""
        first = date.fromisoformat(self.first)
        return [(first + timedelta(days=number)).isoformat() for number in range(self.days)]

    @property
    def days(self) -> int:
        """Return the number of days."""
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first)).days + 1


@dataclass(frozen=True, slots=True)
class WantedPeriod:
    """The period on the command line. last: such as 7d."""

    last: str | None
    since: datetime | None
    until: datetime | None

    def check(self, default: str | None = None) -> None:
        """Raise UsageError for a period that is missing or given twice. default: see `resolved`."""
        if self.last and (self.since or self.until):
            raise click.UsageError("--last is a period of its own: give it without --from and --to.")
        if bool(self.since) != bool(self.until):
            raise click.UsageError("--from and --to need each other.")
        if not (self.last or self.since or default):
            raise click.UsageError("a period is missing: give --last 7d, or --from and --to.")

    def resolved(self, api: "ApiClient", timezone: str, default: str | None = None) -> DaySpan:
        """Return the days; the days of `last` end today, in the zone of the request or the platform.

        default: the value of `last` when no period is given; None = a period is required. Raises UsageError.
        """
        self.check(default)
        if self.since and self.until:
            return DaySpan(self.since.date().isoformat(), self.until.date().isoformat())
        days, back = _parsed(self.last or default or "")
        end = _today(api, timezone) - timedelta(days=back)
        return DaySpan((end - timedelta(days=days - 1)).isoformat(), end.isoformat())


def period_options(function: F) -> F:
    """Add `--last`, `--from` and `--to`, the parameter `period`."""

    def wanted(*given: Any, last: str | None, since: datetime | None, until: datetime | None, **more: Any) -> Any:
        return function(*given, period=WantedPeriod(last, since, until), **more)

    wanted.__doc__, wanted.__name__ = function.__doc__, function.__name__
    wanted.__dict__.update(function.__dict__)
    command: Any = wanted
    for option in (
        click.option("--to", "until", type=_DAY, metavar="YYYY-MM-DD", help="The last day."),
        click.option("--from", "since", type=_DAY, metavar="YYYY-MM-DD", help="The first day."),
        click.option("--last", metavar="DAYS", callback=_check_last, help="Up to today: 7d, 4w, today or yesterday."),
    ):
        command = option(command)
    return command  # type: ignore[no-any-return]


def _check_last(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    if text is not None:
        _parsed(text)
    return text


def _parsed(text: str) -> tuple[int, int]:
    """Return the number of days, and how many days ago they end."""
    if text in _WORDS:
        return _WORDS[text]
    found = _LAST.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r} is not such as 7d, 4w, today or yesterday", param_hint="'--last'")
    return int(found[1]) * (7 if found[2] == "w" else 1), 0


def _today(api: "ApiClient", timezone: str) -> date:
    """Return today in a zone, by default the platform's."""
    if timezone:
        try:
            return datetime.now(ZoneInfo(timezone)).date()
        except (ZoneInfoNotFoundError, ValueError):
            raise click.UsageError(
                f"--timezone must be an IANA name, such as Europe/Tallinn, not {timezone!r}."
            ) from None
    from trackyard.commands.local_api import ApiError

    try:
        return date.fromisoformat(api.get("/3.1/admin/status")["platform"]["now"][:10])
    except ApiError as refused:
        if refused.status != HTTPStatus.FORBIDDEN:  # only administrators see the platform's clock
            raise
        return datetime.now(UTC).date()
