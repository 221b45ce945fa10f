"""Objects that filters offer by name and cells show by name, as far as the person may see them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic

from trackyard.actions.deps import Deps
from trackyard.api.offers import lists
from trackyard.api.offers.feeds import product_feeds
from trackyard.api.people import advertisers, affiliates, staff
from trackyard.api.people.advertiser_side import own_offers
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.methods import Method
from trackyard.console.frame.shown import number
from trackyard.console.offers_shown.choices import Choices, listed
from trackyard.console.staff.people_names import full_name
from trackyard.domain.offers.choices import OfferStatus
from trackyard.wire.endpoint import A, Endpoint
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.request.params import fields_of

_AT_A_TIME: Final = 100
"""Names that one call asks for."""


@dataclass(frozen=True, kw_only=True)
class Objects(Generic[A]):
    """A kind of object.

    label: the label of its filter. place: what the address of its page begins with; "" = it has no page.
    method: lists ids and titles, which `named` returns of an answer.
    by: its parameter of ids; without it, titles come from the choices.
    search: the parameter of a part of the name; finder: the method that has it, where it is another one.
    chosen: the parameters of a list to choose from. every: the parameters of objects in any state.
    is_numbered: whether its number follows its name in a select.
    """

    label: str
    place: str = ""
    method: Endpoint[Deps, A]
    named: Callable[[A], Iterable[tuple[object, str]]]
    by: str = ""
    search: str = ""
    finder: Method | None = None
    chosen: tuple[Pair, ...] = ()
    every: tuple[Pair, ...] = ()
    is_numbered: bool = False

    def choices(self, calls: LocalCalls[Deps], *more: Pair) -> Choices:
        """Return ids and titles; () where there are more than MOST_CHOICES, or the person may not list them."""
        return tuple(map(self._numbered, listed(calls, self.method, self.named, (*self.chosen, *more))))

    def names(self, calls: LocalCalls[Deps], ids: Iterable[object]) -> dict[str, str]:
        """Return titles by id, with few calls; ids that the person may not see are left out."""
        wanted = sorted({str(each) for each in ids} - {"", "0"})
        found: dict[str, str] = {} if self.by else dict(self.choices(calls) if wanted else ())
        for start in range(0, len(wanted) if self.by and calls.may(self.method) else 0, _AT_A_TIME):
            some = [(self.by, each) for each in wanted[start : start + _AT_A_TIME]]
            answer = calls.ask(self.method, [*some, *self.every, *_limit(self.method, _AT_A_TIME)])
            found |= {str(key): name for key, name in self.named(answer) if name}
        return {key: found[key] for key in wanted if key in found}

    def takes(self, calls: LocalCalls[Deps], key: str) -> bool:
        """Return whether a text may be the id of an object."""
        try:
            calls.check(self.method, [(self.by, key)] if self.by else [])
        except BadInput:
            return False
        return True

    def find(self, calls: LocalCalls[Deps], text: str) -> Choices:
        """Return the first objects with a text in their titles."""
        method = self.finder or self.method
        if not self.search or not calls.may(method):
            return ()
        sent = [(self.search, text), *self.every, *_limit(method, _MOST_FOUND)]
        return tuple((str(key), name or str(key)) for key, name in self.named(calls.ask(method, sent)))

    def _numbered(self, pair: Pair) -> Pair:
        key, name = pair
        return (key, f"{name} (#{key})") if self.is_numbered else pair


AnyObjects = Objects[Any]
"""Objects of any kind."""
_MOST_FOUND: Final = 6
"""Objects of a name that a page lists."""


def _limit(method: Method, most: int) -> list[Pair]:
    return [("limit", str(most))] if any(field.name == "limit" for field in fields_of(method.params)) else []


_EVERY_OFFER: Final = tuple(("status[]", status) for status in OfferStatus)
OFFERS: Final = Objects[lists.OfferNamesAnswer](
    label=lazy_gettext("Offer"),
    place="/console/offers/",
    method=lists.list_names,
    named=lambda answer: ((each.id, each.title) for each in answer.offers),
    by="int_id[]",
    search="q",
    chosen=_EVERY_OFFER,
    every=_EVERY_OFFER,
    is_numbered=True,
)
AFFILIATES: Final = Objects[affiliates.AffiliateNamesAnswer](
    label=lazy_gettext("Affiliate"),
    place="/console/affiliates/",
    method=affiliates.list_names,
    named=lambda answer: ((each.id, each.name or each.login or each.email) for each in answer.partners),
    by="id[]",
    search="search",
    finder=affiliates.list_,
    chosen=(("status[]", "active"),),
    is_numbered=True,
)
ADVERTISERS: Final = Objects[advertisers.AdvertiserNamesAnswer](
    label=lazy_gettext("Advertiser"),
    place="/console/advertisers/",
    method=advertisers.list_names,
    named=lambda answer: ((each.id, each.title) for each in answer.advertisers),
    by="id[]",
    search="search",
    finder=advertisers.list_,
)
MANAGERS: Final = Objects[staff.StaffListAnswer](
    label=lazy_gettext("Manager"),
    place="/console/staff/",
    method=staff.list_,
    named=lambda answer: sorted(((each.id, full_name(each)) for each in answer.users), key=lambda pair: pair[1]),
    search="q",
)
PRODUCT_FEEDS: Final = Objects[product_feeds.ProductFeedsAnswer](
    label=lazy_gettext("Product feed"),
    place="/console/product-feeds/",
    method=product_feeds.list_,
    named=lambda answer: ((each.id, each.name) for each in answer.product_feeds),
)
LIVE_OFFERS: Final = Objects[lists.AffiliateOffersAnswer](
    label=lazy_gettext("Offer"),
    place="/portal/offers/",
    method=lists.list_live,
    named=lambda answer: ((each.id, each.title) for each in answer.offers),
    search="q",
    chosen=(("sort[title]", "asc"),),
)
"""The offers that an affiliate may send visitors to."""
OFFERS_OF_ADVERTISER: Final = Objects[own_offers.OwnOffersAnswer](
    label=lazy_gettext("Offer"),
    place="/advertiser/offers/",
    method=own_offers.list_,
    named=lambda answer: ((each.id, each.title) for each in answer.offers),
)
COUNTED_OFFERS: Final = {
    by: Objects[lists.OfferCountsAnswer](
        label=lazy_gettext("Offers"),
        place=str(PageAddress("/console/offers").set(name, "")),
        method=lists.count_by,
        named=lambda answer: ((key, number(count)) for key, count in answer.counts.items()),
        by="ids[]",
        every=(("by", by),),
    )
    for by, name in (("categories", "category"), ("sources", "source"))
}
"""How many offers categories and sources have, as links to these offers."""
