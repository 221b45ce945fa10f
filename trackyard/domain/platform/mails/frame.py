"""The one look of mails in HTML (docs/spec/platform.md#mail).

Mail programs know tables and inline styles. Programs with a dark theme replace the colours by the style sheet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from trackyard.domain.platform.mails.values import MailLink, MailList, MailPayoutChanges
from trackyard.domain.platform.mails.writing import Part, each_paragraph, names_in
from trackyard.domain.platform.network import Network

WIDTH: Final = 600
"""Pixels of a mail."""
WIDE: Final = 960
"""Pixels of a mail with a table of figures."""
_ACCENTS: Final = ("#3546c8", "#97a3ff")
"""The accents of the light and the dark theme of a network that has none."""
_FONT: Final = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_DARK: Final = (
    '[style*="#f3f3f0"]{background-color:#121316!important}'
    '[style*="#ffffff"]{background-color:#191b1f!important}'
    '[style*="#e7e6e1"]{border-color:#33363d!important}'
    '[style*="#1b1c20"]{color:#eceef2!important}'
    '[style*="#575a63"]{color:#abb0bb!important}'
    '[style*="#fcf1d8"]{background-color:#3a2f12!important;color:#f2cf7f!important}'
)


@dataclass(frozen=True, slots=True)
class MailLook:
    """The network in mails.

    accent, accent_dark: #rrggbb. logo: the URL of its picture, "" = none. base: the beginning of links.
    """

    name: str
    accent: str
    accent_dark: str
    logo: str = ""
    base: str = ""


def look_of(network: Network, base: str) -> MailLook:
    """Return the look of a network. base: the beginning of links; "" = none is known, so no logo is shown."""
    light, dark = network.shown_accents or _ACCENTS
    logo = f"{base}/files/{network.logo}" if network.logo and base else ""
    return MailLook(network.shown_name, light, dark, logo, base)


FooterLink = tuple[str, str]
"""A label and a URL below a mail."""


def framed(
    look: MailLook,
    title: str,
    content: str,
    footer: str,
    language: str,
    *,
    width: int = WIDTH,
    links: Sequence[FooterLink] = (),
) -> str:
    """Return a mail as a document of HTML.

    title, footer: texts. content: HTML. language: its code. links: after the footer.
    """
    ways = "".join(f' <a href="{escape(url)}" style="color:#575a63">{escape(str(label))}</a>.' for label, url in links)
    name, safe_title = escape(look.name), escape(title)
    head = f'<span style="font-size:16px;font-weight:600;color:#1b1c20">{name}</span>'
    if look.logo:
        head = (
            f'<img src="{escape(look.logo)}" alt="{name}" height="32" '
            'style="display:block;height:32px;max-width:240px;border:0">'
        )
    dark = f".mail a{{color:{look.accent_dark}!important}}.mail .rule{{border-color:{look.accent_dark}!important}}"
    button = f".mail .button{{background-color:{look.accent_dark}!important}}.mail .button a{{color:#121316!important}}"
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n'
        '<meta name="supported-color-schemes" content="light dark">\n'
        f"<title>{safe_title}</title>\n<style>:root{{color-scheme:light dark}}"
        f"@media(prefers-color-scheme:dark){{{_DARK}{dark}{button}}}</style>\n</head>\n"
        '<body style="margin:0;padding:0;background-color:#f3f3f0">\n'
        '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" '
        'style="background-color:#f3f3f0"><tr><td align="center" style="padding:24px 12px">\n'
        '<table class="mail" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" '
        f'style="max-width:{width}px;{_FONT};font-size:15px;line-height:1.5;color:#1b1c20;text-align:left">\n'
        f'<tr><td style="padding:0 4px 16px">{head}</td></tr>\n'
        f'<tr><td class="rule" style="background-color:#ffffff;border-top:3px solid {look.accent};'
        'padding:24px 24px 8px">\n'
        f'<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#1b1c20"><bdi>{safe_title}</bdi></h1>\n'
        f"{content}\n</td></tr>\n"
        f'<tr><td style="padding:16px 4px 0;font-size:12px;color:#575a63">{escape(footer)}{ways}</td></tr>\n'
        "</table>\n</td></tr></table>\n</body>\n</html>\n"
    )


def write_content(template: str, button: str, values: Mapping[str, object], look: MailLook) -> str:
    """Return a body as HTML. button: the label of `{link}`, which ends a body that does not have it."""
    blocks = [_block(lines, button, values, look) for lines in each_paragraph(template, values)]
    if button and "link" not in names_in(template):
        blocks.append(_button(button, str(values["link"]), look))
    return "\n".join(blocks)


def _block(lines: list[list[Part]], button: str, values: Mapping[str, object], look: MailLook) -> str:
    """Return a paragraph. A value alone in it is a button, a list or a quotation."""
    match lines:
        case [[("", str(name))]]:
            value = values[name]
            if name == "link" and button:
                return _button(button, str(value), look)
            if isinstance(value, MailList | MailPayoutChanges):
                listed = value.items if isinstance(value, MailList) else value.changes
                items = "".join(f'<li style="margin:0 0 4px">{_value(each, look)}</li>' for each in listed)
                return f'<ul style="margin:0 0 16px;padding:0 0 0 20px">{items}</ul>'
            return (
                f'<p class="rule" style="margin:0 0 16px;padding:4px 0 4px 12px;border-left:3px solid {look.accent};'
                f'font-weight:600;word-break:break-word">{_value(value, look)}</p>'
            )
    texts = (
        "".join(escape(text) + ("" if name is None else _value(values[name], look)) for text, name in line)
        for line in lines
    )
    return f'<p style="margin:0 0 16px;word-break:break-word">{"<br>".join(texts)}</p>'


def _value(value: object, look: MailLook) -> str:
    match value:
        case MailLink(name, url) if url:
            return f'<a href="{escape(url)}" style="color:{look.accent}">{escape(name)}</a>'
        case MailList(items):
            return ", ".join(_value(each, look) for each in items)
        case _:
            return escape(str(value)).replace("\n", "<br>")


def _button(label: str, url: str, look: MailLook) -> str:
    return (
        '<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 16px"><tr>'
        f'<td class="button" style="border-radius:6px;background-color:{look.accent}"><a href="{escape(url)}" '
        'style="display:inline-block;padding:10px 20px;font-weight:600;color:#fffffe;text-decoration:none">'
        f"{escape(str(label))}</a></td></tr></table>"
    )
