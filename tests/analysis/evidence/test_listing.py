"""Lists of questions: each order against values worked out by hand or by scipy, pages that neither
lose nor repeat."""

from dataclasses import replace
from itertools import combinations
from statistics import fmean

import pytest
from django.db import connection
from scipy.stats import rankdata

from analysis.evidence import listing
from analysis.evidence.listing import Chosen
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Attribute, Question, Source, System, Unit
from judging.datasets.models.score import Metric
from judging.protocols.models.protocol import Criterion
from judging.protocols.protocol_schema import CriterionPoint
from tests import factories
from tests.analysis import studies
from tests.annotation.studies import opened
from tests.judging.workers import work

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(lasting):
    return studies.imported()


@pytest.fixture
def chosen(study, db):
    """The small study's questions, with changes to what is asked for."""
    criterion = study.protocol.criteria.get(key="correctness")
    metric = Metric.objects.get(dataset=study.dataset, name="meteor")

    def choose(sort="file", **changes):
        return Chosen(
            **{
                "dataset": study.dataset,
                "campaign": study,
                "sort": sort,
                "criterion": criterion,
                "metric": metric,
                **changes,
            }
        )

    return choose


def system(study, name):
    return System.objects.get(dataset=study.dataset, name=name).pk


def named(rows):
    """Return source and system of each row."""
    units = Unit.objects.select_related("question_set__source", "question_set__system").in_bulk(
        [row.unit for row in rows]
    )
    sets = [units[row.unit].question_set for row in rows]
    return [(each.source.key, each.system.name) for each in sets]


def test_file_order_is_that_of_sources_then_systems(chosen):
    rows = listing.read_page(chosen(), size=4).rows
    assert named(rows) == [("0", "Alba"), ("0", "Brisa"), ("0", "Corvo"), ("1", "Alba")]


def test_disagreement_puts_first_where_two_annotators_differ_by_one(chosen):
    page = listing.read_page(chosen("disagreement"))
    told = dict(zip(named(page.rows), [row.key for row in page.rows], strict=True))
    # the second annotator gives one more than the first to Brisa on even sources and to Corvo on
    # odd ones
    apart = {(str(n), "Brisa") for n in (0, 2, 4)} | {(str(n), "Corvo") for n in (1, 3, 5)}
    assert set(named(page.rows)[:6]) == apart
    assert {told[each] for each in apart} == {1.0}
    assert {value for each, value in told.items() if each not in apart} == {0.0}
    assert page.total == 18


def test_disagreement_without_an_order_of_values_is_the_share_of_pairs_that_differ(chosen, study):
    # rows of protocols never change: a copy says it is nominal
    Criterion.objects.filter(pk=chosen().criterion.pk)
    nominal = study.protocol.criteria.get(key="grammaticality")
    nominal.level = Criterion.Level.NOMINAL
    page = listing.read_page(chosen("disagreement", criterion=nominal))
    # 3 and 3 on even sources, 3 and 2 on odd ones: the one pair differs or not
    assert [row.key for row in page.rows] == [1.0] * 9 + [0.0] * 9


def test_disagreement_over_all_criteria_is_the_mean_of_their_squared_distances() -> None:
    [first, second] = factories.small().criteria
    nominal = replace(first, level="nominal", best="none")
    campaign = opened(
        sources=1,
        systems=("Alba",),
        protocol=factories.protocol(criteria=(nominal, second), version="2"),
    )
    given = {"A01": (1, 1), "A02": (2, 3), "A03": (3, 3)}  # grammaticality, correctness
    for label, values in given.items():
        by_key = dict(zip((first.key, second.key), values, strict=True))
        person = factories.enrollment(campaign, label=label)
        work(person, tasks=1, choose=lambda own, asked, by=by_key: by[asked.criterion.key])
    chosen = Chosen(dataset=campaign.dataset, campaign=campaign, sort="disagreement")
    [row] = listing.read_page(chosen).rows
    # all three pairs differ on the nominal one; two of three are as far apart as the scale is wide
    assert row.key == pytest.approx((1 + 2 / 3) / 2)


