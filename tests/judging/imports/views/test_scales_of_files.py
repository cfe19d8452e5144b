"""Ratings on another scale than a protocol's: none is proposed, the file's own scale is offered, and
nothing goes to quarantine without a yes."""

import csv
import io
from collections.abc import Callable
from itertools import cycle

import krippendorff
import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from django.db.models import Avg

from judging.imports.actions import adding, proposals, reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.models import AddedFile, Collection, Judgment, Rubric
from judging.protocols import documents
from tests import factories, shared_data
from tests.judging.imports.views.test_preview import NOW, planned, words_of
from tests.judging.imports.views.test_roles import protocol
from tests.judging.views.importing import at, form_of, sent

pytestmark = [pytest.mark.long, pytest.mark.django_db]
SYSTEMS, RATERS = ("Alder", "Birch"), ("Ann", "Bob")
THREE = [(1, "no"), (2, "partly"), (3, "yes")]


def ratings(*, sources: int = 50, **criteria: Callable[[int], object]) -> bytes:
    """Return a table with a row for each rating of both raters; each criterion gives the value of
    a row by its number."""
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(["id", "passage", "system", "question", "annotator", *criteria])
    number = 0
    for source in range(sources):
        for system in SYSTEMS:
            for rater in RATERS:
                values = [value_of(number) for value_of in criteria.values()]
                text = f"What does {system} ask about town {source}?"
                rows.writerow([f"s{source}", f"Town {source}.", system, text, rater, *values])
                number += 1
    return written.getvalue().encode()


def on_three(number: int) -> int:
    return number % 3 + 1


def on_seven(number: int) -> int:
    return (1, 2, 3, 4, 5, 6, 7, 3)[number % 8]


def off_in(share: int, value: object = 5) -> Callable[[int], object]:
    """Return values from 1 to 3 of which this number in a hundred are another value; the first
    fifty rows have none."""
    return lambda number: value if number % 100 >= 100 - share else on_three(number)


def long(data: bytes) -> bytes:
    """Return the table with a row for each rating, named by its criterion."""
    written = io.StringIO()
    rows, read = csv.writer(written), csv.reader(io.StringIO(data.decode()))
    header = next(read)
    rows.writerow([*header[:5], "criterion", "value"])
    for row in read:
        rows.writerows([*row[:5], *pair] for pair in zip(header[5:], row[5:], strict=True))
    return written.getvalue().encode()


@pytest.fixture
def dataset() -> Collection:
    return adding.start(name="Towns", by=factories.researcher())


@pytest.fixture
def rubric() -> Rubric:
    return protocol(THREE, key="three", keys=("fluency", "relevance"))


def proposed_protocol(dataset: Collection, data: bytes) -> int | None:
    added = adding.upload(
        collection=dataset,
        name="ratings.csv",
        file=adding.storage.keep(data),
        by=dataset.owner,
    )
    head = reading_plans.read_head(name=added.name, data=data, plan=Plan())
    head = proposals.proposed(head, added=added)
    return proposals.protocol_of(added, head, Rubric.objects.all())


@pytest.mark.parametrize("shape", [bytes, long], ids=["wide", "long"])
@pytest.mark.parametrize(("share", "fits"), [(0, True), (4, True), (6, False), (40, False)])
def test_protocol_of_ratings_off_its_scale_is_proposed_up_to_five_percent(
    dataset, rubric, shape, share, fits
):
    data = shape(ratings(fluency=off_in(share), relevance=off_in(share)))

    assert (proposed_protocol(dataset, data) == rubric.pk) is fits


@pytest.mark.parametrize("shape", [bytes, long], ids=["wide", "long"])
def test_protocol_of_one_criterion_off_its_scale_is_not_proposed(dataset, rubric, shape):
    data = shape(ratings(fluency=on_three, relevance=off_in(8)))

    assert proposed_protocol(dataset, data) is None


@pytest.mark.parametrize("value", [2.5, -1, 0])
def test_protocol_of_values_that_are_no_points_is_not_proposed(dataset, rubric, value):
    data = ratings(fluency=on_three, relevance=off_in(10, value))

    assert proposed_protocol(dataset, data) is None


