"""`script/bench edge`: clicks a second of one edge process beside nginx answering a bare 302 with its access log on.

wrk drives both in turn (edge, nginx, edge, nginx) with the same requests: 9,000 offers, 4,000 affiliates, 1,000 user
agents, random X-Forwarded-For. One worker each, one wrk thread. Then clicks arrive at half the edge's saturated rate:
wrk again, whose 256 connections each wait a random time before the next click (its Lua `delay`), so that they come
independently of each other; the latencies are those wrk measures from sending to answer.

Needs the Debian packages wrk and nginx.
"""

import argparse
import json
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.edge import running_edge
from trackyard.domain.rules import Advertiser, Affiliate, Connections, Offer, Platform, Row

OFFERS = 9_000
AFFILIATES = 4_000
ADVERTISERS = 500
USER_AGENTS = 1_000
ROUNDS = 2
CONNECTIONS = 64
PACED_CONNECTIONS = 256

_SCRIPT = """
local agents = {}
for line in io.lines(%(agents)r) do agents[#agents + 1] = line end
local random, format = math.random, string.format
math.randomseed(%(seed)d)
request = function()
  local offer = random(1, %(offers)d)
  local pid = random(1, %(affiliates)d)
  if offer %% 2 == 1 then pid = (offer * 7 + random(0, 199) * 20) %% %(affiliates)d + 1 end
  return format("GET /click?pid=%%d&offer_id=%%d&sub1=campaign-%%d&sub2=%%x HTTP/1.1\\r\\nHost: t.example\\r\\n" ..
    "User-Agent: %%s\\r\\nX-Forwarded-For: %%d.%%d.%%d.%%d\\r\\n\\r\\n",
    pid, offer, random(1, 500), random(0, 2147483647),
    agents[random(1, #agents)], random(1, 223), random(0, 255), random(0, 255), random(1, 254))
end
if %(delay_ms)g > 0 then delay = function() return random() * 2 * %(delay_ms)g end end
"""

_NGINX = """
daemon off; worker_processes 1; pid %(directory)s/nginx.pid; error_log %(directory)s/error.log;
events { worker_connections 1024; }
http {
  access_log %(directory)s/access.log combined;
  client_body_temp_path %(directory)s/b; proxy_temp_path %(directory)s/p; fastcgi_temp_path %(directory)s/f;
  uwsgi_temp_path %(directory)s/u; scgi_temp_path %(directory)s/s;
  keepalive_requests 100000000;
  server { listen 127.0.0.1:%(port)d; location / { return 302 https://shop.example/landing?click=1; } }
}
"""


def rules() -> list[Row]:
    """Half of the offers are public, half take 200 affiliates each; all clicks of the script pass."""
    rows: list[Row] = [Platform(), *(Advertiser(id=_advertiser(number)) for number in range(ADVERTISERS))]
    rows += [Affiliate(id=number, active=True, name=f"Affiliate {number}") for number in range(1, AFFILIATES + 1)]
    for number in range(1, OFFERS + 1):
        url = f"https://shop{number}.example/landing?click={{clickid}}&aff={{pid}}&src={{sub1}}&geo={{geo}}&os={{os}}"
        rows.append(
            Offer(
                id=number,
                hash=f"{number:024x}",
                title=f"Offer {number}",
                advertiser=_advertiser(number % ADVERTISERS),
                url=url,
                active=True,
                open=number % 2 == 0,
            )
        )
        if number % 2:
            connected = sorted((number * 7 + step * 20) % AFFILIATES + 1 for step in range(200))
            rows.append(Connections(offer=number, affiliates=tuple(connected)))
    return rows


def user_agents() -> list[str]:
    """A thousand different ones, in the proportions of phones and desktops."""
    choose = random.Random(1)
    webkit = "AppleWebKit/537.36 (KHTML, like Gecko)"
    phone = f"Mozilla/5.0 (Linux; Android {{}}; SM-G{{}}) {webkit} Chrome/{{}}.0.{{}}.{{}} Mobile Safari/537.36"
    apple = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS {}_{}_{} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/{}.{} Mobile/15E148 Safari/604.1"
    )
    windows = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/{{}}.0.{{}}.{{}} Safari/537.36"
    made: set[str] = set()
    while len(made) < USER_AGENTS:
        numbers = [choose.randint(9, 14), choose.randint(900, 999), choose.randint(90, 130), choose.randint(4000, 6000)]
        kind = choose.random()
        if kind < 0.5:
            made.add(phone.format(*numbers, choose.randint(0, 200)))
        elif kind < 0.75:
            major, minor = choose.randint(13, 17), choose.randint(0, 6)
            made.add(apple.format(major, minor, choose.randint(0, 9), major, minor))
        else:
            made.add(windows.format(*numbers[2:], choose.randint(0, 200)))
    return sorted(made)


