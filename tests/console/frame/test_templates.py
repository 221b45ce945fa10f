"""Texts of templates."""

import pytest

from trackyard.console.frame.templates import environment


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ _(name) }}", "&lt;b&gt;100% off"),
        ("{{ _('%(name)s is saved', name=name) }}", "&lt;b&gt;100% off is saved"),
        ("{{ ngettext('%(num)d row of %(name)s', '%(num)d rows of %(name)s', 2, name=name) }}",
         "2 rows of &lt;b&gt;100% off"),
        ("{{ _('Fish & chips') }}", "Fish &amp; chips"),
    ],
)  # fmt: skip
def test_template_text_is_escaped_and_keeps_percent_signs(template: str, expected: str) -> None:
    assert environment().from_string(template).render(name="<b>100% off") == expected
