"""The methods text of a run, word for word. Every number and name is another one, so what is taken
from the wrong place is seen."""

from dataclasses import replace

from analysis.sections.methods import RunMade, methods
from judging.protocols import documents
from judging.protocols.rubric_schema import CriterionPoint
from tests import factories
from tests.analysis.sections import stored

ABOUT = {
    "systems": ["Alba", "Brisa"],
    "sources": 8,
    "sources_judged": 7,
    "expected": 17,
    "returned": 15,
    "judgments": 90,
    "annotators": 3,
    "tasks": 11,
    "places": 33,
    "filled": 31,
    "forced": 4,
    "seconds_a_question": 21.6,
    "excluded": [{"annotator": "A04", "reason": "Too fast in the checks."}],
    "unblinded": ["A01"],
    "left_out": ["system Cara"],
}


def made(**changes: object) -> RunMade:
    rubric = documents.parse(factories.SMALL, "small.yaml")
    values = {
        "rubric": replace(rubric, citation="Doe 2024"),
        "rubric_version": "2",
        "protocol_sha256": "aa",
        "seed": 5,
        "resamples": 1_999,
        "parameters": {"prepare_hypothesis": "nqg"},
        "versions": {"scipy": "1.2"},
        "input_sha256": "bb",
    }
    return RunMade(**(values | changes))  # type: ignore[arg-type]


def told(about: dict[str, object], made: RunMade, **documents: object) -> dict[str, str]:
    return dict(methods(stored.found(about=[stored.about(**about)], **documents), made))


def test_material_protocol_people_and_computation_are_told_as_they_were():
    text = told(ABOUT, made())

    assert list(text) == ["Material", "Protocol", "Annotators", "Computation"]
    assert text["Material"] == (
        "17 questions of 2 systems (Alba and Brisa) on 8 sources were expected, of which 15 were returned. "
        "7 of the sources have judgments, and all numbers are of those. "
        "Left out of this analysis by choice: system Cara."
    )
    assert text["Protocol"] == (
        "Questions were judged by Small, version 2 (Doe 2024). "
        "Grammaticality: “Is it grammatical?”, ordinal, 1 (no), 2 (nearly) and 3 (yes); high is best. "
        "Correctness: “Does it ask for the answer?”, ordinal, 1 (no), 2 (maybe) and 3 (yes); high is best. "
        "The protocol was locked before the first judgment (SHA-256 aa)."
    )
    assert text["Annotators"] == (
        "3 annotators gave 90 judgments in 11 tasks. The median time at work was 22 s a question. "
        "4 values of these followed from a rule of the protocol. "
        "Annotator A04 was left out: Too fast in the checks. "
        "A01 could have known which system made which question. "
        "The study is unfinished: 31 of 33 places were handed in."
    )
    assert text["Computation"] == (
        "Everything was computed with Quaestor (SciPy 1.2), seed 5, 1,999 resamples, from input with SHA-256 bb."
    )


def test_a_criterion_is_told_in_standard_terms_where_its_protocol_names_them():
    rubric = documents.shipped("qgbench")
    protocol = told(ABOUT, made(rubric=rubric))["Protocol"]
    assert (
        "Correctness (in standard terms: correctness of content relative to the input): “"
        in protocol
    )
    assert "terms: Grammaticality, correctness of form in its own right): “Is the" in protocol


def test_a_study_of_means_and_a_simulation_say_so():
    means = told(ABOUT | {"origin": "imported", "judgments": 0}, made())
    simulated = told(ABOUT | {"origin": "simulated"}, made())

    assert means["Annotators"] == (
        "People's scores were imported as means over annotators, without their single ratings."
    )
    assert means["Protocol"] == "The criteria are those of Small, version 2 (Doe 2024)."
    assert "have judgments" not in means["Material"]
    assert simulated["Annotators"].startswith(
        "The ratings are simulated and say nothing about people. 3 annotators"
    )


def test_agreement_and_tests_of_systems_name_their_numbers():
    agreement = stored.agreement(stored.estimate(0.61, 0.52, 0.7))
    criteria = [stored.criterion(), stored.criterion("specificity", best="none")]
    systems = stored.told_of(Alba="a", Brisa="b", Cara="b")
    text = told(ABOUT, made(), agreement=agreement, criteria=criteria, **systems)

    assert text["Agreement"] == (
        "Agreement is Krippendorff's alpha with its 95 % interval, which leaves out whole sources in turn: "
        "0.61 [0.52 to 0.70] on clarity (ordinal)."
    )
    assert (
        "Holm's correction over the 3 pairs of a criterion, at a level of 5 %." in text["Systems"]
    )
    assert text["Systems"].endswith(
        " Specificity has no better end and was neither averaged nor tested."
    )


def test_a_long_scale_is_told_by_its_ends_and_a_short_one_point_by_point():
    small = documents.parse(factories.SMALL, "small.yaml")
    points = tuple(CriterionPoint(value, f"p{value}") for value in range(13))
    asked = [
        replace(small.criteria[0], points=points, best="lowest"),
        replace(small.criteria[1], points=points[:12], best="none"),
    ]
    text = told(ABOUT, made(rubric=replace(small, criteria=tuple(asked)), protocol_sha256=""))
    assert "ordinal, from 0 (p0) to 12 (p12); low is best. " in text["Protocol"]
    assert text["Protocol"].endswith("9 (p9), 10 (p10) and 11 (p11); no end is best.")


def test_metrics_are_told_with_their_level_and_their_preparation():
    levels = [
        {"criterion": "clarity", "metric": name, "level": "pooled"}
        for name in ("bleu", "chrf", "bleu")
    ]
    text = told(ABOUT | {"metric_level": "systems"}, made(), levels=levels)
    assert text["Metrics"] == (
        "Metrics (bleu and chrf) were compared with people's means by Spearman's rho over systems, turned so that "
        "higher is better, with intervals and tests that keep the questions on a source together, and Holm's "
        "correction over the metrics of a criterion. "
        "Texts of metrics computed here were normalised as QG-Bench does (nqg)."
    )
    plain = told(ABOUT, made(parameters={}), levels=levels)["Metrics"]
    assert "Spearman's rho over all questions, turned" in plain
    assert plain.endswith("the metrics of a criterion.")
