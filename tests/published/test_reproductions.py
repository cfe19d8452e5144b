"""Released files come out again as published, or differ for a reason that is said."""

import csv
import json
import re

import pytest
from django.core.management import CommandError, call_command

from analysis import frames
from analysis.published.actions.published import STUDIES
from analysis.reports.numerals import format_list
from judging.campaigns.models.campaign import Campaign
from judging.work.models.judgment import Judgment
from tests import factories, shared_data

pytestmark = pytest.mark.django_db
XML, TSV = "qgstec2010/EvaluatedSubmissions.xml", "nema2018/squad.tsv"


@pytest.fixture(autouse=True)
def administrator():
    return factories.user(is_superuser=True)


def reproduced(study, file, capsys):
    call_command("reproduce", study, str(file), "--json")
    return json.loads(capsys.readouterr().out)


def printed(study, file, capsys):
    call_command("reproduce", study, str(file))
    return capsys.readouterr().out


@pytest.mark.long
def test_qgstec_2010_is_imported_once_and_comes_out_as_published_or_says_why_not(capsys):
    out = reproduced("qgstec2010", shared_data.path(XML), capsys)
    computed = out["computed"]
    alphas = {
        criterion: round(row["krippendorff_alpha_interval"], 4)
        for criterion, row in computed["agreement"].items()
    }
    assert alphas == {
        "relevance": 0.2510,
        "questionType": 0.3196,
        "correctness": 0.4060,
        "ambiguity": 0.3338,
        "variety": 0.3460,
    }
    assert computed["aggregate"] == {
        "by_protocol": {"a": 3461.5, "b": 4411.0, "c": 4471.5, "d": 4714.0},
        "as_released": {"a": 3347.0, "b": 4390.5, "c": 4418.0, "d": 4714.0},
    }
    assert computed["sums"]["by_protocol"]["b"] == {
        "relevance": 973.5,
        "questionType": 564.0,
        "correctness": 1068.0,
        "ambiguity": 800.0,
        "variety": 949.5,
        "total": 4355.0,
    }
    assert computed["sums"]["as_released"]["c"]["variety"] == 842.5
    assert {form: row["c"] for form, row in computed["fatal_rule"]["by_protocol"].items()} == {
        "per_rating_all_remaining": 4471.5,
        "per_rating_named": 4425.0,
        "on_means_all_remaining": 4357.0,
        "on_means_named": 4347.0,
    }
    assert {
        system: round(row["questionType"], 2) for system, row in computed["mean_returned"].items()
    } == {
        "a": 1.13,
        "b": 1.05,  # 1.0545; published as 1.06
        "c": 1.12,  # published as 1.19, with a 31 on a scale of two
        "d": 1.05,
    }
    assert set(out) == {"study", "file_sha256", "published", "computed"}
    assert within(out["published"], computed)

    again = printed("qgstec2010", shared_data.path(XML), capsys)

    assert Campaign.objects.get().state == "closed"
    assert all(said in again for said in ("3 values in quarantine", "corrections"))
    assert all(said in again for said in ("Godwin", "1.19"))
    assert "another file" not in again


def within(published, computed):
    """Say whether what is published stands under the keys of what is computed."""
    return all(
        key in computed and (not isinstance(value, dict) or within(value, computed[key]))
        for key, value in published.items()
    )


def test_nema_and_khapra_2018_squad(capsys):
    computed = reproduced("nema2018", shared_data.path(TSV), capsys)["computed"]["agreement"][
        "answerability"
    ]
    names = (
        "cohen_kappa_unweighted",
        "cohen_kappa_linear",
        "cohen_kappa_quadratic",
        "pearson",
        "spearman",
    )
    assert [round(computed[name], 4) for name in names] == [0.6108, 0.7236, 0.8218, 0.8238, 0.7957]
    assert "897" in printed("nema2018", shared_data.path(TSV), capsys)


NEMA = "Gold Question\tModified Question\tAnswerability Score User 1\tAnswerability Score User 2\n"
SAID = "".join(f"Who ran mill {n}?\tWho mill {n}?\t{n % 5 + 1}\t{n % 4 + 1}\n" for n in range(8))


@pytest.mark.parametrize(
    "head",
    [
        NEMA,
        NEMA.replace("Answerability Score User", "User Score"),
        "Original Question\tNoisy Question\trater_1\trater_2\n",
    ],
)
def test_another_table_of_nema_and_khapra_is_taken_whatever_its_raters_are_called(
    tmp_path, capsys, head
):
    file = tmp_path / "released_movies.txt"
    file.write_text(head + SAID)

    out = reproduced("nema2018", file, capsys)

    assert out["published"] == {}
    assert out["computed"]["agreement"]["answerability"]["percent_agreement"] == 0.5
    assert Judgment.objects.count() == 16


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (0, "The table has no column “Gold Question”."),
        (1, "The table has no column “Modified Question”."),
        (3, "The table has no column “Answerability Score User 2”."),
    ],
)
def test_a_table_that_is_none_of_nema_and_khapra_says_what_is_missing(tmp_path, gone, said):
    rows = [line.split("\t") for line in (NEMA + SAID).splitlines()]
    file = tmp_path / "squad.tsv"
    file.write_text("\n".join("\t".join(row[:gone] + row[gone + 1 :]) for row in rows))

    with pytest.raises(CommandError) as refused:
        call_command("reproduce", "nema2018", str(file))

    assert said in str(refused.value)
    there = format_list(rows[0][:gone] + rows[0][gone + 1 :])
    assert f"Its columns are: {there}." in str(refused.value)
    assert not Campaign.objects.exists()


