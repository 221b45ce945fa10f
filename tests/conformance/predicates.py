"""What a value of an answer is, by name: for the texts of rows and for messages."""

import re
from collections.abc import Callable
from typing import Any

Predicate = Callable[[Any], bool]


def integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def boolean(value: Any) -> bool:
    return isinstance(value, bool)


def text(value: Any) -> bool:
    return isinstance(value, str)


def flag(value: Any) -> bool:
    return integer(value) and value in (0, 1)


def array(value: Any) -> bool:
    return isinstance(value, list)


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def mapping_or_empty(value: Any) -> bool:
    """A map; an empty one may be an empty array."""
    return isinstance(value, dict) or value == []


def digits(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d+", value) is not None


def hash_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{24}", value) is not None


def api_key(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{40}", value) is not None


def date_and_time(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", value) is not None


def moment(value: Any) -> bool:
    """{sec, usec}."""
    return isinstance(value, dict) and integer(value["sec"]) and integer(value["usec"])


def country_code(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z]{2}", value) is not None


def currency_code(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z]{3}", value) is not None


def _named(name: str, predicate: Predicate) -> Predicate:
    predicate.__name__ = name
    return predicate


def array_of(item: Predicate) -> Predicate:
    return _named(
        f"array of {item.__name__}", lambda value: isinstance(value, list) and all(item(inner) for inner in value)
    )


def map_of(item: Predicate) -> Predicate:
    return _named(
        f"map to {item.__name__}",
        lambda value: value == [] or (isinstance(value, dict) and all(item(inner) for inner in value.values())),
    )


def one_of(*values: Any) -> Predicate:
    return _named(f"one of {', '.join(map(str, values))}", lambda value: value in values)


def or_null(item: Predicate) -> Predicate:
    return _named(f"{item.__name__} or null", lambda value: value is None or item(value))


def either(*items: Predicate) -> Predicate:
    return _named(" or ".join(item.__name__ for item in items), lambda value: any(item(value) for item in items))


def having(*keys: str) -> Predicate:
    return _named(f"object of {', '.join(keys)}", lambda value: isinstance(value, dict) and {*keys} <= {*value})
