import warnings

import numpy as np
import pandas as pd
import pytest
from statsmodels.regression.mixed_linear_model import MixedLM

from analysis.stats.mixed import Stopped, Unfit, mixed_model

NAN = np.nan


def ratings(items: int = 30, systems: int = 3, raters: int = 5, each: int = 2) -> pd.DataFrame:
    draw = np.random.default_rng(0)
    severity, difficulty = draw.normal(size=raters) * 0.5, draw.normal(size=items) * 0.7
    rows = [
        (s, r, i, 3 + 0.4 * s + severity[r] + difficulty[i] + draw.normal())
        for i in range(items)
        for s in range(systems)
        for r in draw.choice(raters, each, replace=False)
    ]
    return pd.DataFrame(rows, columns=["system", "rater", "item", "y"])


def fit(frame: pd.DataFrame):
    return mixed_model(frame.y, systems=list(frame.system), raters=list(frame.rater), items=list(frame["item"]))


def test_mixed_model_equals_statsmodels() -> None:
    frame = ratings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = MixedLM.from_formula(
            "y ~ 0 + C(system)",
            frame.assign(one=1),
            groups="one",
            vc_formula={"a": "0 + C(rater)", "b": "0 + C(item)"},
        ).fit()
    found = fit(frame)
    assert found.means == pytest.approx(theirs.fe_params.to_numpy(), abs=1e-4)
    assert np.sqrt(found.covariance.diagonal()) == pytest.approx(theirs.bse_fe.to_numpy(), rel=0.01)
    variances = found.rater_variance, found.item_variance, found.residual_variance
    assert variances == pytest.approx((*theirs.vcomp, theirs.scale), rel=2e-3)


def test_mixed_model_tells_systems_apart() -> None:
    found = fit(ratings(items=60))
    difference = found.difference(2, 0)
    assert difference.low < 0.8 < difference.high
    assert difference.p < 0.001
    assert found.systems == [0, 1, 2]


def test_mixed_model_leaves_out_missing_ratings_and_systems_without_any() -> None:
    frame = ratings()
    more = pd.concat([frame, pd.DataFrame({"system": ["gone"], "rater": [0], "item": [0], "y": [NAN]})])
    assert fit(more).systems == [0, 1, 2]
    assert fit(more).means == pytest.approx(fit(frame).means)


def test_mixed_model_of_a_large_study_stays_quick() -> None:
    """45,000 judgments: the search is over two numbers and never sees a matrix of items x items."""
    draw = np.random.default_rng(1)
    item, system, rater = (
        np.repeat(np.arange(1500), 30),
        np.tile(np.repeat(np.arange(6), 5), 1500),
        draw.integers(0, 20, 45_000),
    )
    y = draw.normal(size=1500)[item] + draw.normal(size=20)[rater] / 2 + draw.normal(size=45_000) + system * 0.1
    found = mixed_model(y, systems=system, raters=rater, items=item)
    variances = found.rater_variance, found.item_variance, found.residual_variance
    assert variances == pytest.approx((0.25, 1, 1), rel=0.5)
    assert found.n == 45_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": 3.0}, "every rating has the same value"),
        ({"rater": "ann"}, r"1 rater\(s\) and 30 item\(s\)"),
        ({"item": "one"}, r"5 rater\(s\) and 1 item\(s\)"),
        ({"y": NAN}, "no ratings"),
    ],
)
def test_mixed_model_says_what_it_cannot_be_fitted_to(change: dict, message: str) -> None:
    with pytest.raises(Unfit, match=message):
        fit(ratings().assign(**change))


def test_mixed_model_refuses_more_systems_than_ratings() -> None:
    frame = ratings().iloc[::31].assign(system=range(6))
    with pytest.raises(Unfit, match="too few"):
        fit(frame)


def test_mixed_model_stops_when_it_is_told_to() -> None:
    frame, asked = ratings(), iter([False, False, True])
    labels = {"systems": list(frame.system), "raters": list(frame.rater), "items": list(frame["item"])}
    with pytest.raises(Stopped, match="was stopped"):
        mixed_model(frame.y, stop=lambda: next(asked), **labels)
