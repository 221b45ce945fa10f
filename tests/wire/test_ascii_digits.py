"""Digits of another script are never a number.

docs/spec/api-conventions.md#parameters
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import click
import pytest

from tests.arch.sources import text_of
from tests.arch.test_code_rules import PACKAGE
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.ids import is_number
from trackyard.base.money import find_amount, find_signed_amount
from trackyard.commands.failures import WrongUse
from trackyard.commands.frame.options import Number
from trackyard.commands.logs import since_time
from trackyard.commands.main import root
from trackyard.commands.periods import _parsed
from trackyard.domain.conversions.postbacks import parse_postback
from trackyard.domain.money.exchange_rates import parse_rate_table
from trackyard.domain.platform.tables.numbers import read_amount
from trackyard.wire.request.params import Params, fields_of
from trackyard.wire.request.parsing import _sent_index
from trackyard.wire.request.scalars import Scalar

ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
SAMPLES = ("12", "1", "-5", "0.5", "2026-11-21", "21-11-2026", "2026-11-21 10:20:30", "2026-11-21T10:20:30")


def scalars_of(model: type[Params]) -> Iterator[tuple[str, Scalar]]:
    for field in fields_of(model):
        if field.scalar is not None:
            yield field.name, field.scalar
        elif field.model is not None:
            yield from scalars_of(field.model)


def test_no_parameter_reads_digits_of_another_script_as_a_value() -> None:
    """Every parameter of every method that makes a number, a date or a flag of a text."""
    seen = 0
    for endpoint in CATALOGUE:
        for name, scalar in scalars_of(endpoint.params):
            for sample in SAMPLES:
                try:
                    value = scalar.read(sample, {"staff": True, "version": "3.1"})
                except ValueError:
                    continue
                if isinstance(value, str):
                    continue
                seen += 1
                with pytest.raises(ValueError, match=r"must|ISO"):
                    pytest.fail(f"{endpoint.id} {name}: {scalar.read(sample.translate(ARABIC), {'staff': True})!r}")
    assert seen > 900, seen


def postback_amount(text: str) -> Decimal | None:
    return parse_postback("a" * 24, 0, "192.0.2.1", {"clickid": "a" * 24, "sum": text}).sum


def rate(text: str) -> Any:
    return parse_rate_table(["Date,USD", f"2023-11-13,{text}"], date(2023, 1, 1), date(2024, 1, 1)).get(
        date(2023, 11, 13), {}
    ).get("USD")  # fmt: skip


READERS: list[tuple[Callable[[str], Any], str]] = [
    (find_amount, "12.5"),
    (find_signed_amount, "-12.5"),
    (read_amount, "12.50"),
    (postback_amount, "12.5"),
    (rate, "1.0670"),
    (_parsed, "7d"),
    (lambda text: since_time(text, datetime(2026, 11, 21, tzinfo=UTC)), "30m"),
    (lambda text: Number(min=1).convert(text, None, None), "12"),
    (lambda text: is_number(text) or None, "12"),
    (lambda text: _sent_index({"5": "a"}, text) == "5" or None, "0"),
]


def test_no_reader_of_texts_takes_digits_of_another_script() -> None:
    for number, (read, text) in enumerate(READERS):
        assert read(text) is not None, number
        try:
            value = read(text.translate(ARABIC))
        except (ValueError, WrongUse, click.UsageError):
            continue
        assert value is None, number
    assert len(READERS) == 10


def each_command(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from each_command(each)


def test_every_number_of_a_command_has_the_type_for_ascii_digits() -> None:
    types = [param.type for command in each_command(root) for param in command.params]
    assert not [each for each in types if isinstance(each, click.types.IntParamType) and not isinstance(each, Number)]
    assert sum(isinstance(each, Number) for each in types) >= 10


def test_code_asks_for_ascii_where_it_asks_for_digits() -> None:
    """The named modules read bytes, or names that the program makes."""
    asks = re.compile(r"\.(isdigit|isdecimal|isnumeric)\(\)")
    lines = [(path.stem, line) for path in PACKAGE for line in text_of(path).splitlines() if asks.search(line)]
    unsafe = {stem for stem, line in lines if "isascii()" not in line}
    assert unsafe == {
        "audit_writer", "bodies", "click_waits", "findings", "importing", "journals", "pixels", "postbacks", "slices",
    }  # fmt: skip
    assert len(lines) > 20
