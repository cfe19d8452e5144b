"""The form to select the questions of a dataset that are judged."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_PAGE_ROWS
from judging.campaigns.actions import selections
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.selection import (
    CannotChoose,
    Over,
    Sampling,
    Selection,
    read_list,
    selection_from_document,
)

CATEGORY_VALUES = 50  # a column with more values is no category: none can be ticked
FEW = 10  # columns of other pages that are listed by name
HOWS: dict[str, tuple[Over, bool]] = {
    "all": ("sources", False),
    "column": ("column", False),
    "each_value": ("column", True),
    "systems": ("systems", False),
    "each_system": ("systems", True),
}


@dataclass(frozen=True, slots=True)
class SelectionPart:
    """The fields of one way to select: a title and an explanation."""

    title: str
    how: str
    fields: list[forms.BoundField]
    of_columns: bool = False


class SelectionForm(forms.Form):
    """Systems, columns, a list and a sample; an empty part selects everything.

    Of more than 200 columns some are shown: a `page` of them, or of those with `named` in their
    names.
    Ticks in the others do not change.
    """

    # The columns that the page shows, so that ticks are never taken for another column's when a
    # file is added.
    shown = forms.Field(required=False, widget=forms.MultipleHiddenInput)
    named = forms.CharField(
        label=_("Find columns by name"),
        required=False,
        max_length=100,
        help_text=_("A part of the name; empty for all of them."),
    )
    untick_others = forms.BooleanField(label=_("Untick the columns of other pages"), required=False)
    systems = forms.MultipleChoiceField(
        label=_("Systems"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: all of them."),
    )
    ids = forms.CharField(
        label=_("Ids"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "One source to a line; for one system's questions alone, a tab or comma and the system after it."
        ),
    )
    file = forms.FileField(
        label=_("Or a text file of them"),
        required=False,
        help_text=_("UTF-8, written the same way."),
    )
    size = forms.IntegerField(
        label=_("Number of sources"),
        required=False,
        min_value=1,
        help_text=_("Leave empty for no sample."),
    )
    how = forms.ChoiceField(
        label=_("Way of drawing"),
        required=False,
        choices=[
            ("all", _("that many in all, at random")),
            ("column", _("that many in all, in proportion to the values of a column")),
            ("each_value", _("that many from each value of a column")),
            (
                "systems",
                _("that many in all, in equal shares for the systems, each on sources of its own"),
            ),
            ("each_system", _("that many for each system, each on sources of its own")),
        ],
    )
    column = forms.ChoiceField(label=_("Column"), required=False)
    sample_seed = forms.IntegerField(
        label=_("Seed of the sample"),
        required=False,
        min_value=0,
        help_text=_("The same seed draws the same sources again. The protocol names it."),
    )

    def __init__(
        self, *args: Any, campaign: Campaign, page: str = "", named: str = "", **kwargs: Any
    ) -> None:
        self.dataset = campaign.dataset
        self.selection: Selection = selection_from_document(campaign.selection)
        super().__init__(*args, initial=_initial(self.selection), **kwargs)
        self.names = selections.column_names(self.dataset)
        self._set_page(page, named.strip())
        shown, chosen = self._shown(), self.selection.columns or {}
        self._set_columns(shown, chosen)
        self._set_others(
            {name: chosen[name] for name in self.names if name in chosen and name not in shown}
        )
        systems = self.dataset.systems.order_by("name").values_list("name", flat=True)
        self.fields["systems"].choices = [(name, name) for name in systems]

    def _set_page(self, page: str, named: str) -> None:
        """Set the page of columns whose names contain `named`; all are shown if there are few."""
        self.has_pages = len(self.names) > MAX_PAGE_ROWS
        self.sought = named if self.has_pages else ""
        matching = [name for name in self.names if self.sought.casefold() in name.casefold()]
        self.page: Page[str] = Paginator(matching, MAX_PAGE_ROWS).get_page(page)
        self.initial.update(shown=list(self.page), named=self.sought)
        if not self.has_pages:
            del self.fields["named"]

    def _set_others(self, others: Mapping[str, tuple[str, ...]]) -> None:
        """Offer to untick the columns of other pages, with the names of some."""
        self.others = others
        if not others:
            del self.fields["untick_others"]
            return
        names, more = ", ".join(list(others)[:FEW]), len(others) - FEW
        if more > 0:
            names += _now(" and %(more)s more") % {"more": f"{more:,}"}
        self.fields["untick_others"].help_text = _now("Ticked there: %(names)s.") % {"names": names}

    def _shown(self) -> list[str]:
        """Return the columns of the form: those that the sent page showed, or the page's."""
        widget = self.fields["shown"].widget
        sent = widget.value_from_datadict(self.data, self.files, "shown") if self.is_bound else []
        return sent[:MAX_PAGE_ROWS] if sent else list(self.page)

    def _set_columns(self, shown: list[str], chosen: Mapping[str, tuple[str, ...]]) -> None:
        """Add a field for each shown column that is a category or has ticks."""
        existing = [name for name in shown if name in self.names]
        values = selections.column_values(self.dataset, existing, most=CATEGORY_VALUES)
        self._offer_columns(values)
        self.columns = {
            f"column-{number}": name
            for number, name in enumerate(shown)
            if name in values and (len(values[name]) <= CATEGORY_VALUES or name in chosen)
        }
        for key, name in self.columns.items():
            ticks = chosen.get(name, ())
            self.fields[key] = forms.MultipleChoiceField(
                label=name,
                required=False,
                initial=ticks,
                widget=forms.CheckboxSelectMultiple,
                choices=[(value, value) for value in dict.fromkeys([*values[name], *ticks])],
            )

    def _offer_columns(self, shown: Iterable[str]) -> None:
        """Offer the shown columns, and the one that is chosen, to draw a sample by."""
        names = list(shown)
        sampling = self.selection.sampling
        if sampling and sampling.column in self.names and sampling.column not in names:
            names.append(sampling.column)
        self.fields["column"].choices = [("", "–"), *((name, name) for name in names)]
        if self.has_pages:
            self.fields["column"].help_text = _("One of the columns that are shown above.")

    def parts(self) -> list[SelectionPart]:
        """Return the fields by what they select."""
        columns = [self[key] for key in self.columns]
        columns += [self["untick_others"]] if self.others else []
        found = [
            SelectionPart(_("By system"), "", [self["systems"]]),
            SelectionPart(
                _("By column"),
                _("None ticked: whatever the value. Columns narrow each other."),
                columns,
                of_columns=True,
            ),
            SelectionPart(_("By a list"), "", [self["ids"], self["file"]]),
            SelectionPart(
                _("A sample"),
                _("Drawn last, from what the rest leaves."),
                [self["size"], self["how"], self["column"], self["sample_seed"]],
            ),
        ]
        return [part for part in found if part.fields or (part.of_columns and self.has_pages)]

    def other_pages(self) -> list[Page[str]]:
        """Return the pages of columns to link to: the first, the last and those nearby."""
        pages = self.page.paginator
        near = pages.get_elided_page_range(self.page.number, on_each_side=3, on_ends=1)
        return [
            pages.page(number)
            for number in near
            if isinstance(number, int) and number != self.page.number
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        ticked = {name: cleaned[key] for key, name in self.columns.items() if cleaned[key]}
        if not cleaned.get("untick_others"):
            ticked |= self.others
        try:
            self.selection = Selection(
                without=self.selection.without,
                systems=tuple(cleaned["systems"]),
                columns={name: tuple(ticked[name]) for name in self.names if name in ticked},
                pairs=self._pairs(cleaned),
                sampling=self._sampling(cleaned),
            )
            selections.preview_selection(dataset=self.dataset, selection=self.selection)
        except CannotChoose as refused:
            self.add_error(refused.field if refused.field in self.fields else None, str(refused))
        return cleaned

    def _pairs(self, cleaned: dict[str, Any]) -> tuple[tuple[str, str], ...]:
        first = {"repeat_of__isnull": True}
        sources = set(self.dataset.sources.filter(**first).values_list("key", flat=True))
        systems = set(self.dataset.systems.values_list("name", flat=True))
        pasted = read_list(cleaned["ids"], sources=sources, systems=systems)
        if not (file := cleaned["file"]):
            return pasted
        try:
            uploaded = read_list(file.read().decode(), sources=sources, systems=systems)
        except UnicodeDecodeError:
            raise CannotChoose(str(_("The file is not UTF-8 text.")), field="file") from None
        except CannotChoose as refused:
            raise CannotChoose(str(refused), field="file") from None
        return tuple(dict.fromkeys([*pasted, *uploaded]))

    def _sampling(self, cleaned: dict[str, Any]) -> Sampling | None:
        if cleaned["size"] is None:
            return None
        over, each = HOWS[cleaned["how"] or "all"]
        if over == "column" and not cleaned["column"]:
            raise CannotChoose(str(_("Say which column the sources are drawn by.")), field="column")
        if cleaned["sample_seed"] is None:
            raise CannotChoose(
                str(_("Give a seed, so that the sample can be drawn again.")), field="sample_seed"
            )
        column = cleaned["column"] if over == "column" else ""
        return Sampling(cleaned["size"], cleaned["sample_seed"], over, column, each)


def _initial(selection: Selection) -> dict[str, Any]:
    found: dict[str, Any] = {
        "systems": selection.systems,
        "ids": "\n".join("\t".join(filter(None, pair)) for pair in selection.pairs),
        "how": "all",
        "sample_seed": 1,
    }
    if sampling := selection.sampling:
        found |= {"size": sampling.size, "column": sampling.column, "sample_seed": sampling.seed}
        found["how"] = next(
            key for key, value in HOWS.items() if value == (sampling.over, sampling.each)
        )
    return found
