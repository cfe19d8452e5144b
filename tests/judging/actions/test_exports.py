"""Annotators' work is exported in every format and imported again: judgments, comments, marked
spans, and attributes from files."""

import csv
import io
import itertools
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from judging.actions import exports
from judging.imports.actions import datasets, refusals
from judging.imports.formats.label_studio import write_label_studio
from judging.imports.formats.long import write_long_csv, write_long_jsonl
from judging.imports.formats.qgstec_writer import write_qgstec
from judging.imports.readers.mapping import to_study
from judging.imports.readers.outline import outline
from judging.imports.readers.records import ScoreColumn, StudyRecords
from judging.imports.readers.registry import FORMAT, sniff
from judging.models import (
    Assignment,
    Campaign,
    Criterion,
    Enrollment,
    Judgment,
    JudgmentAttribute,
    Marking,
    Note,
    Passage,
    SpanMark,
    Unit,
)
from tests import factories, shared_data
from tests.annotation import studies
from tests.judging.imports.formats.studies import contents
from tests.judging.studies import study

pytestmark = pytest.mark.django_db
TEXT = "👩‍🚀 Ada 𝒜 e\u0301cole."
FORMATS = {
    "long_csv": write_long_csv,
    "jsonl": write_long_jsonl,
    "label_studio": write_label_studio,
}


def judged() -> Campaign:
    """Return a campaign in which one annotator marked a span, said of the other question that
    nothing answers it, and wrote a comment."""
    campaign = studies.opened(
        "qgstec2010-a", sources=1, systems=["Alba"], expected=2, annotators_per_task=1
    )
    Passage.objects.update(text=TEXT)
    task = studies.held(studies.annotator(campaign)[1])
    first, second = Unit.objects.filter(position__isnull=False).order_by("position")
    for unit, criterion in itertools.product(
        (first, second), Criterion.objects.filter(rubric=campaign.rubric)
    ):
        Judgment.objects.create(
            assignment=task, unit=unit, criterion=criterion, value=criterion.points.first().value
        )
    SpanMark.objects.create(assignment=task, unit=first, start=0, end=3)
    SpanMark.objects.create(assignment=task, unit=first, start=8, end=9)
    Marking.objects.create(assignment=task, unit=first, nothing=False, sequence=1)
    Marking.objects.create(assignment=task, unit=second, nothing=True, sequence=1)
    Note.objects.create(assignment=task, text="=odd", sequence=1)
    Note.objects.create(assignment=task, unit=second, text="two\nlines", sequence=1)
    Assignment.objects.filter(pk=task.pk).update(
        state="submitted", submitted_at=Now(), lease_expires_at=None
    )
    return campaign


def again(read: StudyRecords, campaign: Campaign) -> Campaign:
    later = timezone.now() + timedelta(days=1)
    made = datasets.import_study(
        study=read, name="Again", by=campaign.created_by, now=later, rubric=campaign.rubric
    )
    assert made.quarantined == 0
    assert made.campaign is not None
    return made.campaign


def said(campaign: Campaign) -> dict[str, object]:
    read = exports.study_of(campaign=campaign)
    ratings = [
        (each.position, each.criterion, each.value, dict(each.attributes)) for each in read.ratings
    ]
    return {
        "marks": list(read.marks),
        "notes": list(read.notes),
        "ratings": sorted(ratings, key=str),
    }


@pytest.mark.parametrize("key", FORMATS)
def test_marks_comments_and_what_is_known_of_judgments_come_back(key: str) -> None:
    campaign = judged()

    copy = again(
        FORMAT[key].read(FORMATS[key](exports.study_of(campaign=campaign)).encode()), campaign
    )

    assert said(copy) == said(campaign)
    assert [(mark.start, mark.end) for mark in exports.study_of(campaign=copy).marks] == [
        (0, 3),
        (8, 9),
        (None, None),
    ]
    own = {"assignment__round__campaign": copy}
    assert sorted(SpanMark.objects.filter(**own).values_list("start", "end")) == [(0, 3), (8, 9)]
    assert sorted(Marking.objects.filter(**own).values_list("nothing", flat=True)) == [False, True]


