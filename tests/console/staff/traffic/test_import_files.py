"""Files of the page that imports conversions: what the steps keep, first rows, and what is not used.

docs/spec/platform.md#tables
"""

import re
from html import unescape
from typing import Any

from tests.console.staff.traffic.test_import import PATH, listed, token_of, upload, worked
from tests.support.api import Api
from tests.support.pages import Visitor, staff_visitor
from tests.support.spreadsheets import book, sheet_xml

_INPUT = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')


def offer_and_affiliate(api: Api) -> tuple[int, int]:
    """An offer that pays 50 % of the sum, and an affiliate."""
    payment = {"payments[0][total]": "100", "payments[0][revenue]": "50", "payments[0][type]": "percent"}
    return api.add_offer(**payment), api.add_affiliate()[0]


def next_step(visitor: Visitor, text: str, marker: str, **fields: Any) -> Any:
    """Send the form of a page that holds a marker, with its hidden fields and others."""
    part = next(each for each in re.findall(r"<form.*?</form>", text, re.S) if marker in each)
    sent: dict[str, Any] = {"column": []}
    for name, value in _INPUT.findall(part):
        if name == "column":
            sent["column"].append(value)
        else:
            sent[name] = unescape(value)
    return visitor.client.post(PATH, data=sent | fields)


def test_spreadsheet_is_kept_from_the_dry_run_to_the_import(api: Api) -> None:
    offer, pid = offer_and_affiliate(api)
    rows: list[list[str | int | float | None]] = [
        ["Offer", "Affiliate", "Order ID", "Sum", "Status", "Created at"],
        [offer, pid, 100200300, 1.234, "Approved", "day:45000"],
        [offer, pid, "007", "12,50 USD", "pending", "day:45000.5"],
        [offer, pid, 1.23456789012346e18, 5, "", None],
        [offer, pid, "other", "12,50 €", "", None],
    ]
    visitor = staff_visitor(api)
    tried = upload(visitor, book(First=sheet_xml(rows)))
    text = unescape(tried.text)
    assert tried.status_code == 200
    for words in (
        "2 conversions are made, 0 exist already, 2 lines are refused.",
        '2 conversions: charge <span class="exact" title="$13.734">$13.73</span>',
        "An amount is in EUR, and the conversion is in USD.",
        "The column 'Created at' is not used: an import makes conversions at the time of the import",
        "Action ID: '1234567890123460000' is a number that a spreadsheet shortened.",
    ):
        assert words in text, words
    done = next_step(visitor, tried.text, 'value="import"', do="import")
    assert done.status_code == 303, done.text
    worked(api)
    made = {each["action_id"]: (each["sum"], each["payouts"], each["status"]) for each in listed(api)}
    assert made == {"100200300": (1.234, 0.617, "confirmed"), "007": (12.5, 6.25, "pending")}


def test_file_without_names_keeps_its_first_record(api: Api) -> None:
    offer, pid = offer_and_affiliate(api)
    visitor = staff_visitor(api)
    content = f"{offer};{pid};A-1;12,50\n{offer};{pid};A-2;5".encode("utf-16")
    asked = upload(visitor, content)
    assert asked.status_code == 400
    assert "No column is chosen for: Offer number, Affiliate number" in asked.text
    assert "The first row was read as a record, not as names of columns." in asked.text
    columns = ["offer", "pid", "action_id", "sum"]
    tried = next_step(visitor, asked.text, 'id="column-1"', column=columns, head="record")
    assert "2 conversions are made" in tried.text
    as_names = next_step(visitor, asked.text, 'id="column-1"', column=columns, head="names")
    assert "1 conversion is made" in as_names.text, "the person says that the first row has names"
    done = next_step(visitor, tried.text, 'value="import"', do="import")
    assert done.status_code == 303
    worked(api)
    assert sorted((each["action_id"], each["sum"]) for each in listed(api)) == [("A-1", 12.5), ("A-2", 5)]


def test_encoding_and_columns_without_use_are_said(api: Api) -> None:
    offer, pid = offer_and_affiliate(api)
    visitor = staff_visitor(api)
    content = f"offer;pid;action_id;sum;Цвет\n{offer};{pid};заказ;5;красный".encode("windows-1251")
    text = unescape(upload(visitor, content).text)
    assert "The file is not in UTF-8: it was read as windows-1251." in text
    assert "Columns that are not used: 'Цвет'." in text and "<td>заказ</td>" in text


def test_damaged_step_and_unclear_first_row_are_refused(api: Api) -> None:
    visitor = staff_visitor(api)
    form = {"form_token": token_of(visitor)}
    damaged = visitor.client.post(PATH, data={**form, "kept": "a"})
    assert (damaged.status_code, "The file came back damaged." in damaged.text) == (400, True)
    unclear = visitor.client.post(PATH, data={**form, "text": "7,1,order,20"})
    assert unclear.status_code == 400 and "so it may be either" in unclear.text and "7,1,order,20" in unclear.text
    chosen = visitor.client.post(PATH, data={**form, "text": "7,1,order,20", "head": "record"})
    assert "No column is chosen for" in chosen.text
