"""Whether a protocol fits the dataset, and how much judging it comes to."""

import pytest

from judging.campaigns.actions import fit
from judging.datasets.models.dataset import Source
from judging.protocols import documents
from tests import factories

pytestmark = pytest.mark.django_db


def misfits(key, dataset):
    return fit.misfits(documents.shipped(key), fit.count_contents(dataset))


def test_facts_count_what_is_judged():
    dataset = factories.dataset(sources=3, systems=("Alba", "Brisa"), expected=2)
    found = fit.count_contents(dataset)
    assert (found.sources, found.sets, found.systems, found.questions, found.expected) == (
        3,
        6,
        2,
        12,
        2,
    )
    assert (found.passages, found.sentences, found.answers, found.target_types) == (3, 3, 3, 0)


def test_pairs_about_sentences_do_not_fit_single_questions_about_passages():
    dataset = factories.dataset(sources=3)
    Source.objects.update(sentence="")
    assert len(misfits("qgstec2010-b", dataset)) == 3  # the type, the sentence, the set


def test_single_questions_about_passages_fit_what_judges_those():
    assert misfits("nema-khapra", factories.dataset()) == []
    dataset = factories.dataset()
    Source.objects.update(answer="the mill")
    assert misfits("qgbench", dataset) == []


def test_sets_of_six_do_not_fit_pairs_nor_single_questions():
    pairs = factories.dataset(expected=2)
    assert len(misfits("qgstec2010-a", pairs)) == 1
    Source.objects.update(answer="the mill")
    assert len(misfits("qgbench", pairs)) == 1


@pytest.mark.parametrize(
    ("key", "tasks", "seconds"),
    [("qgbench", 3, 3 * 2 * 150), ("qgstec2010-b", 6, 6 * 2 * 90), ("nema-khapra", 1, 1 * 2 * 120)],
)
def test_effort_counts_tasks_as_the_protocol_cuts_them(key, tasks, seconds):
    """Three sources, two systems: three pages of a source, six of a set, one page of ten single
    questions."""
    found = fit.effort(
        documents.shipped(key), fit.count_contents(factories.dataset(sources=3)), annotators=2
    )
    assert (found.tasks, found.seconds) == (tasks, seconds)


def test_best_fit_comes_first():
    dataset = factories.dataset()
    ours = [factories.protocol(key) for key in ("qgstec2010-b", "nema-khapra")]
    found = fit.order_by_fit(type(ours[0]).objects.order_by("title"), fit.count_contents(dataset))
    assert [(protocol.key, len(reasons)) for protocol, reasons in found] == [
        ("nema-khapra", 0),
        ("qgstec2010-b", 2),
    ]
