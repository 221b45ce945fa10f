"""Groups of offers: categories, traffic sources and SmartLink categories."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A category of offers. Times are UTC milliseconds."""

    id: str
    title: str
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class TrafficSource:
    """A traffic source that offers allow, titled by language. Times are UTC milliseconds."""

    id: str
    title_lang: dict[str, str]
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class SmartLink:
    """A group of offers behind one link. Times are UTC milliseconds.

    domain_id: the tracking domain; None = the platform's.
    """

    id: str
    name: str
    domain_id: int | None
    description: str | None
    created_at: int
    updated_at: int
