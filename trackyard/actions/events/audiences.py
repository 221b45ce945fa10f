"""Who hears of an event (docs/spec/events.md#audiences)."""

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass

from trackyard.actions.people.callers import caller_of
from trackyard.actions.people.scope import scope_of
from trackyard.actions.people.signers import Signer, find_signer
from trackyard.actions.platform.notices import Recipient
from trackyard.domain.events.events import Event
from trackyard.domain.events.kinds import EventAudience, NoticeRule
from trackyard.domain.offers.offers import Offer
from trackyard.domain.offers.payout_changes import own_payees
from trackyard.domain.offers.visibility import caps_for
from trackyard.domain.people.advertisers import AdvertiserContact
from trackyard.domain.people.affiliates import AffiliateName
from trackyard.domain.people.callers import HOMES, Access, Account, AccountKind, StaffCaller
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.domain.platform.alerts.causes import AlertConcern
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import affiliates, persons, staff


@dataclass(frozen=True, slots=True)
class Hearer:
    """A person who hears of an event.

    account: what acts, and has the bell and the choices. signer: has the e-mail address and the language.
    company: the kind of the company, which decides the pages. may_sign_in: False hears by mail alone.
    """

    account: Account
    signer: Signer
    company: AccountKind
    may_sign_in: bool = True

    @property
    def has_email(self) -> bool:
        """Return whether mail reaches the person."""
        return bool(self.signer.email) and self.signer.email != FIRST_ADMINISTRATOR

    @property
    def recipient(self) -> Recipient:
        """Return the person as a recipient of mail."""
        signer = self.signer
        return Recipient(signer.email, signer.name or signer.email, signer.account, home=self.home)

    @property
    def home(self) -> str:
        """Return the path of the person's first page."""
        return HOMES[self.company]


def hearers_of(conn: Connection, event: Event, rule: NoticeRule) -> list[Hearer]:
    """Return who hears of an event by a notice, without the account that acted."""
    match rule.audience:
        case EventAudience.STAFF:
            found = _staff(conn, event, rule.permission)
        case EventAudience.AFFILIATE:
            found = _of_company(conn, AccountKind.AFFILIATE, event.affiliate_id, event, rule.permission)
        case EventAudience.ADVERTISER:
            found = _of_company(conn, AccountKind.ADVERTISER, event.advertiser_id, event, rule.permission)
        case EventAudience.CONNECTED:
            found = _connected(conn, event, rule.permission, _is_any)
        case EventAudience.PAID:
            found = _connected(conn, event, rule.permission, _is_paid)
        case EventAudience.CAPPED:
            found = _connected(conn, event, rule.permission, _is_capped)
        case EventAudience.ALERTED:
            found = _alerted(conn, event)
        case EventAudience.ACCOUNT:
            named = [Account.of_name(event.account)] if event.account else []  # "" = it was erased
            return list(_accounts(conn, named))
        case EventAudience.RECEIVERS | EventAudience.READERS:
            return []  # actions/platform/messages/sending.py, actions/platform/news_bells.py
    return [each for each in found if each.account.name != event.actor]


def people_of_affiliates(conn: Connection, found: Iterable[AffiliateName], active: Container[int]) -> list[Hearer]:
    """Return the people of affiliates: the owners, then the other people.

    active: the affiliates that may sign in. Of the others the owner hears by mail alone.
    """
    owners = list[Hearer]()
    for each in found:
        company = Account(AccountKind.AFFILIATE, str(each.id))
        signer = Signer(company, each.email, each.name or each.login, has_password=True)
        owners.append(Hearer(company, signer, company.kind, each.id in active))
    return [*owners, *_members(conn, [each.account for each in owners if each.may_sign_in], Permission.NONE)]


def people_of_advertisers(conn: Connection, found: Iterable[AdvertiserContact]) -> list[Hearer]:
    """Return the people of advertisers that may sign in: the owners, then the other people."""
    owners = list[Hearer]()
    for each in found:
        company = Account(AccountKind.ADVERTISER, each.id)
        owners.append(Hearer(company, Signer(company, each.email, each.name, has_password=True), company.kind))
    return [*owners, *_members(conn, [each.account for each in owners], Permission.NONE)]


