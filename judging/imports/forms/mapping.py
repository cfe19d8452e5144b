"""Forms of the pages of files: uploading, the mapping of a file, matching, names of systems."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_FILES_PER_UPLOAD, MAX_NAME_CHARACTERS, MAX_QUESTIONS_PER_SET
from judging.datasets.models.added_file import AddedFile, FileRow
from judging.datasets.models.dataset import System
from judging.formats.choices import JoiningChoices
from judging.formats.mapping import (
    ENCODINGS,
    RATED,
    SCORED,
    Column,
    MappingRefused,
    Repair,
    Step,
    mapping_from,
)
from judging.formats.mapping import Mapping as FileMapping
from judging.formats.recipes.registry import RECIPES
from judging.imports.actions import fit, names
from judging.imports.actions.names import ProposedNames
from judging.imports.actions.preview import Word
from judging.people.models.user import User
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol

SHOWN = 200  # columns with a choice of their role: the choices of 2,000 are seven megabytes
EXCLUDED = "exclude"  # the choice for a word whose ratings are excluded
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z"
ROLES = [
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
            ("reference", _("reference question")),
            ("source_id", _("id of the source")),
            ("source_metadata", _("metadata of the source")),
        ],
    ),
    (
        _("Output of the systems"),
        [
            ("question", _("generated question")),
            ("question_of", _("questions of one system")),
            ("system", _("system")),
            ("position", _("position in its set")),
            ("key", _("id of the question")),
            ("question_type", _("type the system declared")),
            ("submitted_answer", _("answer the system submitted")),
            ("metadata", _("metadata of the question")),
        ],
    ),
    (
        _("Ratings by annotator"),
        [
            ("ratings", _("ratings on one criterion")),
            ("rater", _("annotator of the row")),
            ("criterion", _("criterion of the row")),
            ("value", _("rating of the row")),
            ("llm_judge", _("ratings of an LLM judge")),
            ("ask", _("choose whose ratings")),
            ("note", _("note of the annotator")),
            ("mark", _("marked: span, or none")),
            ("mark_start", _("start of a marked span")),
            ("mark_end", _("end of a marked span")),
            ("mark_text", _("text of a marked span")),
            ("rating_metadata", _("metadata of the rating")),
        ],
    ),
    (
        _("Scores"),
        [("metric", _("score of an automatic metric")), ("human_mean", _("mean human score"))],
    ),
]
ROLE_TITLES = {role: title for _group, roles in ROLES[1:] for role, title in roles}
PARTS = ("role", "name", "rater", "direction", "scale")  # of a column
DIRECTIONS = [
    ("", _("choose")),
    ("higher", _("higher is better")),
    ("lower", _("lower is better")),
]
SCALES = [("none", _("its own scale")), ("fraction", _("0 to 1")), ("percent", _("0 to 100"))]
STEPS = {
    "sheets": _("Sheets that look alike are one table"),
    "lists": _("Lists and objects in cells are opened"),
    "totals": _("Rows of totals are excluded"),
    "percent": _("Percent signs are removed"),
    "fill_down": _("Blank cells of merged cells are filled from above"),
}
REPAIRS = {
    "entities": _("HTML entities such as &amp; become characters"),
    "mojibake": _("Letters such as Ã¼ become ü"),
}
KINDS = [
    ("", _("choose")),
    ("annotator", _("an annotator")),
    ("llm_judge", _("an LLM judge")),
    ("exclude", _("exclude")),
]
# Fields of the form that decide how the file is opened and shaped
OPENING = (
    "recipe",
    "sheets",
    "encoding",
    "delimiter",
    "quoted",
    "header",
    "skip",
    "as_is",
    "repairs",
)
READING = ("system", "rater", "modality", "expected", "crossed", "repeats", "numbers")


def describe_file_column(column: Column) -> str:
    """Return in words what a column of a file is, and why that was proposed."""
    words = [str(ROLE_TITLES[column.role]) if column.role else _now("excluded")]
    if column.name:
        words.append(f"“{column.name}”")
    if column.rater:
        words.append(_now("by %(rater)s") % {"rater": column.rater})
    if column.direction:
        words.append(str(dict(DIRECTIONS)[column.direction]))
    return ", ".join(words) + (f". {column.why}" if column.why else "")


class FilesInput(forms.ClearableFileInput):
    """The browser's own field, for several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        given = data if isinstance(data, list | tuple) else [data]
        given = given or [None]  # an empty upload is refused like one missing file
        if len(given) > MAX_FILES_PER_UPLOAD:
            raise forms.ValidationError(
                _("At most %(most)s files at once."), params={"most": MAX_FILES_PER_UPLOAD}
            )
        files = [super(FilesField, self).clean(each, initial) for each in given]
        for file in files:
            if file and file.size > settings.UPLOAD_LIMIT:
                about = {"name": file.name, "limit": filesizeformat(settings.UPLOAD_LIMIT)}
                sentence = _("“%(name)s” is larger than %(limit)s; split it.")
                raise forms.ValidationError(sentence, params=about)
        return [file for file in files if file]


