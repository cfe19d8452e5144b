"""The filter of the history."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from judging.people.models.event import Event
from judging.people.models.user import User


class HistoryFilter(forms.Form):
    """The filters of events; without any, all events are shown."""

    act = forms.ChoiceField(
        label=_("What"), required=False, choices=[("", _("everything")), *Event.Act.choices]
    )
    who = forms.CharField(label=_("User name"), required=False, max_length=150)
    since = forms.DateField(
        label=_("From"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    until = forms.DateField(
        label=_("To"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def clean_who(self) -> str:
        name: str = self.cleaned_data["who"].strip()
        self.account = User.objects.filter(username=name).first() if name else None
        if name and self.account is None:
            raise forms.ValidationError(_("There is no account of that name."))
        return name

    def of(self, events: QuerySet[Event]) -> QuerySet[Event]:
        """Return the events that match the filters; days are counted in UTC."""
        asked: dict[str, Any] = self.cleaned_data
        if asked.get("act"):
            events = events.filter(act=asked["act"])
        if asked.get("who"):
            events = events.filter(who=self.account.pk)
        if asked.get("since"):
            events = events.filter(at__gte=datetime.combine(asked["since"], time(), UTC))
        if asked.get("until"):
            events = events.filter(
                at__lt=datetime.combine(asked["until"], time(), UTC) + timedelta(days=1)
            )
        return events
