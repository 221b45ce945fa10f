"""Use cases of files of payments (docs/spec/money.md#files-of-payments)."""

from collections.abc import Sequence
from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.money.sepa import Debtor, transfer_file
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.domain.money.affiliate_payments import EDITABLE, AffiliatePayment, PaymentFilter, PaymentStatus
from trackyard.domain.money.file_templates import SHIPPED_TEMPLATES, FileForm, FileTemplate
from trackyard.domain.money.ibans import find_bic, find_iban
from trackyard.domain.money.payment_files import FilePayee, PaymentFile, fill_file, plain_text
from trackyard.domain.people.callers import Access
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.people import affiliates
from trackyard.store.platform import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidFrom:
    """The account that a bank takes payments from, as a person typed it. name: "" = the network's."""

    name: str = ""
    iban: str = ""
    bic: str = ""


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file of payments. content: of a form other than CSV, "" = CSV, which is written of the cells."""

    file: PaymentFile
    content: str


def make_file(deps: Deps, access: Access, key: str, numbers: Sequence[int], paid_from: PaidFrom) -> MadeFile:
    """Return the file of payments by a template.

    Raises BadInput for an unknown template, payments that one file cannot have, and a wrong IBAN of the account.
    """
    template = SHIPPED_TEMPLATES.get(key)
    if template is None:
        raise BadInput({"template": [f"A template {key} does not exist."]})
    with deps.database.read() as conn:
        wanted = PaymentFilter(ids=tuple(dict.fromkeys(numbers)))
        found, _ = payments.list_payments(conn, scope_of(conn, access), wanted, page=1, limit=template.most + 1)
        people = affiliates.affiliates_of(conn, {each.affiliate_id for each in found})
        network = settings.find_network(conn).shown_name
    chosen = sorted(found, key=lambda each: each.id)
    _check(deps, template, wanted.ids, chosen)
    payees = {
        each.id: FilePayee(name=each.company or each.contact_person or each.name or each.email, email=each.email)
        for each in people.values()
    }
    file, faults = fill_file(template, chosen, payees)
    if faults:
        raise BadInput({"id": faults})
    if template.form is FileForm.CSV:
        return MadeFile(file, "")
    return MadeFile(file, _transfer(deps, file, _debtor(paid_from, network)))


def _check(deps: Deps, template: FileTemplate, wanted: Sequence[int], found: Sequence[AffiliatePayment]) -> None:
    """Raise BadInput for payments that cannot be in one file.

    Where a second person confirms, a file has payments that are marked as paid, else payments that are not paid yet.
    """
    known = {each.id for each in found}
    faults = [f"A payment {number} does not exist." for number in wanted if number not in known]
    if not wanted or len(wanted) > template.most:
        faults = [f"Choose 1 to {template.most} payments."]
    allowed = {PaymentStatus.PAID} if deps.needs_second_person else EDITABLE
    faults += [
        f"Payment {each.id} is {each.status.value.replace('_', ' ')}." for each in found if each.status not in allowed
    ]
    if len({each.currency for each in found}) > 1:
        faults.append("A file has payments in one currency: choose the others apart.")
    elif template.currency and any(each.currency != template.currency for each in found):
        faults.append(f"A file of this template is in {template.currency}.")
    if len({each.system_id for each in found}) > 1:
        faults.append("A file has payments of one payment system: choose the others apart.")
    if faults:
        raise BadInput({"id": faults})


def _debtor(paid_from: PaidFrom, network: str) -> Debtor:
    faults = {}
    iban, bic = find_iban(paid_from.iban), find_bic(paid_from.bic)
    if not iban:
        faults["debtor_iban"] = ["This is not an IBAN: a digit or its length is wrong."]
    if paid_from.bic.strip() and not bic:
        faults["debtor_bic"] = ["This is not a BIC, which has 8 or 11 letters and digits."]
    if faults:
        raise BadInput(faults)
    return Debtor(name=paid_from.name.strip() or network, iban=iban, bic=bic)


def _transfer(deps: Deps, file: PaymentFile, debtor: Debtor) -> str:
    headings = [column.heading for column in file.template.columns]
    transfers = [dict(zip(headings, row, strict=True)) for row in file.cells]
    nameless = [
        f"Payment {each['id']}: the name of its receiver has no Latin letter."
        for each in transfers
        if not any(sign.isalpha() for sign in plain_text(each["name"]))
    ]
    if nameless:
        raise BadInput({"id": nameless})
    return transfer_file(debtor, transfers, deps.clock.now_ms())
