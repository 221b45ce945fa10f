"""Marks for translated texts. `script/texts` recognizes them by the names of these functions."""

from collections.abc import Callable
from typing import Any, Final, SupportsIndex

from markupsafe import Markup, escape

from trackyard.base.texts.languages import spoken


class LazyText(str):
    """An English text that is shown in the current language.

    Templates, f-strings, slices, `str()` and the methods that return a text translate it. Comparisons, keys and code in
    C, such as `join` and the parser of `string.Formatter`, use the English text: give them `str(text)`.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return spoken().catalogue.one(source_of(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __html__(self) -> Markup:
        return escape(str(self))

    def __getitem__(self, place: SupportsIndex | slice) -> str:
        return str(self)[place]

    def __add__(self, other: str) -> str:
        return str(self) + other

    def __radd__(self, other: str) -> str:
        return other + str(self)

    def format(self, *args: object, **values: object) -> str:
        """Return the translation with its placeholders replaced by values."""
        return str(self).format(*args, **values)


TRANSLATED: Final = (
    *("capitalize", "center", "encode", "expandtabs", "ljust", "lower", "lstrip", "partition", "removeprefix"),
    *("removesuffix", "replace", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "strip"),
    *("swapcase", "title", "translate", "upper", "zfill"),
)
"""The methods of a text that return a text or its parts."""


def _translated(name: str) -> Callable[..., Any]:
    """Return a method of the translation."""
    method = getattr(str, name)

    def of_translation(self: LazyText, *given: Any, **options: Any) -> Any:
        return method(str(self), *given, **options)

    return of_translation


for _name in TRANSLATED:
    setattr(LazyText, _name, _translated(_name))


def source_of(text: str) -> str:
    """Return the English text."""
    return str.__str__(text)


def lazy_gettext(text: str) -> str:
    """Return a text of a declaration, which is translated each time it is shown."""
    return LazyText(text)


def gettext(text: str, /, **values: Any) -> str:
    """Return a text in the language of the moment. values: of `%(name)s` in it."""
    found = spoken().catalogue.one(source_of(text))
    return found % values if values else found


def ngettext(one: str, many: str, number: int, /, **values: Any) -> str:
    """Return a text for a count, which is `%(num)d` in it and has the separators of the language."""
    return counted_text(one, many, number) % {"num": count_text(number), **values}


def counted_text(one: str, many: str, number: int) -> str:
    """Return the text for a count, with `%(num)s` in the place of the count's text."""
    return spoken().catalogue.counted(one, many, number).replace("%(num)d", "%(num)s")


def count_text(number: int) -> str:
    """Return a count with the separators of the language: 1,412,806."""
    return f"{number:,}".replace(",", spoken().form.group)
