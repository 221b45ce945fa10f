"""The samples of proxies: Caddy runs in front of an edge, and a parser reads the file for nginx."""

import json
import os
import re
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import crossplane
import pytest
import yaml

from tests.deploy.files import DEPLOY
from tests.support.clicks.edge import parse_answers, running_edge
from tests.support.clicks.rules import ADVERTISER, HASH, make_offer
from tests.support.processes.program import free_port
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.api.platform.certificate_page import CERTIFICATE
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate
from trackyard.runtime import settings

CADDY: Final = Path(sys.executable).with_name("caddy")
CADDYFILE: Final = DEPLOY / "caddy" / "Caddyfile"
TRAEFIK: Final = DEPLOY / "traefik" / "trackyard.yml"
NGINX: Final = DEPLOY / "nginx" / "trackyard.conf"
NAMES: Final = ("api.example.com", "go.example.com")
PRIVATE: Final = {"/metrics", "/readyz"}
HEADERS: Final = {
    "Connection": "",
    "Host": "$host",
    "X-Forwarded-For": "$remote_addr",
    "X-Forwarded-Proto": "$scheme",
}
ROWS: Final = [make_offer(url="https://shop.example/?c={clickid}&ip={ip}"), RulesetAffiliate(id=7),
               RulesetAdvertiser(id=ADVERTISER)]  # fmt: skip


def listeners() -> dict[str, str]:
    """Return the address of each listener without settings, by the name that the samples have for it."""
    config = settings.load({"TRACKYARD_DATA_DIR": "/nowhere"})
    return dict(zip(NAMES, (config.api_listen.url(), config.tracking_listen.url()), strict=True))


def caddy(directory: Path, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
    """Start Caddy with its files in a directory."""
    places = {"HOME": str(directory), "XDG_DATA_HOME": str(directory), "XDG_CONFIG_HOME": str(directory)}
    command = [str(CADDY), *arguments, "--adapter", "caddyfile", "--config"]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*command, str(directory / "Caddyfile")], env=os.environ | places | variables, **output)


