"""The page of a report: what its run alone decides is written out once and kept."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import Max
from django.template import engines
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from analysis.models import ReportPage, Result, Run
from analysis.runs.actions import papers, runs
from analysis.sections import page
from analysis.sections.about import run_facts
from analysis.sections.methods import methods
from analysis.sections.summary import summarise_run

PARTS = ("contents", "short", "chapters", "methods_text", "tables_and_figures")
APPS = ("analysis", "judging")  # whose code a page can depend on
ENDINGS = (".py", ".html", ".svg", ".mo")


def render_parts(run: Run) -> dict[str, SafeString]:
    """Return the parts of a run's page that depend only on the run, as HTML by name of the part.

    They do not depend on the user, on later changes, or on the date.
    """
    language, made_with = get_language() or settings.LANGUAGE_CODE, _digest_of(run)
    kept = ReportPage.objects.filter(run=run, language=language, made_with=made_with).first()
    parts = kept.parts if kept and not settings.DEBUG else write_parts(run)
    if not kept:
        # if the database cannot store more rows, the page is shown all the same
        with suppress(DatabaseError), transaction.atomic():
            ReportPage.objects.bulk_create(
                [ReportPage(run=run, language=language, made_with=made_with, parts=parts)],
                update_conflicts=True,
                unique_fields=["run", "language"],
                update_fields=["made_with", "parts"],
            )
    return {name: mark_safe(html) for name, html in parts.items()}  # noqa: S308 - of our templates


def figures_of(run: Run) -> list[str]:
    """Return the names of a run's figures, each of which there is in both inks."""
    keys = (
        Result.objects.filter(run=run, key__startswith="figure-")
        .order_by("key")
        .values_list("key", flat=True)
    )
    return list(dict.fromkeys(key.removeprefix("figure-").rpartition("-")[0] for key in keys))


def write_parts(run: Run, *, is_whole: bool = False) -> dict[str, str]:
    """Return the parts of a run's page as HTML; `is_whole` if no table is left to other pages."""
    found, figures = runs.found_by(run), figures_of(run)
    study = run_facts(found)
    context = {
        "campaign": run.campaign,
        "run": run,
        "is_whole": is_whole,
        "figures": figures,
        "study": study,
        "missing": study.missing,
        "summary": summarise_run(found),
        "chapters": page.chapters(found, figures),
        "methods": methods(found, papers.methods_facts(run)),
        "titles": page.downloads(runs.StoredTables(run).filled()),
        "has_pdf": Result.objects.filter(run=run, key=papers.PDF).exists(),
    }
    return {name: render_to_string(f"analysis/runs/report/{name}.html", context) for name in PARTS}


def _digest_of(run: Run) -> str:
    """Return a digest that identifies a version of a run's page: of the code, the protocol, the
    addresses and the results. Erasing an annotator rewrites the results, so a page written
    meanwhile is not shown."""
    last = Result.objects.filter(run=run).aggregate(last=Max("pk"))["last"]
    told = (
        _code(),
        str(last),
        run.campaign.protocol.digest,
        run.campaign.locked_digest,
        reverse("analysis:run", args=[run.campaign.uuid, run.number]),
    )
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


@cache
def _code() -> str:
    """Return the digest of every file of ours that a page can depend on."""
    digest = hashlib.sha256(django.get_version().encode())
    for path in sorted(_files()):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    templates = [folder for engine in engines.all() for folder in engine.dirs]
    roots = [apps.get_app_config(name).path for name in APPS]
    for folder in (*roots, *templates, *settings.LOCALE_PATHS):
        yield from (path for path in Path(str(folder)).rglob("*") if path.suffix in ENDINGS)
