"""The metrics of a site with the models that its operator named."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from analysis.reports.making import describe_making
from analysis.scoring.actions.site_metrics import registry
from config.settings import _folders
from quaestor_metrics import Preparation, recipe


@pytest.fixture
def models(settings, tmp_path: Path) -> dict[str, str]:
    folders = {name: tmp_path / f"{name}-folder" for name in ("small", "large")}
    for folder in folders.values():
        folder.mkdir()
        (folder / "config.json").write_text(f'"{folder}"')
    settings.METRIC_MODELS = {name: str(folder) for name, folder in folders.items()}
    settings.METRIC_DEVICE = "cuda:1"
    return settings.METRIC_MODELS


def test_registry_offers_the_named_models_as_choices(models: dict[str, str]) -> None:
    parameters = {one.name: one for one in registry().get("bertscore").spec.parameters}
    assert parameters["model"].choices == ("small", "large")
    assert registry().get("multi_moverscore").spec.parameters[1].choices == ("small", "large")


def test_recipe_stores_name_revision_and_device_of_the_chosen_model(
    models: dict[str, str],
) -> None:
    spec = registry().get("moverscore").spec
    made = recipe(spec, {"model": "large"}, Preparation())
    model = made["models"]["model"]
    assert (model["name"], model["device"]) == ("large-folder", "cuda:1")
    assert model["revision"].startswith("sha256 ")
    assert f"large-folder ({model['revision']}, cuda:1)" in describe_making(made)
    assert recipe(spec, {"model": "small"}, Preparation())["models"] != made["models"]


def test_registry_without_models_says_so(settings) -> None:
    settings.METRIC_MODELS = {}
    assert registry().get("bertscore").available() == (False, "no model is given")


def test_folders_are_read_from_a_list_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_METRIC_MODELS", "small=/m/one, large=/m/two")
    assert _folders("QUAESTOR_METRIC_MODELS") == {"small": "/m/one", "large": "/m/two"}
    monkeypatch.setenv("QUAESTOR_METRIC_MODELS", "roberta-large")
    with pytest.raises(ImproperlyConfigured, match="'roberta-large' names no absolute folder"):
        _folders("QUAESTOR_METRIC_MODELS")
