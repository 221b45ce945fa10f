"""A proxy learns for which names it may get a certificate: those of tracking domains."""

from starlette.testclient import TestClient

from tests.support.api import Api
from tests.support.stores.statements import recorded_statements
from trackyard.api.app import build
from trackyard.wire.http.rate_limits import ApiLimits


def allowed(api: Api, query: str) -> int:
    return TestClient(api.app).get(f"/certificate?{query}").status_code


def test_certificate_page_allows_tracking_domains_alone(api: Api) -> None:
    api.admin.post("/3.0/admin/domains", url="go.affiliate.example", use_https="1")
    made = api.admin.post("/3.0/admin/domains", url="other.example:8443", use_https="0")
    for name in ("go.affiliate.example", "GO.Affiliate.Example.", "other.example", "track.example"):
        assert allowed(api, f"domain={name}") == 200, name
    refused = (
        "affiliate.example",
        "x.go.affiliate.example",
        "other.example:8443",
        "other.exampl_",
        "%25",
        "",
        "api.example",
    )
    for name in refused:
        assert allowed(api, f"domain={name}") == 404, name
    for query in ("", "name=track.example", "domain=track.example&domain=evil.example", f"domain={'a' * 400}"):
        assert allowed(api, query) == 404, query
    api.admin.post(f"/3.0/admin/domains/{made['domain']['id']}/remove")
    assert allowed(api, "domain=other.example") == 404


def test_certificate_page_is_cheap_and_has_a_rate_limit(api: Api) -> None:
    app = build(api.deps, limits=ApiLimits(pages_per_second=1, pages_burst=3))
    stranger = TestClient(app)
    with recorded_statements() as statements:
        answers = [stranger.get("/certificate?domain=unknown.example").status_code for _ in range(5)]
    assert answers == [404] * 3 + [429] * 2
    assert sum("domain" in each for each in statements) == 3
