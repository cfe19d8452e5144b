"""Orders that are kept: the same lists as those that are worked out for each page, and what makes
them old."""

import pytest
from django.utils import timezone

from analysis.actions import question_orders
from analysis.evidence import kept_orders, listing
from analysis.evidence.listing import Chosen
from analysis.models import OrderedQuestion, QuestionOrder
from judging.actions import enrollments, jobs
from judging.models import Attribute, Enrollment, Exclusion, Metric, Score, System, Unit
from tests.analysis import studies

pytestmark = pytest.mark.django_db
SORTS = ("disagreement", "gap", "loss", "outlier", "mean", "score")


@pytest.fixture(scope="module")
def study(lasting):
    return studies.imported()


@pytest.fixture
def chosen(study, db):
    def choose(sort, **changes):
        asked = {
            "collection": study.collection,
            "campaign": study,
            "sort": sort,
            "criterion": study.rubric.criteria.get(key="correctness"),
            "metric": Metric.objects.get(collection=study.collection, name="meteor"),
        }
        if sort == "loss":
            asked["system"] = System.objects.get(collection=study.collection, name="Corvo").pk
        if sort == "outlier":
            asked["annotator"] = (
                Enrollment.objects.filter(campaign=study).order_by("pk").first().label
            )
        return Chosen(**asked | changes)

    return choose


def kept(chosen, by):
    """Have an order worked out as a worker does."""
    order, is_asked = question_orders.ask(chosen=chosen, address="/list", by=by)
    if is_asked:
        studies.sort_now(order)
    return QuestionOrder.objects.get(pk=order.pk)


@pytest.mark.parametrize("sort", SORTS)
def test_kept_order_is_the_one_that_is_worked_out_page_by_page(sort, chosen, study):
    asked = chosen(sort)
    order = kept(asked, study.created_by)
    whole = listing.page(asked, size=100)

    assert kept_orders.page(order, asked, size=100) == whole
    pages = [kept_orders.page(order, asked, size=4)]
    while pages[-1].more_after:
        pages.append(kept_orders.page(order, asked, after=pages[-1].rows[-1].unit, size=4))
    assert [row for page in pages for row in page.rows] == whole.rows
    assert not pages[0].more_before
    back = [pages[-1]]
    while back[-1].more_before:
        back.append(kept_orders.page(order, asked, before=back[-1].rows[0].unit, size=4))
    assert [row for page in reversed(back) for row in page.rows] == whole.rows


@pytest.mark.parametrize("sort", SORTS)
def test_filters_take_the_same_questions_out_of_a_kept_order(sort, chosen, study):
    unit = Unit.objects.get(
        question_set__system__name="Corvo", question_set__source__key="1", position=1
    )
    Attribute.objects.create(unit=unit, name="genre", value="news")
    brisa = System.objects.get(collection=study.collection, name="Brisa").pk
    first, second = (
        Enrollment.objects.filter(campaign=study).order_by("pk").values_list("label", flat=True)
    )
    order = kept(chosen(sort), study.created_by)
    wanted = [
        {"value": 2},
        {"attribute": "genre"},
        {"text": "WHO IS IT"},
        {"text": "100%"},
        {"text": "3", "value": 1},
    ]
    if sort != "loss":
        wanted += [{"system": brisa}, {"system": brisa, "text": "lock 3"}]
    if sort != "outlier":
        wanted += [{"annotator": second, "value": 3}, {"annotator": first}]
    for filters in wanted:
        asked = chosen(sort, **filters)
        expected = [row.unit for row in listing.page(asked, size=100).rows]
        assert [row.unit for row in kept_orders.page(order, asked, size=100).rows] == expected, (
            filters
        )
        page = kept_orders.page(order, asked, size=1)
        assert [row.unit for row in page.rows] == expected[:1], filters
        assert page.more_after == (len(expected) > 1), filters
        assert page.total is None  # to count them would mean to read the whole order


def test_neighbours_in_a_kept_order_have_their_place_in_the_whole_of_it(chosen, study):
    asked = chosen("gap")
    order = kept(asked, study.created_by)
    rows = listing.page(asked, size=100).rows
    beside = kept_orders.neighbours(order, asked, unit=rows[1].unit)
    assert (beside.before, beside.own, beside.after, beside.total) == (
        rows[0],
        rows[1],
        rows[2],
        18,
    )
    assert kept_orders.neighbours(order, asked, unit=rows[0].unit).before is None
    assert kept_orders.neighbours(order, asked, unit=0) == listing.Neighbours()
    narrow = chosen("gap", text="What?")  # all of Corvo's
    only = [row.unit for row in listing.page(narrow, size=100).rows]
    assert kept_orders.neighbours(order, narrow, unit=only[1]).after.unit == only[2]


