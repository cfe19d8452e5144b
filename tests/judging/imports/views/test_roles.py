"""The columns page says why a column is proposed as what it is, and asks where that is open."""

import statistics
from dataclasses import replace

import krippendorff
import pytest

from judging.actions import rubrics
from judging.models import Enrollment, Judgment
from judging.protocols.rubric_schema import CriterionPoint
from tests import factories
from tests.judging.imports.accepting import table
from tests.judging.imports.readers.test_derived import given, long, named
from tests.judging.views.importing import at, confirmed, form_of, mapped, sent, use

pytestmark = pytest.mark.django_db
POINTS = [(1, "Bad"), (2, ""), (3, "Fair"), (4, ""), (5, "Good")]


def protocol(points=POINTS, best="highest", key="quills"):
    """Return a protocol of one criterion, fluency."""
    small = factories.small()
    criterion = replace(
        small.criteria[0],
        key="fluency",
        name="Fluency",
        best=best,
        points=tuple(CriterionPoint(value, label) for value, label in points),
    )
    document = replace(small, key=key, criteria=(criterion,))
    return rubrics.install(document=document)


@pytest.fixture
def rubric():
    return protocol()


def stored():
    """Return the stored values of each annotator."""
    found: dict[str, list[int]] = {}
    judgments = Judgment.objects.order_by("unit__question_set__source__position")
    for label, value in judgments.values_list("assignment__enrollment__label", "value"):
        found.setdefault(label, []).append(value)
    return found


def test_a_derived_column_is_excluded_and_the_page_says_why(page, rubric):
    annotators = given(2)
    means = [statistics.fmean(values) for values in zip(*annotators, strict=True)]
    upload = sent(page, table({**named(annotators), "fluency_avg": means}))

    shown = page.get(at("columns", upload))
    assert mapped(page, upload).url == at("preview", upload)
    page.get(at("preview", upload))
    confirmed(page, upload)

    sentence = (
        "“fluency_avg” is the mean of “fluency_A” and “fluency_B” in 80 of 80 rows: excluded."
    )
    assert sentence in shown.text
    assert set(Enrollment.objects.values_list("label", flat=True)) == {"A", "B"}
    alpha = krippendorff.alpha(list(stored().values()), level_of_measurement="ordinal")
    assert alpha == pytest.approx(krippendorff.alpha(annotators, level_of_measurement="ordinal"))


def test_an_adjudicated_column_is_taken_or_excluded_by_the_user(page, rubric):
    first, second, third = given()
    data = table({**named([first, second]), "fluency_final": third})
    upload, header = sent(page, data), data.decode().partition("\n")[0]

    refused = mapped(page, upload)
    assert refused.status_code == 422
    assert "Say whether it holds the ratings of an annotator, or exclude it." in refused.text
    form = form_of(page.get(at("columns", upload)))
    excluded = page.post(at("columns", upload), use(form, header, "fluency_final", use=""))

    assert excluded.url == at("preview", upload)
    assert page.get(at("preview", upload)).context["study"]["raters"] == 2


def test_a_rater_who_may_be_no_annotator_is_asked_about(page, rubric):
    first, second, third = given()
    data = long({"Anna": first, "Ben": second, "gold": third}).replace(b"clarity", b"fluency")
    upload = sent(page, data, "ratings.jsonl")

    refused = mapped(page, upload)
    assert refused.status_code == 422
    assert "Say whether this is an annotator, or exclude the rater." in refused.text
    assert mapped(page, upload, rater_0="annotator").url == at("preview", upload)
    assert page.get(at("preview", upload)).context["study"]["raters"] == 3
    assert page.get(at("columns", upload)).context["form"]["rater_0"].value() == "annotator"
    mapped(page, upload, rater_0="exclude")

    assert page.get(at("preview", upload)).context["study"]["raters"] == 2
