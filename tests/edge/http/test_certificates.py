"""The certificate of the listener, which is renewed while it runs."""

import logging
import ssl
from pathlib import Path

import pytest

from tests.support.clicks.edge import running_edge
from tests.support.clicks.rules import make_offer
from tests.support.processes.certificates import self_signed
from tests.support.waiting import wait_until
from trackyard.domain.tracking.ruleset import RulesetAffiliate
from trackyard.edge.http.tls import Certificate


def renewed(directory: Path) -> tuple[Path, Path]:
    """Return the files of another certificate."""
    (directory / "new").mkdir()
    return self_signed(directory / "new")


def test_edge_uses_renewed_certificate_without_a_restart(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    new_certificate, new_key = renewed(tmp_path)
    first, second = certificate.read_text(), new_certificate.read_text()
    rows = [make_offer(), RulesetAffiliate(id=7)]
    with running_edge(tmp_path, rows, tls_certificate=certificate, tls_key=key, refresh_s=0.05) as edge:

        def shown() -> str:
            return ssl.get_server_certificate(("127.0.0.1", edge.port), timeout=10)

        assert shown() == first
        new_certificate.replace(certificate)
        assert shown() == first
        new_key.replace(key)
        wait_until(lambda: shown() == second)


def test_certificate_without_its_key_is_logged_once_and_not_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = self_signed(tmp_path)
    certificate = Certificate(*files)
    new_certificate, new_key = renewed(tmp_path)
    with caplog.at_level(logging.INFO):
        certificate.refresh()
        new_certificate.replace(files[0])
        certificate.refresh()
        certificate.refresh()
        assert caplog.messages == ["new certificate not used"]
        new_key.replace(files[1])
        certificate.refresh()
    assert caplog.messages == ["new certificate not used", "new certificate used"]
