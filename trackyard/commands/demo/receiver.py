"""The receiver of the demonstration's postbacks."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class PostbackReceiver(ThreadingHTTPServer):
    """A loopback server that accepts every postback while its `with` block lasts.

    url: its URL.
    received: the number of postbacks so far.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _PostbackHandler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.received = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.05,), name="receiver", daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _PostbackHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: PostbackReceiver

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.received += 1
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
