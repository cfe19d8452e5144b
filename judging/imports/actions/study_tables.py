"""A campaign as three tables that share the column `item`: items with their sources, judgments, and
scores. The recipe `bundle` reads them as the same study."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.datasets.models.score import Score
from judging.formats.recipes.writers import ITEM, JUDGMENT, Slot, csv_of_rows, long_rows, slot_rows
from judging.imports.actions import exports

Row = dict[str, Any]
Change = Callable[[Row], Row]
PLACE = (ITEM, "source_id", "system", "position")
SCORES = (*PLACE, "metric", "kind", "direction", "scale", "value", "reason")
RATED = {"annotator", "criterion", "value", "judgment:forced"}  # columns that are always written


def item_lines(campaign: Campaign, clusters: Mapping[str, str], change: Change) -> Iterator[str]:
    """Yield the items as CSV. `clusters` names what sources belong to, by their ids."""
    used = exports.columns_of_material(dataset=campaign.dataset).difference(PLACE)
    further = sorted(name for name in used if not name.startswith("score:"))
    wanted = _judged_units(campaign)
    parts = exports.parts_of_material(dataset=campaign.dataset)
    rows = (row for part in parts for _slot, row in slot_rows(part) if row.get(ITEM) in wanted)
    clustered = (
        {**row, "cluster": clusters.get(row["source_id"], row["source_id"])} for row in rows
    )
    yield from csv_of_rows(map(change, clustered), [*PLACE, "cluster", *further])


def judgment_lines(
    campaign: Campaign,
    change: Change,
    *,
    extras: bool,
    adjudicated: bool,
    further: Sequence[str] = (),
    added: Sequence[Row] = (),
) -> Iterator[str]:
    """Yield judgments, notes and marks as CSV, then the rows `added`; `further` names more columns.

    A repeated rating is a further row of the item that it repeats.
    """
    chosen: dict[str, Any] = {"campaign": campaign, "extras": extras, "adjudicated": adjudicated}
    used = exports.export_columns(**chosen) | RATED
    judgment = sorted(name for name in used if name.startswith("judgment:"))
    header = [*PLACE, *(name for name in JUDGMENT if name in used), *judgment, *further]

    def rows() -> Iterator[Row]:
        items: dict[Slot, int] = {}
        for part in exports.export_parts(**chosen):
            items |= part.items
            repeated = {source.key: source.repeat_of for source in part.sources}
            for row in filter(lambda row: "annotator" in row, long_rows(part)):
                source = repeated[row["source_id"]] or row["source_id"]
                item = items.get((source, row["system"], row["position"]), row[ITEM])
                yield {**row, ITEM: item, "source_id": source}
        yield from added

    yield from csv_of_rows(map(change, rows()), header)


def score_lines(campaign: Campaign, names: Mapping[int, str], change: Change) -> Iterator[str]:
    """Yield the scores as CSV, metric by metric, under these names of metrics; those of systems as a
    whole have no item."""
    source, system = "unit__question_set__source__key", "unit__question_set__system__name"
    wanted = _judged_units(campaign)

    def rows() -> Iterator[Row]:
        for metric in campaign.dataset.metrics.order_by("pk"):
            column = exports.score_column(metric)
            about = {"metric": names[metric.pk], "kind": column.kind}
            about |= {"direction": column.direction, "scale": column.scale}
            scores = (
                Score.objects.filter(metric=metric)
                .order_by("unit", "system__name")
                .values("unit", source, system, "unit__position", "system__name", "value", "reason")
            )
            for score in scores.iterator():
                if score["unit"] is None or score["unit"] in wanted:
                    of = score[system] or score["system__name"]
                    place = (score["unit"], score[source], of, score["unit__position"])
                    row = dict(zip(PLACE, place, strict=True)) | about
                    yield row | {name: score[name] for name in ("value", "reason")}

    yield from csv_of_rows(map(change, rows()), SCORES)


def _judged_units(campaign: Campaign) -> set[int]:
    """Return the items that a campaign judges, without copies for repeated ratings."""
    units = exports.exported_units(dataset=campaign.dataset)
    units = units.filter(question_set__source__repeat_of__isnull=True)
    if campaign.selection and campaign.state != Campaign.State.DRAFT:
        units = units.filter(pk__in=SelectedUnit.objects.filter(campaign=campaign).values("unit"))
    return set(units.values_list("pk", flat=True))
