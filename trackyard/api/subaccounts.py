"""Lists of allowed or refused values of sub1 and sub2. See docs/api/offers.md#post-adminoffer."""

from typing import Annotated, Any

from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import View

SubAccount = Annotated[str, s.BoundedText(maximum=5000, pattern=r"[a-z0-9,._\-{}+=/:~]*")]


class SubAccountParams(Params):
    """The lists; `except` turns allowed values into refused ones."""

    sub_account_1: SubAccount = ""
    sub_account_2: SubAccount = ""
    sub_account_1_except: s.Flag = False
    sub_account_2_except: s.Flag = False

    def sub_accounts(self) -> dict[str, Any]:
        """Return the given lists as they are stored: "1" and "2" to {value, except}."""
        sent = {
            "1": {"value": self.sub_account_1, "except": self.sub_account_1_except},
            "2": {"value": self.sub_account_2, "except": self.sub_account_2_except},
        }
        return {number: item for number, item in sent.items() if item["value"]}

    def sent_parts(self) -> dict[str, dict[str, Any]]:
        """Return the sent parts as they are stored: "1" and "2" to value, except, or both."""
        sent: dict[str, dict[str, Any]] = {}
        for number in ("1", "2"):
            names = {"value": f"sub_account_{number}", "except": f"sub_account_{number}_except"}
            parts = {part: getattr(self, name) for part, name in names.items() if name in self.model_fields_set}
            if parts:
                sent[number] = parts
        return sent

    def sent_sub_accounts(self) -> dict[str, dict[str, Any]]:
        """Return the sent conditions of an offer: "1" and "2" to {values, exclude}."""
        sent: dict[str, dict[str, Any]] = {}
        for number, parts in self.sent_parts().items():
            sent[number] = {"exclude": parts["except"]} if "except" in parts else {}
            if "value" in parts:
                sent[number]["values"] = tuple(dict.fromkeys(value for value in parts["value"].split(",") if value))
        return sent


class SubAccountView(View, rename={"refused": "except"}):
    """A list of an offer or an advertiser; `value` is empty without one."""

    value: str
    refused: bool


class AffiliateSubAccountView(View, rename={"refused": "except"}):
    """A list of an affiliate. except: 0 or 1, as existing programs read it."""

    value: str
    refused: int


def sub_accounts_view(stored: dict[str, Any]) -> dict[str, SubAccountView]:
    """Return the rules of sub1 and sub2; a missing rule is empty."""
    return {
        number: SubAccountView(value=item.get("value") or "", refused=item.get("except", False))
        for number, item in _both(stored)
    }


def affiliate_sub_accounts_view(stored: dict[str, Any]) -> dict[str, AffiliateSubAccountView]:
    """Return the rules of sub1 and sub2; a missing rule is empty."""
    return {
        number: AffiliateSubAccountView(value=item.get("value") or "", refused=int(item.get("except", False)))
        for number, item in _both(stored)
    }


def _both(stored: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(number, stored.get(number, {})) for number in ("1", "2")]