def test_gap_is_the_distance_of_mid_ranks_as_scipy_ranks_them(chosen):
    page = listing.read_page(chosen("gap"))
    human = {}
    metric = {}
    for number in range(6):
        for place, (name, quality) in enumerate(studies.SYSTEMS.items()):
            other = min(3, max(1, quality + (number + place) % 2))
            human[str(number), name] = (quality + other) / 2
            metric[str(number), name] = quality / 4 + number / 100
    keys = list(human)
    people, machine = (
        rankdata([human[key] for key in keys]),
        rankdata([metric[key] for key in keys]),
    )
    expected = {key: abs(machine[i] - people[i]) / 17 for i, key in enumerate(keys)}
    found = dict(zip(named(page.rows), page.rows, strict=True))
    assert {key: row.key for key, row in found.items()} == pytest.approx(expected)
    assert [row.key for row in page.rows] == sorted(expected.values(), reverse=True)
    assert [found[key].of_people for key in keys] == people.tolist()
    assert [found[key].of_metric for key in keys] == machine.tolist()
    assert {row.ranked for row in page.rows} == {18}


def test_loss_against_one_system_is_the_difference_on_the_same_source(chosen, study):
    asked = chosen("loss", system=system(study, "Brisa"), against=system(study, "Alba"))
    page = listing.read_page(asked)
    # Alba has 3 everywhere; Brisa 2.5 on even sources and 2 on odd ones
    assert named(page.rows) == [(str(n), "Brisa") for n in (1, 3, 5, 0, 2, 4)]
    assert [row.key for row in page.rows] == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5]


def test_loss_against_all_others_takes_their_mean(chosen, study):
    page = listing.read_page(chosen("loss", system=system(study, "Brisa")))
    # Alba 3 and Corvo 1.5 against Brisa 2 on odd sources; 3 and 1 against 2.5 on even ones
    assert [row.key for row in page.rows] == [0.25] * 3 + [-0.5] * 3


def test_outlier_is_the_distance_of_one_annotator_from_the_others(chosen, study):
    label = Enrollment.objects.filter(campaign=study).order_by("pk").first().label
    page = listing.read_page(chosen("outlier", annotator=label))
    assert sorted((row.key for row in page.rows), reverse=True) == [1.0] * 6 + [0.0] * 12


def test_mean_puts_the_worst_first(chosen):
    page = listing.read_page(chosen("mean"))
    assert named(page.rows)[:3] == [(str(n), "Corvo") for n in (0, 2, 4)]
    assert [-row.key for row in page.rows[:3]] == [1.0, 1.0, 1.0]


def test_score_puts_the_lowest_first_and_turns_where_lower_is_better(chosen):
    lowest = listing.read_page(chosen("score")).rows[0]
    assert named([lowest]) == [("0", "Corvo")]
    metric = chosen().metric
    metric.direction = Metric.Direction.LOWER
    assert named([listing.read_page(chosen("score", metric=metric)).rows[0]]) == [("5", "Alba")]


def test_an_annotator_left_out_counts_in_no_order(chosen, study):
    second = Enrollment.objects.filter(campaign=study).order_by("-pk").first()
    studies.exclude(second, by=study.created_by)
    assert listing.read_page(chosen("disagreement")).rows == []
    assert len(listing.read_page(chosen("mean")).rows) == 18


@pytest.mark.parametrize(
    "sort", ["file", "disagreement", "gap", "mean", "score", "loss", "outlier"]
)
def test_pages_forwards_and_backwards_are_the_whole_list_once(sort, chosen, study):
    label = Enrollment.objects.filter(campaign=study).first().label
    more = {"loss": {"system": system(study, "Corvo")}, "outlier": {"annotator": label}}.get(
        sort, {}
    )
    asked = chosen(sort, **more)
    whole = [row.unit for row in listing.read_page(asked, size=100).rows]
    pages = [listing.read_page(asked, size=4)]
    while pages[-1].more_after:
        pages.append(listing.read_page(asked, after=pages[-1].rows[-1].unit, size=4))
    assert [row.unit for page in pages for row in page.rows] == whole
    assert not pages[0].more_before
    back = [pages[-1]]
    while back[-1].more_before:
        back.append(listing.read_page(asked, before=back[-1].rows[0].unit, size=4))
    assert [row.unit for page in reversed(back) for row in page.rows] == whole


