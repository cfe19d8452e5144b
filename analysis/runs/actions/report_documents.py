"""A report as one HTML file: the report's page with its styles and figures inside, and without links
to other pages of the site."""

import base64
import re
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe

from analysis.models import Result, Run
from analysis.reports import making
from analysis.runs.actions import report_pages
from judging.jobs import storage

STYLES = ("tokens", "layout", "components", "report")
# What only a site does: downloads, and texts that are loaded on request
OF_SITE = re.compile(r'<p class="(?:downloads|take-table)\b.*?</p>|<a [^>]*hx-get=.*?</a>', re.S)
LINK_TO_SITE = re.compile(r'<a [^>]*href="/[^"]*"[^>]*>(.*?)</a>', re.S)


def report_html(run: Run) -> str:
    """Return the report of a run as an HTML document that needs no other file."""
    parts = report_pages.write_parts(run, is_whole=True)
    styles = [_style_sheet(name) for name in STYLES]
    context = {
        "campaign": run.campaign,
        "run": run,
        "parts": {name: mark_safe(html) for name, html in parts.items()},  # noqa: S308 - of our templates
        "facts": making.settings_facts(run.parameters, run.versions, seed=run.seed),
        "styles": mark_safe("\n".join(styles)),  # noqa: S308 - of our files
    }
    html: str = render_to_string("analysis/runs/report/document.html", context)
    for address, picture in _pictures(run):
        html = html.replace(f'"{address}"', f'"{picture}"')
    return LINK_TO_SITE.sub(r"\1", OF_SITE.sub("", html))


def _style_sheet(name: str) -> str:
    return Path(str(finders.find(f"css/{name}.css"))).read_text(encoding="utf-8")


def _pictures(run: Run) -> list[tuple[str, str]]:
    """Return the address of each figure, and the figure itself as an address."""
    pictures = []
    for result in Result.objects.filter(run=run, key__startswith="figure-").select_related("file"):
        if result.file:
            name = result.key.removeprefix("figure-")
            address = reverse("analysis:figure", args=[run.campaign.uuid, run.number, name])
            encoded = base64.b64encode(storage.content_of(result.file)).decode()
            pictures.append((address, f"data:image/svg+xml;base64,{encoded}"))
    return pictures
