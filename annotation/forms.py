"""Forms of annotators: one answer, a page of answers, marks in the passage, a consent."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import TextChoices
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_NOTE_CHARACTERS
from judging.base.models.conditions import (
    Device,
    InputKind,
    KeywordDisplay,
    PageView,
    ReviewDisplay,
)
from judging.enrolments.actions.enrollments import consent_digest
from judging.enrolments.models.exit_form import ExitQuestion
from judging.protocols import spans
from judging.protocols.spans import Marked
from judging.work.actions.drafts import LAST_SEQUENCE, AnswerTimes, SentPage
from judging.work.actions.judgments import PageConditions
from judging.work.actions.sheets import AskedControl, AskedMark, AskedReport, Sheet

NOTE = "note"
REPORT = re.compile(r"b[0-9]+")  # a control that reports a question as broken, with the problem
MARK = re.compile(r"m[0-9]+")  # a control that marks pieces of the passage


class MarksField(forms.CharField):
    """Marked ranges of the passage, or the statement that nothing in it answers the question."""

    def clean(self, value: Any) -> Marked:
        try:
            return spans.parse_marks(super().clean(value))
        except spans.NoSpans as error:
            raise forms.ValidationError(_("These marks could not be read.")) from error


class ReportField(forms.CharField):
    """A reported problem with a question; blank text is no report."""

    def clean(self, value: Any) -> str:
        said: str = super().clean(value)
        return said if said.strip() else ""


class DraftsForm:
    """Answers and the comment, with the sequence number that decides which are the latest: name and
    value, each as often as there are answers."""

    def __init__(self, data: QueryDict) -> None:
        self.data = data
        self.cleaned_data: dict[str, Any] = {}
        self.times: dict[str, AnswerTimes] = {}
        self.sequence = 0
        self.errors: list[str] = []

    def is_valid(self) -> bool:
        """Read everything; return whether all of it can be stored."""
        names, values = self.data.getlist("name"), self.data.getlist("value")
        number = forms.IntegerField(min_value=0, max_value=LAST_SEQUENCE)
        try:
            self.sequence = number.clean(self.data.get("sequence"))
            if not names or len(names) != len(values):
                raise forms.ValidationError(_("Each answer needs a name and a value."))
            for name, value in zip(names, values, strict=True):
                self.cleaned_data[NAME.clean(name)] = _field(name).clean(value)
            self.times = dict(zip(names, self._times(len(names)), strict=True))
        except forms.ValidationError as error:
            self.errors = error.messages
        return not self.errors

    def _times(self, count: int) -> list[AnswerTimes]:
        """Return when each answer's control was shown and answered, and by which input. An answer
        is stored even if these cannot be read."""
        shown, answered, inputs = map(self.data.getlist, ("shown", "answered", "input"))
        if not len(shown) == len(answered) == len(inputs) == count:
            return [AnswerTimes()] * count
        return [
            AnswerTimes(_moment(first), _moment(last), _known(InputKind, kind))
            for first, last, kind in zip(shown, answered, inputs, strict=True)
        ]

    def page(self, sheet: Sheet) -> SentPage:
        """Return the answers, marks, reports and comment, each with its control; raise NotAsked for
        a name that the task does not have."""
        marks: dict[AskedMark, Marked] = {}
        reports: dict[AskedReport, str] = {}
        answers: list[tuple[AskedControl, int | None]] = []
        for name, value in self.cleaned_data.items():
            if MARK.fullmatch(name):
                marks[sheet.find_mark(name)] = value
            elif REPORT.fullmatch(name):
                reports[sheet.find_report(name)] = value
            elif name != NOTE:
                answers.append((sheet.find(name), value))
        times = {asked: self.times[asked.name] for asked, _value in answers}
        note = self.cleaned_data.get(NOTE)
        return SentPage(answers, self.sequence, note, marks, reports, times)

    def problems(self) -> str:
        """Return what is wrong with the form in one line."""
        return " ".join(self.errors)


def _moment(milliseconds: str) -> datetime | None:
    """Return the moment of a browser's clock; None if it is not valid."""
    try:
        return datetime.fromtimestamp(int(milliseconds) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _known(choices: type[TextChoices], value: str) -> str:
    """Return a value if it is one of the choices, else ""."""
    return value if value in choices.values else ""


NAME = forms.CharField(max_length=MAX_NAME_CHARACTERS)


def _field(name: str) -> forms.Field:
    """Return the field that reads the value of a control."""
    if REPORT.fullmatch(name):
        return ReportField(required=False, max_length=MAX_NOTE_CHARACTERS, strip=False)
    if name == NOTE:
        return forms.CharField(required=False, max_length=MAX_NOTE_CHARACTERS, strip=False)
    return (
        MarksField(required=False) if MARK.fullmatch(name) else forms.IntegerField(required=False)
    )


class AnswersForm(forms.Form):
    """A page of answers, as a browser without JavaScript sends it. It has no locked or hidden
    controls."""

    token = forms.UUIDField()
    sequence = forms.IntegerField(min_value=0, max_value=LAST_SEQUENCE - 1)
    note = forms.CharField(required=False, max_length=MAX_NOTE_CHARACTERS)

    def __init__(self, *args: Any, sheet: Sheet, stage: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sheet = sheet
        self.asked = {
            asked.name: asked
            for asked in sheet.asked()
            if asked.stage == stage and asked.name in self.data
        }
        for asked in self.asked.values():
            label = f"{asked.where} {asked.criterion.name}".strip()
            self.fields[asked.name] = forms.IntegerField(required=False, label=label)
        self.reported = {
            report.name: report for report in sheet.reports() if report.name in self.data
        }
        for report in self.reported.values():
            self.fields[report.name] = forms.CharField(
                required=False, max_length=MAX_NOTE_CHARACTERS, label=report.title
            )
        self.marks = {
            mark.name: mark
            for mark in sheet.marks()
            if mark.stage == stage and mark.name in self.data
        }
        for mark in self.marks.values():
            self.fields[mark.name] = MarksField(required=False, label=mark.title)
            self.fields[f"{mark.name}.nothing"] = forms.BooleanField(required=False)
            self.fields[f"{mark.name}.text"] = forms.CharField(
                required=False, max_length=MAX_NOTE_CHARACTERS, label=mark.title
            )

    def conditions(self) -> PageConditions:
        """Return the conditions under which the page was shown."""
        languages = dict(settings.LANGUAGES)
        language = self.data.get("language", "")
        return PageConditions(
            language if language in languages else "",
            _known(PageView, self.data.get("view", "")),
            _known(Device, self.data.get("device", "")),
            _known(KeywordDisplay, self.data.get("keywords", "")),
            _known(ReviewDisplay, self.data.get("review", "")),
        )

    def page(self, marks: Mapping[AskedMark, Marked]) -> SentPage:
        """Return the page as it was sent, with "" as no answer."""
        answers = self.cleaned_data
        return SentPage(
            [(asked, answers[name]) for name, asked in self.asked.items()],
            answers["sequence"] + 1,
            answers["note"],
            marks,
            {report: answers[name] for name, report in self.reported.items()},
        )

    def marked(self) -> dict[AskedMark, Marked]:
        """Return the marks that were sent."""
        return {mark: self._marked(name) for name, mark in self.marks.items()}

    def _marked(self, name: str) -> Marked:
        if self.cleaned_data[f"{name}.nothing"]:
            return Marked(nothing=True)
        return Marked(self.cleaned_data[name].ranges)

    def pieces(self) -> dict[AskedMark, str]:
        """Return the pieces of the passage that were pasted."""
        found = {mark: self.cleaned_data[f"{name}.text"] for name, mark in self.marks.items()}
        return {mark: piece for mark, piece in found.items() if piece}

    def problems(self) -> str:
        """Return what is wrong with the form in one line."""
        return " ".join(
            f"{self.fields[name].label or name}: {' '.join(map(str, errors))}"
            for name, errors in self.errors.items()
        )


class JoinForm(forms.Form):
    """Consent to take part, and to the text that was on the page."""

    agree = forms.BooleanField(label=_("I have read this and want to take part."))
    another = forms.BooleanField(label=_("I am somebody else, on the same computer."))
    read = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, text: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["read"] = self.current = consent_digest(text)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("read", "") not in ("", self.current):
            self.data = {**self.data.dict(), "read": self.current}  # the page shows the new text
            self.add_error(
                None,
                _("The text has changed since you opened this page. Please read it again."),
            )
        return said


class ExitForm(forms.Form):
    """The questions of a campaign's exit form; all answers are optional."""

    def __init__(
        self, *args: Any, questions: Iterable[ExitQuestion], said: Mapping[int, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.questions = {f"e{question.number}": question.pk for question in questions}
        for question in questions:
            asked: dict[str, Any] = {
                "label": question.text,
                "required": False,
                "initial": said.get(question.pk, ""),
            }
            asked["help_text"] = _("Why we ask: %(reason)s") % {"reason": question.reason}
            if question.kind == ExitQuestion.Kind.CHOICE:
                choices = [("", _("no answer")), *((option, option) for option in question.options)]
                self.fields[f"e{question.number}"] = forms.ChoiceField(
                    choices=choices, widget=forms.RadioSelect, **asked
                )
            else:
                box = forms.Textarea(attrs={"rows": 3})
                self.fields[f"e{question.number}"] = forms.CharField(
                    max_length=MAX_NOTE_CHARACTERS, widget=box, **asked
                )

    def given(self) -> dict[int, str]:
        """Return the answers, by the question's key."""
        return {self.questions[name]: text for name, text in self.cleaned_data.items()}