def test_filters_by_system_value_annotator_attribute_and_text(chosen, study):
    def count(**changes):
        return len(listing.read_page(chosen(**changes)).rows)

    unit = Unit.objects.get(
        question_set__system__name="Corvo", question_set__source__key="1", position=1
    )
    Attribute.objects.create(unit=unit, name="genre", value="news")
    first = Enrollment.objects.filter(campaign=study).order_by("pk").first().label
    assert count(system=system(study, "Brisa")) == 6
    # all six of Alba, and Brisa on three sources by the second annotator
    assert count(value=3) == 9
    assert count(value=3, annotator=first) == 6
    assert count(annotator=first) == 18
    assert count(attribute="genre") == 1
    assert count(attribute="genre", attribute_value="law") == 0
    assert count(text="WHO IS IT") == 6
    assert count(text="100%") == 0
    Question.objects.filter(unit=unit).update(text="Is 100% of it_so?")
    assert count(text="100%") == 1
    assert count(text="it_s") == 1
    assert count(text="it%s") == 0


def test_neighbours_in_file_order_are_other_sources(chosen):
    source = Source.objects.get(dataset=chosen().dataset, key="2")
    beside = listing.neighbours(chosen(), source=source, unit=None)
    assert named([beside.before, beside.after]) == [("1", "Alba"), ("3", "Alba")]
    first = Source.objects.get(dataset=chosen().dataset, key="0")
    assert listing.neighbours(chosen(), source=first, unit=None).before is None


def test_neighbours_in_another_order_are_questions_with_their_place(chosen):
    rows = listing.read_page(chosen("gap")).rows
    source = Source.objects.get(pk=rows[1].source)
    beside = listing.neighbours(chosen("gap"), source=source, unit=rows[1].unit)
    assert (beside.before.unit, beside.own.place, beside.after.unit) == (
        rows[0].unit,
        2,
        rows[2].unit,
    )
    assert beside.total == 18


def test_a_question_of_no_such_list_has_no_neighbours_and_begins_it_anew(chosen):
    source = Source.objects.get(dataset=chosen().dataset, key="2")
    assert listing.neighbours(chosen("gap"), source=source, unit=0) == listing.Neighbours()
    assert listing.read_page(chosen("gap"), after=0).rows == listing.read_page(chosen("gap")).rows
    assert listing.read_page(chosen(), after=0).rows == listing.read_page(chosen()).rows


def test_scatter_has_every_question_once_better_up_and_right(chosen, study):
    dots = listing.read_page(chosen("gap")).dots
    points = [(dot.across, dot.down) for dot in dots]
    assert len(points) == 18
    assert {(dot.questions, dot.radius) for dot in dots} == {(1, 1.2)}
    # people: 3 at the top, 1 at the bottom, moved by no more than the jitter; meteor from .25 to
    # .80
    assert min(y for _x, y in points) >= -listing.JITTER
    assert max(y for _x, y in points) <= 100 + listing.JITTER
    assert sorted(x for x, _y in points)[:2] == [0.0, 1.8]
    assert max(x for x, _y in points) == 100.0
    best = [y for x, y in points if x > 90]
    assert len(best) == 6  # all of Alba, whom everybody gives 3
    assert max(best) <= listing.JITTER
    assert listing.read_page(chosen("gap", text="lock 3")).dots != dots


def test_scatter_of_many_has_a_dot_for_each_cell_whose_area_is_its_questions(chosen):
    each = listing.read_page(chosen("gap")).dots
    dots = listing.read_page(chosen("gap"), points=17).dots
    assert sum(dot.questions for dot in dots) == 18
    assert len(dots) < 18
    assert all(dot.across % listing.CELL == dot.down % listing.CELL == 0 for dot in dots)
    assert len({(dot.across, dot.down) for dot in dots}) == len(dots)
    fullest = max(dots, key=lambda dot: dot.questions)
    assert fullest.radius == listing.CELL / 2  # touches its neighbours at most
    for dot in dots:
        assert dot.radius == pytest.approx(
            listing.CELL / 2 * (dot.questions / fullest.questions) ** 0.5, abs=0.01
        )
    assert {round(dot.across / listing.CELL) for dot in each} == {
        round(dot.across / listing.CELL) for dot in dots
    }


