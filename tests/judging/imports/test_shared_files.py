"""Every file of the shared data folder is read right with all proposals accepted unchanged.

The right results are those of the folder's READMEs; where these name none, they follow from the
file itself.
"""

import pytest

from judging.formats import pipeline
from judging.formats.frames import Unreadable
from judging.formats.mapping import Mapping
from tests import shared_data

# file, then sources, systems, questions, annotators, ratings, criteria and columns of scores
COUNTS = """
cases/01-derived-column-as-annotator/82.csv 4 2 8 2 16 1 0
cases/01-derived-column-as-annotator/82a.csv 4 2 8 2 16 1 0
cases/01-derived-column-as-annotator/82p.csv 10 2 20 2 40 1 0
cases/01-derived-column-as-annotator/harm_with.csv 40 2 80 2 160 1 0
cases/01-derived-column-as-annotator/harm_without.csv 40 2 80 2 160 1 0
cases/02-list-in-a-cell/22.csv 4 2 8 2 16 1 1
cases/02-list-in-a-cell/61.csv 4 1 8 0 0 0 0
cases/02-list-in-a-cell/62.csv 4 2 8 2 16 1 1
cases/02-list-in-a-cell/63.csv 4 2 8 2 16 1 1
cases/03-repeated-names-pandas-suffix/68.csv 4 2 8 2 32 2 0
cases/03-repeated-names-pandas-suffix/68c.csv 10 2 20 3 60 1 0
cases/04-summary-row/64.csv 4 2 8 2 16 1 0
cases/04-summary-row/64f.csv 4 2 8 2 16 1 0
cases/05-argilla/33.json 4 2 8 2 16 1 0
cases/05-argilla/33c.jsonl 4 2 8 2 16 1 0
cases/06-prodigy/34.jsonl 4 2 8 2 15 1 0
cases/06-prodigy/34b.jsonl 10 2 20 2 40 1 0
cases/07-json-keyed-by-id-or-column/13.json 4 2 8 2 16 1 1
cases/07-json-keyed-by-id-or-column/75b.json 24 1 24 0 0 0 0
cases/07-json-keyed-by-id-or-column/76.json 12 2 24 0 0 0 0
cases/08-nan-as-a-question/18.jsonl 4 2 8 2 15 1 1
cases/08-nan-as-a-question/71.csv 4 2 4 0 0 0 0
cases/09-hf-squad-answers-in-a-cell/60.csv 12 2 24 0 0 0 0
cases/10-parquet-arrow-ods-spss-stata/01.parquet 4 2 8 2 16 1 1
cases/10-parquet-arrow-ods-spss-stata/05.ods 4 2 8 2 16 1 1
cases/12-words-for-points/25.csv 4 2 8 2 16 1 0
cases/12-words-for-points/26.csv 4 2 8 2 16 1 0
cases/13-mixed-languages/96.csv 6 2 12 0 0 0 0
cases/13-mixed-languages/tricky.csv 6 2 12 0 0 0 1
cases/14-slider-ratings-as-metric/66.csv 4 2 8 2 16 1 1
cases/15-several-questions-in-a-cell/35.jsonl 4 1 8 0 0 0 0
cases/15-several-questions-in-a-cell/36.csv 4 1 4 0 0 0 0
cases/16-sheets-as-criteria-or-raters/85.xlsx 8 1 8 2 16 1 0
cases/19-percent-cells/41.csv 4 2 8 2 16 1 1
cases/22-concatenated-json/19.jsonl 4 2 8 2 16 1 1
cases/31-scale-mostly-fits/h4-1-to-7.csv 60 3 180 2 720 2 0
cases/31-scale-mostly-fits/n25-zero-based.csv 8 3 24 2 96 2 0
cases/32-people-column-not-recognised/m01-00-participant.csv 4 3 12 3 72 2 0
cases/33-blank-below-merged/n21c-blank-below.csv 8 3 24 2 48 1 0
cases/34-means-taken-as-ratings/g6-averages-like-qgeval.xlsx 100 15 1500 0 0 0 7
cases/35-two-lists-beside-one-another/m02-two-lists.jsonl 8 3 24 5 120 1 0
cases/36-rater-and-system-spellings/m06-rater-case.csv 8 3 24 2 48 1 0
cases/37-wide-scores-dropped/g3-refq-genq-scores.tsv 8 1 24 0 0 0 4
cases/38-target-is-reference/m09-target-column.csv 8 3 24 2 48 1 0
cases/39-status-and-check-rows/n17c-attention-check.csv 8 3 24 2 48 1 0
cases/40-ranks-as-positions/m07c-ranks-long.csv 8 3 24 2 48 1 0
cases/42-numbers-as-names/n13b-annotator-columns-1-2-3.csv 8 3 24 3 72 1 0
cases/43-words-in-lists/m03-word-lists.jsonl 8 3 24 2 48 1 0
cases/44-delimiters/m10-pipe.csv 8 3 24 2 48 1 0
cases/45-escaped-text/n40-html-entities.csv 8 3 24 2 48 1 0
cases/45-escaped-text/n40b-mojibake.csv 8 3 24 2 48 1 0
cases/46-derived-and-note-rows/m11-kappa-row.csv 8 3 24 2 48 1 0
cases/46-derived-and-note-rows/m15-n-raters.csv 8 3 24 2 48 1 0
cases/47-nested-releases/n11-by-id-and-system.json 8 3 24 5 120 1 0
cases/48-thousands/n49b-thousands.csv 8 3 24 2 48 1 2
cases/49-rounds-in-names/n48b-rounds-in-names.csv 8 3 24 2 96 1 0
cases/50-row-ids/j-csv.csv 8 3 24 3 144 2 0
cases/50-row-ids/k1-row-id.csv 8 3 24 3 144 2 0
cases/51-ids-of-units/k5-item-id.csv 8 3 24 3 72 1 0
genuine/nema_vqa.tsv 99 1 100 2 200 1 0
genuine/nema_wikimovies.tsv 97 1 100 2 200 1 0
genuine/qgstec_plus_table.csv 24 4 120 3 1800 5 0
genuine/qsts_average_scores.tsv 40 1 40 0 0 0 4
genuine/summary_qg_annotations.csv 76 3 80 3 240 1 0
nema2018/squad.tsv 881 1 897 2 1794 1 0
qgbench/mturk_batch_sample.csv 5 6 30 2 180 3 0
qgbench/raw/batch_part.csv 100 6 600 7 5400 3 0
qgbench/raw/final_result_part.csv 146 6 580 0 0 0 8
qgbench/sample_300.csv 50 6 300 0 0 0 8
qgstec2010/Development.xml 178 1 180 0 0 0 0
qgstec2010/EvaluatedSubmissions.xml 180 4 896 6 8955 5 0
"""
REFUSED = {
    "cases/10-parquet-arrow-ods-spss-stata/06.sav": "Export it as CSV or Parquet",
    "cases/11-survey-exports/23.csv": "export of Qualtrics",
    "cases/11-survey-exports/24.csv": "responses of a form",
    "cases/41-pairwise/n07-pairwise.jsonl": "Comparisons cannot be judged",
}
CRITERIA = ("Relevance", "Question Type", "Correctness", "Ambiguity", "Variety")
# file, the column by which its ratings are grouped, and their means in the order of the file
MEANS = [
    ("genuine/qgstec_plus_table.csv", "criterion", [1.35, 1.025, 2.0806, 1.5056, 1.925]),
    ("genuine/summary_qg_annotations.csv", "criterion", [118 / 240]),
    ("genuine/nema_vqa.tsv", "rater", [3.32, 3.42]),
    ("genuine/nema_wikimovies.tsv", "rater", [2.50, 2.33]),
]
ASKED = {
    "cases/01-derived-column-as-annotator/82p.csv": "its ratings are excluded",
    "cases/15-several-questions-in-a-cell/36.csv": "hold several questions",
    "cases/16-sheets-as-criteria-or-raters/85.xlsx": "become annotators",
    "cases/36-rater-and-system-spellings/m06-rater-case.csv": "taken for one annotator",
    "cases/39-status-and-check-rows/n17c-attention-check.csv": "4 rows with “1”",
    "cases/40-ranks-as-positions/m07c-ranks-long.csv": "of which 1 is best",
    "cases/42-numbers-as-names/n13b-annotator-columns-1-2-3.csv": "does not name the criterion",
    "cases/48-thousands/n49b-thousands.csv": "one thousand two hundred",
    "genuine/summary_qg_annotations.csv": "does not name the criterion",
}


