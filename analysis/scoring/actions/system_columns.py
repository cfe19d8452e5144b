"""Scores of systems that were computed elsewhere, imported from a file and stored beside those
computed here."""

import hashlib
from collections.abc import Mapping

from django.db import transaction

from judging.base.refusals import Refused
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric, Score
from judging.formats.records import column_fingerprint


class ColumnAlreadyThere(Refused):
    """This column of this very file was imported before."""

    code = "already_there"
    field = "file"


def store_system_columns(
    *,
    dataset: Dataset,
    file: str,
    content: bytes,
    columns: Mapping[str, Mapping[str, str]],
    direction: str,
    scale: str,
) -> list[Metric]:
    """Keep each column's scores by system, with every digit of the file; all of them or none."""
    sha256 = hashlib.sha256(content).hexdigest()
    systems = dict(dataset.systems.values_list("name", "pk"))
    with transaction.atomic():
        Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
        made = [_metric(dataset, file, sha256, name, direction, scale) for name in columns]
        Score.objects.bulk_create(
            Score(metric=metric, system_id=systems[system], value=float(text), text=text)
            for metric, scores in zip(made, columns.values(), strict=True)
            for system, text in scores.items()
        )
    return made


def _metric(
    dataset: Dataset, file: str, sha256: str, column: str, direction: str, scale: str
) -> Metric:
    """Return the new row of a column; the file's name is not part of a column's fingerprint."""
    metric, is_new = Metric.objects.get_or_create(
        dataset=dataset,
        fingerprint=column_fingerprint(file_sha256=sha256, column=column, name=column),
        defaults={
            "name": column[:100],
            "kind": Metric.Kind.IMPORTED,
            "direction": direction,
            "scale": scale,
            "made": {"column": column, "file": file, "sha256": sha256},
        },
    )
    if not is_new:
        raise ColumnAlreadyThere(f"“{column}” of this very file is here already.")
    return metric
