"""Forms to import a file, without those for the roles of its columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from judging.guards import rubrics_of
from judging.imports.actions import ratings
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.columns import ColumnRoles, NamedRater, WordPoint
from judging.imports.readers.registry import FORMATS
from judging.imports.readers.tables import DELIMITERS
from judging.imports.readers.text import ENCODINGS, unstorable
from judging.limits import MAX_NAME_CHARACTERS, MAX_QUESTIONS_PER_SET
from judging.models import AddedFile, Rubric, User

OPTIONS = (
    *("delimiter", "quoted", "sheet", "slots_are", "encoding", "header", "above", "systems"),
    *("as_is", "special_tokens"),
)
TEXT_ALONE = ("delimiter", "quoted", "encoding", "systems", "slots_are")  # not for workbooks
EXCLUDED = "exclude"
RATERS = [
    ("", _("choose")),
    ("annotator", _("an annotator")),
    ("llm_judge", _("an LLM judge")),
    ("exclude", _("exclude")),
]
# Changes made to a table before its columns get roles; see `readers.shape`
STEPS = (
    ("header", _("Header rows of Qualtrics")),
    ("survey", _("Ratings in the responses of a survey")),
    ("sheets", _("Sheets of annotators or criteria")),
    ("lists", _("Lists and objects in cells")),
    ("totals", _("Rows of totals and averages")),
    ("melt", _("Columns of annotators or systems")),
    ("percent", _("Percent signs")),
    ("sets", _("Several questions in a cell")),
)


def refuse_too_large(file: Any) -> None:
    """Raise the form's error about an upload above the limit; its bytes are then on the disk, not
    in memory."""
    if file.size > settings.UPLOAD_LIMIT:
        given = {"name": file.name, "limit": filesizeformat(settings.UPLOAD_LIMIT)}
        raise forms.ValidationError(
            _("“%(name)s” is larger than %(limit)s; split it."), params=given
        )


class SheetsField(forms.MultipleChoiceField):
    """Sheets of a workbook by their names. The names are not checked against the file, which may
    take long to open: reading it reports a missing sheet."""

    def valid_value(self, value: str) -> bool:
        return not unstorable(value)


class SiblingsField(forms.MultipleChoiceField):
    """Other waiting files that the same decision applies to, all ticked at first."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, *, label: Any) -> None:
        super().__init__(
            label=label,
            required=False,
            help_text=_(
                "These waiting files have the same column names; workbooks also have the same sheets."
            ),
            error_messages={
                "invalid_choice": _(
                    "One of these files no longer waits or has other columns. Choose again."
                )
            },
        )

    @staticmethod
    def offer(form: forms.Form, others: Sequence[AddedFile]) -> None:
        """Have the form offer these files; if there are none, remove the field."""
        if not others:
            form.fields.pop("siblings", None)
            return
        choices = [(str(each.number), each.name) for each in others]
        form.fields["siblings"].choices = choices
        form.initial["siblings"] = [number for number, _name in choices]


