import threading

import pytest
from django.db import connection

from judging import storage
from judging.actions import rounds, rubrics
from judging.actions.jobs import JobCancelled
from judging.imports.actions import adding, datasets, refusals
from judging.imports.formats.qgstec_xml import read_qgstec
from judging.imports.readers.guessing import guess
from judging.imports.readers.mapping import to_study
from judging.imports.readers.records import StudyRecords, unreadable
from judging.imports.readers.tables import read_delimited
from judging.limits import MAX_SYSTEMS
from judging.models import (
    Assignment,
    Campaign,
    Collection,
    Enrollment,
    Judgment,
    Note,
    Passage,
    Quarantine,
    Question,
    Score,
    Task,
    Unit,
    User,
)
from judging.protocols import documents
from tests import factories, shared_data
from tests.judging.imports.studies import waiting
from tests.judging.studies import NOW, QUESTIONS, rated, study

pytestmark = pytest.mark.django_db

WIDE = """\
question,grammaticality@Ann,grammaticality@Bo,correctness@Ann
Why?,1,3,2
Who?,31,2,3
"""


def do_import(read: StudyRecords, **options) -> datasets.Imported:
    if "by" not in options:
        options["by"] = factories.researcher()
    accepted = {"study": read, "name": "Canals", "now": NOW, "accept_surprises": True}
    return datasets.import_study(**accepted | options)


def wide(text: str = WIDE, **columns) -> StudyRecords:
    header = text.splitlines()[0].split(",")
    columns = {"question": "question", "default_system": "Alba"} | columns
    return study(text, ratings=rated(*(name for name in header if "@" in name)), **columns)


def values(campaign: Campaign) -> set[tuple[str, str, int]]:
    return set(
        Judgment.objects.filter(assignment__round__campaign=campaign).values_list(
            "assignment__enrollment__label", "criterion__key", "value"
        )
    )


def test_ratings_become_a_closed_campaign_of_their_raters():
    by = factories.researcher()

    made = do_import(wide(), rubric=factories.rubric(), by=by, ratings_title="As released").campaign

    assert (made.title, made.state, made.origin, made.annotators_per_task) == (
        "As released",
        "closed",
        "imported",
        2,
    )
    assert (made.locked_at, made.closed_at) == (NOW, NOW)
    assert made.protocol["collection"]["name"] == "Canals"
    assert len(made.protocol_digest) == 64
    assert list(made.rounds.values_list("kind", "opened_at", "closed_at")) == [("main", NOW, NOW)]
    assert list(made.enrollments.values_list("label", "user").order_by("label")) == [
        ("Ann", None),
        ("Bo", None),
    ]
    assert made.memberships.get().user == by
    assert made.memberships.get().role == "manager"


def test_ratings_are_stored_as_imported_judgments():
    made = do_import(wide(), rubric=factories.rubric()).campaign

    assert values(made) == {
        ("Ann", "grammaticality", 1),
        ("Bo", "grammaticality", 3),
        ("Ann", "correctness", 2),
        ("Bo", "grammaticality", 2),
        ("Ann", "correctness", 3),
    }
    assert set(Judgment.objects.values_list("origin", "cause", "revision")) == {("imported", "", 1)}
    assert set(Assignment.objects.values_list("state", "submitted_at")) == {("submitted", NOW)}


def test_a_value_off_its_scale_goes_to_quarantine_and_the_rest_of_its_row_stays():
    made = do_import(wide(), rubric=factories.rubric())

    kept = Quarantine.objects.get()
    assert (kept.row, kept.column, kept.value) == (3, "grammaticality@Ann", "31")
    assert kept.reason == "It is not on the scale of Grammaticality: 1, 2, 3."
    assert made.quarantined == 1
    assert ("Ann", "correctness", 3) in values(made.campaign)


@pytest.mark.parametrize(
    ("cell", "value"), [("2", 2), ("2.0", 2), (" 2 ", 2), ("maybe", 2), ("Maybe", 2)]
)
def test_a_value_may_be_written_as_number_or_label(cell: str, value: int):
    made = do_import(wide(f"question,correctness@Ann\nWhy?,{cell}\n"), rubric=factories.rubric())

    assert values(made.campaign) == {("Ann", "correctness", value)}


@pytest.mark.parametrize("cell", ["2.5", "nan", "1e400", "-1", "1,5", "two", "²", "32768"])
def test_a_value_that_is_no_scale_point_is_never_stored(cell: str):
    made = do_import(
        wide(f'question,correctness@Ann\nWhy?,"{cell}"\nWho?,1\n'), rubric=factories.rubric()
    )

    assert values(made.campaign) == {("Ann", "correctness", 1)}
    assert Quarantine.objects.get().value == cell


def test_ratings_of_an_unknown_criterion_go_to_quarantine():
    text = "question,correctness@Ann,charm@Ann\nWhy?,2,1\n"

    do_import(wide(text), rubric=factories.rubric())

    assert "has no criterion “charm”" in Quarantine.objects.get().reason


