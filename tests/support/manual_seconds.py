"""A clock of seconds for what measures them."""


class ManualSeconds:
    """A clock of seconds that is moved by hand."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now