def test_long_csv_holds_spans_with_their_text_and_the_comment_beside_each_judgment() -> None:
    rows = list(csv.DictReader(io.StringIO(write_long_csv(exports.study_of(campaign=judged())))))
    marks = [
        (row["position"], row["mark"], row["mark_start"], row["mark_end"], row["mark_text"])
        for row in rows
    ]
    assert [each for each in marks if each[1]] == [
        ("1", "span", "0", "3", TEXT[0:3]),
        ("1", "span", "8", "9", "𝒜"),
        ("2", "none", "", "", ""),
    ]
    assert {row["judgment:comment"] for row in rows if row["criterion"]} == {"=odd"}


def test_long_csv_task_with_active_time_has_it_beside_each_of_its_judgments() -> None:
    campaign = judged()
    assert "judgment:task_seconds" not in write_long_csv(exports.study_of(campaign=campaign))
    Assignment.objects.filter(round__campaign=campaign).update(active_seconds=41.25)
    rows = list(csv.DictReader(io.StringIO(write_long_csv(exports.study_of(campaign=campaign)))))
    assert {row["judgment:task_seconds"] for row in rows if row["criterion"]} == {"41.2"}


def test_a_mark_beside_no_rating_goes_to_quarantine() -> None:
    text = (
        "id,passage,question,rater,criterion,value,mark_start,mark_end\n"
        "1,Owls.,Who?,Ann,correctness,2,,\n1,Owls.,Who?,Bo,,,0,4\n"
    )
    columns = {name: name for name in text.splitlines()[0].split(",")[1:]}
    read = study(text, source_id="id", default_system="Alba", **columns)

    made = datasets.import_study(
        study=read,
        name="Owls",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=factories.rubric(),
    )

    [kept] = made.collection.quarantine.all()
    assert (kept.row, kept.value) == (3, "0-4")
    assert kept.reason == "The mark belongs to no rating that could be stored."


def test_metadata_of_ratings_are_kept_with_each_judgment_and_exported() -> None:
    text = "id,question,rater,correctness,seconds\n1,Why?,Ann,2,7.5\n1,Why?,Bo,3,9\n2,Who?,Ann,1,\n"
    read = to_study(*_guessed(text))

    made = datasets.import_study(
        study=read,
        name="Owls",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=factories.rubric(),
    )

    kept = JudgmentAttribute.objects.values_list(
        "judgment__assignment__enrollment__label", "name", "value"
    )
    assert sorted(kept) == [("Ann", "seconds", "7.5"), ("Bo", "seconds", "9")]
    lines = write_long_jsonl(exports.study_of(campaign=made.campaign)).splitlines()
    assert [json.loads(line).get("judgment:seconds") for line in lines] == ["7.5", "9", None]


def test_a_name_of_metadata_that_is_too_long_is_told_wherever_it_stands() -> None:
    name = "judgment:" + "x" * 101
    read = to_study(
        *_guessed(f"id,question,rater,correctness,{name}\n1,Why?,Ann,2,\n2,Who?,Ann,2,late\n")
    )
    assert "metadata column" in refusals.too_long(read)[0]


def test_erasing_an_imported_rater_takes_what_files_said_along() -> None:
    from judging.actions import enrollments

    made = datasets.import_study(
        study=to_study(*_guessed("id,question,rater,correctness,seconds\n1,Why?,Ann,2,7.5\n")),
        name="Owls",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=factories.rubric(),
    )
    ann = Enrollment.objects.get(label="Ann")
    enrollments.erase(enrollment=ann, by=made.collection.owner, now=timezone.now())
    assert JudgmentAttribute.objects.count() == 0


def _guessed(text: str):
    from judging.imports.readers.guessing import guess
    from judging.imports.readers.tables import read_delimited

    table = read_delimited(text.encode())
    return table, guess(table.header, [row.cells for row in table.rows])


