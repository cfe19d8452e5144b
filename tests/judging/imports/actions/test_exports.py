"""Annotators' work is exported in every format and imported again: judgments, comments, marked
spans, and attributes from files."""

import csv
import io
import itertools
import json
from dataclasses import replace

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Passage, Unit
from judging.formats.mapping import Mapping
from judging.formats.recipes.writers import write_qgstec
from judging.formats.records import RatingRecord, StudyRecords
from judging.imports.actions import adding, exports
from judging.imports.actions.files import CannotImport
from judging.protocols.models.protocol import Criterion
from judging.work.models.assignment import Marking, Note, SpanMark
from judging.work.models.judgment import Judgment, JudgmentAttribute
from tests import factories, shared_data
from tests.annotation import studies
from tests.judging.exported import label_studio, long_csv, long_jsonl
from tests.judging.imports.studies import rated, scored
from tests.judging.studies import imported

pytestmark = pytest.mark.django_db
TEXT = "👩‍🚀 Ada 𝒜 e\u0301cole."
FORMATS = {
    "a.csv": long_csv,
    "a.jsonl": long_jsonl,
    "a.json": label_studio,
}
SECONDS = {
    "id": {"role": "source_id"},
    "question": {"role": "question"},
    "rater": {"role": "rater"},
    "seconds": {"role": "rating_metadata"},
    **rated("correctness"),
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
        (first, second), Criterion.objects.filter(protocol=campaign.protocol)
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


def again(campaign: Campaign, name: str) -> Campaign:
    """Return the campaign that the export of one becomes when it is imported again."""
    data = FORMATS[name](exports.export_campaign(campaign=campaign))
    made = imported(data, file_name=name, by=campaign.created_by, protocol=campaign.protocol)
    assert made.quarantined == 0
    assert made.campaign is not None
    return made.campaign


def without_time(rating: RatingRecord) -> dict[str, str]:
    """Return what is known of a rating, without the time at which it was stored."""
    return {name: value for name, value in rating.attributes.items() if name != "created_at"}


def said(campaign: Campaign) -> dict[str, object]:
    read = exports.export_campaign(campaign=campaign)
    ratings = [
        (each.position, each.criterion, each.value, without_time(each)) for each in read.ratings
    ]
    return {
        "marks": list(read.marks),
        "notes": list(read.notes),
        "ratings": sorted(ratings, key=str),
    }


@pytest.mark.parametrize("name", FORMATS)
def test_marks_comments_and_what_is_known_of_judgments_come_back(name: str) -> None:
    campaign = judged()

    copy = again(campaign, name)

    assert said(copy) == said(campaign)
    assert [(mark.start, mark.end) for mark in exports.export_campaign(campaign=copy).marks] == [
        (0, 3),
        (8, 9),
        (None, None),
    ]
    own = {"assignment__round__campaign": copy}
    assert sorted(SpanMark.objects.filter(**own).values_list("start", "end")) == [(0, 3), (8, 9)]
    assert sorted(Marking.objects.filter(**own).values_list("nothing", flat=True)) == [False, True]


def test_long_csv_holds_spans_with_their_text_and_the_comment_beside_each_judgment() -> None:
    rows = list(csv.DictReader(io.StringIO(long_csv(exports.export_campaign(campaign=judged())))))
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
    assert "judgment:task_seconds" not in long_csv(exports.export_campaign(campaign=campaign))
    Assignment.objects.filter(round__campaign=campaign).update(active_seconds=41.25)
    rows = list(csv.DictReader(io.StringIO(long_csv(exports.export_campaign(campaign=campaign)))))
    assert {row["judgment:task_seconds"] for row in rows if row["criterion"]} == {"41.2"}


def test_a_mark_beside_no_rating_goes_to_quarantine() -> None:
    text = (
        "id,passage,question,rater,criterion,value,mark_start,mark_end\n"
        "1,Owls.,Who?,Ann,correctness,2,,\n1,Owls.,Who?,Bo,,,0,4\n"
    )
    columns = {name: {"role": name} for name in text.splitlines()[0].split(",")[1:]}
    columns["id"] = {"role": "source_id"}

    made = imported(text, columns=columns, system="Alba", protocol=factories.protocol())

    [kept] = made.dataset.quarantine.all()
    assert (kept.row, kept.value) == (3, "0-4")
    assert kept.reason == "The mark belongs to no rating that could be stored."


def test_metadata_of_ratings_are_kept_with_each_judgment_and_exported() -> None:
    text = "id,question,rater,correctness,seconds\n1,Why?,Ann,2,7.5\n1,Why?,Bo,3,9\n2,Who?,Ann,1,\n"
    made = imported(text, columns=SECONDS, system="Alba", protocol=factories.protocol())

    kept = JudgmentAttribute.objects.values_list(
        "judgment__assignment__enrollment__label", "name", "value"
    )
    assert sorted(kept) == [("Ann", "seconds", "7.5"), ("Bo", "seconds", "9")]
    lines = long_jsonl(exports.export_campaign(campaign=made.campaign)).splitlines()
    assert [json.loads(line).get("judgment:seconds") for line in lines] == ["7.5", "9", None]


def test_a_name_of_metadata_that_is_too_long_is_told_wherever_it_stands() -> None:
    name = "judgment:" + "x" * 101
    text = f"id,question,rater,correctness,{name}\n1,Why?,Ann,2,\n2,Who?,Ann,2,late\n"
    columns = {each: SECONDS[each] for each in ("id", "question", "rater", "correctness")}
    columns[name] = {"role": "rating_metadata"}
    with pytest.raises(CannotImport, match="metadata column"):
        imported(text, columns=columns, system="Alba", protocol=factories.protocol())


def test_erasing_an_imported_rater_takes_what_files_said_along() -> None:
    from judging.overview.actions import erasures

    text = "id,question,rater,correctness,seconds\n1,Why?,Ann,2,7.5\n"
    made = imported(text, columns=SECONDS, system="Alba", protocol=factories.protocol())
    ann = Enrollment.objects.get(label="Ann")
    erasures.erase_annotator(enrollment=ann, by=made.dataset.owner, now=timezone.now())
    assert JudgmentAttribute.objects.count() == 0


def test_released_xml_comes_out_of_the_database_with_its_instances() -> None:
    data = shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes()
    protocol = factories.protocol("qgstec2010-b")
    made = imported(data, file_name="released.xml", protocol=protocol)

    written = write_qgstec(exports.export_campaign(campaign=made.campaign)).encode()

    read, again = (
        adding.study_in(name="released.xml", data=each, mapping=Mapping())
        for each in (data, written)
    )
    # who asked nothing about a sentence says nothing of it
    before, after = (
        each.sources.loc[sorted({*each.questions.dropna(subset="text")["source"]})]
        for each in (read, again)
    )
    assert after.drop(columns="row").to_dict("records") == before.drop(columns="row").to_dict(
        "records"
    )
    assert list(again.sources["key"]) == list(read.sources["key"])
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


COLUMNS = {
    **{name: {"role": name} for name in ("passage", "answer", "language", "system", "question")},
    "id": {"role": "source_id"},
    "qid": {"role": "key"},
    "reference": {"role": "reference"},
    "domain": {"role": "metadata"},
    "rater": {"role": "rater"},
    **scored("bleu", scale="fraction"),
    **scored("ter", direction="lower"),
    **scored("my_metric", direction="lower"),
    **scored("fluency_mean", role="human_mean"),
    **rated("correctness"),
}


def rich() -> Campaign:
    """Return a campaign with metrics of every direction and scale, and an annotator called mean."""
    made = imported(RICH, columns=COLUMNS, crossed=False, protocol=factories.protocol())
    assert made.campaign is not None
    return made.campaign


def contents(study: StudyRecords) -> dict[str, object]:
    """Return what an export must keep: all but rows, columns and the order of things."""
    slots = [
        replace(each, row=0)
        for each in study.questions
        if each.text is not None or each.scores or each.attributes
    ]
    ratings = [
        replace(each, row=0, column="", attributes=without_time(each)) for each in study.ratings
    ]
    return {
        "sources": [replace(each, row=0) for each in study.sources],
        "questions": sorted(slots, key=str),
        "ratings": sorted(ratings, key=str),
        "notes": [replace(each, row=0) for each in study.notes],
        "marks": [replace(each, row=0) for each in study.marks],
        "expected": dict(study.expected),
        "scores": [replace(score, column="") for score in study.score_columns],
    }


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_of_a_campaign_is_imported_again_whole_and_without_a_question(name: str) -> None:
    campaign = rich()

    after = exports.export_campaign(campaign=again(campaign, name))

    before = exports.export_campaign(campaign=campaign)
    directions = [each.direction for each in after.score_columns]
    assert directions == ["higher", "lower", "lower", "higher"]
    assert contents(after) == contents(before)
    assert dict.fromkeys(each.rater for each in after.ratings) == {"Ann": None, "mean": None}
