"""The roles of a file's columns: one small form for each column."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from judging.imports.readers.columns import (
    ONE_COLUMN,
    ColumnRoles,
    QuestionColumn,
    RatingColumn,
    conflicts,
)
from judging.imports.readers.records import ScoreColumn

RATED = {"ratings": "annotator", "llm_judge": "llm_judge", "ask": "ask"}  # use: kind of rater
FEW = 10  # columns of other pages that are named
SHOWN = 200  # columns on one page: the forms of 2,000 are seven megabytes and take seconds
USES = [
    ("", _("exclude")),
    (
        _("Input of the systems"),
        [
            ("passage", _("passage")),
            ("sentence", _("sentence")),
            ("answer", _("answer")),
            ("answer_start", _("start of the answer")),
            ("target_type", _("target question type")),
            ("modality", _("modality")),
            ("language", _("language of the source")),
            ("references", _("reference question")),
            ("source_id", _("id of the source")),
        ],
    ),
    (
        _("Output of the systems"),
        [
            ("question", _("generated question")),
            ("by_system", _("questions of one system")),
            ("system", _("system")),
            ("position", _("position in its set")),
            ("key", _("id of the question")),
            ("question_type", _("type the system declared")),
            ("submitted_answer", _("answer the system submitted")),
        ],
    ),
    (
        _("Measurements"),
        [("metric", _("score of an automatic metric")), ("human_mean", _("mean human score"))],
    ),
    (
        _("Ratings by annotator"),
        [
            ("ratings", _("ratings on one criterion")),
            ("llm_judge", _("ratings of an LLM judge")),
            ("ask", _("choose whose ratings")),
            ("rater", _("annotator, one row for each")),
            ("criterion", _("criterion, one row for each")),
            ("value", _("value of the rating")),
            ("note", _("note of the annotator")),
            ("mark", _("marked: span, or none")),
            ("mark_start", _("start of a marked span")),
            ("mark_end", _("end of a marked span")),
            ("mark_text", _("text of a marked span")),
            ("rating_metadata", _("metadata of the rating")),
        ],
    ),
    (
        _("Other"),
        [
            ("metadata", _("metadata of the question")),
            ("source_metadata", _("metadata of the source")),
        ],
    ),
]
USE_LABELS = {use: str(label) for _group, uses in USES[1:] for use, label in uses}
SEVERAL_QUESTIONS = _(
    "If each system has a column, choose “questions of one system” for each of them. If a row "
    "holds the questions of a set, give each question a row of its own, with its position."
)
DIRECTIONS = [
    ("", _("higher or lower is better?")),
    ("higher", _("higher is better")),
    ("lower", _("lower is better")),
]
SCALES = [("none", _("its own scale")), ("fraction", _("0 to 1")), ("percent", _("0 to 100"))]


class ColumnForm(forms.Form):
    """The role of one column."""

    use = forms.ChoiceField(required=False, choices=USES)
    name = forms.CharField(required=False, max_length=100)
    rater = forms.CharField(required=False, max_length=100)
    direction = forms.ChoiceField(required=False, choices=DIRECTIONS)
    scale = forms.ChoiceField(required=False, choices=SCALES, initial="none")

    def __init__(
        self,
        *args: Any,
        column: str = "",
        values: Sequence[str] = (),
        evidence: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.column, self.values, self.evidence = column, values, evidence
        labels = {
            "use": _("Role of %(column)s"),
            "name": _("Name of %(column)s"),
            "rater": _("Annotator of %(column)s"),
            "direction": _("Direction of %(column)s"),
            "scale": _("Scale of %(column)s"),
        }
        for name, label in labels.items():
            self.fields[name].label = label % {"column": column}
            self.fields[name].widget.attrs["aria-label"] = label % {"column": column}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, sentence in _lacking(self.column, cleaned):
            self.add_error(name, sentence)
        return cleaned


def _lacking(column: str, said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield a field and a sentence for each choice that a column still lacks."""
    use, name = said.get("use"), said.get("name") or ""
    if use in ("metric", "human_mean") and not said.get("direction"):
        yield "direction", _("Say whether higher or lower is better.")
    if use == "ask":
        yield "use", _("Say whether it holds the ratings of an annotator, or exclude it.")
    if use in RATED and not name:
        yield "name", _("Say which criterion it is about.")
    if use == "by_system" and not name.strip():
        yield "name", _("Say which system it is.")
    if use in ("metric", "human_mean", "metadata") and len(name or column) > 100:
        yield "name", _("Give it a name of at most 100 characters.")


