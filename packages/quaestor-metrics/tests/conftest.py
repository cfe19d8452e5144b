"""Fixtures of metrics that need a program or a model."""

from metric_models import meteor, model, trained_reader

__all__ = ["meteor", "model", "trained_reader"]