def test_caddy_sample_leads_each_name_to_its_listener(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text(CADDYFILE.read_text())
    adapted, complaint = caddy(tmp_path, "adapt", "--validate").communicate(timeout=60)
    assert adapted, complaint.decode()
    [server] = json.loads(adapted)["apps"]["http"]["servers"].values()
    assert server["listen"] == [":443"]
    led = {
        route.get("match", [{"host": [""]}])[0]["host"][0]: re.findall(r'"dial": ?"([^"]+)"', json.dumps(route))
        for route in server["routes"]
    }
    expected = {name: [url.removeprefix("http://")] for name, url in listeners().items()}
    assert led == expected | {"": expected["go.example.com"]}, "any other name is a tracking domain"
    asked_url = json.loads(adapted)["apps"]["tls"]["automation"]["on_demand"]["permission"]["endpoint"]
    assert asked_url == f"{listeners()['api.example.com']}{CERTIFICATE.removesuffix('?')}"
    assert b"not formatted" not in complaint


def test_caddy_sample_in_front_of_an_edge_passes_visitor_and_scheme_on(tmp_path: Path) -> None:
    port = free_port()
    with running_edge(tmp_path / "edge", ROWS) as edge:
        text = CADDYFILE.read_text().replace("127.0.0.1:8001", f"127.0.0.1:{edge.port}")
        text = "(trackyard)" + text.partition("api.example.com {")[0].partition("(trackyard)")[2]
        text = text.replace("go.example.com {", f"https://localhost:{port} {{\n\ttls internal")
        options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n"
        (tmp_path / "Caddyfile").write_text(options + text)
        proxy = caddy(tmp_path, "run")
        try:
            wait_until(lambda: is_open(port), seconds=30)
            assert asked(port, "/readyz").status == asked(port, "/metrics").status == 404
            assert edge.ask("/readyz").status == 200, "the listener itself has the page"
            answer = asked(port, f"/click?pid=7&offer_id={HASH}", "X-Forwarded-For: 8.8.8.8", "X-Forwarded-Proto: http")
        finally:
            proxy.terminate()
            proxy.communicate(timeout=30)
    assert answer.status == 302
    assert answer.headers["location"].endswith("&ip=127.0.0.1"), "what the visitor says about itself is not believed"
    assert "; SameSite=None; Secure" in answer.headers["set-cookie"]


def test_caddy_sample_gets_certificates_of_tracking_domains_alone(tmp_path: Path) -> None:
    def reply(request: ReceivedRequest) -> Reply:
        return Reply(200 if request.path == "/certificate?domain=go.affiliate.example" else 404)

    port = free_port()
    with running_edge(tmp_path / "edge", ROWS) as edge, Receiver(reply) as api:
        text = CADDYFILE.read_text().replace("127.0.0.1:8001", f"127.0.0.1:{edge.port}")
        text = text.replace("http://127.0.0.1:8000/certificate", api.url("/certificate"))
        text = text.replace("\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n", 1)
        text = text.partition("go.example.com {")[0] + text[text.index("https:// {") :]
        text = text.replace("https:// {", f"https://:{port} {{").replace("\ttls {\n", "\ttls {\n\t\tissuer internal\n")
        (tmp_path / "Caddyfile").write_text(text)
        proxy = caddy(tmp_path, "run")
        try:
            wait_until(lambda: is_open(port, "go.affiliate.example"), seconds=30)
            answer = asked(port, f"/click?pid=7&offer_id={HASH}", name="go.affiliate.example")
            assert answer.status == 302
            with pytest.raises(ssl.SSLError):
                asked(port, "/healthz", name="stranger.example")
        finally:
            proxy.terminate()
            proxy.communicate(timeout=30)
        assert {request.path for request in api.requests()} == {
            "/certificate?domain=go.affiliate.example",
            "/certificate?domain=stranger.example",
        }


def is_open(port: int, name: str = "localhost") -> bool:
    """Return whether the proxy answers: it makes its certificate after it begins to listen."""
    try:
        asked(port, "/readyz", name=name)
    except OSError:
        return False
    return True


def asked(port: int, target: str, *headers: str, name: str = "localhost") -> Any:
    """Return the answer of the proxy to a request by HTTPS."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    lines = "\r\n".join([f"GET {target} HTTP/1.1", f"Host: {name}:{port}", "Connection: close", *headers])
    with (
        socket.create_connection(("127.0.0.1", port), timeout=30) as plain,
        context.wrap_socket(plain, server_hostname=name) as client,
    ):
        client.sendall(f"{lines}\r\n\r\n".encode())
        data = b""
        while chunk := client.recv(65536):
            data += chunk
    return parse_answers(data)[0]


def test_nginx_sample_leads_each_name_to_its_listener(tmp_path: Path) -> None:
    main = tmp_path / "nginx.conf"
    main.write_text(f"events {{}}\nhttp {{ include {NGINX}; }}\n")
    read = crossplane.parse(str(main), strict=True, check_ctx=True, check_args=True)
    assert read["status"] == "ok", read["errors"]
    servers = [each["block"] for each in read["config"][1]["parsed"] if each["directive"] == "server"]
    by_name = {each[0]: server for server in servers for each in arguments_of(server, "server_name")}
    plain = {each["args"][0]: each["block"] for each in servers[2] if each["directive"] == "location"}
    assert arguments_of(plain["/"], "return") == [["301", "https://$host$request_uri"]]
    assert arguments_of(plain["/.well-known/acme-challenge/"], "root") == [["/var/www/acme"]]
    for name, url in listeners().items():
        server = next(each for each in servers if arguments_of(each, "server_name") == [[name]])
        unknown_names = ["default_server"] if name == "go.example.com" else []
        assert arguments_of(server, "listen") == [["443", "ssl", *unknown_names]]
        certificate = [["/etc/letsencrypt/live/$ssl_server_name/fullchain.pem"]]
        assert arguments_of(server, "ssl_certificate") == certificate, "of the name that is asked for"
        places = {tuple(each["args"]): each["block"] for each in server if each["directive"] == "location"}
        assert arguments_of(places[("/",)], "proxy_pass") == [[url]]
        sent = dict(arguments_of(places[("/",)], "proxy_set_header"))
        expected = {
            "Connection": "",
            "Host": "$http_host",
            "X-Forwarded-For": "$remote_addr",
            "X-Forwarded-Proto": "$scheme",
        }
        assert sent == expected
        closed = {place[1] for place, block in places.items() if arguments_of(block, "return") == [["404"]]}
        assert closed == PRIVATE
    assert by_name.keys() == set(NAMES)


def arguments_of(block: list[dict[str, Any]], directive: str) -> list[list[str]]:
    return [each["args"] for each in block if each["directive"] == directive]


def test_nginx_gets_certificates_of_names_and_tracking_domains_that_have_none(tmp_path: Path) -> None:
    (tmp_path / "live" / "go.example.com").mkdir(parents=True)
    (tmp_path / "live" / "go.example.com" / "fullchain.pem").touch()
    answer = {"domains": {"1": {"id": 1, "url": "one.example"}, "2": {"id": 2, "url": "two.example"}}, "status": 1}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    for name, lines in {
        "curl": f"cat {tmp_path}/answer.json",
        "certbot": f'echo "$@" >>{tmp_path}/called; case "$*" in *one.example*) exit 1 ;; esac',
        "chgrp": f'echo "$@" >>{tmp_path}/groups',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    given = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "LETSENCRYPT": str(tmp_path), "API_KEY": "k"}
    program = [NGINX.with_name("certificates.sh"), *NAMES]
    done = subprocess.run(program, env=os.environ | given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        0,
        "No certificate for one.example: does the name lead to this machine?\n",
    )
    asked_for = re.findall(r"--domain (\S+)", (tmp_path / "called").read_text())
    assert asked_for == ["api.example.com", "one.example", "two.example"], "one that fails holds no other up"
    assert (tmp_path / "groups").read_text() == f"www-data {tmp_path}/live\n"


def test_traefik_sample_leads_each_name_to_its_listener() -> None:
    sample = yaml.safe_load(TRAEFIK.read_text())["http"]
    led = {}
    for router in sample["routers"].values():
        [name] = re.findall(r"Host\(`([^`]+)`\)", router["rule"])
        assert set(re.findall(r"!Path\(`([^`]+)`\)", router["rule"])) == PRIVATE
        assert router["tls"]["certResolver"] and set(router.get("middlewares", ())) <= sample["middlewares"].keys()
        [server] = sample["services"][router["service"]]["loadBalancer"]["servers"]
        led[name] = server["url"]
    assert led == listeners()
