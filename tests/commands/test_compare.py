"""`trackyard compare` of a file with our conversions."""

import json
from pathlib import Path

from tests.support.api import Api
from tests.support.command import run_command
from tests.support.models.history import add_conversion
from tests.support.spreadsheets import book, sheet_xml

DAYS = ("--from", "2023-11-14", "--to", "2023-11-16")


def test_compare_prints_sums_reasons_and_edits(api: Api, tmp_path: Path) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    made = add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, journal="001-1")
    file = tmp_path / 'their "file".csv'
    file.write_text(f"Ref,Geld\n{made.click_id},6.50\n{'f' * 24},3\n")
    named = ("--column", "click_id=Ref", "--column", "sum=Geld", "--affiliate", str(pid))
    found = run_command("compare", str(file), *named, *DAYS, "--accept", "other_sum", api=api)
    assert found.exit_code == 0, found.output
    assert "USD: ours 7, theirs 9.5, difference -2.5" in found.output
    assert "missing_here  unknown_click" in found.output
    assert "1 edits would be made; add --apply to make them; 0 differences have none" in found.output
    assert "USD: difference -2.5 becomes -3" in found.output
    applied = run_command(
        "compare", str(file), "--affiliate", str(pid), *DAYS, "--accept", "other_sum", "--apply", "--json", api=api
    )
    answer = json.loads(applied.stdout)
    assert (answer["accepted"]["applied"], len(answer["differences"])) == (True, 2)
    assert answer["comparison"]["file_name"].startswith("their ")


def test_compare_sends_a_spreadsheet(api: Api, tmp_path: Path) -> None:
    pid, _ = api.add_affiliate()
    file = tmp_path / "their.xlsx"
    file.write_bytes(book(Notes=sheet_xml([["x"], ["y"]]), May=sheet_xml([["click_id", "sum"], ["f" * 24, 3.25]])))
    named = ("compare", str(file), "--affiliate", str(pid), *DAYS, "--sheet")
    assert "USD: ours 0, theirs 3.25, difference -3.25" in run_command(*named, "May", api=api).output
    assert "The spreadsheet has no sheet 'June'. It has: Notes, May." in run_command(*named, "June", api=api).output


def test_compare_names_the_row_of_a_fault(api: Api, tmp_path: Path) -> None:
    pid, _ = api.add_affiliate()
    file = tmp_path / "their.csv"
    file.write_text("click_id,sum\na,=1+1\n")
    found = run_command("compare", str(file), "--affiliate", str(pid), *DAYS, api=api)
    assert found.exit_code == 2
    assert "Row 2, column 'sum': this is a formula; save the file with values." in found.output
    assert "name the sender" in run_command("compare", str(file), *DAYS, api=api).output
