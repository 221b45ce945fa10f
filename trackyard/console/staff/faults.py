"""Refusals of the API as sentences of a page."""

from trackyard.base.errors import RequestError


def fault_of(refusal: RequestError) -> str:
    """Return the API's reasons for refusing a change, in sentences without parameter names."""
    if not refusal.fields:
        return f"{refusal.text.rstrip('.')}."
    return " ".join(sentence for sentences in refusal.fields.values() for sentence in sentences)
