"""Texts of mails that staff write (docs/spec/mails.md#own-texts)."""

import pytest

from trackyard.actions.platform.notices import NOTICES, write_mail
from trackyard.base.texts.languages import NAMES, language, speaking
from trackyard.domain.platform.mails.frame import MailLook
from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.labels import MAIL_LABELS, READERS, MailReader
from trackyard.domain.platform.mails.own_texts import (
    IN_EVERY_MAIL,
    MailText,
    default_text,
    faults_of,
    settled,
    values_of,
    with_own_text,
)
from trackyard.domain.platform.mails.samples import sample_values
from trackyard.domain.platform.mails.writing import names_in

LOOK = MailLook("Harbour Media", "#000000", "#ffffff")
CONNECTED = NOTICES[NoticeKind.OFFERS_CONNECTED]
PASSWORD = NOTICES[NoticeKind.PASSWORD_GIVEN]
LINK = NOTICES[NoticeKind.SIGN_IN_LINK]
NEEDED = {
    NoticeKind.PASSWORD_GIVEN: {"password"},
    NoticeKind.PASSWORD_LINK: {"link"},
    NoticeKind.SIGN_IN_LINK: {"link"},
    NoticeKind.ACCOUNT_INVITED: {"link"},
    NoticeKind.INVITED: {"link"},
    NoticeKind.EMAIL_TO_CONFIRM: {"link"},
}
"""The values that only the recipient may have."""


def faults(notice_kind: NoticeKind = NoticeKind.OFFERS_CONNECTED, **text: str) -> dict[str, list[str]]:
    return faults_of(NOTICES[notice_kind], settled(MailText(**{"subject": "Hello", "body": "Hello {name}", **text})))


def test_every_kind_has_a_label_and_a_reader() -> None:
    assert set(MAIL_LABELS) == set(NoticeKind) == set(NOTICES)
    titles = {str(each.title) for each in MAIL_LABELS.values()}
    assert len(titles) == len(NoticeKind) >= 50
    assert {each.reader for each in MAIL_LABELS.values()} == set(MailReader) == set(READERS)


def test_every_default_text_is_a_text_that_staff_could_write() -> None:
    seen = 0
    for notice in NOTICES.values():
        for code in NAMES:
            with speaking(language(code)):
                text = default_text(notice)
            assert settled(text) == text and not faults_of(notice, text), (notice.kind, code)
            seen += 1
    assert seen == len(NoticeKind) * 3 >= 150


def test_every_kind_has_sample_values_for_each_of_its_values_in_every_language() -> None:
    seen = 0
    for notice in NOTICES.values():
        body = "\n\n".join(f"{{{name}}}" for name in values_of(notice))
        every = with_own_text(notice, MailText("{name}", body), values_of(notice))
        for code in NAMES:
            with speaking(language(code)):
                named = sample_values(notice, "USD") | {"link": "https://n.example/sign-in", "network": LOOK.name}
                made = write_mail(every, named, LOOK, "why")
                lines = [
                    str(value).split("\n")[0] for name in values_of(notice) if isinstance(value := named[name], str)
                ]
            assert "{" not in made.text.replace("{clickid}", "") and len(lines) >= 2
            assert not [each for each in lines if each not in made.text], notice.kind
            seen += 1
    assert seen == len(NoticeKind) * 3 >= 150


def test_needed_values_are_those_that_let_a_person_in() -> None:
    assert {kind: notice.needed for kind, notice in NOTICES.items() if notice.needed} == NEEDED


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NEEDED.items() for name in names])
@pytest.mark.parametrize(
    "body",
    ["Hello {{name}}", "Hello {name}\n\nhttps://thief.example/?{VALUE}", "{VALUE} is it", "{VALUE}\nsee above"],
)
def test_needed_value_stands_alone_in_the_body(kind: NoticeKind, name: str, body: str) -> None:
    assert list(faults(kind, body=body.replace("VALUE", name))) == ["body"]
    assert bool(faults(kind, body=f"{{{name}}}\n\n{body.replace('VALUE', name)}")) == ("VALUE" in body)
    assert not faults(kind, body=f"Hello\r\n\r\n{{{name}}}\r\n\r\nBye")


