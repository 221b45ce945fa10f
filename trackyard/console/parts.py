"""All pages of the program, one line a package."""

from typing import Final

from trackyard.console.account import links, own_password, profile, sign_in, sign_up, terms
from trackyard.console.advertiser_portal import PARTS as ADVERTISER_PORTAL
from trackyard.console.conversions.comparisons import PARTS as COMPARISONS
from trackyard.console.frame.pages import Pages
from trackyard.console.money.parts import PARTS as MONEY
from trackyard.console.offers import groups, requests, smartlink_test
from trackyard.console.people import company_people
from trackyard.console.portal import PARTS as PORTAL
from trackyard.console.staff import cards, offers, overview, reports
from trackyard.console.staff.accounts import PARTS as ACCOUNTS
from trackyard.console.staff.ad_costs import PARTS as AD_COSTS
from trackyard.console.staff.advertisers import PARTS as ADVERTISERS
from trackyard.console.staff.affiliates import PARTS as AFFILIATES
from trackyard.console.staff.product_feeds import PARTS as PRODUCT_FEEDS
from trackyard.console.staff.promo_codes import PARTS as PROMO_CODES
from trackyard.console.staff.traffic.parts import PARTS as TRAFFIC
from trackyard.console.statistics.rules import PARTS as RULES
from trackyard.console.system import PARTS as SYSTEM

PARTS: Final[tuple[Pages, ...]] = (
    sign_in.pages,
    links.pages,
    profile.pages,
    own_password.pages,
    sign_up.pages,
    terms.pages,
    company_people.pages,
    overview.pages,
    cards.pages,
    reports.pages,
    *offers.PARTS,
    *PROMO_CODES,
    *PRODUCT_FEEDS,
    *AD_COSTS,
    *PORTAL,
    *ADVERTISER_PORTAL,
    *TRAFFIC,
    *AFFILIATES,
    *ACCOUNTS,
    *SYSTEM,
    *ADVERTISERS,
    groups.pages,
    smartlink_test.pages,
    requests.pages,
    *MONEY,
    *RULES,
    *COMPARISONS,
)
