"""Pages that make files of payments and take the results of a bank (docs/spec/console.md#money)."""

from tests.console.money.test_payment_pages import LIST, pay, statuses
from tests.support.api import Api
from tests.support.pages import staff_visitor
from tests.support.people_pages import HOSTILE, earn
from trackyard.domain.people.roles import Role

IBAN = "DE02120300000000202051"


def two_payments(api: Api) -> list[int]:
    """The numbers of two payments in EUR to affiliates with an account."""
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5")
    fields = {"fields[0][lang_label]": "IBAN", "fields[1][lang_label]": "E-mail"}
    system = api.admin.post("/3.1/admin/payment_systems", lang_label="Bank", **fields)["payment_system"]["id"]
    pids = []
    for number in range(2):
        own = {"system_id": system, "fields][1": IBAN, "fields][2": f"ann{number}@shop.example"}
        more = {f"payment_systems[0][{name}]": value for name, value in own.items()}
        pids.append(api.add_affiliate(name=HOSTILE, **more)[0])
        earn(api, pids[-1], "12.50", currency="EUR")
    return sorted(pay(api, *pids))


def test_chosen_payments_become_a_file_of_a_bank(api: Api) -> None:
    numbers = two_payments(api)
    visitor = staff_visitor(api)
    form = visitor.post(LIST, do="file", payment=numbers)
    assert form.status_code == 200 and "2 payments are chosen." in form.text and "Recipient identifier" in form.text
    paypal = visitor.post(f"{LIST}/file", payment=numbers, template="paypal")
    assert f"filename=payments-paypal-{numbers[0]}-{numbers[1]}.csv" in paypal.headers["content-disposition"]
    assert "ann0@shop.example,12.50,EUR" in paypal.content.decode()
    wrong = visitor.post(f"{LIST}/file", payment=numbers, template="sepa", debtor_iban="DE1")
    assert wrong.status_code == 400 and "This is not an IBAN" in wrong.text and 'value="DE1"' in wrong.text
    sepa = visitor.post(f"{LIST}/file", payment=numbers, template="sepa", debtor_iban=IBAN)
    assert sepa.headers["content-type"].startswith("application/xml") and "pain.001.001.09" in sepa.content.decode()
    assert set(statuses(api).values()) == {"created"}, "a file changes nothing"
    other = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert other.post(f"{LIST}/file", payment=numbers, template="paypal").status_code == 403


def test_results_of_a_bank_are_shown_and_then_taken(api: Api) -> None:
    first, second = two_payments(api)
    visitor = staff_visitor(api)
    page = f"{LIST}/results"
    assert page in visitor.read(LIST).links and "A preview shows the result" in visitor.read(page).text
    text = f"Reference;Status;Amount;Reason\n{first};Completed;12,50;\n{second};Returned;12,50;account closed\n"
    preview = visitor.post(page, text=text)
    assert "Take 2 results" in preview.text and "Cancelled, available again" in preview.text
    assert set(statuses(api).values()) == {"created"}
    done = visitor.post(page, text=text, do="import")
    assert done.headers["location"] == LIST and "The results of 2 payments are taken." in visitor.read(LIST).text
    assert statuses(api) == {first: "paid", second: "cancelled"}
    again = visitor.post(page, text=text)
    assert "Nothing changes" in again.text and "Take " not in again.text
    visitor.post(page, text=text, do="import")
    assert statuses(api) == {first: "paid", second: "cancelled"}


def test_file_with_a_wrong_line_is_not_taken(api: Api) -> None:
    first, _ = two_payments(api)
    visitor, page = staff_visitor(api), f"{LIST}/results"
    text = f"payment,status\n{first},paid\n999,paid\n"
    preview = visitor.post(page, text=text).text
    assert "1 line is refused, so none of the file is taken." in preview and "A payment 999 does not exist." in preview
    refused = visitor.post(page, text=text, do="import")
    assert refused.status_code == 400 and "Line 3: A payment 999 does not exist." in refused.text
    unknown = visitor.post(page, text=f"payment,status\n{first},perhaps\n")
    assert unknown.status_code == 400 and "perhaps is neither paid nor failed" in unknown.text
    assert set(statuses(api).values()) == {"created"}
