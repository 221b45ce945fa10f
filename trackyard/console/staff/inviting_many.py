"""Invitations of many people, with a dry run (docs/spec/people.md#many-invitations)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from trackyard.api.people import advertisers, affiliates, invitations, staff
from trackyard.base.emails import is_email_address
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.languages import NAMES
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.account.roles import ROLE_WORDS
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.imported_files import NOTHING, ImportedFile, SentContent, read_import
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.platform.tables.forms import FileColumn, TableForm
from trackyard.domain.platform.tables.grids import Limits, TableFault
from trackyard.domain.platform.tables.kinds import texts

pages = Pages()

MOST_INVITED: Final = 200
"""Lines of a file. Each is a mail."""
_EMAIL: Final = FileColumn("email", lazy_gettext("E-mail"), texts, ("e_mail", "mail", "e_mail_address"))
_LANGUAGE: Final = FileColumn("lang", lazy_gettext("Language"), texts, ("language",))
_ROLES: Final = {role.value.lower(): role.value for role in ROLE_WORDS}


@dataclass(frozen=True, slots=True)
class ManyInvited:
    """Invitations of one kind of account.

    path: the path of the list of its accounts. columns: besides the e-mail address. needed: the required ones.
    present: returns whether an account has an e-mail address.
    """

    path: str
    title: str
    method: Method
    listing: Method
    columns: tuple[FileColumn, ...]
    needed: tuple[str, ...]
    present: Callable[[PageRequest, str], bool]

    @property
    def form(self) -> TableForm:
        """Return the columns of a file."""
        limits = Limits(most_bytes=512 * 1024, most_rows=MOST_INVITED)
        return TableForm(columns=(_EMAIL, *self.columns), needed=("email", *self.needed), limits=limits)


@dataclass(frozen=True, slots=True)
class InvitedLine:
    """A line of the file.

    why: the reason of a refusal, "" = none. is_here: whether the account is there already.
    """

    number: int
    sent: Mapping[str, str]
    why: str = ""
    is_here: bool = False

    @property
    def is_new(self) -> bool:
        """Return whether the line invites a person."""
        return not self.why and not self.is_here

    @property
    def email(self) -> str:
        """Return the e-mail address in small letters."""
        return self.sent.get("email", "").strip().lower()


def _has_affiliate(request: PageRequest, email: str) -> bool:
    found = request.calls.ask(affiliates.list_, [("search", email), ("limit", "100")]).partners
    return any(each.email == email for each in found)


def _has_advertiser(request: PageRequest, email: str) -> bool:
    found = request.calls.ask(advertisers.list_, [("search", email), ("limit", "100")]).advertisers
    return any(each.email.lower() == email for each in found)


def _has_staff(request: PageRequest, email: str) -> bool:
    found = request.calls.ask(staff.list_, [("q", email), ("limit", "100")]).users
    return any(each.email == email for each in found)


MANY: Final[Mapping[AccountKind, ManyInvited]] = MappingProxyType(
    {
        AccountKind.AFFILIATE: ManyInvited(
            "/console/affiliates",
            lazy_gettext("Invite several affiliates"),
            invitations.invite_affiliate,
            affiliates.list_,
            (FileColumn("name", lazy_gettext("Name"), texts), _LANGUAGE),
            (),
            _has_affiliate,
        ),
        AccountKind.ADVERTISER: ManyInvited(
            "/console/advertisers",
            lazy_gettext("Invite several advertisers"),
            invitations.invite_advertiser,
            advertisers.list_,
            (
                FileColumn("title", lazy_gettext("Name"), texts, ("company",)),
                FileColumn("contact", lazy_gettext("Contact person"), texts),
                _LANGUAGE,
            ),
            ("title",),
            _has_advertiser,
        ),
        AccountKind.STAFF: ManyInvited(
            "/console/staff",
            lazy_gettext("Invite several staff users"),
            invitations.invite_staff,
            staff.list_,
            (
                FileColumn("first_name", lazy_gettext("First name"), texts),
                FileColumn("last_name", lazy_gettext("Last name"), texts),
                FileColumn("roles", lazy_gettext("Role"), texts, ("role",)),
                _LANGUAGE,
            ),
            ("first_name", "last_name"),
            _has_staff,
        ),
    }
)
"""Every kind of account that is invited by a file."""


def _ask(many: ManyInvited, request: PageRequest) -> PageAnswer:
    return _page(many, request)


def _invite(many: ManyInvited, request: PageRequest) -> PageAnswer:
    """Show what each line does, or invite the people of the lines that are new."""
    try:
        file = read_import(request, many.form)
    except TableFault as fault:
        return _page(many, request, SentContent(request.field("text")), fault=str(fault))
    if file.missing:
        return _page(many, request, file.sent, file, fault=file.missing)
    checked = list(_checked(many, request, file))
    if request.field("do") != "import":
        return _page(many, request, file.sent, file, checked)
    done = [_invited(many, request, line) if line.is_new else line for line in checked]
    count = sum(line.is_new for line in done)
    sentence = ngettext("%(num)d invitation is on its way.", "%(num)d invitations are on their way.", count)
    if count == len(done):
        return Redirect(many.path, sentence)
    return _page(many, request, file.sent, file, [line for line in done if not line.is_new], done=sentence)


def _checked(many: ManyInvited, request: PageRequest, file: ImportedFile) -> Iterator[InvitedLine]:
    """Yield each line with what it does."""
    first: dict[str, int] = {}
    for row in file.rows:
        line = InvitedLine(row.number, row.sent, why=" ".join(file.faults_of(row)))
        line = line if line.why else _with_faults(many, request, line)
        if not line.why and line.email in first:
            line = replace(line, why=gettext("Line %(number)d has the same e-mail address.", number=first[line.email]))
        if not line.why:
            first[line.email] = line.number
            line = replace(line, is_here=many.present(request, line.email))
        yield line


def _with_faults(many: ManyInvited, request: PageRequest, line: InvitedLine) -> InvitedLine:
    """Return a line with the faults that need no stored thing."""
    if not is_email_address(line.email):
        return replace(line, why=gettext("This is not an e-mail address."))
    try:
        request.calls.check(many.method, _pairs(request, line))
    except BadInput as refusal:
        labels = many.form.labels
        found = ((name.partition("[")[0], " ".join(why)) for name, why in (refusal.fields or {}).items())
        why = " ".join(f"{labels.get(name, name)}: {sentences}" for name, sentences in found)
        return replace(line, why=why or fault_of(refusal))
    return line


def _invited(many: ManyInvited, request: PageRequest, line: InvitedLine) -> InvitedLine:
    """Invite the person of a line, and return the line; with the reason where the API refuses it."""
    try:
        request.calls.ask(many.method, _pairs(request, line))
    except RequestError as refusal:
        return replace(line, why=fault_of(refusal))
    return line


def _pairs(request: PageRequest, line: InvitedLine) -> list[Pair]:
    """Return a line as parameters of the API, with the words for all."""
    sent: list[Pair] = []
    for name, value in line.sent.items():
        text = value.strip()
        if name == "roles":
            words = [each.strip().lower() for each in text.split(",")]
            sent += [("roles[]", _role(each)) for each in words if each]
        elif name == "lang":
            sent.append((name, _language(text)))
        else:
            sent.append((name, line.email if name == "email" else text))
    message = request.field("message").strip()
    return [*sent, *([("message", message)] if message else [])]


def _role(word: str) -> str:
    """Return a role by its name in the API or on pages; the word, which the API refuses, for no role."""
    named = {str(words.name).lower(): role.value for role, words in ROLE_WORDS.items()}
    return named.get(word) or _ROLES.get(word) or word


def _language(word: str) -> str:
    """Return the code of a language by its code or its own name."""
    named = {name.lower(): code for code, name in NAMES.items()}
    return named.get(word.lower(), word.lower())


def _page(
    many: ManyInvited,
    request: PageRequest,
    sent: SentContent = NOTHING,
    file: ImportedFile | None = None,
    lines: Sequence[InvitedLine] = (),
    *,
    fault: str = "",
    done: str = "",
) -> Html:
    return request.page(
        "staff/invite_many.html",
        400 if fault else 200,
        title=str(many.title),
        sent=sent,
        file=file,
        fault=fault,
        done=done,
        lines=lines,
        new=0 if done else sum(line.is_new for line in lines),
        here=sum(line.is_here for line in lines),
        refused=sum(bool(line.why) for line in lines),
        names=",".join(each.name for each in many.form.columns),
        most=MOST_INVITED,
        message=request.field("message"),
        back=many.path,
        path=f"{many.path}/invite-many",
    )


for _many in MANY.values():
    pages.get(f"{_many.path}/invite-many", needs=(_many.method, _many.listing))(partial(_ask, _many))
    pages.post(f"{_many.path}/invite-many", needs=(_many.method, _many.listing))(partial(_invite, _many))