class FilesForm(forms.Form):
    """Files to be added."""

    files = FilesField(
        label=_("Drop files here, or choose them"),
        help_text=_(
            "Questions, ratings, metrics, references, answers or metadata, in any format that can be read."
        ),
    )


class NewDatasetForm(forms.Form):
    """A new dataset with its first files."""

    name = forms.CharField(
        label=_("Name of the dataset"),
        max_length=MAX_NAME_CHARACTERS,
        required=False,
        help_text=_("Empty: the name of the first file."),
    )
    files = FilesField(
        label=_("Drop files here, or choose them"),
        help_text=_(
            "All files of the study: outputs, ratings, metrics. You see everything before it is stored."
        ),
    )
    licence = forms.CharField(
        label=_("Licence"),
        max_length=MAX_NAME_CHARACTERS,
        required=False,
        help_text=_("Of the texts, such as CC BY-SA 4.0."),
    )
    language = forms.RegexField(
        LANGUAGE,
        label=_("Language of the texts"),
        max_length=35,
        initial="en",
        help_text=_(
            "A tag such as en, de, ar or zh-Hant. It decides the direction of the text and how "
            "metrics divide it into words. A column can name the language of each source."
        ),
        error_messages={"invalid": _("Write a language tag such as en, de or zh-Hant.")},
    )


class AcceptForm(forms.Form):
    """What a person confirms when files are added."""

    accepted = forms.BooleanField(label=_("This is right"), required=False)
    confirmed = forms.BooleanField(label=_("Add these new questions"), required=False)


