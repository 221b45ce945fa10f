"""Whether the program in this container does its work, for HEALTHCHECK: the exit code is 0 when it does.

A container with edges is healthy while its tracking listener answers clicks, whatever becomes of the databases. One
without edges needs the SQL database, so it is healthy while /readyz of its monitoring listener answers 200.
"""

import json
import os
import ssl
import sys
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

file = Path(os.environ.get("TRACKYARD_DATA_DIR", "data"), "run", "server.json")
try:
    server = json.loads(file.read_text())
except (OSError, ValueError) as fault:
    sys.exit(f"The server has not started yet: {file}: {fault}")
listener = server.get("tracking_listener") or server["monitoring"] or server["api"]
if not listener:
    sys.exit("This server has no listener that could be asked: set TRACKYARD_MONITORING_LISTEN.")
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the certificate is for the public name
address = f"{listener}/readyz"
try:
    with build_opener(ProxyHandler({}), HTTPSHandler(context=context)).open(address, timeout=4) as answer:
        print(answer.read().decode(errors="replace"))
except HTTPError as answer:
    sys.exit(f"{address} answers {answer.code}: {answer.read().decode(errors='replace')}")
except (OSError, HTTPException) as fault:
    sys.exit(f"{address} does not answer: {fault}")
