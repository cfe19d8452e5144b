"""Names of metrics on pages and in tables, in a module without numerics for lists of questions."""

from collections.abc import Sequence

from judging.datasets.models.score import Metric


def metric_names(metrics: Sequence[Metric]) -> dict[int, str]:
    """Name metrics; if some share a name, add which was imported, and on which texts the others
    were computed."""
    found = {metric.pk: metric.name for metric in metrics}
    for more in (Metric.get_kind_display, _prepared, lambda metric: metric.fingerprint[:6]):
        alike: dict[str, set[str]] = {}
        for metric in metrics:
            alike.setdefault(found[metric.pk], set()).add(more(metric))
        found = {
            metric.pk: f"{name} ({more(metric)})" if len(alike[name]) > 1 else name
            for metric, name in zip(metrics, found.values(), strict=True)
        }
    return found


def _prepared(metric: Metric) -> str:
    sides = metric.made.get("preparation", {})
    return "/".join(filter(None, (sides.get("hypothesis"), sides.get("reference")))) or "file"