def preview(name):
    path = shared_data.path(name)
    return pipeline.preview_of(path.name, path.read_bytes(), Mapping(), None)


def study(name):
    path = shared_data.path(name)
    return pipeline.read_study(path.name, path.read_bytes(), Mapping(), None)


@pytest.mark.parametrize("line", COUNTS.split("\n")[1:-1], ids=lambda line: line.split()[0])
def test_shared_file_has_the_counts_of_its_readme(line):
    name, *numbers = line.rsplit(maxsplit=7)

    found = preview(name)

    assert not found["errors"]
    counted = found["study"]
    keys = ("annotators", "ratings", "criteria_rated", "scores")
    counts = [counted["sources"], len(counted["systems"]), counted["questions"]]
    counts += [counted[key] if key == "ratings" else len(counted[key]) for key in keys]
    assert counts == [int(number) for number in numbers]


@pytest.mark.parametrize(("name", "sentence"), REFUSED.items())
def test_shared_file_that_holds_no_study_is_refused_with_a_sentence(name, sentence):
    with pytest.raises(Unreadable, match=sentence):
        preview(name)


@pytest.mark.parametrize(("name", "sentence"), ASKED.items())
def test_shared_file_that_may_be_read_in_two_ways_is_asked_about(name, sentence):
    asked = [each for each in preview(name)["study"]["findings"] if each["needs_yes"]]

    assert any(sentence in each["sentence"] for each in asked)