class SiblingsField(forms.MultipleChoiceField):
    """Other waiting files that the same decision applies to, all ticked at first."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, *, label: Any, others: Sequence[AddedFile]) -> None:
        choices = [(str(other.number), other.name) for other in others]
        super().__init__(
            label=label,
            required=False,
            choices=choices,
            initial=[number for number, _name in choices],
            help_text=_("These waiting files have the same columns."),
        )


class MappingForm(forms.Form):
    """How a file is read: the role of each column, and settings for the file as a whole.

    The values become one `Mapping`, whose errors by field are shown beside the fields. Columns after
    the first 200 keep their proposals.
    """

    protocol = forms.ModelChoiceField(
        label=_("Protocol of the ratings"),
        queryset=Protocol.objects.none(),
        required=False,
        empty_label=_("no ratings"),
    )
    system = forms.CharField(
        label=_("System"),
        required=False,
        help_text=_("Only if no column names it: whose questions are these?"),
    )
    rater = forms.CharField(
        label=_("Annotator"),
        required=False,
        help_text=_("Only if no column names them: who gave the ratings?"),
    )
    modality = forms.CharField(
        label=_("Modality"),
        required=False,
        help_text=_("Only if no column says it, such as document or image."),
    )
    expected = forms.IntegerField(
        label=_("Questions expected of each system and source"),
        required=False,
        min_value=1,
        max_value=MAX_QUESTIONS_PER_SET,
        help_text=_("Empty: the highest number that any system returned for a source."),
    )
    crossed = forms.BooleanField(
        label=_("Every system was given every source"),
        required=False,
        help_text=_("If one of them returned nothing, its questions count as missing."),
    )
    blanks = forms.CharField(
        label=_("Words that mean “missing”"),
        required=False,
        help_text=_("Divided by commas, such as NaN, n/a."),
    )
    numbers = forms.ChoiceField(
        label=_("Numbers are written"),
        required=False,
        choices=[
            ("point", "1234.5"),
            ("comma", "1234,5"),
            ("point_thousands", "1,234.5"),
            ("comma_thousands", "1.234,5"),
        ],
    )
    repeats = forms.ChoiceField(
        label=_("Rows that repeat an earlier one"),
        required=False,
        choices=[
            ("", _("are kept: further questions or, with annotators, further ratings")),
            ("questions", _("are further questions")),
            ("ratings", _("are further ratings")),
            ("mistakes", _("are mistakes: exclude them")),
        ],
    )
    recipe = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[
            ("", _("detect")),
            ("table", _("a table, or JSON as it is")),
            *((each.key, each.title) for each in RECIPES),
        ],
    )
    sheets = forms.MultipleChoiceField(
        label=_("Sheets"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all that look alike."),
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        required=False,
        choices=[("", _("detect")), *((each, each) for each in ENCODINGS)],
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
                ("|", "|"),
                ("^", "^"),
            ]
        ),
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
    )
    skip = forms.IntegerField(
        label=_("Rows above the names of the columns"),
        required=False,
        min_value=0,
        help_text=_("Titles and notes, which are skipped. Empty: detect."),
    )
    as_is = forms.MultipleChoiceField(
        label=_("Leave unchanged"),
        required=False,
        choices=[(step, STEPS[step]) for step in get_args(Step)],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each of these is done if the file needs it, and the page says so."),
    )
    repairs = forms.MultipleChoiceField(
        label=_("Correct texts"),
        required=False,
        choices=[(repair, REPAIRS[repair]) for repair in get_args(Repair)],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self,
        data: Any,
        *,
        user: User,
        look: Mapping[str, Any],
        mapping: FileMapping,
        protocol: Protocol | None,
        words: Sequence[Word] = (),
        others: Sequence[AddedFile] = (),
    ) -> None:
        self.look, self.before, self.words = look, mapping, words
        self.shown = list(look.get("header", ()))[:SHOWN]
        super().__init__(data, initial=_initial(mapping, protocol))
        self.fields["protocol"].queryset = protocols_of(user).order_by("title", "version", "-id")
        self._offer_sheets()
        if others:
            self.fields["siblings"] = SiblingsField(label=_("Read in the same way"), others=others)
        for place, name in enumerate(self.shown):
            self._add_column(place, name)
        for place, (name, kind) in enumerate(mapping.raters.items()):
            self._add_rater(place, name, kind)
        for place, word in enumerate(words):
            self._add_word(place, word, protocol)

    def _offer_sheets(self) -> None:
        names = dict.fromkeys((*self.look.get("sheets", ()), *self.before.sheets))
        self.fields["sheets"].choices = [(name, name) for name in names]
        if len(names) < 2 and not self.before.sheets:
            del self.fields["sheets"]

    def _add_column(self, place: int, name: str) -> None:
        column = self.before.columns.get(name)
        labels = {
            "role": _now("Role of %(column)s"),
            "name": _now("Criterion, system or name of %(column)s"),
            "rater": _now("Annotator of %(column)s"),
            "direction": _now("Direction of %(column)s"),
            "scale": _now("Scale of %(column)s"),
        }
        kinds: dict[str, Any] = {
            "role": forms.ChoiceField(choices=ROLES, required=False),
            "name": forms.CharField(required=False),
            "rater": forms.CharField(required=False),
            "direction": forms.ChoiceField(choices=DIRECTIONS, required=False),
            "scale": forms.ChoiceField(choices=SCALES, required=False),
        }
        for part, field in kinds.items():
            field.label = labels[part] % {"column": name}
            field.widget.attrs["aria-label"] = field.label
            field.initial = getattr(column, part) if column else ("none" if part == "scale" else "")
            self.fields[f"{part}_{place}"] = field

    def _add_rater(self, place: int, name: str, kind: str) -> None:
        self.fields[f"kind_{place}"] = forms.ChoiceField(
            label=_now("“%(name)s” is") % {"name": name},
            choices=KINDS,
            required=False,
            initial="" if kind == "ask" else kind,
        )

    def _add_word(self, place: int, word: Word, protocol: Protocol | None) -> None:
        scale = fit.scales_of(protocol)[fit.plain_criterion(word.criterion)] if protocol else None
        points = scale.criterion.points.all() if scale else ()
        choices = [(str(point.value), f"{point.value} {point.label}".strip()) for point in points]
        initial = EXCLUDED if word.point == "" else word.point or ""
        about = {"word": word.word, "n": f"{word.count:,}", "criterion": word.criterion}
        self.fields[f"point_{place}"] = forms.ChoiceField(
            label=_now("“%(word)s”, %(n)s × %(criterion)s") % about,
            choices=[("", _("choose")), *choices, (EXCLUDED, _("exclude"))],
            required=False,
            initial=initial,
        )

    # -- what the template shows ----------------------------------------------------------------

    def column_cells(self) -> Iterator[dict[str, Any]]:
        """Yield, for each shown column, its name, its fields, the reason of its role and its first
        values."""
        found = self._contradictions() if not self.is_bound else {}
        for place, name in enumerate(self.shown):
            column = self.before.columns.get(name)
            fields = {part: self[f"{part}_{place}"] for part in PARTS}
            errors = [error for field in fields.values() for error in field.errors]
            errors += found.get(place, ())
            why = column.why if column else ""
            about = self.look["columns"][place]
            fields["name_field"] = fields.pop("name")
            yield {**fields, "name": name, "why": why, "errors": errors, "about": about}

    def _contradictions(self) -> dict[int, list[str]]:
        """Return what the last reading found wrong with the columns, by their place."""
        places = {f"columns.{name}": place for place, name in enumerate(self.shown)}
        found: dict[int, list[str]] = {}
        for path, sentences in self.look.get("errors", {}).items():
            column = path if path in places else path.rpartition(".")[0]
            if column in places:
                found.setdefault(places[column], []).extend(sentences)
        return found

    @property
    def word_fields(self) -> list[forms.BoundField]:
        """The fields of the words among the ratings."""
        return [self[f"point_{place}"] for place in range(len(self.words))]

    @property
    def rater_fields(self) -> list[forms.BoundField]:
        """The fields of the raters who may be no annotators."""
        return [self[f"kind_{place}"] for place in range(len(self.before.raters))]

    @property
    def reading_fields(self) -> list[forms.BoundField]:
        """The settings for the study."""
        return [self[name] for name in (*READING, "blanks")]

    @property
    def opening_fields(self) -> list[forms.BoundField]:
        """The settings for opening the file."""
        return [self[name] for name in OPENING if name in self.fields]

    # -- what was sent ----------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self.chosen = self._mapping(cleaned)
            except MappingRefused as refused:
                self.show(refused)
        return cleaned

    def show(self, refused: MappingRefused) -> None:
        """Show the errors of a mapping beside the fields that they are about."""
        for path, sentences in refused.errors.items():
            for sentence in sentences:
                self.add_error(self._field_at(path), sentence)

    def _field_at(self, path: str) -> str | None:
        """Return the field of a path such as `columns.Fluency.name`, None for the whole form."""
        first, _dot, rest = path.partition(".")
        if first == "columns":
            name, _dot, part = rest.rpartition(".")
            if name in self.shown and part in PARTS:
                return f"{part}_{self.shown.index(name)}"
            return f"role_{self.shown.index(rest)}" if rest in self.shown else None
        if first == "raters" and rest in self.before.raters:
            return f"kind_{list(self.before.raters).index(rest)}"
        return first if first in self.fields else None

    def _mapping(self, said: Mapping[str, Any]) -> FileMapping:
        data = self.before.model_dump(mode="json")
        data |= {name: said[name] for name in READING if name != "numbers"}
        data |= {name: said[name] for name in OPENING if name in said}
        data["blanks"] = [word.strip() for word in said["blanks"].split(",") if word.strip()]
        data["numbers"] = said["numbers"] or "point"
        if self._is_opened_otherwise(data):
            data["columns"] = {}
            return mapping_from(data)
        data["columns"] |= {
            name: self._column(place, name, said) for place, name in enumerate(self.shown)
        }
        data["raters"] = {
            name: said[f"kind_{place}"] or "ask" for place, name in enumerate(self.before.raters)
        }
        data["points"] = self._points(said)
        return mapping_from(data)

    def _is_opened_otherwise(self, data: Mapping[str, Any]) -> bool:
        """Return whether the columns may be others now, so that they are proposed again."""
        before = self.before.model_dump(mode="json")
        return any(_as_set(data[name]) != _as_set(before[name]) for name in OPENING)

    def _column(self, place: int, name: str, said: Mapping[str, Any]) -> dict[str, Any]:
        role = said[f"role_{place}"]
        before = self.before.columns.get(name)
        is_kept = before is not None and before.role == role
        column: dict[str, Any] = {
            "role": role,
            "why": before.why if is_kept else _now("You chose this."),
        }
        if role in (*RATED, *SCORED, "question_of"):
            column["name"] = said[f"name_{place}"]
        if role in RATED:
            column["rater"] = said[f"rater_{place}"]
            column["round"] = before.round if is_kept else 1
        if role in SCORED:
            column |= {part: said[f"{part}_{place}"] for part in ("direction", "scale")}
            column["scale"] = column["scale"] or "none"
            is_kept = is_kept and before.direction == column["direction"]
            column["is_direction_guessed"] = is_kept and before.is_direction_guessed
        return column

    def _points(self, said: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for place, word in enumerate(self.words):
            if point := said[f"point_{place}"]:
                meant = "" if point == EXCLUDED else point
                found.setdefault(word.criterion, {})[word.word] = meant
        return found


def _as_set(value: Any) -> Any:
    """Return a value for comparison: the order of a list does not count."""
    return set(value) if isinstance(value, list | tuple) else value


def _initial(mapping: FileMapping, protocol: Protocol | None) -> dict[str, Any]:
    words = {True: "yes", False: "no", None: ""}
    said = mapping.model_dump(exclude={"columns", "raters", "points"})
    return {
        **said,
        "quoted": words[mapping.quoted],
        "header": words[mapping.header],
        "blanks": ", ".join(mapping.blanks),
        "protocol": protocol.pk if protocol else None,
    }


def _declinable(choices: JoiningChoices, matched: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the questions that were matched by similar text, or were declined before."""
    similar = matched.get("examples", {}).get("similar", ())
    texts = dict.fromkeys([*choices.declined, *(row["what"] for row in similar)])
    return [(text, text) for text in texts]


