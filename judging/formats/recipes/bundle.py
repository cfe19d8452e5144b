"""The bundle of a run, a ZIP with data/items.csv, data/judgments.csv and data/scores.csv: joined by
`item`, they are judgments in long form."""

from typing import Any

from judging.formats.frames import Opened
from judging.formats.recipes import long, shared
from judging.formats.recipes.contract import ALL, Recipe
from judging.formats.recipes.writers import ITEM
from judging.formats.records import ScoreColumn

_PLACE = ["source_id", "system", "position"]


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the declared roles; judgments of excluded annotators are left out, and equal rows are
    repeated ratings."""
    known = {"columns": long.own_columns(frame), "crossed": False, "repeats": "ratings"}
    if "judgment:excluded" in frame and frame["judgment:excluded"].eq("yes").any():
        known["exclude_rows"] = {"judgment:excluded": ("yes",)}
    return known


def _frame(opened: Opened) -> shared.Frame:
    items, judgments, scores = (sheet.frame for sheet in opened.sheets)
    known = set(items[ITEM])
    opened.sheets[0].problems += [
        shared.refused(row, item, "The judgment is about none of the items.", ITEM)
        for row, item in zip(judgments.index.tolist(), judgments[ITEM], strict=True)
        if item not in known
    ]
    of_questions = scores[ITEM].isin(items.loc[items["position"] != "", ITEM])
    if others := int((~of_questions).sum()):
        opened.notes.append(
            f"{others:,} scores of question sets or of whole systems are not imported; have these "
            "metrics computed again."
        )
    joined = items.merge(judgments.drop(columns=_PLACE), on=ITEM, how="left")
    joined = joined.merge(_scores_by_item(scores[of_questions]), on=ITEM, how="left").fillna("")
    joined.index += 2  # below a header
    return joined


def _scores_by_item(scores: shared.Frame) -> shared.Frame:
    """Return a column for each metric, named as the long form declares it."""
    declared = scores[["metric", "kind", "direction", "scale"]].itertuples(index=False)
    columns = [
        ScoreColumn(column=name, name=name, kind=kind, direction=direction, scale=scale)
        for name, kind, direction, scale in declared
    ]
    rows = scores.assign(column=[column.exported_name for column in columns])
    rows = rows.drop_duplicates([ITEM, "column"])
    table = rows.pivot(index=ITEM, columns="column", values="value")
    return table[list(dict.fromkeys(rows["column"]))].reset_index()


RECIPES = (
    Recipe(
        key="bundle",
        title="The bundle of a run",
        recognises=lambda opened: opened.kind == "bundle",
        frame=_frame,
        propose=propose,
        rank=-1,
        carries=ALL,
        writes=True,
    ),
)
