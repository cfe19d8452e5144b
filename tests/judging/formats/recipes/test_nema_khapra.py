"""Nema & Khapra's tables."""

import pytest

from tests.judging.imports.recipes.reading import read


@pytest.mark.parametrize("score", ["Answerability Score User {}", "User Score {}"])
def test_propose_names_the_annotators_of_the_scores(score: str) -> None:
    header = ["Gold Question", "Modified Question", score.format(1), score.format(2)]
    found = read("\t".join(header) + "\nWho was it?\tWho it?\t3\t4\n", "vqa.tsv")
    assert (found.key, found.cells(*header)) == ("nema", [("Who was it?", "Who it?", "3", "4")])
    rated = [(each.role, each.name, each.rater) for each in found.columns.values()]
    assert rated == [("ratings", "answerability", f"User {number}") for number in (1, 2)]
