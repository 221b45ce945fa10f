"""Whom an offer takes clicks of, and the URL it has for them (behaviour.md §4, Restrictions and targeting groups)."""

from trackyard.decide.hit import Hit


def chosen_url(hit: Hit) -> str:
    """The URL of an accepted click before its macros: that of the landing that `l` names, else that of the targeting
    group which let the click pass, else the offer's.

    A landing goes first: the link asks for it by name, while a group's URLs stand in for the offer's own.
    """
    offer = hit.offer
    if offer is None:
        raise ValueError("an accepted click has an offer")
    landing = hit.find_landing() if "l" in hit.params else None
    return offer.url if landing is None else landing.url