def test_released_xml_comes_out_of_the_database_with_its_instances() -> None:
    data = shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes()
    rubric = factories.rubric("qgstec2010-b")
    read = FORMAT["qgstec_xml"].read(data)
    made = datasets.import_study(
        study=read, name="Released", by=factories.researcher(), now=timezone.now(), rubric=rubric
    )

    again = FORMAT["qgstec_xml"].read(
        write_qgstec(exports.study_of(campaign=made.campaign)).encode()
    )

    # who asked nothing about a sentence says nothing of it
    asked = {each.source_key for each in read.questions}
    before, after = (
        [replace(each, row=0) for each in study.sources if each.key in asked]
        for study in (read, again)
    )
    assert after == before
    assert [each.key for each in again.sources] == [each.key for each in read.sources]
    assert len(again.ratings) == len(read.ratings) - made.quarantined


RICH = (
    "id,qid,passage,answer,language,system,question,reference,bleu,ter,my_metric,fluency_mean,rater,correctness,domain\n"
    "z1,q1,Owls hunt at night.,at night,en,Alba,When do owls hunt?,When?,0.61,0.2,-3.25,2.5,Ann,2,birds\n"
    "z1,q1,Owls hunt at night.,at night,en,Alba,When do owls hunt?,When?,0.61,0.2,-3.25,2.5,mean,3,birds\n"
    "z1,q2,Owls hunt at night.,at night,en,Brisa,Who hunts?,When?,0.10,0.9,4.5,1.5,Ann,1,birds\n"
    "z1,q2,Owls hunt at night.,at night,en,Brisa,Who hunts?,When?,0.10,0.9,4.5,1.5,mean,1,birds\n"
    "z2,q3,Los búhos cazan.,búhos,es,Alba,¿Quién caza?,¿Qué?,0.5,0.4,0.25,3,Ann,2,birds\n"
    "z2,,Los búhos cazan.,búhos,es,Brisa,,¿Qué?,,,,,Ann,,\n"
    "z3,q4,Mice sleep.,Mice,en,Alba,What sleeps?,Who?,0.5,0.4,0.25,3,Ann,2,mice\n"
)


def rich() -> Campaign:
    """Return a campaign with metrics of every direction and scale, and an annotator called mean."""
    table, columns = _guessed(RICH)
    kinds = {
        "bleu": ("higher", "fraction", "metric"),
        "ter": ("lower", "none", "metric"),
        "my_metric": ("lower", "none", "metric"),
        "fluency_mean": ("higher", "none", "human_mean"),
    }
    scores = tuple(
        ScoreColumn(column=name, name=name, direction=direction, scale=scale, kind=kind)
        for name, (direction, scale, kind) in kinds.items()
    )
    rated = tuple(each for each in columns.ratings if each.column == "correctness")
    columns = replace(
        columns,
        scores=scores,
        ratings=rated,
        raters=(),
        metadata=("domain",),
        key="qid",
        source_id="id",
        crossed=False,
    )
    made = datasets.import_study(
        study=to_study(table, columns),
        name="Rich",
        by=factories.researcher(),
        now=timezone.now(),
        rubric=factories.rubric(),
    )
    assert made.campaign is not None
    return made.campaign


@pytest.mark.parametrize(
    ("key", "name"),
    [("long_csv", "a.csv"), ("jsonl", "a.jsonl"), ("label_studio", "a.json")],
)
def test_an_export_of_a_campaign_is_imported_again_whole_and_without_a_question(
    key: str, name: str
) -> None:
    campaign = rich()
    before = exports.study_of(campaign=campaign)
    data = FORMATS[key](before).encode()
    known = sniff(name, data)

    found = outline(data=data, known=known, name=name)
    read = known.read(data, name=name, columns=found.proposed)

    assert (known.key, found.problems, read.problems) == (key, (), ())
    assert [each.direction for each in read.score_columns] == ["higher", "lower", "lower", "higher"]
    after = exports.study_of(campaign=again(read, campaign))
    assert contents(after) == contents(before)
    assert after.score_columns == before.score_columns
    assert after.raters == ("Ann", "mean")