def test_scatter_of_a_kept_gap_is_that_of_all_its_questions(chosen, study):
    order = kept(chosen("gap"), study.created_by)
    assert kept_orders.dots(order) == listing.scatter(chosen("gap"))
    assert not kept_orders.narrows(order, chosen("gap"))
    assert kept_orders.narrows(order, chosen("gap", text="lock"))


def test_one_order_is_kept_for_all_that_narrow_it_and_worked_out_once(chosen, study):
    order = kept(chosen("gap"), study.created_by)
    narrow = chosen("gap", annotator="A1", value=3, text="lock")
    assert question_orders.ask(chosen=narrow, address="/list", by=study.created_by) == (
        order,
        False,
    )
    other = chosen("gap", criterion=study.rubric.criteria.get(key="grammaticality"))
    assert question_orders.ask(chosen=other, address="/list", by=study.created_by)[1]


def test_a_kept_order_says_what_has_changed_since(chosen, study):
    order = kept(chosen("gap"), study.created_by)
    assert kept_orders.changed_since(order) == []
    second = Enrollment.objects.filter(campaign=study).order_by("-pk").first()
    studies.exclude(second, by=study.created_by)
    assert kept_orders.changed_since(order) == ["exclusions"]

    assert question_orders.ask_again(order=order, address="/list", by=study.created_by)
    # it is under way
    assert not question_orders.ask_again(order=order, address="/list", by=study.created_by)
    studies.sort_now(order)
    again = QuestionOrder.objects.get(pk=order.pk)
    assert kept_orders.changed_since(again) == []
    assert kept_orders.page(again, chosen("gap"), size=100) == listing.page(chosen("gap"), size=100)


def test_new_scores_and_erased_judgments_make_an_order_old(chosen, study):
    gap, score = kept(chosen("gap"), study.created_by), kept(chosen("score"), study.created_by)
    first = Score.objects.filter(metric=chosen("gap").metric).first()
    unit = first.unit
    first.delete()
    Score.objects.create(metric=chosen("gap").metric, unit=unit, value=0.5)
    assert (
        kept_orders.changed_since(score)
        == kept_orders.changed_since(gap)
        == ["scores of the metric"]
    )
    someone = Enrollment.objects.filter(campaign=study).order_by("pk").first()
    enrollments.erase(enrollment=someone, by=study.created_by, now=timezone.now())
    assert "judgments" in kept_orders.changed_since(gap)


def test_an_erased_annotators_outliers_go_with_them(chosen, study):
    order = kept(chosen("outlier"), study.created_by)
    enrollments.erase(enrollment=order.annotator, by=study.created_by, now=timezone.now())
    assert not QuestionOrder.objects.filter(pk=order.pk).exists()
    assert not OrderedQuestion.objects.filter(order_id=order.pk).exists()


def test_the_orders_worked_out_first_are_let_go_of(chosen, study, monkeypatch):
    monkeypatch.setattr(question_orders, "KEPT", 2)
    orders = [kept(chosen(sort), study.created_by) for sort in ("gap", "mean", "score")]
    held = QuestionOrder.objects.filter(collection=study.collection).values_list("pk", flat=True)
    assert sorted(held) == sorted(each.pk for each in orders[1:])


def test_an_order_that_nobody_waits_for_is_not_worked_out(chosen, study):
    order, _asked = question_orders.ask(chosen=chosen("mean"), address="/list", by=study.created_by)
    QuestionOrder.objects.all().delete()
    with pytest.raises(jobs.CannotDo, match="Nobody waits"):
        question_orders.execute(jobs.Work(order.job, worker="test"), now=timezone.now())


def test_only_large_collections_have_their_orders_kept(chosen, study, monkeypatch):
    assert not kept_orders.is_large(chosen("gap"))
    monkeypatch.setattr(kept_orders, "LARGE", 17)
    assert kept_orders.is_large(chosen("gap"))
    assert not kept_orders.is_large(chosen("file"))
    monkeypatch.setattr(kept_orders, "LARGE", 18)
    assert not kept_orders.is_large(chosen("gap"))


def test_standing_exclusions_alone_count(chosen, study):
    second = Enrollment.objects.filter(campaign=study).order_by("-pk").first()
    studies.exclude(second, by=study.created_by)
    order = kept(chosen("mean"), study.created_by)
    Exclusion.objects.update(lifted_at=timezone.now(), lifted_by=study.created_by)
    assert kept_orders.changed_since(order) == ["exclusions"]
