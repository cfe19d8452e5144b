"""The columns page of a file: the role of each column, and settings that no column defines."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from judging.guards import rubrics_of
from judging.imports.actions import own_scales, ratings
from judging.imports.actions.own_scales import OwnScale
from judging.imports.actions.reading_plans import Head, Plan
from judging.imports.forms.columns import SHOWN, ColumnsFormSet, initial_columns, with_direction
from judging.imports.forms.files import (
    EXCLUDED,
    OptionsForm,
    QgstecForm,
    RatedWord,
)
from judging.imports.readers.columns import ColumnRoles, NamedRater
from judging.models import Rubric, User

BY_NAME_AND_VALUES = "Its name and values suggest this."
CHOSEN = "You chose this."
KEPT_WITH = ("passage", "sentence", "answer", "answer_start", "source_id")


@dataclass(frozen=True, slots=True)
class ColumnsPage:
    """A range of the columns, by their positions in the file."""

    number: int
    first: int
    last: int


class ColumnMapping:
    """The forms of this step. A file whose format names its own parts has no columns form.
    If there are more than 200 columns, one `page` of them is shown; the data may name the next.
    """

    def __init__(
        self,
        data: QueryDict | None,
        *,
        user: User,
        head: Head,
        plan: Plan,
        rubric: int | None,
        page: str = "",
    ) -> None:
        self.head, self.plan, self.columns = head, plan, None
        self.pages = [
            ColumnsPage(number, first + 1, min(first + SHOWN, len(head.header)))
            for number, first in enumerate(range(0, len(head.header), SHOWN), 1)
        ]
        self.page = self._page(page) or next(iter(self.pages), None)
        self.next_page = self._page(data.get("page", "")) if data else None
        initial: dict[str, Any] = {"rubric": rubric, "expected": plan.options.get("expected", 2)}
        if head.proposed is not None:
            known = plan.columns or head.proposed
            initial |= _initial_options(known)
            said, number = initial_columns(known), self.page.number if self.page else 1
            part = slice((number - 1) * SHOWN, number * SHOWN)
            shown = head.header[part]
            self.columns = ColumnsFormSet(
                data,
                header=shown,
                values=head.values[part],
                whole=head.header,
                known={name: each for name, each in said.items() if name not in shown},
                evidence=head.proposed.evidence,
                initial=[with_direction(said.get(name, {})) for name in shown],
                is_last=self.next_page is None,
                # so that values entered on one page are never taken for another page's
                prefix="columns" if number == 1 else f"columns{number}",
            )
        kind = QgstecForm if head.proposed is None else OptionsForm
        sent = data.get("rubric", "") if data else rubric
        self.rubric = rubrics_of(user).filter(pk=sent).first() if sent else None
        self.options = kind(
            data,
            user=user,
            initial=initial,
            raters=self._raters(),
            words=self._words(self.rubric),
        )

    def _raters(self) -> list[NamedRater]:
        """Return the raters who may not be annotators, with earlier decisions about them."""
        proposed = self.head.proposed.raters if self.head.proposed else ()
        known = self.plan.columns.raters if self.plan.columns else ()
        kinds = {each.name: each.kind for each in known}
        return [replace(each, kind=kinds.get(each.name, each.kind)) for each in proposed]

    def _words(self, rubric: Rubric | None) -> list[RatedWord]:
        """Return the words among the ratings, with the points of the protocol that they may mean."""
        known, columns = self.plan.columns or self.head.proposed, self._roles()
        if rubric is None or known is None or columns is None:
            return []
        words = self.head.words_under(columns)
        said = {(each.criterion, each.word): each.point or EXCLUDED for each in known.points}
        return [
            RatedWord(
                criterion=found.criterion,
                word=found.word,
                count=words[found.criterion][found.word],
                choices=[(str(value), f"{value} {label}".strip()) for value, label in found.points],
                point=said.get((found.criterion, found.word), found.point),
                is_label=found.is_label,
            )
            for found in ratings.mapped_words(rubric, words)
        ]

    def _roles(self) -> ColumnRoles | None:
        """Return the roles of the columns as sent, else as known; None if there are no columns."""
        known = self.plan.columns or self.head.proposed
        if known and self.columns is not None and self.columns.is_bound and self.columns.is_valid():
            return ColumnRoles(**self.columns.columns(), decimal=known.decimal)
        return known

    def own_scales(self) -> list[OwnScale]:
        """Return the scales of the file's own ratings; none if the protocol has scales that fit."""
        rated = self.head.ratings_under(self._roles())
        if self.rubric and ratings.are_on_scale(self.rubric, rated):
            return []
        return own_scales.own_scales(rated)

    def _page(self, number: str) -> ColumnsPage | None:
        return next((each for each in self.pages if str(each.number) == number), None)

    def is_valid(self) -> bool:
        """Return whether both forms are valid together; errors are shown beside their fields."""
        options_valid = self.options.is_valid()
        if self.columns is None:
            return options_valid
        if not self.columns.is_valid() or not options_valid:
            return False
        if self.next_page:
            return True
        found = ColumnRoles(**self.columns.columns())
        self.options.check_ratings(found)
        return not self.options.errors

    @property
    def has_errors(self) -> bool:
        """Return whether anything that was entered has to be corrected."""
        return bool(self.options.errors) or (
            self.columns is not None and self.columns.total_error_count() > 0
        )

    def new_plan(self) -> Plan:
        """Return the plan for reading the file; chosen positions of answers are kept while the
        columns they depend on do not change."""
        said, plan = self.options.cleaned_data, replace(self.plan, format=self.head.format)
        if self.columns is None:
            return replace(plan, options={"expected": said["expected"]})
        options = {
            key: said[key] for key in ("expected", "crossed", "default_modality", "repeats_are")
        }
        options |= {
            "decimal": said["decimal"] or "point",
            "missing_words": _words(said["missing_words"]),
        }
        options |= {"default_system": said["default_system"]} if said["default_system"] else {}
        options["raters"] = self.options.named_raters()
        options["points"] = self.options.word_points()
        options["evidence"] = self._evidence()
        new, before = ColumnRoles(**self.columns.columns(), **options), plan.columns
        if rater := said.get("rater"):
            new = replace(
                new, ratings=tuple(replace(each, rater=each.rater or rater) for each in new.ratings)
            )
        if before and all(getattr(before, part) == getattr(new, part) for part in KEPT_WITH):
            new = replace(new, starts=before.starts, when_ambiguous=before.when_ambiguous)
        return replace(plan, columns=new)

    def _evidence(self) -> dict[str, str]:
        """Return why each column has its role: the proposal's reason, or that the user chose it."""
        assert self.head.proposed is not None and self.columns is not None  # noqa: S101  # a table
        chosen = ColumnRoles(**self.columns.columns())
        before, now = initial_columns(self.head.proposed), initial_columns(chosen)
        return {
            name: self.head.proposed.evidence.get(name, BY_NAME_AND_VALUES)
            if before.get(name, {}).get("use") == now.get(name, {}).get("use")
            else CHOSEN
            for name in self.head.header
        }

    def rubric_key(self) -> int | None:
        """Return the key of the protocol of the ratings."""
        rubric = self.options.cleaned_data["rubric"]
        return rubric.pk if rubric else None


def _initial_options(known: ColumnRoles) -> dict[str, Any]:
    made_up = known.default_system == ColumnRoles().default_system
    return {
        "default_system": "" if made_up else known.default_system,
        "expected": known.expected,
        "crossed": known.crossed,
        "default_modality": known.default_modality,
        "repeats_are": known.repeats_are,
        "decimal": known.decimal,
        "missing_words": ", ".join(known.missing_words),
    }


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
