"""Fixtures of metrics that need a program or a model."""

from metric_models import every_program, meteor, model, qa_model, trained_reader

__all__ = ["every_program", "meteor", "model", "qa_model", "trained_reader"]
