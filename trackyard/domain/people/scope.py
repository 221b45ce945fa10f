"""The scope of a caller: a required argument of every read and statistics query."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows that a caller may see; None = all.

    sees_charge: False for affiliates, which do not see charges and advertisers
    (docs/spec/callers.md#visibility-for-affiliates).
    sees_costs: whether it sees what staff pay for advertising (docs/spec/statistics.md#ad-costs).
    """

    affiliate_ids: frozenset[int] | None = None
    advertiser_ids: frozenset[str] | None = None
    sees_charge: bool = True
    sees_costs: bool = True

    @staticmethod
    def everything() -> "Scope":
        """Return the scope of an administrator and of the program itself."""
        return Scope()

    @staticmethod
    def of_affiliate(affiliate_id: int) -> "Scope":
        """Return the scope of an affiliate: its own rows, without charges and costs."""
        return Scope(affiliate_ids=frozenset({affiliate_id}), sees_charge=False, sees_costs=False)

    @staticmethod
    def of_advertiser(advertiser_id: str) -> "Scope":
        """Return the scope of an advertiser: its own rows, without costs."""
        return Scope(advertiser_ids=frozenset({advertiser_id}), sees_costs=False)

    @staticmethod
    def nothing() -> "Scope":
        """Return the scope of a query until its caller is known."""
        return Scope(affiliate_ids=frozenset(), advertiser_ids=frozenset(), sees_charge=False, sees_costs=False)

    @property
    def is_everything(self) -> bool:
        """Return whether rows of every affiliate and advertiser are in scope."""
        return self.affiliate_ids is None and self.advertiser_ids is None

    def has_affiliate(self, affiliate_id: int) -> bool:
        """Return whether rows of this affiliate are in scope."""
        return self.affiliate_ids is None or affiliate_id in self.affiliate_ids

    def has_advertiser(self, advertiser_id: str) -> bool:
        """Return whether rows of this advertiser are in scope."""
        return self.advertiser_ids is None or advertiser_id in self.advertiser_ids