def test_protocol_is_proposed_although_a_rater_of_means_is_off_its_scale(dataset, rubric):
    data = ratings(fluency=on_three, relevance=on_three).decode()
    means = "".join(
        f"s{n},Town {n}.,Alder,What does Alder ask about town {n}?,mean,2.5,1.5\n"
        for n in range(50)
    )

    assert proposed_protocol(dataset, (data + means).encode()) == rubric.pk


def test_columns_page_ratings_on_another_scale_offers_the_files_own(page, rubric):
    upload = sent(page, ratings(fluency=on_seven, relevance=on_seven))

    shown = page.get(at("columns", upload))
    assert not shown.context["form"]["rubric"].value()
    assert "Fluency from 1 to 7" in words_of(shown.text)
    answer = page.post(at("columns", upload), form_of(shown) | {"own_scale": "yes"})
    assert answer.url == at("preview", upload)
    previewed = page.get(at("preview", upload))
    page.post(at("add", upload))

    assert not previewed.context["preview"]["surprises"]
    assert Judgment.objects.count() == 400
    assert not upload.collection.quarantine.exists()
    own = Rubric.objects.get(owner=upload.collection.owner)
    points = own.criteria.values_list("name", "points__value").order_by("position", "points__value")
    assert list(points) == [(name, n) for name in ("Fluency", "Relevance") for n in range(1, 8)]


@pytest.mark.parametrize(
    ("file", "scale", "means", "alphas"),
    [
        (
            "h4-1-to-7.csv",
            (1, 7),
            {"Alder": 4.275, "Birch": 3.225, "Cedar": 2.017},
            {"fluency": 0.742, "relevance": 0.756},
        ),
        ("n25-zero-based.csv", (0, 2), {}, {}),
    ],
)
def test_released_study_on_its_own_scale_keeps_every_rating(page, file, scale, means, alphas):
    data = shared_data.path(f"cases/31-scale-mostly-fits/{file}").read_bytes()
    for key in documents.shipped_keys():
        factories.rubric(key)
    upload = sent(page, data)

    shown = page.get(at("columns", upload))
    page.post(at("columns", upload), form_of(shown) | {"own_scale": "yes"})
    page.get(at("preview", upload))
    page.post(at("add", upload))

    assert not shown.context["form"]["rubric"].value()
    assert Judgment.objects.count() == 2 * (len(data.splitlines()) - 1)
    points = Rubric.objects.get(owner=upload.collection.owner).criteria.first().points
    values = points.values_list("value", flat=True)
    assert (min(values), max(values)) == scale
    for system, mean in means.items():
        judged = Judgment.objects.filter(
            criterion__key="fluency", unit__question_set__system__name=system
        )
        assert judged.aggregate(mean=Avg("value"))["mean"] == pytest.approx(mean, abs=0.0005)
    for key, alpha in alphas.items():
        rows = Judgment.objects.filter(criterion__key=key).values_list(
            "assignment__enrollment__label", "unit", "value"
        )
        table = pd.DataFrame(rows, columns=["rater", "unit", "value"])
        values = table.pivot(index="rater", columns="unit", values="value").to_numpy()
        found = krippendorff.alpha(values, level_of_measurement="ordinal")
        assert found == pytest.approx(alpha, abs=0.0005)


@pytest.mark.parametrize(
    ("values", "scale"),
    [((0, 1, 2), "0 to 2"), ((-2, -1, 0, 1, 2), "-2 to 2"), (range(0, 101, 5), "0 to 100")],
)
def test_columns_page_own_scale_has_every_whole_number_between_the_ends(page, values, scale):
    given = cycle(values)
    upload = sent(page, ratings(fluency=lambda number: next(given)))

    shown = page.get(at("columns", upload))
    page.post(at("columns", upload), form_of(shown) | {"own_scale": "yes"})
    page.get(at("preview", upload))
    page.post(at("add", upload))

    assert f"Fluency from {scale}" in words_of(shown.text)
    points = Rubric.objects.get().criteria.get().points.values_list("value", flat=True)
    assert sorted(points) == list(range(min(values), max(values) + 1))
    assert Judgment.objects.count() == 200


