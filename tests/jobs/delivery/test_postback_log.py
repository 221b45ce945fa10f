"""The secret of a postback never reaches its log."""

import time

import pytest

from trackyard.base.masks import mask_secrets


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
        ("secure[]=x&secure[0]=y", "secure[]=***&secure[0]=***"),
        ("secure%5B%5D=x&%73%65%63%75%72%65%5b0%5d=y", "secure%5B%5D=***&%73%65%63%75%72%65%5b0%5d=***"),
        ("+secure=x&secure%20=y&a=1&amp;secure=z", "+secure=***&secure%20=***&a=1&amp;secure=***"),
        ("afsecure[code]=x&secured=y", "afsecure[code]=***&secured=y"),
        ('{"secure":["x","y"],"a":1}', '{"secure":"***","a":1}'),
        ('{"secure":{"0":"x"},"a":1}', '{"secure":"***","a":1}'),
        ('{"secure":["x","y', '{"secure":"***"'),
        (
            '--b\r\nContent-Disposition: form-data; name="secure[]"\r\n\r\nx\r\n--b--',
            '--b\r\nContent-Disposition: form-data; name="secure[]"\r\n\r\n***\r\n--b--',
        ),
        ("a=1&%73ecure=x&b=2", "a=1&%73ecure=***&b=2"),
        ("se%63ur%65=x&%61%66%73%65%63%75%72%65=y", "se%63ur%65=***&%61%66%73%65%63%75%72%65=***"),
        ("a=x?secure=y", "a=x?secure=***"),
        ("%2573ecure=x&in%73ecure=x", "%2573ecure=x&in%73ecure=x"),
        ('{"\\u0073ecure":"x","a":1}', '{"\\u0073ecure":"***","a":1}'),
        (
            '{"a":":","\\u0053\\u0065\\u0063\\u0075\\u0072\\u0065" : 17}',
            '{"a":":","\\u0053\\u0065\\u0063\\u0075\\u0072\\u0065" : "***"}',
        ),
        ('{"a":["b","c"],"d\\"secure":"x","afsecure":"x"}', '{"a":["b","c"],"d\\"secure":"x","afsecure":"***"}'),
        ('{"secure": "x\\"y", "a": 1}', '{"secure": "***", "a": 1}'),
        ('{"a":1,"secure":17}', '{"a":1,"secure":"***"}'),
        ('{"secure":"cut of', '{"secure":"***"'),
        ('{"secure":"cut \\', '{"secure":"***"'),
        (
            '--b\r\nContent-Disposition: form-data; NAME = "secure"\r\n\r\nx\r\n--b--',
            '--b\r\nContent-Disposition: form-data; NAME = "secure"\r\n\r\n***\r\n--b--',
        ),
        (
            '--b\r\nContent-Disposition: form-data; name="secure"\r\n\r\nx\r\n--b--',
            '--b\r\nContent-Disposition: form-data; name="secure"\r\n\r\n***\r\n--b--',
        ),
    ],
)
def test_postback_log_secret_is_masked_in_every_form(text: str, kept: str) -> None:
    assert mask_secrets(text) == kept


@pytest.mark.parametrize(
    "piece",
    [
        "name=secure\n",
        "name=secure ",
        '"secure":"',
        '"secure":"\\',
        '"secure" ',
        "secure=",
        '"\\\\',
        '"',
        "%73ecure=",
        '"\\u0073ecure":"',
        "secure[",
        '"secure":[',
        '"secure":{',
        'name="secure[',
    ],
)
def test_postback_log_masking_takes_linear_time(piece: str) -> None:
    """Masking is fast for any text, since it runs in the worker's transaction."""
    text = piece * (1024 * 1024 // len(piece))
    begin = time.process_time()
    mask_secrets(text)
    assert time.process_time() - begin < 5
