"""The number of requests that run, to which other work of the process yields."""

from starlette.types import ASGIApp, Receive, Scope, Send


class RunningRequests:
    """Counts the requests of applications that it wraps; any thread may ask for the number."""

    def __init__(self) -> None:
        self._count = 0

    def any(self) -> bool:
        """Return whether a request runs."""
        return self._count > 0

    def counted(self, app: ASGIApp) -> ASGIApp:
        """Return the application with its requests counted."""

        async def counted_app(scope: Scope, receive: Receive, send: Send) -> None:
            self._count += 1
            try:
                await app(scope, receive, send)
            finally:
                self._count -= 1

        return counted_app
