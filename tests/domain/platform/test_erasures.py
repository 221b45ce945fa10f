"""Erased data is in no record that is kept."""

import pytest

from tests.support.models.events import new_click
from trackyard.domain.platform.erasures import (
    NOTHING_ERASED,
    PERSONAL_COLUMNS,
    ErasedSubjects,
    Erasure,
    ErasureSubject,
    find_erasure_error,
    redact_erased,
)
from trackyard.domain.statistics.click_columns import EMPTY_CLICK
from trackyard.journal.erasing import erase_record
from trackyard.journal.records import Click, InboundPostback, RecordKind, decode_click, decode_postback, encode

AT = 1_700_000_000_000
PERSON = {"ip": "203.0.113.9", "ua": "Mozilla/5.0 Someone", "referrer": "https://a.example/me", "user_id": "u-77"}
PERSON |= {"os_id": "os-1", "fbclid": "fb.1", "ios_idfa": "idfa-1", "android_id": "gaid-1"}


def of(*asked: tuple[ErasureSubject, str]) -> ErasedSubjects:
    return ErasedSubjects.of(Erasure(number, *each, AT) for number, each in enumerate(asked, start=1))


def click(**fields: object) -> Click:
    return new_click(7, **{"affiliate": 5, "time": AT - 1000} | PERSON | fields)


@pytest.mark.parametrize(
    ("asked", "fields", "is_erased"),
    [
        ((ErasureSubject.CLICK, f"{7:024x}"), {"id": f"{7:024x}"}, True),
        ((ErasureSubject.CLICK, f"{7:024x}"), {"id": f"{7:024x}", "time": AT + 1}, True),
        ((ErasureSubject.CLICK, f"{8:024x}"), {"id": f"{7:024x}"}, False),
        ((ErasureSubject.USER, "u-77"), {}, True),
        ((ErasureSubject.USER, "u-77"), {"time": AT}, True),
        ((ErasureSubject.USER, "u-77"), {"time": AT + 1}, False),
        ((ErasureSubject.USER, "u-7"), {}, False),
        ((ErasureSubject.AFFILIATE, "5"), {}, True),
        ((ErasureSubject.AFFILIATE, "5"), {"time": AT + 1}, False),
        ((ErasureSubject.AFFILIATE, "55"), {}, False),
    ],
)
def test_erasure_covers_records_until_its_moment(
    asked: tuple[ErasureSubject, str], fields: dict[str, object], is_erased: bool
) -> None:
    record = click(**fields)
    kept = redact_erased(of(asked), record)
    if not is_erased:
        assert kept is record
        return
    assert all(getattr(kept, name) == "" for name in PERSONAL_COLUMNS["click"])
    rest = [name for name in Click.__struct_fields__ if name not in PERSONAL_COLUMNS["click"]]
    assert [getattr(kept, name) for name in rest] == [getattr(record, name) for name in rest]
    assert decode_click(erase_record(of(asked), RecordKind.CLICK, encode(record))) == kept


def test_erasure_of_nothing_changes_no_record() -> None:
    payload = encode(click())
    assert redact_erased(NOTHING_ERASED, (record := click())) is record
    assert erase_record(NOTHING_ERASED, RecordKind.CLICK, payload) is payload
    assert erase_record(of((ErasureSubject.CLICK, "0" * 24)), RecordKind.CLICK, payload) is payload
    assert erase_record(of((ErasureSubject.USER, "x")), RecordKind.CLICK, b"[not a click") == b"[not a click"


def test_erasure_of_empty_user_id_matches_nothing() -> None:
    what = ErasedSubjects(users={"": AT}, newest=1)
    assert not what.has(click(user_id=""))
    assert not what.has_postback(AT, {"user_id": ""})


@pytest.mark.parametrize(
    ("asked", "knows_click", "is_erased"),
    [
        ((ErasureSubject.CLICK, f"{7:024x}"), False, True),
        ((ErasureSubject.USER, "u-77"), False, True),
        ((ErasureSubject.USER, "u-78"), True, True),
        ((ErasureSubject.AFFILIATE, "5"), True, True),
        ((ErasureSubject.AFFILIATE, "5"), False, False),
        ((ErasureSubject.CLICK, f"{8:024x}"), True, False),
    ],
)
def test_erasure_of_click_covers_its_postbacks(
    asked: tuple[ErasureSubject, str], knows_click: bool, is_erased: bool
) -> None:
    params = {"clickid": f"{7:024x}", "ip": "203.0.113.9", "user_id": "u-77", "goal": "sale", "sum": "5"}
    call = InboundPostback(
        AT - 500, "f" * 24, "postback", "GET", "198.51.100.1", "shop", "ip=203.0.113.9", "body", params
    )
    clicks = {call.params["clickid"]: click(user_id="u-78")} if knows_click else {}
    kept = decode_postback(erase_record(of(asked), RecordKind.POSTBACK, encode(call), clicks))
    if not is_erased:
        assert kept == call
        return
    assert (kept.ip, kept.ua, kept.query, kept.body) == ("", "", "", "")
    assert kept.params == {"clickid": f"{7:024x}", "goal": "sale", "sum": "5"}
    assert (kept.time, kept.id, kept.source, kept.method) == (call.time, call.id, call.source, call.method)


def test_personal_columns_are_text_fields_of_click() -> None:
    texts = {name for name, value in EMPTY_CLICK.items() if value == ""}
    assert set(PERSONAL_COLUMNS["click"]) <= texts


@pytest.mark.parametrize(
    ("subject", "value", "is_right"),
    [
        (ErasureSubject.CLICK, "a" * 24, True), (ErasureSubject.CLICK, "A" * 24, False),
        (ErasureSubject.CLICK, "", False),
        (ErasureSubject.USER, "x", True), (ErasureSubject.USER, "x" * 256, False), (ErasureSubject.USER, "", False),
        (ErasureSubject.AFFILIATE, "12", True), (ErasureSubject.AFFILIATE, "²", False),
        (ErasureSubject.AFFILIATE, "-1", False),
    ],
)  # fmt: skip
def test_erasure_subject_is_validated(subject: ErasureSubject, value: str, is_right: bool) -> None:
    assert (find_erasure_error(subject, value) is None) == is_right
