"""Results of releases."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._document import Document
from ._errors import RequestError
from ._exports import Exported
from ._job import delivered

FEATURES_OF_A_FIGURE = 60


@dataclass(frozen=True)
class Estimate:
    """The released estimates of a selected feature.

    Attributes
    ----------
    name : str
        The feature.
    effect_size : float or None
        The effect size of its association with the target, from 0 to 1, with noise, if it was released.
    low, high : float or None
        The ends of its 90% interval.
    significant : bool or None
        Whether the feature is significant; None if significance was not tested.
    direction : str or None
        Whether the target rises or falls with the feature, if that was released.
    p_value : float or None
        The p-value, adjusted for all features; None if significance was not tested, and without `k`.
    direction_error : float or None
        About the probability of a direction as clear as this one if the other one is right.
    """

    name: str
    effect_size: float | None
    low: float | None
    high: float | None
    significant: bool | None = None
    direction: str | None = None
    p_value: float | None = None
    direction_error: float | None = None


@dataclass(frozen=True)
class Choice(Exported):
    """Candidates chosen by `choose`.

    Attributes
    ----------
    names : list of str
        The names of the chosen, in the order of `record["order"]`.
    indices : list of int
        Their positions among all candidates (or features), from 0.
    private : bool
        Whether the result may be released: False if it was drawn from a seed.
    record : dict
        The record of the release; it contains no data beyond the private results.
    """

    names: list[str]
    indices: list[int]
    _json: str = field(repr=False)
    _report: str = field(repr=False)
    _statement: str = field(repr=False)

    def __hash__(self) -> int:
        return hash(self._json)

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._json)
        return found

    @property
    def private(self) -> bool:
        return bool(self.record["private"])

    def report(self) -> str:
        """Guarantee, scaling and spent budget in a few lines.

        Returns
        -------
        str
        """
        return self._report

    def to_json(self) -> str:
        """The record as the command line writes it.

        Returns
        -------
        str
        """
        return self._json

    def to_frame(self) -> Any:
        """The names and indices as a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame({"name": self.names, "index": self.indices})


class Selection(Choice):
    """Features selected by `select`.

    Attributes
    ----------
    names : list of str
        The names of the k features, in the order of `record["order"]`: that of the columns, unless the mechanism
        releases the order of its picks. Names of sets, where sets are selected.
    indices : list of int
        Their positions among the features, or among the sets that are used, from 0.
    estimates : list of Estimate
        Their effect sizes; empty if none were released.
    significance : str
        Which features are significant, and the rows needed for others.
    private : bool
        Whether the result may be released: False if it was drawn from a seed.
    record : dict
        The record of the release; it contains no data beyond the private results.

    Notes
    -----
    It can be pickled. The selection is private; columns of data that it names are not.
    """

    @property
    def estimates(self) -> list[Estimate]:
        return [
            Estimate(
                one["name"],
                one["effect_size"],
                one["low"],
                one["high"],
                one.get("significant"),
                one.get("direction"),
                one.get("p_value"),
                one.get("direction_error"),
            )
            for one in self.record["estimates"]
        ]

    @property
    def significance(self) -> str:
        return str(self.record["significance"]["text"])

    def to_frame(self) -> Any:
        """The selected features with their released estimates, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns `name`, `index`, of sets the numbers of `members` in the data and `missing` ones, and the fields of
            `Estimate`, if they were released.
        """
        frame = super().to_frame()
        members = [one["members"] for one in self.record["selected"] if "members" in one]
        if members:
            frame["members"] = [one["present"] for one in members]
            frame["missing"] = [len(one["missing"]) for one in members]
        for column in ("effect_size", "low", "high", "p_value", "significant", "direction", "direction_error"):
            values = [getattr(one, column) for one in self.estimates]
            if any(value is not None for value in values):
                frame[column] = values
        return frame

    def plot(self, ax: Any = None, *, page: int = 1) -> Any:
        """Draw the effect sizes by size, and the significance threshold.

        With a threshold only points are drawn: it allows for their noise. Without one, points have their intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw into; new ones if not given.
        page : int
            Features 1 to 60 by size, 61 to 120, and so on.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        RequestError
            If no effect sizes were released, or the page has no features.
        """
        drawn = [one for one in self.estimates if one.effect_size is not None]
        if not drawn:
            raise RequestError("no feature was named, or no effect sizes were released: there is nothing to draw", [])
        drawn.sort(key=lambda one: (one.significant is True, one.effect_size or 0), reverse=True)
        pages = -(-len(drawn) // FEATURES_OF_A_FIGURE)
        if page not in range(1, pages + 1):
            raise RequestError(f"page must be from 1 to {pages}", ["page"])
        first = (page - 1) * FEATURES_OF_A_FIGURE
        estimates = drawn[first : first + FEATURES_OF_A_FIGURE][::-1]
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=self._figsize(), layout="constrained")
        level = self.record["significance"]["threshold"]
        for place, one in enumerate(estimates):
            if level is None:
                ax.plot([one.low, one.high], [place, place], color="tab:blue")
            # Hollow: not significant.
            filled = "white" if one.significant is False else "tab:blue"
            ax.plot(one.effect_size, place, "o", color="tab:blue", markerfacecolor=filled)
        if level is not None:
            ax.axvspan(0, min(level, 1), color="0.93", zorder=0)
            if level <= 1:
                ax.axvline(level, color="gray", linestyle="--", label=f"significant from {level:.2f} on")
                ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
        # Dollar signs in names are not mathematics.
        ax.set_yticks(range(len(estimates)), [one.name for one in estimates], parse_math=False)
        label = "effect size, with its 90% interval" if level is None else "effect size"
        ax.set(xlim=(0, 1), ylim=(-0.5, len(estimates) - 0.5), xlabel=label)
        return ax

    def _figsize(self) -> tuple[float, float]:
        return 6, 1 + 0.3 * min(len(self.names), FEATURES_OF_A_FIGURE)

    def _figure(self) -> bytes | None:
        if all(one.effect_size is None for one in self.estimates):
            return None
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return None
        figure, png = Figure(figsize=self._figsize(), layout="constrained"), io.BytesIO()
        self.plot(figure.subplots())
        figure.savefig(png, format="png")
        return png.getvalue()


class DryRun(Document):
    """The budget of a release by part: nothing was drawn or spent, and no row was read.

    Attributes
    ----------
    record : dict
        The guarantee with the parts of the budget, the effect of the noise of each, and the rows needed.
    """


def parts(answer: Mapping[str, Any]) -> tuple[list[str], list[int], str, str, str]:
    """The parts of a result."""
    return answer["names"], answer["indices"], answer["json"], answer["report"], answer["statement"]


def dry(answer: Mapping[str, Any]) -> DryRun:
    """The result of a dry run."""
    return delivered(answer, DryRun(answer["json"], answer["report"]), stacklevel=4)