def test_columns_page_same_scale_twice_makes_one_protocol(page, rubric):
    for name in ("first.csv", "second.csv"):
        upload = sent(page, ratings(fluency=on_seven), name)
        form = form_of(page.get(at("columns", upload))) | {"own_scale": "yes"}
        page.post(at("columns", upload), form)

    assert Rubric.objects.filter(owner=upload.collection.owner).count() == 1
    assert AddedFile.objects.get(pk=upload.pk).rubric.owner == upload.collection.owner


def test_columns_page_words_or_decimals_offer_no_scale(page, rubric):
    upload = sent(page, ratings(fluency=lambda number: number % 7 + 0.5, relevance=on_seven))

    shown = page.get(at("columns", upload))
    answer = page.post(at("columns", upload), form_of(shown) | {"own_scale": "yes"})

    assert 'name="own_scale"' not in shown.text
    assert answer.status_code == 422
    assert not Rubric.objects.exclude(owner=None).exists()


def test_columns_page_ratings_that_fit_offer_no_other_scale(page, rubric):
    upload = sent(page, ratings(fluency=on_three, relevance=on_three))

    shown = page.get(at("columns", upload))

    assert shown.context["form"]["rubric"].value() == rubric.pk
    assert 'name="own_scale"' not in shown.text


def test_file_page_quarantine_of_more_than_one_percent_needs_a_yes(page, rubric):
    upload = sent(page, ratings(fluency=on_seven, relevance=on_three))
    form = form_of(page.get(at("columns", upload))) | {"rubric": rubric.pk}
    page.post(at("columns", upload), form)

    shown = page.get(at("preview", upload))
    refused = page.post(at("add", upload), follow=True)
    before = Judgment.objects.count()
    page.post(at("add", upload), {"accepted": "on"})

    assert "100 of the 400 ratings (25%) go to quarantine" in words_of(shown.text)
    assert "tick that you want to add the file" in refused.text
    assert (before, Judgment.objects.count()) == (0, 300)


@pytest.mark.parametrize(("off", "asks"), [(1, False), (2, True)])
def test_add_one_percent_of_the_ratings_in_quarantine_needs_no_yes(dataset, rubric, off, asks):
    added = planned(dataset, ratings(fluency=off_in(off), relevance=off_in(off)), rubric=rubric)

    assert bool(adding.unaccepted(added)) is False  # not previewed
    if asks:
        with pytest.raises(adding.Surprising):
            adding.add(added=added, by=dataset.owner, now=NOW)
        assert not Judgment.objects.exists()
    adding.add(added=added, by=dataset.owner, now=NOW, accept_surprises=asks)

    assert Judgment.objects.count() == 400 - 4 * off


def test_add_one_criterion_in_quarantine_needs_a_yes_beside_others(dataset):
    names = ("fluency", "relevance", "clarity", "variety", "syntax", "difficulty")
    rubric = protocol(THREE, key="six", keys=names)
    others = dict.fromkeys(names[1:], on_three)
    added = planned(dataset, ratings(fluency=off_in(4), **others), rubric=rubric)

    with pytest.raises(adding.Surprising, match="Fluency"):
        adding.add(added=added, by=dataset.owner, now=NOW)


def test_add_rows_that_cannot_be_read_are_ratings_in_quarantine(dataset, rubric):
    data = ratings(fluency=on_three, relevance=on_three).decode().splitlines()
    broken = [
        line.replace("Alder,", ",", 1) if n in (5, 9, 13) else line for n, line in enumerate(data)
    ]
    added = planned(dataset, "\n".join(broken).encode(), rubric=rubric)

    with pytest.raises(adding.Surprising, match="6 of the 400 ratings"):
        adding.add(added=added, by=dataset.owner, now=NOW)


def test_import_study_quarantine_of_more_than_one_percent_needs_accept(
    dataset, rubric, tmp_path, capsys
):
    file = tmp_path / "ratings.csv"
    file.write_bytes(ratings(fluency=on_seven, relevance=on_three))
    said = {"name": "Towns", "owner": dataset.owner.username, "rubric": rubric.key}

    with pytest.raises(CommandError, match=r"100 of the 400 ratings \(25%\)[\s\S]*--accept"):
        call_command("import_study", str(file), **said)
    before = Judgment.objects.count()
    with pytest.raises(SystemExit) as left:
        call_command("import_study", str(file), **said, accept=True)

    assert (before, Judgment.objects.count(), left.value.code) == (0, 300, 3)