@pytest.mark.long
def test_another_file_of_the_format_with_more_raters_and_attributes_turned_round(tmp_path, capsys):
    text = shared_data.path(XML).read_text(encoding="utf-8")
    turned = re.sub(
        r'<rating rater="(\w+)"([^/]*)/>',
        r'<rating \2 rater="\1"/><rating \2 rater="\1 again"/>',
        text,
    )
    file = tmp_path / "turned.xml"
    file.write_text(turned, encoding="utf-8")
    computed = reproduced("qgstec2010", file, capsys)["computed"]
    assert Judgment.objects.values("assignment__enrollment").distinct().count() == 12
    assert computed["aggregate"]["by_protocol"]["a"] == 3461.5
    assert computed["agreement"]["relevance"]["krippendorff_alpha_interval"] > 0.4


@pytest.mark.parametrize("content", [b"", b"<dataset></dataset>", b"not xml at all"])
def test_a_file_without_ratings_ends_in_a_sentence(tmp_path, content):
    file = tmp_path / "bad.xml"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=r"bad\.xml: .+"):
        call_command("reproduce", "qgstec2010", str(file))


def test_a_missing_file_ends_in_a_sentence():
    with pytest.raises(CommandError, match=r"nowhere\.xml: No such file"):
        call_command("reproduce", "qgstec2010", "nowhere.xml")


def test_qgbench_scores_come_out_to_the_last_digit(capsys):
    computed = reproduced("qgbench", shared_data.path("qgbench/sample_300.csv"), capsys)["computed"]
    assert {name: row["within_1e-6"] for name, row in computed["metrics"].items()} == {
        "Bleu_4": 1.0,
        "ROUGE_L": 1.0,
    }
    assert computed["agreement"] == {}
    assert round(computed["system_mean"]["LSTM"]["correctness"], 3) == 1.224
    assert Campaign.objects.get().state == "closed"
    assert Judgment.objects.count() == 0


def test_qgbench_crowd_work_is_imported_to_its_judgments_by_two_annotators(capsys):
    computed = reproduced("qgbench", shared_data.path("qgbench/mturk_batch_sample.csv"), capsys)[
        "computed"
    ]
    assert Judgment.objects.count() == 5 * 6 * 3 * 2
    assert Judgment.objects.values("assignment__enrollment").distinct().count() == 2
    assert round(computed["agreement"]["correctness"]["percent_agreement"], 4) == 0.6667


PART, BATCH = "qgbench/raw/final_result_part.csv", "qgbench/raw/batch_part.csv"
NO_AGREEMENT = "no agreement can be computed"
OTHER_DATA = "about other data than these"


def test_reproduce_qgbench_part_blank_slots_do_not_count(capsys):
    """The witness is the file: each of its rows has released scores, and all of them come out."""
    file = shared_data.path(PART)
    rows = list(csv.DictReader(file.open(encoding="utf-8")))
    assert all(row["prediction"] and row["Bleu_4"] and row["ROUGE_L"] for row in rows)

    computed = reproduced("qgbench", file, capsys)["computed"]

    questions = frames.read_campaign(Campaign.objects.get()).questions
    assert (len(rows), questions["text"].notna().sum()) == (580, 580)
    assert len(questions) > len(rows), "no slot is blank"
    assert {name: row["within_1e-6"] for name, row in computed["metrics"].items()} == {
        "Bleu_4": 1.0,
        "ROUGE_L": 1.0,
    }


def test_reproduce_qgbench_table_of_means_says_that_there_is_no_agreement(capsys):
    said = printed("qgbench", shared_data.path(PART), capsys)

    assert "agreement / " not in said
    assert NO_AGREEMENT in said
    assert "these have 580" in said
    assert "Table 6" not in said, "no published value is printed"
    assert "letters" not in said


def test_reproduce_qgbench_crowd_work_does_not_say_that_there_is_no_agreement(capsys):
    said = printed("qgbench", shared_data.path(BATCH), capsys)

    assert "agreement / correctness / fleiss_kappa" in said
    assert NO_AGREEMENT not in said
    assert "these have 600" in said
    assert "letters" in said


def test_reproduce_qgbench_table_of_3000_questions_with_blank_slots_has_the_published_numbers(
    tmp_path, capsys
):
    [means] = (each for each in STUDIES["qgbench"].printed if each.number == "system_mean")
    systems = list(means.rows)
    names = ["correctness", "grammaticality", "understandability", "prediction", "Bleu_4"]
    file = tmp_path / "final_result.csv"
    with file.open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow([*names, "paragraph_raw", "answer_raw", "model"])
        for place in range(600):
            for system in systems[: place % 6] + systems[place % 6 + 1 :]:
                means = (1 + place % 9 / 4, 2.5, 2.75)
                asked = f"What did {system} ask of mill {place}?"
                passage = f"Mill {place} was sold in {1800 + place}."
                table.writerow([*means, asked, place / 600, passage, 1800 + place, system])

    said = printed("qgbench", file, capsys)

    assert len(frames.read_campaign(Campaign.objects.get()).questions) == 3600
    assert OTHER_DATA not in said
    assert re.search(r"system_mean / LSTM / correctness +1\.21 ", said)
    assert "Table 6" in said
    assert "agreement rests on" not in said
    assert NO_AGREEMENT in said


def test_reproduce_other_data_of_a_study_gets_no_note_about_the_released_file(tmp_path, capsys):
    text = shared_data.path(XML).read_text(encoding="utf-8")
    xml, tsv = tmp_path / "other.xml", tmp_path / "other.tsv"
    xml.write_text(text.replace("</dataset>", "\n</dataset>"), encoding="utf-8")
    tsv.write_text(NEMA + SAID)

    other_qgstec, other_nema = printed("qgstec2010", xml, capsys), printed("nema2018", tsv, capsys)

    assert ("Godwin" in other_qgstec, "1.19" in other_qgstec, "897" in other_nema) == (False,) * 3