def test_a_second_rating_of_the_same_goes_to_quarantine():
    text = "id,question,rater,criterion,value\n1,Why?,Ann,correctness,2\n1,Why?,Ann,Correctness,3\n"
    columns = {
        "source_id": "id",
        "question": "question",
        "rater": "rater",
        "criterion": "criterion",
        "value": "value",
    }

    made = do_import(study(text, default_system="Alba", **columns), rubric=factories.rubric())

    assert values(made.campaign) == {("Ann", "correctness", 2)}
    assert Quarantine.objects.get().reason == "Ann rated the same in row 2, as 2."


def test_a_set_rated_once_is_stored_on_each_member_where_the_criterion_is_asked_once_per_set():
    text = "id,question,position,rater,variety,relevance\n1,Why?,1,Ann,,1\n1,Who?,2,Ann,,2\n1,,,Ann,3,1\n"
    columns = {"source_id": "id", "question": "question", "position": "position", "rater": "rater"}
    ratings = [{"column": name, "criterion": name} for name in ("variety", "relevance")]
    rubric = rubrics.install(document=documents.shipped("qgstec2010-b"))

    do_import(study(text, ratings=ratings, default_system="Alba", **columns), rubric=rubric)

    said = Judgment.objects.filter(criterion__key="variety").order_by("unit__position")
    assert list(said.values_list("unit__position", "value")) == [(1, 3), (2, 3)]
    assert "this rates a set as a whole" in Quarantine.objects.get().reason


@pytest.mark.parametrize(("cut", "tasks"), [("source", 2), ("question_set", 3), ("unit", 2)])
def test_tasks_are_cut_by_the_rubric(cut: str, tasks: int):
    text = QUESTIONS.replace("topic", "correctness@Ann").replace("locks", "1").replace("weirs", "2")
    columns = {"passage": "passage", "answer": "answer", "system": "system", "question": "question"}
    read = study(text, ratings=rated("correctness@Ann"), **columns)

    do_import(read, rubric=factories.rubric(task=cut, page_size=2))

    assert Task.objects.count() == tasks
    assert Assignment.objects.count() == tasks


def test_released_study_has_no_longest_page(monkeypatch):
    monkeypatch.setattr(rounds, "MAX_PAGE_CHOICES", 0)
    do_import(wide(), rubric=factories.rubric())
    assert Campaign.objects.get().state == Campaign.State.CLOSED


def test_notes_are_kept_beside_the_ratings_and_others_in_quarantine():
    text = "question,rater,correctness,note\nWhy?,Ann,2,Nice\nWho?,Bo,,Lost\n"
    columns = {"question": "question", "rater": "rater", "note": "note", "default_system": "Alba"}

    do_import(
        study(text, ratings=[{"column": "correctness", "criterion": "correctness"}], **columns),
        rubric=factories.rubric(),
    )

    assert list(Note.objects.values_list("assignment__enrollment__label", "text")) == [
        ("Ann", "Nice")
    ]
    assert list(Quarantine.objects.values_list("row", "value")) == [(3, "Lost")]


def test_rows_that_are_refused_stand_in_quarantine():
    text = QUESTIONS + "a,b,c\n" + "x,y,Alba,Why?,high,z\n"
    read = study(text)

    do_import(read)

    assert read.rows_read == 5
    assert set(Quarantine.objects.values_list("row", "column")) == {(5, ""), (6, "Bleu_4")}
    assert Question.objects.count() + 1 == read.rows_read
    assert read.rows_kept == 4


def test_ratings_without_a_rubric_are_refused():
    with pytest.raises(refusals.CannotImport, match="choose the protocol"):
        do_import(wide())

    assert Collection.objects.count() == 0


def test_ratings_of_which_none_fits_are_refused_with_the_reason():
    with pytest.raises(
        refusals.CannotImport, match=r"None of the 1 ratings fits .*no criterion “charm”"
    ):
        do_import(wide("question,charm@Ann\nWhy?,1\n"), rubric=factories.rubric())


def test_a_score_of_unknown_direction_is_refused():
    read = study("question,s\nWhy?,1\n", question="question", scores=[{"column": "s", "name": "s"}])

    with pytest.raises(refusals.CannotImport, match="Say whether higher or lower is better in “s”"):
        do_import(read)


def test_a_file_that_could_not_be_read_is_refused_with_its_reason():
    with pytest.raises(refusals.CannotImport, match=r"The file is empty\."):
        do_import(unreadable("The file is empty."))


def test_a_study_without_questions_is_refused():
    with pytest.raises(refusals.CannotImport, match="no question"):
        do_import(study("question,system\n,Alba\n", question="question", system="system"))


