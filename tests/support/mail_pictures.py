"""Pictures of mails at 600 px, light and dark (script/screenshots)."""

import base64
import sys
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final

from tests.support.browser import BrowserTab, browser_tab
from trackyard.actions.platform import notices
from trackyard.domain.platform.mails.frame import MailLook, framed, look_of, write_content
from trackyard.domain.platform.mails.kinds import Notice, NoticeKind
from trackyard.domain.platform.mails.values import MailedOffer, MailList, MailMoney
from trackyard.domain.platform.mails.writing import write_subject
from trackyard.domain.platform.network import Network

MAIL_WIDTH: Final = 600
_BASE: Final = "https://partners.example"
_HOME: Final = f"{_BASE}/portal/"
_PASSWORD_LINK: Final = f"{_BASE}/sign-in/link?token=example"
MAILS: Final[Mapping[str, tuple[Notice, Mapping[str, object]]]] = {
    "mail-connected": (
        notices.NOTICES[NoticeKind.OFFERS_CONNECTED],
        {
            "offers": MailList([MailedOffer(7, "Gold card").link(_HOME), MailedOffer(9, "Running shoes").link(_HOME)]),
            "link": f"{_HOME}offers",
        },
    ),
    "mail-paid": (
        notices.NOTICES[NoticeKind.PAYMENT_EXECUTED],
        {"payment": 31, "amount": MailMoney(Decimal("942.5348"), "USD"), "link": f"{_HOME}payments"},
    ),
    "mail-answer": (
        notices.NOTICES[NoticeKind.REQUEST_ANSWERED],
        {
            "offer": MailedOffer(7, "Gold card").link(_HOME),
            "answer": "Which sites will you advertise it on?\nPlease no brand bidding.",
            "link": f"{_HOME}requests",
        },
    ),
    "mail-password": (notices.PASSWORD_LINK, {"link": _PASSWORD_LINK}),
}
"""The pictured mails by the names of their files."""
MAIL_PICTURES: Final = tuple(f"{name}{end}" for name in MAILS for end in ("", "-dark"))
"""The names of all pictures."""


def example_look() -> MailLook:
    """Return a network with a name and an accent."""
    return look_of(Network(name="Harbour Media", accent="#0b6e5f"), _BASE)


def example_mail(notice: Notice, values: Mapping[str, object], look: MailLook) -> str:
    """Return a mail to an affiliate as HTML."""
    named = {"name": "Ann", **values}
    content = write_content(notice.body, notice.button, named, look)
    return framed(look, write_subject(notice.subject, named), content, notices.why_account(look), "en")


def take_mails(tab: BrowserTab, folder: Path) -> None:
    """Take each mail, light and dark."""
    look = example_look()
    for name, (notice, values) in MAILS.items():
        page = base64.b64encode(example_mail(notice, values, look).encode()).decode()
        for dark in (False, True):
            tab.resize(MAIL_WIDTH, 200, dark=dark)
            tab.open(f"data:text/html;base64,{page}")
            (folder / f"{name}{'-dark' if dark else ''}.png").write_bytes(tab.screenshot(whole=True))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home, browser_tab(Path(home)) as only_tab:
        take_mails(only_tab, Path(sys.argv[1]))