@pytest.mark.parametrize("name", ["link", "password", "url"])
def test_secret_value_is_kept_out_of_subjects(name: str) -> None:
    kinds = [notice for notice in NOTICES.values() if name in values_of(notice)]
    assert kinds
    for notice in kinds:
        assert "subject" in faults_of(notice, MailText(f"See {{{name}}}", default_text(notice).body)), notice.kind


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{offer}", "This mail has no value {offer}. Did you mean {offers}?"),
        ("{Name}", "This mail has no value {Name}. Did you mean {name}?"),
        ("{}", "This mail has no value {}. Its values are: {name}, {network}, {link}, {offers}."),
        ("{0}", "This mail has no value {0}. Its values are: {name}, {network}, {link}, {offers}."),
        ("{name.real}", "This mail has no value {name.real}. Did you mean {name}?"),
        ("{offers[0]}", "This mail has no value {offers[0]}. Did you mean {offers}?"),
        ("{name!r}", "{name} is written without a format."),
        ("{name:>9999999}", "{name} is written without a format."),
        ("{name:{password}}", "{name} is written without a format."),
        ("one { two", "A single brace is part of no value. Write {{ or }} for a brace."),
        ("{na\nme}", "A single brace is part of no value. Write {{ or }} for a brace."),
        ("a\x00b", "This text has control characters."),
        ("a\u202eb", "This text has control characters."),
    ],
)
def test_fault_of_a_body_is_named_with_what_was_meant(body: str, sentence: str) -> None:
    assert faults(body=body) == {"body": [sentence]}


@pytest.mark.parametrize("subject", ["a\nBcc: x@thief.example", "a\r\nBcc: x", "a\rb", "a\x0bb", "a\x85b", "a\u2028b"])
def test_subject_with_a_line_end_is_refused(subject: str) -> None:
    assert faults(subject=subject) == {"subject": ["A subject is one line, without control characters."]}


def test_button_is_one_line_of_a_mail_that_has_one() -> None:
    assert list(faults(button="a\nb")) == ["button"]
    kind = NoticeKind.ACCOUNT_BANNED
    assert faults(kind, button="Go") == {"button": ["This mail has no button."]}


def test_value_of_an_own_text_is_never_a_template() -> None:
    named = {"name": "{password} {0} {", "network": "N", "password": "<hunter2>", "link": "https://n.example"}
    own = with_own_text(PASSWORD, MailText("Hi {name}", "{{name}} {name}\n\n{password}"), named)
    made = write_mail(own, named, LOOK, "why")
    assert made.subject == "Hi {password} {0} {"
    assert made.text == "{name} {password} {0} {\n\n<hunter2>\n\nSign in:\nhttps://n.example\n"
    assert "&lt;hunter2&gt;" in made.html and "<hunter2>" not in made.html


def test_own_text_and_button_are_escaped_in_html() -> None:
    named = sample_values(CONNECTED, "USD") | {"link": "https://n.example", "network": "<N>"}
    made = write_mail(with_own_text(CONNECTED, MailText("<s>", "<script>1</script>", "<b>"), named), named, LOOK, "why")
    assert not [part for part in ("<s>", "<script>", "<b>", "<N>") if part in made.html]
    assert "&lt;script&gt;" in made.html and "&lt;b&gt;" in made.html


def test_own_text_with_a_value_that_its_mail_lacks_is_left_out() -> None:
    assert with_own_text(CONNECTED, MailText("{gone}", "text"), {"name", "offers"}) == CONNECTED
    assert with_own_text(CONNECTED, None, ()) == CONNECTED


def test_values_of_every_mail_come_first() -> None:
    for notice in NOTICES.values():
        values = values_of(notice)
        assert values[:2] == IN_EVERY_MAIL and len(set(values)) == len(values)
        assert names_in(notice.subject) | names_in(notice.body) <= set(values)
