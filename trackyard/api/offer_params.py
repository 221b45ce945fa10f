"""What a new offer may have (spec: Offer create and edit parameters). What is not here yet is ignored and named;
tests/contract/missing.toml lists it."""

from typing import Annotated, Any

from pydantic import Field

from trackyard.actions.offers import NewOffer
from trackyard.base.money import ZERO
from trackyard.wire import scalars as s
from trackyard.wire.params import CommaList, Keyed, Needed, Params, Seq

Language = Annotated[str, s.Choice(("ru", "en", "es", "ka", "vi"))]
Device = Annotated[str, s.Choice(("mediahub", "mobile", "ereader", "console", "tv", "tablet", "desktop", "smartwatch"))]
IpLines = Annotated[str, s.IpEntry(lines=True)]


class PaymentItem(Params):
    """A payment (spec: Payment item). An empty string clears a list."""

    countries: Seq[s.Text] = ()
    country_exclude: s.Flag = False
    cities: Seq[s.Int] = ()
    devices: Seq[Device] = ()
    os: Seq[s.Text] = ()
    goal: Annotated[str, s.Words(most=255)] = ""
    goal_alias: s.Text = ""
    total: s.Amount = ZERO
    revenue: s.Amount = ZERO
    currency: s.Currency | None = None
    type: Annotated[str, s.Choice(("fixed", "percent", "mixed"))] = "fixed"
    title: Annotated[str, s.Words(most=255)] = ""
    url: s.Url | None = None
    with_regions: s.Flag = False
    sub1: CommaList[s.Text] = ()
    sub2: CommaList[s.Text] = ()
    sub3: CommaList[s.Text] = ()
    sub4: CommaList[s.Text] = ()
    sub5: CommaList[s.Text] = ()
    sub6: CommaList[s.Text] = ()
    sub7: CommaList[s.Text] = ()
    sub8: CommaList[s.Text] = ()

    def document(self) -> dict[str, Any]:
        """As it is stored: amounts as text, lists as lists, goal "1" by default."""
        stored = {name: list(value) if isinstance(value, tuple) else value for name, value in self.model_dump().items()}
        subs = {name: ",".join(value) for name, value in stored.items() if name.startswith("sub")}
        amounts = {"total": str(self.total), "revenue": str(self.revenue)}
        countries = [code.strip().upper() for code in self.countries]
        more = {"goal": self.goal or "1", "currency": self.currency or "", "countries": countries}
        return stored | subs | amounts | more


class PersonalPaymentItem(PaymentItem):
    """A payment for some affiliates alone."""

    partners: Seq[s.Id] = ()


class LandingItem(Params):
    """A landing page (spec: Landing item)."""

    title: s.Name
    url: s.Url
    url_preview: s.Url
    type: Annotated[str, s.Choice(("landing", "transit"))] = "landing"


class AddOffer(Params):
    """A new offer."""

    title: Annotated[str, s.Words(least=1, most=500)]
    advertiser: s.Hex
    url: s.Url
    url_preview: s.Url | None = None
    trafficback_url: s.Url | None = None
    macro_url: s.Url | None = None
    cross_postback_url: s.Url | None = None
    status: Annotated[str, s.Choice(("stopped", "active", "suspended"))] = "stopped"
    privacy: Annotated[str, s.Choice(("public", "protected", "private"))] = "protected"
    payments: Annotated[Seq[PaymentItem], Needed(since="3.1")] = ()
    partner_payments: Seq[PersonalPaymentItem] = ()
    landings: Seq[LandingItem] = ()
    hold_period: Annotated[int, s.Whole(least=0, most=60)] = 0
    click_session: s.Duration = "1y"
    minimal_click_session: s.Duration = "0s"
    hash_password: s.Text | None = None
    allowed_ip: IpLines = ""
    disallowed_ip: IpLines = ""
    external_offer_id: s.Text = ""
    bundle_id: s.Text = ""
    notes: s.LongText | None = None
    note_aff: s.LongText | None = None
    note_sales: s.LongText | None = None
    description_lang: Keyed[Language, s.LongText] = Field(default_factory=dict)
    tags: Seq[s.Text] = ()
    is_top: s.Flag = False
    start_at: s.Moment | None = None
    stop_date: s.Day | None = Field(default=None, alias="stopDate")

    def new_offer(self) -> NewOffer:
        """For the use case."""
        lists = {"payments", "partner_payments", "landings", "tags"}
        return NewOffer(
            **self.model_dump(exclude=lists),
            payments=[item.document() for item in self.payments],
            partner_payments=[item.document() for item in self.partner_payments],
            landings=[item.model_dump() for item in self.landings],
            tags=list(self.tags),
        )
