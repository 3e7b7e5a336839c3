"""Differentially private feature selection.

Given a table with one row per person, `select` gives the names of k features, or of all that are significant, and `fit` a
model of them, under a guarantee that holds on a real machine: everything is drawn exactly, and nothing is outside the
privacy budget.
"""

from typing import TYPE_CHECKING, Any

from . import spark
from ._choose import choose
from ._claims import Account, Audit, Verification, account, audit, verify
from ._errors import (
    BudgetExceeded,
    DpsisError,
    DpsisWarning,
    InputError,
    NotPrivateWarning,
    ReadError,
    RequestError,
)
from ._fit import Fitted, Model, fit, load_model
from ._ledger import Ledger
from ._native import __version__
from ._partial import Partial, ReleasedTarget, load_partial, partial
from ._public import Comparison, Finding, Inspection, Plan, bounds, compare, inspect, plan, weights
from ._select import select
from ._selection import Choice, DryRun, Estimate, Selection

if TYPE_CHECKING:
    from ._sklearn import PrivateSelectFwe as PrivateSelectFwe
    from ._sklearn import PrivateSelectKBest as PrivateSelectKBest
    from ._sklearn_fit import PrivateClassifier as PrivateClassifier
    from ._sklearn_fit import PrivateRegression as PrivateRegression

__all__ = [
    "Account",
    "Audit",
    "BudgetExceeded",
    "Choice",
    "Comparison",
    "DpsisError",
    "DpsisWarning",
    "DryRun",
    "Estimate",
    "Finding",
    "Fitted",
    "InputError",
    "Inspection",
    "Ledger",
    "Model",
    "NotPrivateWarning",
    "Partial",
    "Plan",
    "PrivateClassifier",
    "PrivateRegression",
    "PrivateSelectFwe",
    "PrivateSelectKBest",
    "ReadError",
    "ReleasedTarget",
    "RequestError",
    "Selection",
    "Verification",
    "__version__",
    "account",
    "audit",
    "bounds",
    "choose",
    "compare",
    "fit",
    "inspect",
    "load_model",
    "load_partial",
    "partial",
    "plan",
    "select",
    "spark",
    "verify",
    "weights",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    # scikit-learn is imported where it is needed.
    if name in ("PrivateSelectFwe", "PrivateSelectKBest"):
        from . import _sklearn

        return getattr(_sklearn, name)
    if name in ("PrivateClassifier", "PrivateRegression"):
        from . import _sklearn_fit

        return getattr(_sklearn_fit, name)
    raise AttributeError(f"module 'dpsis' has no attribute {name!r}")
