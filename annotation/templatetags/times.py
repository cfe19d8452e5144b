"""Moments on annotators' pages."""

from datetime import UTC, datetime

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()


@register.filter
def local_time(moment: datetime) -> SafeString:
    """Return a moment in UTC, which the page's script shows in the browser's time zone."""
    moment = moment.astimezone(UTC)
    shown = date_format(moment, _("j M Y, H:i"))
    return format_html('<time datetime="{}" data-local>{} UTC</time>', moment.isoformat(), shown)