class ColumnFormSet(forms.BaseFormSet):
    """The columns of a file on one page. All columns of the file together define what a row is:
    `known` holds the choices from other pages, or the proposals.

    `is_last` is False if the user goes on to another page: requirements on the file as a whole are
    checked when all pages are done.
    """

    def __init__(
        self,
        *args: Any,
        header: Sequence[str],
        values: Sequence[Sequence[str]],
        whole: Sequence[str],
        known: Mapping[str, Mapping[str, Any]],
        evidence: Mapping[str, str],
        is_last: bool = True,
        **kwargs: Any,
    ) -> None:
        self.header, self.values, self.whole, self.known = header, values, whole, known
        self.evidence, self.is_last = evidence, is_last
        super().__init__(*args, **kwargs)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        if index is None or index >= len(self.header):
            return {}
        column = self.header[index]
        return {
            "column": column,
            "values": self.values[index],
            "evidence": self.evidence.get(column, ""),
        }

    def clean(self) -> None:
        if self.total_form_count() != len(self.header):
            raise forms.ValidationError(_("The page is not of this file any more; load it again."))
        if any(self.errors):
            return
        for use in ONE_COLUMN:
            columns = self._columns_of(use)
            if len(columns) > 1:
                both = " and ".join(f"“{column}”" for column in columns)
                said = _("Only one column can be the %(use)s, not %(both)s.") % {
                    "use": USE_LABELS[use].split(",")[0],
                    "both": both,
                }
                if use == "question":
                    raise forms.ValidationError([said, SEVERAL_QUESTIONS])
                raise forms.ValidationError(said)
        if not self.is_last:
            return
        if lacking := [
            f"“{column}”: {sentence}"
            for column in self.whole
            for _name, sentence in _lacking(column, self.known.get(column, {}))
        ]:
            more = _now("Columns on other pages need another look, %(n)s in all.")
            raise forms.ValidationError([more % {"n": f"{len(lacking):,}"}, *lacking[:FEW]])
        if self._columns_of("by_system") and (
            sentences := conflicts(ColumnRoles(**self.columns()))
        ):
            raise forms.ValidationError(sentences)

    def _columns_of(self, use: str) -> list[str]:
        return [column for column, said in self._all_said() if said.get("use") == use]

    def _all_said(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the choices for each column of the file, in its order."""
        shown = {form.column: form.cleaned_data for form in self.forms}
        for column in self.whole:
            yield column, shown.get(column, self.known.get(column, {}))

    def columns(self) -> dict[str, Any]:
        """Return the parts of `ColumnRoles` that the columns define."""
        single = {use: found[0] for use in ONE_COLUMN if (found := self._columns_of(use))}
        return single | {
            "references": tuple(self._columns_of("references")),
            "metadata": tuple(self._columns_of("metadata")),
            "source_metadata": tuple(self._columns_of("source_metadata")),
            "rating_metadata": tuple(self._columns_of("rating_metadata")),
            "by_system": tuple(self._by_system()),
            "scores": tuple(self._scores()),
            "ratings": tuple(self._ratings()),
        }

    def _by_system(self) -> Iterator[QuestionColumn]:
        for column, said in self._all_said():
            if said.get("use") == "by_system":
                yield QuestionColumn(column=column, system=said["name"].strip())

    def _scores(self) -> Iterator[ScoreColumn]:
        for column, said in self._all_said():
            if said.get("use") in ("metric", "human_mean"):
                yield ScoreColumn(
                    column=column,
                    name=said["name"] or column,
                    direction=said["direction"] or "unknown",
                    scale=said["scale"] or "none",
                    kind=said["use"],
                )

    def _ratings(self) -> Iterator[RatingColumn]:
        for column, said in self._all_said():
            if kind := RATED.get(said.get("use", "")):
                yield RatingColumn(
                    column=column, criterion=said["name"], rater=said["rater"], kind=kind
                )


ColumnsFormSet = forms.formset_factory(
    ColumnForm, formset=ColumnFormSet, extra=0, max_num=SHOWN, absolute_max=SHOWN
)


def initial_columns(columns: ColumnRoles) -> dict[str, dict[str, Any]]:
    """Return the initial values of each column's form, without excluded columns."""
    uses: dict[str, dict[str, Any]] = {name: {"use": "metadata"} for name in columns.metadata}
    uses |= {name: {"use": "source_metadata"} for name in columns.source_metadata}
    uses |= {name: {"use": "rating_metadata"} for name in columns.rating_metadata}
    uses |= {name: {"use": "references"} for name in columns.references}
    uses |= {name: {"use": use} for use in ONE_COLUMN if (name := getattr(columns, use))}
    for each in columns.by_system:
        uses[each.column] = {"use": "by_system", "name": each.system}
    for rating in columns.ratings:
        use = next(use for use, kind in RATED.items() if kind == rating.kind)
        uses[rating.column] = {"use": use, "name": rating.criterion, "rater": rating.rater}
    for score in columns.scores:
        direction = "" if score.direction == "unknown" else score.direction
        use = "human_mean" if score.kind == "human_mean" else "metric"
        uses[score.column] = {
            "use": use,
            "name": score.name,
            "direction": direction,
            "scale": score.scale,
        }
    return uses


def with_direction(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a column form's values; a metric of unknown direction gets the usual one, which the
    page points out. The direction of a mean of human ratings is never assumed."""
    if said.get("use") != "metric" or said["direction"]:
        return said
    return {**said, "direction": "higher", "is_direction_assumed": True}