def main() -> None:
    """Measures and prints; with --json the last line is one JSON object."""
    parser = argparse.ArgumentParser(prog="script/bench edge", description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5, help="of each measurement")
    parser.add_argument("--json", action="store_true", help="the figures as JSON on the last line")
    options = parser.parse_args()
    missing = [name for name in ("wrk", "nginx") if _find_program(name) is None]
    if missing:
        sys.exit(f"script/bench edge needs {' and '.join(missing)}: apt-get install {' '.join(missing)}")
    figures = measure(options.seconds)
    print(
        f"edge {figures['edge_rps']:.0f}/s, nginx {figures['nginx_rps']:.0f}/s, ratio {figures['ratio']:.2f}; "
        f"at half the edge's rate p50 {figures['p50_ms']:.2f} ms, p99 {figures['p99_ms']:.2f} ms"
    )
    if options.json:
        print(json.dumps(figures))


def measure(seconds: float) -> dict[str, float]:
    """The figures of one run."""
    rates: dict[str, list[float]] = {"edge": [], "nginx": []}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        script = _write_script(directory)
        with running_edge(directory, rules()) as edge, _nginx(directory) as nginx_port:
            ports = {"edge": edge.port, "nginx": nginx_port}
            for server, port in ports.items():
                _rate(_wrk(script, port, min(seconds, 2)))
                print(f"{server}: warm", flush=True)
            for _ in range(ROUNDS):
                for server, port in ports.items():
                    rates[server].append(_rate(_wrk(script, port, seconds)))
                    print(f"{server}: {rates[server][-1]:.0f}/s", flush=True)
            rate = statistics.mean(rates["edge"])
            slow = _write_script(directory, delay_ms=PACED_CONNECTIONS * 1000 / (rate / 2))
            paced = _wrk(slow, edge.port, seconds, PACED_CONNECTIONS)
            print(f"edge: {_rate(paced):.0f}/s paced", flush=True)
            _check_accepted(edge.port)
    nginx_rate = statistics.mean(rates["nginx"])
    return {
        "edge_rps": round(rate, 1),
        "nginx_rps": round(nginx_rate, 1),
        "ratio": round(rate / nginx_rate, 3),
        "p50_ms": _latency_ms(paced, 50),
        "p99_ms": _latency_ms(paced, 99),
    }


def _advertiser(number: int) -> str:
    return f"ad{number:022x}"


def _find_program(name: str) -> str | None:
    return shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")


def _write_script(directory: Path, delay_ms: float = 0) -> Path:
    agents = directory / "agents.txt"
    agents.write_text("\n".join(user_agents()) + "\n")
    script = directory / f"clicks-{delay_ms:g}.lua"
    values = {"agents": str(agents), "seed": 1, "offers": OFFERS, "affiliates": AFFILIATES, "delay_ms": delay_ms}
    script.write_text(_SCRIPT % values)
    return script


def _wrk(script: Path, port: int, seconds: float, connections: int = CONNECTIONS) -> str:
    """What wrk reports. Errors: SystemExit when anything but a redirect came."""
    done = subprocess.run(
        [
            str(_find_program("wrk")),
            *("-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--latency", "-s", str(script)),
            f"http://127.0.0.1:{port}/",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        sys.exit(f"wrk met errors:\n{done.stdout}{done.stderr}")
    return done.stdout


def _rate(report: str) -> float:
    """Answers a second."""
    (rate,) = re.findall(r"Requests/sec:\s+([\d.]+)", report)
    return float(rate)


def _latency_ms(report: str, percent: int) -> float:
    """A percentile of the latencies."""
    ((number, unit),) = re.findall(rf"{percent}%\s+([\d.]+)(us|ms|s)", report)
    return round(float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit], 3)


@contextmanager
def _nginx(directory: Path) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = directory / "nginx.conf"
    configuration.write_text(_NGINX % {"directory": directory, "port": port})
    process = subprocess.Popen([str(_find_program("nginx")), "-c", str(configuration), "-p", str(directory)])
    try:
        _await_port(port)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _await_port(port: int) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _check_accepted(port: int) -> None:
    """A fast refusal would be a wrong measurement: every click must have been accepted."""
    time.sleep(1.5)  # the edge hands its counts over once a second
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    counts = {
        reason: float(count) for reason, count in re.findall(r'trackyard_clicks_total{reason="(.*)"} (\S+)', text)
    }
    if set(counts) != {""}:
        sys.exit(f"not all clicks were accepted: {counts}")
    print(f"{counts['']:.0f} clicks, all accepted and recorded")


if __name__ == "__main__":
    main()
