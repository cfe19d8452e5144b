"""Fixtures of metrics that need a program or a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from metric_models import meteor, sentence_model, trained_reader

from quaestor_metrics import METEOR

__all__ = ["meteor", "trained_reader"]


@pytest.fixture
def model(settings) -> Path:
    """A small sentence model among those of the site."""
    folder = sentence_model()
    settings.METRIC_MODELS = {"minilm": str(folder)}
    return folder


@pytest.fixture(scope="module")
def every_program(trained_reader: Path) -> Iterator[None]:
    """METEOR's jar and two models, also for workers that start after this."""
    usable, reason = METEOR().available()
    if not usable:
        pytest.skip(f"METEOR cannot run here: {reason}")
    models, readers = {"minilm": str(sentence_model())}, {"toy": str(trained_reader)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_METRIC_MODELS", f"minilm={models['minilm']}")
        patch.setenv("QUAESTOR_QA_MODELS", f"toy={readers['toy']}")
        with override_settings(METRIC_MODELS=models, QA_MODELS=readers):
            yield
