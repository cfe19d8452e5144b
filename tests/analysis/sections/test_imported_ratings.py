"""What became of the ratings in imported files: read, used, excluded, and why."""

import csv
import io
import json

import pytest
from django.utils import timezone

from analysis.runs.actions import exports, papers
from analysis.runs.actions.runs import found_by
from analysis.sections.about import run_facts
from analysis.sections.page import results_in_words
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.added_file import AddedFile
from judging.imports.actions import files, take_back
from tests import factories
from tests.analysis.sections import stored
from tests.analysis.studies import analysed
from tests.judging.imports.studies import add, rated

pytestmark = pytest.mark.django_db
SOURCES, SYSTEMS, RATERS = 12, ("Alba", "Brisa"), ("Ann", "Bob")
SENTENCE = (
    "Imported files hold 96 ratings; 90 are used and 6 are excluded: 4 not on the scale of their "
    "criterion; 2 in refused rows."
)


def ratings(*, sources: int = SOURCES, off: int = 0, broken: int = 0) -> str:
    """Return a table of which the first ratings on correctness are off the scale from 1 to 3, and
    the last rows name no system."""
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(
        ["id", "passage", "system", "question", "annotator", "grammaticality", "correctness"]
    )
    places = [(n, system, rater) for n in range(sources) for system in SYSTEMS for rater in RATERS]
    for number, (source, system, rater) in enumerate(places):
        said = system if number < len(places) - broken else ""
        text = f"What does {system} ask about town {source}?"
        value = 7 if number < off else number % 3 + 1
        rows.writerow([f"s{source}", f"Town {source}.", said, text, rater, number % 2 + 2, value])
    return written.getvalue()


def added(dataset, text: str, **said) -> AddedFile:
    columns = {name: {"role": name} for name in ("passage", "system", "question")}
    columns |= {"id": {"role": "source_id"}, "annotator": {"role": "rater"}}
    columns |= rated("grammaticality", "correctness")
    return add(dataset, text, columns=columns, **said)


@pytest.fixture
def campaign() -> Campaign:
    dataset = files.create_dataset(name="Towns", by=factories.researcher())
    added(dataset, ratings(off=4, broken=1), protocol=factories.protocol())
    return dataset.campaigns.get()


def test_report_ratings_excluded_at_the_import_are_one_line_in_every_form(campaign):
    run = analysed(campaign, metrics=[])
    found = found_by(run)

    facts = run_facts(found)
    assert facts.ratings_in_files == 96
    assert facts.judgments == 90
    assert {each["why"]: each["n"] for each in facts.ratings_excluded} == {
        "off_scale": 4,
        "refused_row": 2,
    }
    assert SENTENCE in " ".join(part["text"] for part in results_in_words(found))
    assert SENTENCE in papers.methods_text(run, found)
    [about] = json.loads("".join(exports.run_json(run)))["tables"]["about"]
    assert about["ratings_in_files"] == 96
    page = factories.logged_in(campaign.created_by).get(
        f"/campaigns/{campaign.uuid}/report/?run={run.number}"
    )
    assert SENTENCE in page.text
    latex = "".join(text for _name, text in papers.latex_files(run, found, {}))
    assert "Imported files hold 96 ratings" in " ".join(latex.split())


@pytest.mark.long
def test_study_ratings_of_two_files_count_together_without_one_taken_back(campaign):
    dataset, protocol = campaign.dataset, campaign.protocol
    more = ratings(sources=20, off=0, broken=2)
    second = added(dataset, more, protocol=protocol, name="more.csv")

    facts = run_facts(found_by(analysed(campaign, metrics=[])))
    assert facts.ratings_in_files == facts.judgments + sum(
        each["n"] for each in facts.ratings_excluded
    )
    take_back.remove_added_rows(added=second, by=dataset.owner, now=timezone.now())

    facts = run_facts(found_by(analysed(campaign, metrics=[])))
    assert (facts.ratings_in_files, facts.judgments) == (96, 90)


def test_study_ratings_that_are_all_used_need_no_line():
    about = stored.about(origin="imported", ratings_in_files=96, ratings_excluded=[])

    told = " ".join(part["text"] for part in results_in_words(stored.found(about=[about])))

    assert "Imported files hold" not in told
