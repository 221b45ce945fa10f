"""Whether the program in this container can work, for HEALTHCHECK: the exit code is 0 when /readyz answers 200."""

import os
import sys
from http.client import HTTPConnection, HTTPException

port = int(os.environ.get("TRACKYARD_MONITORING_LISTEN", "127.0.0.1:8002").rpartition(":")[2])
connection = HTTPConnection("127.0.0.1", port, timeout=4)
try:
    connection.request("GET", "/readyz")
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace")
except (OSError, HTTPException) as fault:
    sys.exit(f"/readyz of port {port} does not answer: {fault}")
print(text)
sys.exit(0 if answer.status == 200 else 1)