class ChoicesForm(forms.Form):
    """How rows are matched with the dataset, and what happens to rows without a match."""

    by = forms.ChoiceField(
        label=_("Rows are matched by"),
        widget=forms.RadioSelect,
        choices=[
            ("auto", _("ids and texts; ids are not used if most disagree with the texts")),
            ("ids", _("ids only")),
            ("texts", _("texts only")),
        ],
    )
    similar = forms.BooleanField(label=_("Match similar texts"), required=False)
    declined = forms.MultipleChoiceField(
        label=_("Similar texts that are not the same question"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    unmatched = forms.ChoiceField(
        label=_("Rows without a match"),
        widget=forms.RadioSelect,
        choices=[("add", _("add them, as new questions")), ("leave", _("exclude them"))],
    )
    conflicts = forms.ChoiceField(
        label=_("Values that contradict the dataset"),
        widget=forms.RadioSelect,
        choices=[
            ("leave", _("keep what the dataset has; the file's values go to quarantine")),
            ("refuse", _("add nothing of the file as long as there are any")),
        ],
    )

    def __init__(
        self,
        data: Any,
        *,
        choices: JoiningChoices,
        matched: Mapping[str, Any],
        is_first: bool,
        systems: Sequence[str],
        others: Sequence[AddedFile],
    ) -> None:
        decided = {each["letter"]: each["system"] for each in matched.get("votes", ())}
        decided |= choices.systems
        initial = {
            **choices.as_dict(),
            "unmatched": choices.unmatched
            or ("add" if is_first or matched.get("adds") else "leave"),
            **{f"system-{n}": decided.get(each) or each for n, each in enumerate(systems)},
        }
        super().__init__(data, initial=initial)
        self.systems = systems
        self.fields["declined"].choices = _declinable(choices, matched)
        for place, system in enumerate(systems):
            self.fields[f"system-{place}"] = forms.CharField(
                label=system, max_length=MAX_NAME_CHARACTERS, required=False
            )
        if others:
            self.fields["siblings"] = SiblingsField(label=_("Match in the same way"), others=others)

    @property
    def names(self) -> list[forms.BoundField]:
        """Return the fields of systems."""
        return [self[f"system-{place}"] for place in range(len(self.systems))]

    def choices(self) -> JoiningChoices:
        """Return the user's choices."""
        said = self.cleaned_data
        renamed = {}
        for place, system in enumerate(self.systems):
            name = said[f"system-{place}"].strip()
            if name and not name == system == self.initial[f"system-{place}"]:
                renamed[system] = name
        kept = {
            name: said[name] for name in ("by", "similar", "declined", "unmatched", "conflicts")
        }
        return JoiningChoices(**kept, systems=renamed)


class RowsForm(forms.Form):
    """The filters of a list of rows."""

    text = forms.CharField(
        label=_("Words, or source"), required=False, max_length=MAX_NAME_CHARACTERS
    )
    system = forms.ChoiceField(label=_("System"), required=False)
    kind = forms.ChoiceField(label=_("Messages"), required=False)

    def __init__(self, data: Any, *, kinds: Mapping[str, int], systems: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["system"].choices = [("", _("all")), *((system, system) for system in systems)]
        counted = [
            (kind, f"{title}: {kinds[kind]:,}")
            for kind, title in FileRow.Kind.choices
            if kind in kinds
        ]
        self.fields["kind"].choices = [("", _("anything")), *counted]


class BulkNamesForm(forms.Form):
    """A change of many names at once, which is proposed first and then applied."""

    tool = forms.ChoiceField(
        label=_("Change"),
        choices=[
            ("prefix", _("Remove a prefix")),
            ("replace", _("Find and replace")),
            ("split", _("Split into subset and system")),
            ("spellings", _("Use one spelling")),
        ],
        help_text=_(
            "Splitting turns SQuAD_T5 into the system T5 and the subset SQuAD. Spellings are names "
            "that differ only in case, spaces and punctuation."
        ),
    )
    find = forms.CharField(
        label=_("Prefix, text to find, or separator"),
        required=False,
        strip=False,
        max_length=MAX_NAME_CHARACTERS,
    )
    replacement = forms.CharField(
        label=_("Replace with"), required=False, strip=False, max_length=MAX_NAME_CHARACTERS
    )

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("tool") in ("prefix", "replace", "split") and not said.get("find"):
            self.add_error("find", _("Enter the text that the names contain."))
        return said

    def proposed(self, current: Sequence[str]) -> ProposedNames:
        """Return the names that the change would give."""
        said = self.cleaned_data
        if said["tool"] == "prefix":
            return names.without_prefix(current, said["find"])
        if said["tool"] == "replace":
            return names.replace_in_names(current, said["find"], said["replacement"])
        if said["tool"] == "split":
            return names.split(current, said["find"])
        return names.unify_spellings(current)


class SystemsForm(forms.Form):
    """A name and a kind for each system, or a table of old and new names; for split names, the
    subsets."""

    table = forms.CharField(
        label=_("Or a table of names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "One line for each: the name now, a comma or tab, the new name, as in “a, T5 Large”."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Campaigns whose plan is locked list the change with it."),
    )

    def __init__(
        self,
        *args: Any,
        made: Sequence[System],
        proposed: ProposedNames | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.made = made
        proposed = proposed or ProposedNames()
        for each in made:
            about = {"name": each.name}
            name = forms.CharField(
                label=_("Name of %(name)s") % about,
                max_length=MAX_NAME_CHARACTERS,
                initial=proposed.names.get(each.name, each.name),
            )
            kind = forms.ChoiceField(
                label=_("Kind of %(name)s") % about, choices=System.Kind.choices, initial=each.kind
            )
            subset = forms.CharField(
                label=_("Subset of %(name)s") % about,
                required=False,
                max_length=MAX_NAME_CHARACTERS,
                initial=proposed.subsets.get(each.name, ""),
            )
            for key, field in {"name": name, "kind": kind, "subset": subset}.items():
                field.widget.attrs["aria-label"] = field.label
                self.fields[f"{key}-{each.pk}"] = field

    def rows(self) -> list[tuple[System, Any, Any, Any]]:
        """Return each system with its three fields."""
        return [
            (each, self[f"name-{each.pk}"], self[f"kind-{each.pk}"], self[f"subset-{each.pk}"])
            for each in self.made
        ]

    def has_subsets(self) -> bool:
        """Return whether any system has a subset."""
        return any(self[f"subset-{each.pk}"].value() for each in self.made)

    def clean_table(self) -> dict[str, str]:
        try:
            table = names.parse_renames(self.cleaned_data["table"])
        except names.CannotChange as wrong:
            raise forms.ValidationError(str(wrong)) from None
        if unknown := sorted(set(table) - {each.name for each in self.made}):
            raise forms.ValidationError(
                _("No system is called “%(name)s”."), params={"name": unknown[0]}
            )
        return table

    def names(self) -> dict[int, str]:
        """Return the new names; those in the table take precedence over the fields."""
        table = self.cleaned_data["table"]
        return {
            each.pk: table.get(each.name, self.cleaned_data[f"name-{each.pk}"])
            for each in self.made
        }

    def kinds(self) -> dict[int, str]:
        """Return the kinds."""
        return {each.pk: self.cleaned_data[f"kind-{each.pk}"] for each in self.made}

    def subsets(self) -> Mapping[int, str]:
        """Return the subsets."""
        return {each.pk: self.cleaned_data[f"subset-{each.pk}"].strip() for each in self.made}
