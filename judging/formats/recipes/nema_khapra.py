"""Nema & Khapra's tables: a question, its modified version, and several annotators' scores of how
answerable the latter is. Only the scores need a recipe."""

import re
from typing import Any

from judging.formats.frames import Opened
from judging.formats.mapping import Column
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe

_MODIFIED = re.compile(r"(modified|noised|noisy)( question)?", re.I)
_SCORE = re.compile(r"(answerability )?(score )?user (score )?(?P<rater>\d{1,4})", re.I)


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the columns of scores."""
    scores = [score for name in frame.columns if (score := _SCORE.fullmatch(name))]
    why = "An annotator's scores of answerability."
    rated = Column(role="ratings", name="answerability", why=why)
    raters = {score[0]: f"User {score['rater']}" for score in scores}
    return {"columns": {n: rated.model_copy(update={"rater": raters[n]}) for n in raters}}


def _recognises(opened: Opened) -> bool:
    names = shared.names(opened)
    return any(map(_MODIFIED.fullmatch, names)) and any(map(_SCORE.fullmatch, names))


RECIPES = (
    Recipe(
        key="nema",
        title="Nema & Khapra TSV",
        recognises=_recognises,
        frame=shared.flat_frame,
        propose=propose,
        carries=("questions", "references", "ratings", "scores", "metadata"),
        page="nema-khapra",
    ),
)
