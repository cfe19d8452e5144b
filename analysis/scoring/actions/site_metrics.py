"""The metrics of this site, with the models whose folders its operator set."""

from functools import cache

from django.conf import settings

from quaestor_metrics import Registry, TransformerModel


def registry() -> Registry:
    """Return the metrics with the models of the settings."""
    models, readers = settings.METRIC_MODELS, settings.QA_MODELS
    return _registry(tuple(models.items()), tuple(readers.items()), settings.METRIC_DEVICE)


@cache
def _registry(
    models: tuple[tuple[str, str], ...], readers: tuple[tuple[str, str], ...], device: str
) -> Registry:
    metric_models, qa_models = (
        {name: TransformerModel(folder, device=device) for name, folder in named}
        for named in (models, readers)
    )
    return Registry(models=metric_models, readers=qa_models)