RATERS = 200
WIDE = range(RATERS)  # a scale on which each rater may give a value of their own


def wide_values(question):
    """Return what each rater gave a question: different values, the same one, or "cannot say"."""
    if question == 0:
        return [rater * 7 % RATERS for rater in WIDE]
    if question == 1:
        return [50] * RATERS
    return [rater * rater % 100 if rater % 3 else RATERS for rater in WIDE]


@pytest.fixture(scope="module")
def wide(lasting):
    """Return a study on a scale of many points, the last of which is "cannot say"."""
    rows = [",".join(["source_id", "system", "question", *(f"width@A{n}" for n in WIDE)])]
    rows += [f"{n},Alba,Who {n}?,{','.join(map(str, wide_values(n)))}" for n in range(3)]
    points = [CriterionPoint(value, f"point {value}") for value in WIDE]
    points.append(CriterionPoint(RATERS, "cannot say", missing=True))
    criterion = replace(
        factories.small().criteria[0],
        key="width",
        name="Width",
        level="interval",
        points=tuple(points),
    )
    protocol = factories.protocol(version="wide", criteria=(criterion,))
    return studies.campaign_of("\n".join(rows).encode(), protocol=protocol)


def of_wide(wide, sort, level="interval"):
    criterion = wide.protocol.criteria.get()
    criterion.level = level
    campaign = {"dataset": wide.dataset, "campaign": wide}
    label = Enrollment.objects.filter(campaign=wide, label="A1").get().label
    return Chosen(**campaign, sort=sort, criterion=criterion, annotator=label)


def apart(one, other):
    return abs(one - other)


def differs(one, other):
    return float(one != other)


@pytest.mark.parametrize(("level", "distance"), [("interval", apart), ("nominal", differs)])
def test_disagreement_is_the_mean_over_all_pairs_of_ratings(wide, level, distance):
    expected = {}
    for question in range(3):
        given = [value for value in wide_values(question) if value != RATERS]
        expected[str(question)] = fmean(distance(*pair) for pair in combinations(given, 2))
    page = listing.read_page(of_wide(wide, "disagreement", level))
    found = {source: row.key for (source, _), row in zip(named(page.rows), page.rows, strict=True)}
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_mean_leaves_out_who_cannot_say(wide):
    page = listing.read_page(of_wide(wide, "mean"))
    found = {source: -row.key for (source, _), row in zip(named(page.rows), page.rows, strict=True)}
    given = {str(n): [each for each in wide_values(n) if each != RATERS] for n in range(3)}
    assert found == pytest.approx({key: fmean(values) for key, values in given.items()})


def steps(plan):
    """Yield every step of a plan."""
    yield plan
    for each in plan.get("Plans", []):
        yield from steps(each)


def steps_of(chosen):
    """Return the steps in which the database worked an order out."""
    statement, given = listing.keyed(chosen)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement} SELECT * FROM keyed", given)
        [[[explained]]] = cursor.fetchall()
    return list(steps(explained["Plan"]))


@pytest.mark.parametrize("level", ["interval", "nominal"])
def test_disagreement_looks_at_as_many_rows_as_there_are_ratings(wide, level):
    with connection.cursor() as cursor:  # the tables of a test have no statistics to plan by
        cursor.execute("SET LOCAL enable_nestloop = off")
    most = max(
        each["Actual Rows"] * each["Actual Loops"]
        for each in steps_of(of_wide(wide, "disagreement", level))
        if each["Node Type"] != "Bitmap Index Scan"  # counts rows that other tests took back too
    )
    assert most < 10 * RATERS  # each value with each other one would be RATERS**2 rows


@pytest.mark.parametrize("sort", ["disagreement", "mean", "outlier"])
def test_points_of_a_scale_are_read_once_and_not_for_each_rating(wide, sort):
    taken = steps_of(of_wide(wide, sort))
    read = [each for each in taken if each.get("Relation Name") == "judging_scalepoint"]
    assert sum(each["Actual Loops"] for each in read) <= 2