class ReadingForm(forms.Form):
    """Settings for reading a file, to correct what was detected; `sheets` are those of a
    workbook."""

    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[("", _("detect")), *((each.key, each.title) for each in FORMATS)],
    )
    delimiter = forms.CharField(
        label=_("Cells are divided by"),
        required=False,
        strip=False,
        widget=forms.Select(
            choices=[
                ("", _("detect")),
                (",", _("commas")),
                (";", _("semicolons")),
                ("\t", _("tabs")),
            ]
        ),
        help_text=_("CSV and TSV only."),
    )
    quoted = forms.TypedChoiceField(
        label=_("Quotation marks"),
        required=False,
        choices=[
            ("", _("detect")),
            ("yes", _("enclose cells")),
            ("no", _("are ordinary characters")),
        ],
        coerce=lambda word: word == "yes",
        empty_value=None,
        help_text=_("CSV and TSV only."),
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        required=False,
        choices=[("", _("detect: UTF-8 or UTF-16")), *ENCODINGS.items()],
        help_text=_(
            "Text files only. Below, the file is shown in each encoding that it may be in."
        ),
    )
    header = forms.TypedChoiceField(
        label=_("The first row"),
        required=False,
        choices=[
            ("", _("detect")),
            ("yes", _("names the columns")),
            ("no", _("holds values: there is no header")),
        ],
        coerce=lambda word: word == "yes",
        empty_value=None,
        help_text=_("Tables only."),
    )
    above = forms.IntegerField(
        label=_("Rows above the names of the columns"),
        required=False,
        min_value=0,
        help_text=_("Tables only: titles and notes, which are skipped. Empty: detect."),
    )
    systems = forms.CharField(
        label=_("Columns that name each letter's system"),
        required=False,
        max_length=2000,
        help_text=_(
            "MTurk results whose letters change from row to row: a=Input.order_a, b=Input.order_b."
        ),
    )
    sheet = SheetsField(
        label=_("Sheets"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Several are one table, with a column that names the sheet."),
    )
    as_is = forms.MultipleChoiceField(
        label=_("Cells and rows to leave unchanged"),
        required=False,
        choices=STEPS,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each of these is changed if the file has it, and a remark reports it."),
    )
    special_tokens = forms.BooleanField(
        label=_("Remove special tokens"),
        required=False,
        help_text=_("Such as <pad>, </s> or [SEP] in questions and references."),
    )
    slots_are = forms.ChoiceField(
        label=_("question_1a, question_1b are"),
        required=False,
        choices=[
            ("", _("questions of different systems")),
            ("positions", _("several questions of one system")),
        ],
        help_text=_("MTurk results only, if no column names the system."),
    )

    def __init__(self, *args: Any, sheets: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["sheet"].choices = [(name, name) for name in sheets]
        if self.is_bound:
            return
        for name in TEXT_ALONE if sheets else ():
            del self.fields[name]
        if len(sheets) < 2:
            del self.fields["sheet"]

    def clean_delimiter(self) -> str:
        delimiter = self.cleaned_data["delimiter"]
        if delimiter not in ("", *DELIMITERS):
            raise forms.ValidationError(_("Choose one of the delimiters."))
        return delimiter

    def clean_special_tokens(self) -> bool | None:
        """Return True if they are removed, else None."""
        return self.cleaned_data["special_tokens"] or None

    def clean_systems(self) -> dict[str, str]:
        """Return the column of each letter."""
        pairs = [
            part.partition("=") for part in self.cleaned_data["systems"].split(",") if part.strip()
        ]
        if any(
            not sign or not letter.strip() or not column.strip() for letter, sign, column in pairs
        ):
            raise forms.ValidationError(_("Write letter=column, divided by commas."))
        return {letter.strip(): column.strip() for letter, _sign, column in pairs}

    def plan(self) -> Plan:
        """Return how the file is to be read."""
        said = self.cleaned_data
        options = {key: said[key] for key in OPTIONS if said[key] not in ("", None, {}, [])}
        return Plan(format=said["format"], options=options)

    @staticmethod
    def initial_of(plan: Plan) -> dict[str, Any]:
        """Return the form's initial values for a plan."""
        words = {True: "yes", False: "no"}
        said = {key: words.get(plan.options.get(key), "") for key in ("quoted", "header")}
        systems = ", ".join(
            f"{letter}={column}" for letter, column in plan.options.get("systems", {}).items()
        )
        return {"format": plan.format, **plan.options, **said, "systems": systems}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedWord:
    """A word among the ratings on a criterion: its number, the points that it may mean and the
    likely one; `is_label` says whether it is that point's label."""

    criterion: str
    word: str
    count: int
    choices: Sequence[tuple[str, str]]
    point: str = ""
    is_label: bool = False


class OptionsForm(forms.Form):
    """Settings that no column defines."""

    default_system = forms.CharField(
        label=_("System"),
        required=False,
        max_length=MAX_NAME_CHARACTERS,
        help_text=_("Only if no column names it: whose questions are these?"),
    )
    expected = forms.IntegerField(
        label=_("Questions expected of each set"),
        required=False,
        min_value=1,
        max_value=MAX_QUESTIONS_PER_SET,
        help_text=_(
            "For new question sets. Empty: the highest number that any system returned for a source."
        ),
    )
    crossed = forms.BooleanField(
        label=_("Every system was given every source"),
        required=False,
        help_text=_("If one of them returned nothing, its questions count as missing."),
    )
    default_modality = forms.CharField(
        label=_("Modality"),
        required=False,
        max_length=100,
        help_text=_(
            "Only if no column says it: what the questions are about, such as document or image."
        ),
    )
    missing_words = forms.CharField(
        label=_("Words that mean “missing”"),
        required=False,
        max_length=500,
        help_text=_(
            "Divided by commas, such as NaN, n/a, ?. A cell of scores or ratings with such a word is blank."
        ),
    )
    decimal = forms.ChoiceField(
        label=_("Decimals are written"),
        choices=[("point", _("with a point: 0.61")), ("comma", _("with a comma: 0,61"))],
        required=False,
    )
    repeats_are = forms.ChoiceField(
        label=_("Rows that repeat an earlier one"),
        required=False,
        choices=[
            ("", _("are kept")),
            ("questions", _("are further questions")),
            ("ratings", _("are repeated ratings")),
            ("mistakes", _("are mistakes: skip them")),
        ],
        help_text=_(
            "If kept, they are further questions or, if an annotator is named, repeated ratings. "
            "The preview says how many there are."
        ),
    )
    rater = forms.CharField(
        label=_("Annotator"),
        required=False,
        max_length=100,
        help_text=_(
            "Only if neither a column nor a name beside it says: who gave the ratings in this file?"
        ),
    )
    rubric = forms.ModelChoiceField(
        label=_("Protocol of the ratings"),
        queryset=Rubric.objects.none(),
        required=False,
        empty_label=_("the file holds no ratings"),
        help_text=_("Ratings by annotator become a closed campaign of this protocol."),
    )
    siblings = SiblingsField(label=_("Read in the same way"))

    def __init__(
        self,
        *args: Any,
        user: User,
        raters: Sequence[NamedRater] = (),
        words: Sequence[RatedWord] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rubric"].queryset = rubrics_of(user).order_by("title", "version", "-id")
        self._raters, self._unseen = raters, list[str]()
        for place, rater in enumerate(raters):
            self.fields[f"rater_{place}"] = forms.ChoiceField(
                label=_now("Rater “%(name)s”") % {"name": rater.name},
                choices=RATERS,
                initial="" if rater.kind == "ask" else rater.kind,
                help_text=rater.evidence,
                error_messages={
                    "required": _("Say whether this is an annotator, or exclude the rater.")
                },
            )

        self._words = words
        for place, word in enumerate(words):
            self.fields[f"point_{place}"] = forms.ChoiceField(
                label=_now("“%(word)s”, %(n)s × %(criterion)s")
                % {"word": word.word, "n": f"{word.count:,}", "criterion": word.criterion},
                choices=[("", _("choose")), *word.choices, (EXCLUDED, _("exclude"))],
                initial=word.point,
                error_messages={"required": _("Choose a point, or exclude the word.")},
            )
            if self.is_bound and f"point_{place}" not in self.data and word.point:
                self._propose_point(place, word)

    def _propose_point(self, place: int, word: RatedWord) -> None:
        """Show the likely point of a word that the sent page did not ask about. If the word is a
        point's label, the user need not check it."""
        sent = self.data.copy()
        sent[f"point_{place}"] = word.point
        self.data = sent
        if not word.is_label:
            self._unseen.append(f"point_{place}")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in self._unseen:
            self.add_error(name, _("This is a proposal. Check it."))
        return cleaned

    @property
    def point_fields(self) -> list[forms.BoundField]:
        """The fields of the words among the ratings."""
        return [self[f"point_{place}"] for place in range(len(self._words))]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        """All other fields."""
        return [field for field in self if not field.name.startswith("point_")]

    def word_points(self) -> tuple[WordPoint, ...]:
        """Return the point that was chosen for each word."""
        said = (self.cleaned_data[f"point_{place}"] for place in range(len(self._words)))
        return tuple(
            WordPoint(
                criterion=word.criterion,
                word=word.word,
                point="" if point == EXCLUDED else point,
            )
            for word, point in zip(self._words, said, strict=True)
        )

    def named_raters(self) -> tuple[NamedRater, ...]:
        """Return the decisions about raters who may not be annotators."""
        said = (self.cleaned_data[f"rater_{place}"] for place in range(len(self._raters)))
        return tuple(
            replace(rater, kind=kind) for rater, kind in zip(self._raters, said, strict=True)
        )

    def check_ratings(self, columns: ColumnRoles) -> None:
        """Refuse ratings without a protocol, and columns about criteria that the protocol lacks."""
        if misfit := ratings.misfit(rubric=self.cleaned_data.get("rubric"), columns=columns):
            self.add_error("rubric", misfit)


class QgstecForm(OptionsForm):
    """Settings that a QG-STEC file does not contain."""

    # The file names its systems, and each sentence expects a set of every system
    default_system = crossed = default_modality = None
    missing_words = decimal = repeats_are = rater = None

    expected = forms.IntegerField(
        label=_("Questions expected of each sentence and type"),
        min_value=1,
        max_value=MAX_QUESTIONS_PER_SET,
        initial=2,
    )
