"""docs/api/rights.md names the permissions that no method requires."""

from tests.contract.rights import (
    NOT_ASKED,
    features_asked_of_staff,
    methods_by_feature,
    methods_by_permission,
    page,
    taken_by,
)
from trackyard.domain.people.permissions import FEATURES, UNENFORCED, PermissionLevel
from trackyard.domain.people.staff_permissions import WITHOUT_EFFECT


def test_permission_required_by_no_method_is_listed_so() -> None:
    text = page()
    unasked = {permission for permission, methods in methods_by_permission().items() if not methods}
    assert unasked == set(), "a permission that no method asks for"
    assert text.count(NOT_ASKED) == len(unasked) + sum(1 for methods in methods_by_feature().values() if not methods)


def test_affiliate_feature_required_by_no_method_is_listed_so() -> None:
    found = methods_by_feature()
    assert {feature for feature, methods in found.items() if not methods} == UNENFORCED
    assert found["general.marketplace"] == ["GET /offers", "GET /offers/count", "GET /partner/offers"]
    assert found["stats.conversions-export"] == [
        "GET /stats/conversions",
        "GET /stats/clicks",
        "GET /affiliate/conversions/refused-imports",
        "GET /stats/affiliatepostbacks",
    ]
    assert "GET /stats/clicks" in found["stats.clicks-list"]
    assert found["stats.slice-country"] == ["GET /stats/getbycountries", "GET /stats/custom"]
    assert "GET /stats/find-subs" in found["stats.slice-sub2"]
    assert found["stats.slice-advertiser_id"] == []  # methods for staff ask no feature of affiliates


def test_staff_feature_without_an_effect_is_listed_so() -> None:
    taking = {feature for feature in FEATURES if taken_by(feature, PermissionLevel.DENY)[1]}
    assert FEATURES.keys() - WITHOUT_EFFECT == (features_asked_of_staff() | taking) - {"general.settings"}
