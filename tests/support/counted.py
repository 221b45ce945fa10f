"""Values of metrics in this process."""

from prometheus_client import REGISTRY


def counted(name: str, **labels: str) -> float:
    """The value of a sample, 0 when it is not there."""
    return REGISTRY.get_sample_value(name, labels) or 0.0
