import json
import tracemalloc
from dataclasses import asdict

import pytest

from judging.imports.actions import reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers import screening
from judging.imports.readers.columns import BadColumns, ColumnRoles, columns_from
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_EXCERPT_CHARACTERS
from tests import shared_data
from tests.judging.studies import COLUMNS, QUESTIONS

DATA = QUESTIONS.encode()


def test_head_of_a_table_knows_the_first_values_of_each_column():
    head = reading_plans.read_head(name="canals.csv", data=DATA, plan=Plan())

    assert (head.format, head.header[0]) == ("csv", "passage")
    assert head.values[0] == ("The lock was built by Agnes.", "The weir is old.")
    assert head.proposed is not None
    assert head.proposed.question == "question"


def test_head_shortens_long_values_and_passes_blank_ones_over():
    head = reading_plans.read_head(
        name="a.csv", data=b"question,note\n" + b"x" * 5_000 + b", \n", plan=Plan()
    )

    assert [len(value) for value in head.values[0]] == [MAX_EXCERPT_CHARACTERS]
    assert head.values[1] == ()


def test_head_survives_a_session():
    head = reading_plans.read_head(name="canals.csv", data=DATA, plan=Plan())

    assert reading_plans.head_from(asdict(head)) == head


def test_head_of_a_format_that_names_its_parts_has_no_columns():
    data = shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_bytes()

    head = reading_plans.read_head(name="released.xml", data=data, plan=Plan())

    assert (head.format, head.header, head.proposed) == ("qgstec_xml", (), None)


@pytest.mark.parametrize(
    ("name", "data"), [("a.csv", b""), ("a.xml", b"<dataset>"), ("a.xlsx", b"PK\x03\x04")]
)
def test_head_of_what_cannot_be_read_says_why(name, data):
    with pytest.raises(Unreadable) as refused:
        reading_plans.read_head(name=name, data=data, plan=Plan())

    assert refused.value.reason.endswith(".")


def test_options_of_another_format_are_passed_over():
    plan = Plan(options={"sheet": "first", "delimiter": ","})

    assert reading_plans.read_study(name="canals.csv", data=DATA, plan=plan).rows_read == 3


def test_an_unknown_format_is_found_out():
    assert (
        reading_plans.read_head(name="canals.csv", data=DATA, plan=Plan(format="gone")).format
        == "csv"
    )


def test_columns_that_the_file_lacks_are_a_study_with_the_reason():
    plan = Plan(columns=columns_from({**COLUMNS, "answer": "nothing"}))

    study = reading_plans.read_study(name="canals.csv", data=DATA, plan=plan)

    assert not study.usable
    assert study.problems[0].reason == "The file has no column “nothing”."


def test_plan_survives_json():
    plan = Plan(format="csv", options={"quoted": False}, columns=columns_from(COLUMNS))

    assert reading_plans.plan_from(plan.as_dict()) == plan


def test_a_misshapen_plan_is_refused():
    with pytest.raises(BadColumns):
        reading_plans.plan_from({"columns": {"colour": "red"}})


def test_starts_add_up_until_they_are_chosen_anew():
    plan = reading_plans.with_starts(Plan(columns=columns_from(COLUMNS)), {"1": 4}, others="ask")
    plan = reading_plans.with_starts(plan, {"2": 7}, others="first")

    assert plan.columns is not None
    assert (plan.columns.starts, plan.columns.when_ambiguous) == ({"1": 4, "2": 7}, "first")
    assert reading_plans.has_starts(plan)
    assert not reading_plans.has_starts(reading_plans.without_starts(plan))
    assert reading_plans.with_starts(Plan(), {"1": 4}, others="ask") == Plan()


def test_ids_of_people_outside_are_labels_as_they_are_read():
    data = b"question,WorkerId,fluency\nWho hunts?,A3F5K2J9XQ1LMN,3\n"

    head = reading_plans.read_head(name="crowd.csv", data=data, plan=Plan())
    study = reading_plans.read_study(name="crowd.csv", data=data, plan=Plan(columns=head.proposed))

    assert head.values[1][0].startswith("P-")
    assert study.raters == head.values[1]


WIDE = ",".join(f"c{number}" for number in range(1_998))
SHORT_ROWS = ("question," + WIDE + "\n" + "Who?\n" * 2_000).encode()  # 22 KB, 4 million cells
SHORT_OBJECTS = json.dumps({"question": "Who?"} | dict.fromkeys(WIDE.split(","), 1))
SHORT_OBJECTS += '\n{"question":"Who?"}' * 2_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("read", "format", "data"),
    [
        (reading_plans.read_head, "csv", SHORT_ROWS),
        (reading_plans.read_head, "jsonl", SHORT_OBJECTS.encode()),
        (reading_plans.read_study, "jsonl", SHORT_OBJECTS.encode()),
    ],
)
def test_rows_that_are_filled_up_to_a_wide_header_are_not_held_here(read, format, data):
    plan = Plan(format=format, columns=ColumnRoles(question="question"))
    tracemalloc.start()
    found = read(name="a", data=data, plan=plan)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000  # all rows take 32 MB
    assert (
        len(found.header) == 1_999 if read is reading_plans.read_head else found.rows_read > 1_999
    )


def test_rows_that_are_left_out_are_told_once_where_a_reading_begins_anew():
    screen = screening.screen_of(ids=["1"], keys=(), texts=())
    told: list[int] = []
    data = ("id,question," + WIDE + "\n" + "2,Who?\n" * 1_000).encode()
    study = reading_plans.read_study(
        name="a.csv",
        data=data,
        plan=Plan(format="csv", columns=ColumnRoles(source_id="id", question="question")),
        screen=screen,
        left_out=lambda row, what: told.append(row),
    )
    assert told == list(range(2, 1_002))
    assert study.rows_read == 1_000
