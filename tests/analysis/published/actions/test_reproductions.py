"""A crowd study from its raw batches: what is computed is what the generated answers give by
hand."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import mean

import pytest
from django.core.management import CommandError, call_command

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.added_file import AddedFile
from judging.work.models.judgment import Judgment
from tests import factories, shared_data
from tests.analysis.golden.inference import dependent
from tests.judging.imports.crowd import CRITERIA, METRICS, SYSTEMS, Crowd

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def administrator():
    return factories.user(is_superuser=True)


def ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            found[order[place]] = (start + end) / 2
        start = end + 1
    return found


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    x, y = ranks(first), ranks(second)
    mx, my = mean(x), mean(y)
    xy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return xy / (sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)) ** 0.5


def fleiss(units: Sequence[Sequence[int]]) -> float:
    n = len(units[0])
    counts = [Counter(unit) for unit in units]
    observed = mean(sum(c * (c - 1) for c in each.values()) / (n * (n - 1)) for each in counts)
    shares = [sum(each[value] for each in counts) / (n * len(units)) for value in (1, 2, 3)]
    expected = sum(share**2 for share in shares)
    return (observed - expected) / (1 - expected)


def values_of(crowd: Crowd, criterion: str) -> dict[tuple[str, str], list[int]]:
    found = defaultdict(list)
    for (passage, system, _worker, about), value in crowd.ratings.items():
        if about == criterion:
            found[passage, system].append(value)
    return found


def written(folder, crowd, *, scores=True):
    files = []
    for number, batch in enumerate(crowd.batches):
        files.append(folder / f"batch_{number}.csv")
        files[-1].write_text(batch, newline="")
    table = folder / "metrics.csv"
    table.write_text(crowd.metrics())
    return [*map(str, files), *([str(table)] if scores else [])]


@pytest.mark.parametrize(
    "letters",
    [
        pytest.param({}, marks=pytest.mark.long),
        pytest.param({"shuffled": True}, marks=pytest.mark.long),
        {"shuffled": True, "by_row": True},
    ],
)
def test_batches_with_a_table_of_metrics_are_one_campaign_computed_as_by_hand(
    tmp_path, capsys, letters
):
    crowd = Crowd(**letters)

    call_command("reproduce", "qgbench", *written(tmp_path, crowd), "--json")

    out = json.loads(capsys.readouterr().out)
    computed = out["computed"]
    human = {criterion: values_of(crowd, criterion) for criterion in CRITERIA}
    for criterion in CRITERIA:
        units = list(human[criterion].values())
        assert computed["agreement"][criterion]["fleiss_kappa"] == pytest.approx(
            fleiss(units), rel=1e-11, abs=1e-12
        )
        for system in SYSTEMS:
            by_hand = mean(mean(each) for (_, of), each in human[criterion].items() if of == system)
            assert computed["system_mean"][system][criterion] == pytest.approx(
                by_hand, rel=1e-11, abs=1e-12
            )
    keys = list(crowd.scores)
    means = {criterion: [mean(human[criterion][key]) for key in keys] for criterion in CRITERIA}
    scores = {metric: [crowd.scores[key][metric] for key in keys] for metric in METRICS}
    for criterion in CRITERIA:
        for metric in METRICS:
            by_hand = spearman(means[criterion], scores[metric])
            assert computed["spearman"][criterion][metric] == pytest.approx(
                by_hand, rel=1e-11, abs=1e-12
            )
    assert computed["spearman_metrics"]["Bleu_4"]["METEOR"] == pytest.approx(
        spearman(scores["Bleu_4"], scores["METEOR"]), rel=1e-11, abs=1e-12
    )
    pairs = {
        frozenset((a, b)): r
        for a, row in computed["spearman_criteria"].items()
        for b, r in row.items()
    }
    assert len(pairs) == 3
    assert pairs[frozenset(("correctness", "grammaticality"))] == pytest.approx(
        spearman(means["correctness"], means["grammaticality"]), rel=1e-11, abs=1e-12
    )
    p = [computed[f"williams_p_{sides}"]["correctness"] for sides in ("two_sided", "one_sided")]
    assert [set(each["Bleu_4"]) for each in p] == [{"METEOR", "ROUGE_L"}] * 2
    people, first, other = (
        means["correctness"],
        *(scores[name] for name in ("Bleu_4", "METEOR")),
    )
    r = sorted((spearman(people, first), spearman(people, other)), reverse=True)
    by_hand = dependent(*r, spearman(first, other), len(people))
    assert [each["Bleu_4"]["METEOR"] for each in p] == pytest.approx(
        [by_hand["p_williams"], by_hand["p_williams_one_sided"]], rel=1e-9
    )
    assert out["published"] == {}  # these are not the published data
    assert len(out["files"]) == 7
    assert Judgment.objects.count() == len(crowd.ratings)


def test_reproduce_with_metrics_prints_both_sides_of_williams_test(tmp_path, capsys):
    call_command("reproduce", "qgbench", *written(tmp_path, Crowd(batches=2, hits=1)))

    p = {"two_sided": {}, "one_sided": {}}
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("williams_p_"):
            name, *of = line.split()[:-2]
            p[name.removeprefix("williams_p_")][*of] = line.split()[-1]
    two, one = p.values()
    assert set(two) == set(one)
    shown = [of for of, value in two.items() if not {value, one[of]} & {"<0.0001", "–"}]
    assert shown
    for of in shown:
        assert float(one[of]) == pytest.approx(float(two[of]) / 2, abs=8e-5)


def test_the_same_files_are_assembled_once(tmp_path, capsys):
    arguments = written(tmp_path, Crowd(batches=2, hits=1))

    for _ in range(2):
        call_command("reproduce", "qgbench", *arguments)

    assert Campaign.objects.count() == 1
    assert AddedFile.objects.count() == 3
    assert "about other data than these" in capsys.readouterr().out


def test_batches_without_a_table_go_by_letters(tmp_path, capsys):
    crowd = Crowd(batches=2, hits=1)

    call_command("reproduce", "qgbench", *written(tmp_path, crowd, scores=False), "--json")

    computed = json.loads(capsys.readouterr().out)["computed"]
    assert set(computed["system_mean"]) == set("abcdef")
    assert computed["spearman"] == {}
    assert computed["agreement"]["correctness"]["fleiss_kappa"] == pytest.approx(
        fleiss(list(values_of(crowd, "correctness").values())), rel=1e-11, abs=1e-12
    )


def test_nothing_is_kept_where_one_file_cannot_be_read(tmp_path):
    arguments = written(tmp_path, Crowd(batches=1, hits=1))
    (tmp_path / "batch_0.csv").write_text("nothing of it\nis a batch\n")

    with pytest.raises(CommandError):
        call_command("reproduce", "qgbench", *arguments)

    assert not Campaign.objects.exists()
    assert not AddedFile.objects.exists()


def test_published_numbers_stay_with_their_own_file(tmp_path, capsys):
    text = shared_data.path("qgstec2010/EvaluatedSubmissions.xml").read_text(encoding="utf-8")
    file = tmp_path / "other.xml"
    file.write_text(text.replace("</dataset>", "\n</dataset>"), encoding="utf-8")

    call_command("reproduce", "qgstec2010", str(file), "--json")

    assert json.loads(capsys.readouterr().out)["published"] == {}
