"""A webhook, as a manager writes it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.campaigns.actions import webhooks
from judging.campaigns.models.webhook import Webhook


class WebhookForm(forms.Form):
    """The address that receives events, and the events to send."""

    url = forms.URLField(
        label=_("Address"),
        max_length=webhooks.URL_CHARACTERS,
        assume_scheme="https",
        help_text=_("Of a server that accepts POST requests, such as https://lab.example/hook"),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=Webhook.Event.choices,
        initial=Webhook.Event.values,
        widget=forms.CheckboxSelectMultiple,
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            webhooks.check_url(url)
        except webhooks.CannotSend as refused:
            raise forms.ValidationError(str(refused)) from None
        return url
