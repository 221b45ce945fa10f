"""All pages of the program, one line a package."""

from typing import Final

from trackyard.console.account import chats, links, notices, own_password, profile, sign_in, sign_up, stops, terms
from trackyard.console.advertiser_portal.parts import PARTS as ADVERTISER_PORTAL
from trackyard.console.conversions.comparisons.parts import PARTS as COMPARISONS
from trackyard.console.frame.pages import Pages
from trackyard.console.money.parts import PARTS as MONEY
from trackyard.console.offers import groups, requests, smartlink_test
from trackyard.console.people import company_people, messages, threads
from trackyard.console.portal.parts import PARTS as PORTAL
from trackyard.console.staff import cards, inviting_many, overview, reports
from trackyard.console.staff.accounts.parts import PARTS as ACCOUNTS
from trackyard.console.staff.ad_costs.parts import PARTS as AD_COSTS
from trackyard.console.staff.advertisers.parts import PARTS as ADVERTISERS
from trackyard.console.staff.affiliates.parts import PARTS as AFFILIATES
from trackyard.console.staff.offers.parts import PARTS as OFFERS
from trackyard.console.staff.product_feeds.parts import PARTS as PRODUCT_FEEDS
from trackyard.console.staff.promo_codes.parts import PARTS as PROMO_CODES
from trackyard.console.staff.traffic.parts import PARTS as TRAFFIC
from trackyard.console.statistics.rules.parts import PARTS as RULES
from trackyard.console.system import PARTS as SYSTEM

PARTS: Final[tuple[Pages, ...]] = (
    sign_in.pages,
    links.pages,
    stops.pages,
    profile.pages,
    notices.pages,
    chats.pages,
    own_password.pages,
    sign_up.pages,
    terms.pages,
    inviting_many.pages,
    company_people.pages,
    messages.pages,
    threads.pages,
    overview.pages,
    cards.pages,
    reports.pages,
    *OFFERS,
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