@pytest.mark.parametrize(("name", "by", "means"), MEANS)
def test_ratings_of_a_released_file_have_the_means_of_its_readme(name, by, means):
    ratings = study(name).ratings
    points = ratings["value"].replace({"Y": "1", "N": "0"}).astype(float)

    found = points.groupby(ratings[by], sort=False).mean()

    assert found.tolist() == pytest.approx(means, abs=0.0001)


def test_means_of_crowd_ratings_are_scores_with_the_means_of_the_readme():
    scores = study("genuine/qsts_average_scores.tsv").scores

    found = scores["value"].astype(float).groupby(scores["name"], sort=False).mean()

    assert found.tolist() == pytest.approx([0.9667, 0.9917, 0.9333, 0.4375], abs=0.0001)


def test_systems_on_a_scale_from_1_to_7_have_their_means_of_fluency():
    ratings = study("cases/31-scale-mostly-fits/h4-1-to-7.csv").ratings
    ratings = ratings[ratings["criterion"] == "fluency"]

    found = ratings["value"].astype(float).groupby(ratings["system"]).mean()

    assert sorted(found) == pytest.approx([2.017, 3.225, 4.275], abs=0.001)


def test_columns_that_are_means_of_three_annotators_are_excluded_with_the_reason():
    columns = preview("genuine/qgstec_plus_table.csv")["mapping"]["columns"]

    for name in CRITERIA:
        assert columns[name].get("role", "") == ""
        assert "It is the mean of" in columns[name]["why"]


def test_merged_cells_of_a_shared_file_are_filled_with_a_sentence():
    sentences = dict(preview("cases/33-blank-below-merged/n21c-blank-below.csv")["sentences"])

    assert "filled from the cell above" in sentences["fill_down"]


@pytest.mark.parametrize(
    ("name", "step"), [("n40-html-entities", "entities"), ("n40b-mojibake", "mojibake")]
)
def test_escaped_texts_of_a_shared_file_are_offered_for_correction(name, step):
    offers = preview(f"cases/45-escaped-text/{name}.csv")["offers"]

    assert [offer[0] for offer in offers] == [step]
