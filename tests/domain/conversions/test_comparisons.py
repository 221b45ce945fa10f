"""Files of advertisers against our books: matching, sums, reasons, and files that are hostile."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trackyard.base.money import ZERO
from trackyard.domain.conversions.comparisons.explaining import Evidence, Explainer, SeenClick, Why
from trackyard.domain.conversions.comparisons.files import (
    FORM,
    LIMITS,
    MOST_BYTES,
    MOST_ROWS,
    SentRow,
    choose_columns,
    read_sent_rows,
)
from trackyard.domain.conversions.comparisons.matching import (
    ComparedConversion,
    Outcome,
    Pair,
    counted_here,
    counted_there,
    match,
    sum_up,
)
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.platform.tables.forms import FileTable, read_head
from trackyard.domain.platform.tables.grids import TableFault, read_text_grid

DAY_MS = 86_400_000
STATUSES = (Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.DECLINED)
AMOUNTS = st.sampled_from([Decimal(text) for text in ("0", "1.00", "1.004", "1.0050", "9.99", "1000000")])


def row(number: int, **fields: Any) -> SentRow:
    values: dict[str, Any] = {"status": Status.CONFIRMED, "sum": Decimal(10), "currency": "USD"}
    return SentRow(number=number, **(values | fields))


def conversion(number: int, **fields: Any) -> ComparedConversion:
    values: dict[str, Any] = {
        "id": f"{number:024x}", "click_id": f"{number:024x}", "action_id": "", "goal": "1", "goal_title": "Sale",
        "status": Status.CONFIRMED, "amount": Decimal(10), "currency": "USD", "comment": "", "created_at": 10 * DAY_MS,
    }  # fmt: skip
    return ComparedConversion(**(values | fields))


FILES = st.lists(
    st.builds(
        SentRow, number=st.integers(2, 99), conversion_id=st.sampled_from(["", f"{1:024x}"]),
        click_id=st.sampled_from(["", "a", "b"]), action_id=st.sampled_from(["x", "y", "z"]),
        goal=st.sampled_from(["", "1", "2"]), status=st.sampled_from([None, *STATUSES]), sum=AMOUNTS,
        currency=st.sampled_from(["USD", "EUR"]),
    ),
    max_size=12,
)  # fmt: skip
BOOKS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]), st.sampled_from(["", "x", "y"]), st.sampled_from(["1", "2"]),
        st.sampled_from(STATUSES), AMOUNTS, st.sampled_from(["USD", "EUR"]),
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(FILES, BOOKS)
def test_sums_of_classes_are_the_difference_exactly(rows: list[SentRow], drawn: list[tuple[Any, ...]]) -> None:
    names = ("click_id", "action_id", "goal", "status", "amount", "currency")
    ours = [conversion(n, **dict(zip(names, each, strict=True))) for n, each in enumerate(drawn)]
    pairs = match(rows, ours)
    assert sorted(id(pair.row) for pair in pairs if pair.row is not None) == sorted(map(id, rows))
    kept = [pair.conversion.id for pair in pairs if pair.conversion is not None]
    assert len(kept) == len(set(kept))
    sums = sum_up(pairs)
    for currency in ("USD", "EUR"):
        here = sum((counted_here(each) for each in ours if each.currency == currency), ZERO)
        there = sum((counted_there(each) for each in rows if each.currency == currency), ZERO)
        found = sums.get(currency)
        parts = sum((part.difference for part in found.outcomes.values()), ZERO) if found else ZERO
        assert here - there == parts
        assert found is None or (found.ours, found.theirs) == (here, there)


def test_rows_match_by_the_most_specific_id_and_the_least_difference() -> None:
    ours = [
        conversion(1, click_id="a", action_id="x", amount=Decimal(5)),
        conversion(2, click_id="a", action_id="y"),
        conversion(3, click_id="b", goal="2"),
        conversion(4, click_id="b"),
        conversion(5, click_id="c", status=Status.DECLINED, comment="IP duplicate"),
    ]
    rows = [
        row(2, click_id="a", action_id="y"),
        row(3, action_id="x"),
        row(4, click_id="b", goal="2"),
        row(5, click_id="b", sum=Decimal("10.004")),
        row(6, click_id="a", action_id="z"),
    ]
    pairs = match(rows, ours)
    matched = [(pair.conversion.id if pair.conversion else "", pair.outcome) for pair in pairs]
    assert matched == [
        (f"{2:024x}", Outcome.MATCHED), (f"{1:024x}", Outcome.OTHER_SUM), (f"{3:024x}", Outcome.MATCHED),
        (f"{4:024x}", Outcome.MATCHED), ("", Outcome.MISSING_HERE),
    ]  # fmt: skip


def test_rows_match_by_goals_and_action_ids_of_any_spelling() -> None:
    """A conversion of the time before has the spaces of its action id."""
    ours = [
        conversion(1, click_id="a", action_id="x ", goal="Install"),
        conversion(2, click_id="b", goal="Первый"),
        conversion(3, click_id="b", goal="2"),
    ]
    rows = [row(2, action_id="x", goal=" INSTALL"), row(3, click_id="b", goal="2"), row(4, click_id="b", goal="первый")]
    pairs = {pair.row.number: pair for pair in match(rows, ours) if pair.row and pair.conversion}
    assert {pair.outcome for pair in pairs.values()} == {Outcome.MATCHED}
    expected = {2: 1, 3: 3, 4: 2}
    assert {number: pair.conversion for number, pair in pairs.items()} == {
        number: ours[place - 1] for number, place in expected.items()
    }


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (Pair(row(2, click_id="gone"), None), (Why.UNKNOWN_CLICK, "")),
        (Pair(row(2, action_id="gone"), None), (Why.NO_TRACE, "")),
        (Pair(row(2, click_id="rejected"), None), (Why.CLICK_REJECTED, "overcap")),
        (Pair(row(2, click_id="accepted"), None), (Why.NEVER_ARRIVED, "")),
        (Pair(row(2, click_id="foreign"), None), (Why.OTHER_OWNER, "")),
        (Pair(row(2, click_id="sent"), None), (Why.POSTBACK_REFUSED, "Wrong sum")),
        (Pair(row(2, click_id="late"), None), (Why.OUTSIDE_SESSION, "Click session lifespan is expired")),
        (Pair(row(2, click_id="next"), None), (Why.OTHER_DAY, "")),
        (Pair(row(2, click_id="past"), None), (Why.OTHER_PERIOD, "")),
        (Pair(row(2, action_id="twice"), None), (Why.DUPLICATE_ROW, "")),
        (
            Pair(row(2), conversion(9, status=Status.DECLINED, comment="Cap is reached")),
            (Why.DECLINED, "Cap is reached"),
        ),
        (
            Pair(row(2), conversion(9, status=Status.DECLINED, comment="Click session lifespan is expired")),
            (Why.OUTSIDE_SESSION, "Click session lifespan is expired"),
        ),
        (Pair(row(2, status=Status.DECLINED), conversion(9)), (Why.STATUS, "")),
        (Pair(row(2, currency="EUR"), conversion(9)), (Why.CURRENCY, "")),
        (Pair(row(2), conversion(9)), (Why.NOTHING, "")),
        (Pair(None, conversion(9)), (Why.NOT_LISTED, "")),
        (Pair(None, conversion(9, status=Status.HOLD)), (Why.WAITING, "hold")),
        (Pair(None, conversion(9, created_at=8 * DAY_MS + 1)), (Why.OTHER_DAY, "")),
        (Pair(None, conversion(9, was_reported=False)), (Why.NEVER_REPORTED, "")),
    ],
)
def test_each_difference_has_its_reason(pair: Pair, expected: tuple[Why, str]) -> None:
    found = [
        conversion(1, click_id="next", created_at=12 * DAY_MS + 5),
        conversion(2, click_id="past", created_at=20 * DAY_MS),
        conversion(3, action_id="twice"),
    ]
    clicks = {"rejected": SeenClick("overcap", True), "foreign": SeenClick("", False)}
    clicks |= dict.fromkeys(("accepted", "sent", "late"), SeenClick("", True))
    responses = {"sent": "Wrong sum", "late": "Click session lifespan is expired"}
    explainer = Explainer(Evidence(8 * DAY_MS, 12 * DAY_MS, found, clicks, responses))
    assert explainer.explain(pair) == expected


def table_of(*columns: str) -> FileTable:
    return FileTable(columns, (), has_head=True)


def read(text: str | bytes, **wanted: str) -> list[SentRow]:
    content = text if isinstance(text, bytes) else text.encode()
    table = read_head(read_text_grid(content, LIMITS), FORM, list(wanted.values()))
    return read_sent_rows(table, choose_columns(table, wanted, {}), {}, "USD")


def test_file_of_a_spreadsheet_is_read() -> None:
    text = 'Click ID;Order;Status;Amount;Currency\n="A1";x;Approved;1.234,50;eur\n;y;rejected;(2)\n\n'
    for content in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        first, second = read(content)
        assert (first.number, first.click_id, first.sum, first.currency) == (2, "a1", Decimal("1234.5"), "EUR")
        assert (first.status, second.status) == (Status.CONFIRMED, Status.DECLINED)
        assert (second.action_id, second.currency) == ("y", "USD")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            b"\xd0\xcf\x11\xe0old",
            "This is an old or protected spreadsheet, or an archive. Save it as XLSX or CSV, and send that.",
        ),
        (b"click_id,sum\na,\xff", "Row 2, column 'sum': 'я' is not an amount; write it as 1234.50."),
        (b"click_id,sum\na,1\0", "The file is not text. Save it as CSV in UTF-8."),
        (b"click_id,sum\n", "The first row names the columns, and each further row is one record:"),
        (b"click_id,sum\na,=SUM(B1)", "Row 2, column 'sum': this is a formula; save the file with values."),
        (b"click_id,sum\na,1\n@cmd,2", "Row 3, column 'click_id': this is a formula; save the file with values."),
        (b"click_id,sum\na,ten", "Row 2, column 'sum': 'ten' is not an amount; write it as 1234.50."),
        (b"click_id,sum,status\na,1,maybe", "Row 2, column 'status': 'maybe' is not a known status"),
        (b"click_id,sum,currency\na,1,dollars", "Row 2, column 'currency': 'dollars' is not a currency code"),
        (b"click_id,sum\n,1", "Row 2 has no id: each row needs a click id, an action id or a conversion id."),
        (b"click_id,other\na,1", "No column is known as the sum: name it in column_sum."),
        (b"who,sum\na,1", "No column is known as an id: name one in column_click_id"),
        (b"click_id,sum,sum\na,1,2", "The file has the column 'sum' more than once. Rename all but one."),
        (b"click_id,sum\n" + b"a" * 501 + b",1", "Row 2, column 'click_id': this value has more than 500 characters."),
        (b"click_id,sum\n" + b"a,1\n" * (MOST_ROWS + 1), f"The file has more than {MOST_ROWS:,} rows."),
        (b"a" * (MOST_BYTES + 1), "The file has more than 5 MB."),
        (b"x," * 100 + b"x\n1", "Row 1 has 101 columns; at most 100 are read."),
        (b"click_id,sum\n" + b"a" * 200_000, "Row 2 cannot be read: field larger than field limit (131072)."),
    ],
)
def test_hostile_file_is_refused_with_its_place(content: bytes, fault: str) -> None:
    with pytest.raises(TableFault) as refused:
        read(content)
    assert str(refused.value).startswith(fault)


def test_columns_of_the_last_file_are_kept_where_they_exist() -> None:
    known = {"click_id": "Ref", "sum": "Old"}
    assert choose_columns(table_of("Ref", "Amount", "Order"), {}, known) == {
        "click_id": "Ref", "action_id": "Order", "sum": "Amount",
    }  # fmt: skip
    with pytest.raises(TableFault, match="The file has no column 'Nope' for goal"):
        choose_columns(table_of("Ref", "Amount"), {"goal": "Nope"}, known)
