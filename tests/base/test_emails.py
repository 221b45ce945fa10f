"""The form of e-mail addresses."""

import pytest

from trackyard.base.emails import is_email_address


@pytest.mark.parametrize(
    "text", ["a@b.example", "admin@localhost", "a'b+c=d@x-y.example", "A.B@X.example", "a@1.example", "ü@b.example"]
)
def test_email_address_of_usual_form_is_accepted(text: str) -> None:
    assert is_email_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "a@=?utf-8?q?x=0Abcc:_victim=40example.org=0A=0AHello?=",
        "=?utf-8?q?a?=@b.example",
        "a@[bad",
        "a@[127.0.0.1]",
        "a\x01b@x.example",
        "a\x85b@x.example",
        "a\u202eb@x.example",
        "a@b.example\n",
        "a@b.example\r\nbcc:c@d.example",
        "a,b@c.example",
        "a b@c.example",
        '"a"@b.example',
        "a<b@c.example>",
        "(a)b@c.example",
        "a..b@c.example",
        ".a@c.example",
        "a.@c.example",
        "a@b_c.example",
        "a@-b.example",
        "a@b..example",
        "a@b.example.",
        "a@ü.example",
        "a@b@c.example",
        "@b.example",
        "a@",
        "a" * 65 + "@b.example",
        "a@" + "b." * 95 + "example",
    ],
)
def test_email_address_that_could_change_a_mail_is_rejected(text: str) -> None:
    assert not is_email_address(text)