def _staff(conn: Connection, event: Event, permission: Permission) -> Iterator[Hearer]:
    """Yield the staff users at work who have a permission, and the event in their scope."""
    for account, caller in _each_at_work(conn, permission):
        scope = scope_of(conn, Access(caller, permission))
        if (event.affiliate_id is None or scope.has_affiliate(event.affiliate_id)) and (
            not event.advertiser_id or scope.has_advertiser(event.advertiser_id)
        ):
            yield from _accounts(conn, [account])


def _each_at_work(conn: Connection, permission: Permission) -> Iterator[tuple[Account, StaffCaller]]:
    """Yield the staff users at work who have a permission."""
    for user in staff.all_staff(conn):
        account = Account(AccountKind.STAFF, user.id)
        caller = caller_of(conn, account) if user.status.rule.is_at_work else None
        if isinstance(caller, StaffCaller) and caller.may(permission):
            yield account, caller


def _of_company(
    conn: Connection, kind: AccountKind, company_id: object, event: Event, permission: Permission
) -> Iterator[Hearer]:
    """Yield the people of a company in a role with a permission.

    What is required reaches the owner of a company that may not sign in, too, by mail.
    """
    company = Account(kind, str(company_id))
    is_active = caller_of(conn, company) is not None
    if is_active or event.rule.is_required:
        owner = find_signer(conn, company)
        if owner is not None:
            yield Hearer(company, owner, kind, is_active)
    if is_active:
        yield from _members(conn, [company], permission)


def _alerted(conn: Connection, event: Event) -> Iterator[Hearer]:
    """Yield the staff users who see the alert of an event."""
    concern = AlertConcern(event.offer_id, event.affiliate_id, event.advertiser_id or None)
    for account, caller in _each_at_work(conn, Permission.STATS_COMMON):
        scope = scope_of(conn, Access(caller, Permission.STATS_COMMON))
        if concern.is_seen_in(scope, of_platform=caller.may(Permission.AUDIT_READ)):
            yield from _accounts(conn, [account])


def _connected(
    conn: Connection, event: Event, permission: Permission, hears: Callable[[Event, Offer, int], bool]
) -> Iterator[Hearer]:
    """Yield the people of the active affiliates that are connected to the offer of an event.

    hears: whether an affiliate is of the audience. An offer that was removed meanwhile has the audience CONNECTED.
    """
    if event.offer_id is None:
        return
    offer = offers.find_offer(conn, Scope.everything(), event.offer_id)
    companies = []
    for each in affiliates.connected_affiliates(conn, event.offer_id):
        if hears is not _is_any and (offer is None or not hears(event, offer, each.id)):
            continue
        company = Account(AccountKind.AFFILIATE, str(each.id))
        companies.append(company)
        name = each.name or each.login
        yield Hearer(company, Signer(company, each.email, name, has_password=True), company.kind)
    yield from _members(conn, companies, permission)


def _is_any(_event: Event, _offer: Offer, _affiliate_id: int) -> bool:
    return True


def _is_paid(event: Event, offer: Offer, affiliate_id: int) -> bool:
    """Return whether a change of payouts is for an affiliate.

    It hears of its own payouts, or of the general ones where it has none.
    """
    if event.affiliate_id is not None:
        return affiliate_id == event.affiliate_id
    return affiliate_id not in own_payees(offer)


def _is_capped(event: Event, offer: Offer, affiliate_id: int) -> bool:
    """Return whether an affiliate sees the cap of an event, and the cap counts its conversions."""
    is_counted = event.affiliate_id in (None, affiliate_id)
    return is_counted and any(cap.id == event.subject for cap in caps_for(offer, affiliate_id))


def _members(conn: Connection, companies: Iterable[Account], permission: Permission) -> Iterator[Hearer]:
    for place in persons.list_members_of(conn, companies):
        if CompanyRole(place.role).rule.permits(permission, writes=False, access=False):
            yield from _accounts(conn, [Account(AccountKind.MEMBER, place.id)], place.company.kind)


def _accounts(conn: Connection, accounts: Iterable[Account], kind: AccountKind | None = None) -> Iterator[Hearer]:
    """Yield accounts that may sign in. kind: of their company; None = they own it."""
    for account in accounts:
        caller = caller_of(conn, account)
        signer = find_signer(conn, account)
        if caller is not None and signer is not None:
            yield Hearer(account, signer, kind or caller.company.kind)
