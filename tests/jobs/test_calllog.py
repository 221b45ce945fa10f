"""The secret of a call never reaches its log."""

import pytest

from trackyard.jobs.calllog import masked


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("a=1&b=2", "a=1&b=2"),
        ("secure=x", "secure=***"),
        ("a=1&secure=x%26y&b=2", "a=1&secure=***&b=2"),
        ("a=1&afsecure=x", "a=1&afsecure=***"),
        ("SECURE=x&Secure=", "SECURE=***&Secure=***"),
        ("insecure=x", "insecure=x"),
        ('{"secure": "x\\"y", "a": 1}', '{"secure": "***", "a": 1}'),
        ('{"a":1,"secure":17}', '{"a":1,"secure":"***"}'),
        (
            '--b\r\nContent-Disposition: form-data; name="secure"\r\n\r\nx\r\n--b--',
            '--b\r\nContent-Disposition: form-data; name="secure"\r\n\r\n***\r\n--b--',
        ),
    ],
)
def test_the_secret_is_masked_in_every_form(text: str, kept: str) -> None:
    assert masked(text) == kept
