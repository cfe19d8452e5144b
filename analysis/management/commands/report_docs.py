"""manage.py report_docs: write the schema of a report's JSON and the docs page of its tables, from
the code."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from analysis import sections
from analysis.reports.schema import column_docs, run_schema

ROOT = Path(__file__).resolve().parents[3]


class Command(BaseCommand):
    help = "Write docs/report.schema.json and docs/report-tables.md."

    def handle(self, **options: Any) -> None:
        for name, text in render_docs().items():
            (ROOT / "docs" / name).write_text(text)
            self.stdout.write(f"docs/{name}")


def render_docs() -> dict[str, str]:
    """Return the text of each file by its name in docs."""
    schema = json.dumps(run_schema(sections.SECTIONS), indent=1, ensure_ascii=False) + "\n"
    return {"report.schema.json": schema, "report-tables.md": column_docs(sections.SECTIONS)}