def test_a_name_that_is_too_long_is_refused_with_its_row():
    read = study(f"question,id\nWhy?,{'k' * 201}\n", question="question", key="id")

    with pytest.raises(
        refusals.CannotImport,
        match=r"Row 2: the question's key .* has 201 characters; the limit is 200",
    ):
        do_import(read)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"system": "question", "source_id": "place"}, "names 1,001 systems; the limit is 1,000"),
        ({"source_id": "question", "expected": 10_000}, "10,010,000 slots for questions, 10,0"),
        ({"source_id": "question", "position": "place"}, "10,010,000 slots for questions, 10,0"),
    ],
)
def test_a_small_file_that_would_make_far_more_than_it_holds_is_refused(columns, reason):
    rows = "".join(f"Which lock is number {n}?,10000\n" for n in range(1001))
    read = study("question,place\n" + rows, question="question", **columns)
    collection = adding.start(name="Locks", by=factories.researcher())
    waits = waiting(collection, "question,place\n" + rows, question="question", **columns)

    with pytest.raises(refusals.CannotImport, match=reason):
        do_import(read)
    with pytest.raises(refusals.CannotImport, match="the limit is 1,000"):
        adding.add(added=waits, by=collection.owner, now=NOW)
    adding.examine(added=waits)
    assert len(waits.examined["systems"]) <= MAX_SYSTEMS


def test_the_same_file_twice_is_recognised_for_the_same_owner():
    by, file = factories.researcher(), storage.keep(QUESTIONS.encode())
    first = do_import(study(), by=by, file=file)

    with pytest.raises(datasets.AlreadyImported, match="“Canals”") as refused:
        do_import(study(), by=by, file=file)

    assert refused.value.collection == first.collection
    assert datasets.earlier(owner=by, sha256=file.sha256) == first.collection
    assert Collection.objects.count() == 1


def test_the_same_file_may_be_imported_again_or_by_another():
    by, file = factories.researcher(), storage.keep(QUESTIONS.encode())
    do_import(study(), by=by, file=file)

    do_import(study(), by=by, file=file, again=True)
    do_import(study(), file=file)

    assert Collection.objects.count() == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.threads
def test_two_imports_of_one_file_at_once_make_one_collection():
    by, file = factories.researcher(), storage.keep(QUESTIONS.encode())
    gate, refused = threading.Barrier(2), []

    def attempt() -> None:
        try:
            gate.wait()
            do_import(study(), by=User.objects.get(pk=by.pk), file=file)
        except datasets.AlreadyImported as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=attempt) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (Collection.objects.count(), len(refused)) == (1, 1)


def test_progress_ends_at_its_total_and_a_cancel_leaves_nothing():
    said: list[tuple[int, int, str]] = []
    do_import(wide(), rubric=factories.rubric(), progress=lambda *at: said.append(at))
    assert said[-1][0] == said[-1][1]
    assert "Storing questions" in {message for _, _, message in said}

    def cancel(done: int, total: int, message: str) -> None:
        if message == "Storing judgments":
            raise JobCancelled

    with pytest.raises(JobCancelled):
        do_import(wide(), rubric=factories.rubric(), progress=cancel)
    assert (Collection.objects.count(), Campaign.objects.count(), Judgment.objects.count()) == (
        1,
        1,
        5,
    )


def test_qgstec_2010_as_released():
    read = read_qgstec(shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes())

    made = do_import(read, rubric=rubrics.install(document=documents.shipped("qgstec2010-b")))

    questions = Question.objects.filter(unit__question_set__system__collection=made.collection)
    slots = Unit.objects.filter(position__isnull=False)
    by_system = {
        name: (
            questions.filter(unit__question_set__system__name=name).count(),
            slots.filter(question_set__system__name=name, question__isnull=True).count(),
        )
        for name in "abcd"
    }
    assert by_system == {"a": (354, 6), "b": (165, 195), "c": (209, 151), "d": (168, 192)}
    assert made.campaign.enrollments.count() == 6
    assert sorted(Quarantine.objects.values_list("column", "value")) == [
        ("questionType", "3"),
        ("questionType", "3"),
        ("questionType", "31"),
    ]
    assert Judgment.objects.count() == len(read.ratings) - 3
    assert Task.objects.count() == len({(q.source_key, q.system) for q in read.questions})
    assert read.rows_read == read.rows_kept == 896


def test_nema_2018_as_released():
    table = read_delimited(shared_data.path("nema2018/squad.tsv").read_bytes())
    read = to_study(table, guess(table.header, [row.cells for row in table.rows[:50]]))

    made = do_import(read, rubric=rubrics.install(document=documents.shipped("nema-khapra")))

    assert Question.objects.count() + Quarantine.objects.count() == 897
    assert Judgment.objects.count() == 2 * Question.objects.count()
    assert Passage.objects.count() == 0
    assert Enrollment.objects.filter(campaign=made.campaign).count() == 2
    assert read.rows_read == 897


def test_qgbench_sample():
    table = read_delimited(shared_data.path("qgbench/sample_300.csv").read_bytes())
    read = to_study(table, guess(table.header, [row.cells for row in table.rows[:50]]))

    made = do_import(read).collection

    assert (Question.objects.count(), made.sources.count(), made.systems.count()) == (300, 50, 6)
    kinds = dict(made.metrics.values_list("name", "kind"))
    assert sorted(name for name, kind in kinds.items() if kind == "human_mean") == [
        "correctness",
        "grammaticality",
        "understandability",
    ]
    assert sorted(name for name, kind in kinds.items() if kind == "imported") == [
        "BERTScore",
        "Bleu_4",
        "METEOR",
        "MoverScore",
        "ROUGE_L",
    ]
    assert Score.objects.count() == 8 * 300
    assert Campaign.objects.count() == 0
