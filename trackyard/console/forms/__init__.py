"""Forms made from the parameters of the API's methods (docs/spec/console.md#forms)."""

from trackyard.console.forms.bound import FieldChoices, plain_text
from trackyard.console.forms.codecs import KeyedLines, LineCodec
from trackyard.console.forms.declared import PLATFORM_CURRENCY, FormField, FormGroup, FormPlan, FormRows
from trackyard.console.forms.form import AnyForm, PageForm, open_form
from trackyard.console.forms.state import RowState, flat_pairs

__all__ = [
    "PLATFORM_CURRENCY",
    "AnyForm",
    "FieldChoices",
    "FormField",
    "FormGroup",
    "FormPlan",
    "FormRows",
    "KeyedLines",
    "LineCodec",
    "PageForm",
    "RowState",
    "flat_pairs",
    "open_form",
    "plain_text",
]
