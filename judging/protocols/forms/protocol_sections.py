"""The parts of a protocol as the editor asks for them. Docs: docs/protocol-schema.md."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.protocols.forms.protocol_fields import (
    ChecksField,
    FieldChoices,
    FlagField,
    LinesField,
    PairsField,
    PickField,
    SectionForm,
    TextField,
    TextsField,
    ValuesField,
    area,
    line,
    pick,
    whole_number_field,
)

TASKS = [
    ("unit", _("single questions, several to a page")),
    ("question_set", _("one system's set of questions")),
    ("source", _("all systems' questions of one source")),
]
SHOWS = [
    ("passage", _("the passage")),
    ("answer", _("the answer")),
    ("sentence", _("the sentence")),
    ("target_type", _("the wanted type of question")),
    ("modality", _("what it was made from")),
    ("siblings", _("the other questions of the set")),
    ("submitted_answer", _("the answer submitted with the question")),
    ("submitted_type", _("the type submitted with the question")),
]
LEVELS = [
    ("nominal", _("nominal: names without an order")),
    ("ordinal", _("ordinal: an order")),
    ("interval", _("interval: equal steps")),
]
ENDS = [
    ("highest", _("the highest")),
    ("lowest", _("the lowest")),
    ("none", _("neither: never averaged")),
]
UNITS = [("question", _("each question")), ("set", _("the set as a whole"))]
ASKED = [
    ("per_unit", _("for each")),
    ("once_per_set", _("once per set, stored on each of its questions")),
]
STANDARD_KINDS = [
    ("correctness", _("correctness: right or not, or how far")),
    ("goodness", _("goodness: more of it is better, and none is wholly right")),
    ("feature", _("feature: neither end is better by itself")),
]
STANDARD_PARTS = [("form", _("form")), ("content", _("content")), ("both", _("form and content"))]
STANDARD_FRAMES = [
    ("own", _("in its own right")),
    ("input", _("relative to what the system was given")),
    ("external", _("relative to something outside of the system")),
]
KINDS = [
    ("mean", _("mean over questions")),
    ("sum_over_slots", _("sum over every expected question")),
]
COMBINED = [("none", _("no")), ("mean", _("by their mean")), ("sum", _("by their sum"))]
STATISTICS = [
    ("krippendorff_alpha", _("Krippendorff's alpha")),
    ("fleiss_kappa", _("Fleiss' kappa")),
    ("cohen_kappa", _("Cohen's kappa")),
    ("pearson", _("Pearson's r")),
    ("spearman", _("Spearman's rho")),
    ("percent_agreement", _("percent agreement")),
]
APPLIED = [("per_rating", _("each rating")), ("on_means", _("the mean of a question's ratings"))]
OTHERS = [("all_remaining", _("all remaining criteria")), ("named", _("only those named below"))]
RULES = [
    ("force", _("Force: an answer determines another on the page")),
    ("missing", _("Missing: what a question that was not returned gets")),
    ("identical", _("Identical: a repeated question counts as missing")),
    ("lone", _("Lone: what the only question of a set gets")),
    ("fatal", _("Fatal: a bad value sets other criteria to their worst")),
]
BROKEN = [
    ("reported", _("annotators may report a question as broken instead of rating it")),
    ("refused", _("every question must be rated")),
]
FACTS = [
    ("quota", _("Quota: wanted numbers of each level")),
    ("type_diversity", _("Variety of question types")),
]


class AboutForm(SectionForm):
    parts = {
        "title": line(_("Title")),
        "summary": area(
            _("Summary"), _("One or two sentences; the library and annotators see it."), rows=2
        ),
        "citation": area(_("Citation"), _("The paper it follows, or “Unpublished.”"), rows=2),
        "key": line(
            _("Key"),
            _("A short name in files; made of the title if you leave it empty."),
            required=False,
        ),
        "version": line(_("Version"), _("Another for every change you finish."), css="short"),
        "language": line(
            _("Language"), _("Of its texts, such as en or de."), required=False, css="short"
        ),
    }


class Cut(SectionForm):
    parts = {
        "task": pick(_("On one screen"), TASKS),
        "expected": whole_number_field(_("Questions a set should have"), required=False),
        "page_size": whole_number_field(
            _("Questions on a screen"), _("For single questions only."), required=False
        ),
        "broken_items": pick(
            _("Broken items"), BROKEN, _("Left empty, they may be reported."), required=False
        ),
        "annotators": whole_number_field(_("Annotators for each task")),
        "estimated_seconds": whole_number_field(_("Estimated seconds for a screen")),
    }


class StageForm(SectionForm):
    parts = {
        "title": line(_("Title")),
        "shows": ChecksField(label=_("Shows beside the questions"), choices=SHOWS, required=False),
        "key": line(_("Key"), _("Made of the title if you leave it empty."), required=False),
    }

    @property
    def was(self) -> str:
        """Return the current key, so that a new one can replace it wherever it is used."""
        return str(self.initial["key"])


class CriterionForm(SectionForm):
    parts = {
        "name": line(_("Name")),
        "prompt": area(
            _("Prompt"), _("The question put to annotators, in these very words."), rows=2
        ),
        "definition": area(_("Definition"), _("What counts and what does not."), rows=2),
        "level": pick(_("Level of measurement"), LEVELS),
        "best": pick(_("Best end"), ENDS),
        "unit": pick(_("Judged of"), UNITS, required=False),
        "asked": pick(_("Asked"), ASKED, required=False),
        "stage": pick(_("Stage"), ()),
        "visibility_note": line(
            _("Words beside the name"),
            _("Such as “the question alone”: what to go by."),
            required=False,
        ),
        "key": line(
            _("Key"),
            _("Its name in files; made of the name if you leave it empty."),
            required=False,
        ),
        "optional": FlagField(label=_("Annotators may skip it"), required=False),
        "cannot_judge": FlagField(
            label=_("Offers “Cannot judge”, which counts as missing"), required=False
        ),
        "standard.kind": pick(_("Kind of quality"), STANDARD_KINDS, required=False),
        "standard.part": pick(_("Of the question's"), STANDARD_PARTS, required=False),
        "standard.frame": pick(_("Judged"), STANDARD_FRAMES, required=False),
        "standard.name": line(
            _("Standard name"),
            _("Its name in the taxonomy QCET, if one fits; else leave it empty."),
            required=False,
        ),
        "scale.from": whole_number_field(_("From"), required=False),
        "scale.to": whole_number_field(_("To"), required=False),
        "scale.labels": PairsField(
            label=_("Labels of its ends"),
            help_text=_("One to a line, such as “0: much too long”."),
            required=False,
        ),
    }

    def __init__(self, value: Mapping[str, Any], place: str = "", **choices: Any) -> None:
        super().__init__(value, place, **choices)
        points = value.get("points")
        rows = points if isinstance(points, list) else []
        self.points = [PointForm(each, f"{place}.points[{n}]") for n, each in enumerate(rows)]

    @classmethod
    def of(cls, *, stages: FieldChoices = (), **choices: Any) -> dict[str, Any]:
        return super().of() | {"stage": pick(_("Stage"), stages)}

    @property
    def was(self) -> str:
        """Return the current key, so that a new one can replace it wherever it is used."""
        return str(self.initial["key"])

    @property
    def main(self) -> list[forms.BoundField]:
        return self.some("name", "prompt", "definition")

    @property
    def measure(self) -> list[forms.BoundField]:
        return self.some("level", "best", "stage")

    @property
    def more(self) -> list[forms.BoundField]:
        return self.some("unit", "asked", "visibility_note", "key", "optional", "cannot_judge")

    @property
    def long_scale(self) -> list[forms.BoundField]:
        return self.some("scale.from", "scale.to", "scale.labels")

    @property
    def standard(self) -> list[forms.BoundField]:
        return self.some("standard.kind", "standard.part", "standard.frame", "standard.name")

    @property
    def standard_open(self) -> bool:
        return any(field.errors for field in self.standard)

    @property
    def more_open(self) -> bool:
        return any(field.errors for field in self.more)

    @property
    def long_scale_open(self) -> bool:
        return any(field.errors or field.initial for field in self.long_scale)


class PointForm(SectionForm):
    parts = {
        "value": whole_number_field(_("Value")),
        "label": line(_("Label")),
        "description": area(_("Description"), required=False, rows=1),
        "examples": LinesField(label=_("Examples, one to a line"), required=False, rows=1),
        "missing": FlagField(label=_("“Cannot say”: no statistic counts it"), required=False),
    }


class Mark(SectionForm):
    parts = {
        "prompt": area(_("Instruction for marking"), required=False, rows=2),
        "key": line(_("Key"), required=False),
        "stage": PickField(label=_("Stage"), required=False),
        "optional": FlagField(label=_("Annotators may skip it"), required=False),
    }

    @classmethod
    def of(cls, *, stages: FieldChoices = (), **choices: Any) -> dict[str, Any]:
        return super().of() | {"stage": pick(_("Stage"), stages, required=False)}


class WorkedItemForm(SectionForm):
    """One question rated as an example."""

    @classmethod
    def of(cls, *, scales: Any = None, **choices: Any) -> dict[str, Any]:
        fields = {
            "shows": TextsField(
                label=_("Shown beside it"), help_text=_("Leave the others empty."), required=False
            ),
            "question": area(_("The question"), required=False, rows=2),
            "siblings": LinesField(
                label=_("Other questions of the set"), help_text=_("One to a line."), required=False
            ),
            "values": ValuesField(label=_("Its values"), required=False),
            "why": TextsField(
                label=_("Why"), help_text=_("A sentence for each value."), required=False
            ),
        }
        fields["shows"].widget.scales = {
            name: (label, ()) for name, label in SHOWS if name != "siblings"
        }
        fields["values"].widget.scales = fields["why"].widget.scales = scales or {}
        return fields


class RuleForm(SectionForm):
    """A rule of one kind; the kind is chosen when it is added."""

    @classmethod
    def of(
        cls, *, kind: str = "", scales: Any = None, criteria: FieldChoices = (), **choices: Any
    ) -> dict[str, Any]:
        fields = {"kind": TextField(widget=forms.HiddenInput)} | _rule(kind, criteria)
        for name in ("sets", "when"):
            if name in fields:
                fields[name].widget.scales = scales or {}
        key = line(_("Key"), _("Its kind, if you leave it empty."), required=False)
        return fields | {
            "explanation": area(_("Explanation"), required=kind == "force", rows=2),
            "key": key,
        }

    @classmethod
    def read(cls, data: Any, place: str = "") -> dict[str, Any]:
        return _read_kind(cls, data, place)


def _rule(kind: str, criteria: FieldChoices) -> dict[str, Any]:
    if kind == "force":
        return {
            "criterion": pick(_("When"), criteria),
            "value": whole_number_field(_("has the value")),
            "sets": ValuesField(label=_("set and lock"), help_text=_("Leave the others empty.")),
        }
    if kind == "fatal":
        return {
            "when": ValuesField(
                label=_("When a question has one of these"), help_text=_("Leave the others empty.")
            ),
            "applied": pick(_("Looks at"), APPLIED, required=False),
            "others": pick(_("Sets to their worst"), OTHERS, required=False),
            "named": ChecksField(label=_("The criteria named"), choices=criteria),
        }
    empty = (
        _("All empty: the worst of every criterion.")
        if kind == "missing"
        else _("Leave the others empty.")
    )
    sets = ValuesField(label=_("It gets"), help_text=empty, required=kind != "missing")
    return {"sets": sets} if kind in ("missing", "identical", "lone") else {}


class FactForm(SectionForm):
    """A computed fact of one kind."""

    @classmethod
    def of(cls, *, kind: str = "", criteria: FieldChoices = (), **choices: Any) -> dict[str, Any]:
        fields = {"kind": TextField(widget=forms.HiddenInput)} | _fact(kind, criteria)
        key = line(_("Key"), _("Its kind, if you leave it empty."), required=False)
        return fields | {"explanation": area(_("Explanation"), rows=2), "key": key}

    @classmethod
    def read(cls, data: Any, place: str = "") -> dict[str, Any]:
        return _read_kind(cls, data, place)


def _fact(kind: str, criteria: FieldChoices) -> dict[str, Any]:
    if kind == "quota":
        return {
            "criterion": pick(_("Criterion"), criteria),
            "quota": PairsField(
                label=_("Wanted numbers"), help_text=_("One to a line, such as “2: 3”."), rows=3
            ),
            "kept": whole_number_field(_("Score within the quota")),
            "surplus": whole_number_field(_("Score beyond it")),
        }
    if kind == "type_diversity":
        return {
            "beside": pick(_("Shown beside"), criteria),
            "share": line(_("Least share of different types"), "0–1", css="short"),
            "balance": line(_("Least evenness"), "0–1", css="short"),
        }
    return {}


def _read_kind(cls: type[SectionForm], data: Any, place: str) -> dict[str, Any]:
    sent = {}
    for name, field in cls.of(kind=data.get(f"{place}.kind", "")).items():
        sent[name] = field.plain(field.widget.value_from_datadict(data, {}, f"{place}.{name}"))
    return {name: value for name, value in sent.items() if value is not None}


class AggregateForm(SectionForm):
    @classmethod
    def of(cls, *, criteria: FieldChoices = (), **choices: Any) -> dict[str, Any]:
        return {
            "kind": pick(_("A system's number on a criterion"), KINDS),
            "combined": pick(_("Combine the criteria into one number"), COMBINED, required=False),
            "criteria": ChecksField(
                label=_("Criteria that enter"),
                help_text=_("None: all with a best end."),
                choices=criteria,
                required=False,
            ),
            "weights": PairsField(
                label=_("Weights in the combined number"),
                help_text=_("One to a line, such as “relevance: 2”; 1 for all others."),
                required=False,
            ),
            "note": area(_("Note printed with the numbers"), required=False, rows=2),
        }


class AgreementForm(SectionForm):
    parts = {
        "statistic": pick(_("Coefficient"), STATISTICS),
        "level": pick(_("Level"), LEVELS, required=False),
        "note": line(_("Note"), _("Such as the published values."), required=False),
    }


class GuidelineForm(SectionForm):
    parts = {
        "guideline": area(
            _("Guideline"),
            _(
                "Paragraphs between empty lines; “## ” before a heading, “- ” before the items of a list."
            ),
            rows=14,
        ),
        "quality_control": LinesField(
            label=_("Quality control"),
            help_text=_("One sentence to a line."),
            required=False,
            rows=3,
        ),
    }
