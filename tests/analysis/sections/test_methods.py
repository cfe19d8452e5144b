"""The methods text of a run, word for word. Every number and name is another one, so what is taken
from the wrong place is seen."""

from dataclasses import replace

from analysis.sections.methods import RunMade, methods
from judging.protocols import documents
from judging.protocols.protocol_schema import CriterionPoint
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
    "read_others": ["A02", "A03"],
    "excluded_by_run": ["system Cara"],
}


def made(**changes: object) -> RunMade:
    protocol = documents.parse(factories.SMALL, "small.yaml")
    values = {
        "protocol": replace(protocol, citation="Doe 2024"),
        "protocol_version": "2",
        "plan_sha256": "aa",
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
        "17 questions of 2 systems (Alba and Brisa) on 8 sources were expected, of which 15 are present. "
        "7 of the sources have judgments; agreement, means and tests are of those. "
        "Excluded from this analysis by choice: system Cara."
    )
    assert text["Protocol"] == (
        "Questions were judged by Small, version 2 (Doe 2024). "
        "Grammaticality: “Is it grammatical?”, ordinal, 1 (no), 2 (nearly) and 3 (yes); high is best. "
        "Correctness: “Does it ask for the answer?”, ordinal, 1 (no), 2 (maybe) and 3 (yes); high is best. "
        "The plan was locked before the first judgment (SHA-256 aa)."
    )
    assert text["Annotators"] == (
        "3 annotators gave 90 judgments in 11 tasks. The median active time per question was 22 s. "
        "A rule of the protocol set 4 values of these. "
        "Annotator A04 was excluded: Too fast in the checks. "
        "A01 could have known which system made which question. "
        "A02 and A03 may have read other annotators' ratings before submitting a task, "
        "because they were named to adjudicate. "
        "The study is unfinished: 31 of 33 assignments are submitted."
    )
    assert text["Computation"] == (
        "We computed all results with Quaestor (SciPy 1.2), seed 5, 1,999 resamples, from input with SHA-256 bb."
    )


def test_people_are_told_and_an_unpublished_protocol_is_not_cited():
    people = ["Annotators came from Prolific.", "A task paid 0.50 EUR."]
    text = told(
        ABOUT | {"people": people}, made(protocol=documents.parse(factories.SMALL, "s.yaml"))
    )
    assert (
        "in 11 tasks. Annotators came from Prolific. A task paid 0.50 EUR. The"
        in text["Annotators"]
    )
    unpublished = replace(documents.parse(factories.SMALL, "s.yaml"), citation="Unpublished.")
    assert "by Small, version 2. Gram" in told(ABOUT, made(protocol=unpublished))["Protocol"]


def test_material_of_which_nothing_is_missing_ends_with_what_was_expected():
    text = told({**ABOUT, "returned": 17, "sources_judged": 8, "excluded_by_run": []}, made())
    assert text["Material"] == (
        "17 questions of 2 systems (Alba and Brisa) on 8 sources were expected."
    )


def test_places_without_a_value_are_told_where_there_are_any():
    annotators = told({**ABOUT, "without_values": 2}, made())["Annotators"]
    assert annotators.endswith("Of the submitted assignments, 2 have no rating.")


def test_a_finished_study_without_times_and_rules_says_nothing_of_them():
    whole = {"filled": 33, "forced": 0, "seconds_a_question": None}
    whole |= {"excluded": [], "unblinded": [], "read_others": []}
    assert told({**ABOUT, **whole}, made())["Annotators"] == (
        "3 annotators gave 90 judgments in 11 tasks."
    )


def test_a_criterion_is_told_in_standard_terms_where_its_protocol_names_them():
    protocol = documents.shipped("qgbench")
    protocol = told(ABOUT, made(protocol=protocol))["Protocol"]
    assert (
        "Correctness (in standard terms: correctness of content relative to the input): “"
        in protocol
    )
    assert "terms: Grammaticality, correctness of form in its own right): “Is the" in protocol


def test_a_study_of_means_and_a_simulation_say_so():
    imported = ABOUT | {"origin": "imported", "judgments": 0, "excluded": []}
    means = told(imported, made(), metric_definitions=[{"name": "rating", "kind": "human_mean"}])
    simulated = told(ABOUT | {"origin": "simulated"}, made())

    assert means["Annotators"] == (
        "The human scores were imported as means over annotators, without the individual ratings."
    )
    assert means["Protocol"] == "The criteria are those of Small, version 2 (Doe 2024)."
    assert "have judgments" not in means["Material"]
    assert simulated["Annotators"].startswith(
        "The ratings are simulated; they are no evidence about human judgment. 3 annotators"
    )


def test_imported_ratings_that_are_all_left_out_are_no_means():
    about = ABOUT | {"origin": "imported", "judgments": 0, "annotators": 0, "tasks": 0}
    text = told(about, made())
    assert text["Annotators"].startswith("0 annotators gave 0 judgments in 0 tasks.")
    assert "Annotator A04 was excluded" in text["Annotators"]
    assert text["Protocol"].startswith("Questions were judged by Small")


def test_agreement_and_tests_of_systems_name_their_numbers():
    agreement = stored.agreement(stored.estimate(0.61, 0.52, 0.7))
    criteria = [stored.criterion(), stored.criterion("specificity", best="none")]
    systems = stored.told_of(Alba="a", Brisa="b", Cara="b")
    systems["system_comparisons"] = [row | {"p": 0.02} for row in systems["system_comparisons"]]
    text = told(ABOUT, made(), agreement=agreement, criteria=criteria, **systems)

    assert text["Agreement"] == (
        "We measured agreement by Krippendorff's α (95% CI, cluster jackknife over sources): "
        "clarity .61 [.52, .70] (ordinal)."
    )
    assert "Holm's correction across the 3 pairs of each criterion (5% level)." in text["Systems"]
    assert text["Systems"].endswith(
        " Specificity has no better end and was neither averaged nor tested."
    )


def test_pairs_that_no_test_compares_and_intervals_that_are_missing_are_not_told():
    agreement = stored.agreement(stored.estimate(0.61))
    systems = stored.told_of(Alba="a", Brisa="b", Cara="b")
    alone = [row | {"p_holm": None} for row in systems["system_comparisons"]]
    text = told(ABOUT, made(), agreement=agreement, **systems | {"system_comparisons": alone})
    assert text["Agreement"] == "We measured agreement by Krippendorff's α: clarity .61 (ordinal)."
    assert text["Systems"].endswith(
        "No two systems have two sources in common, so no test compared them."
    )
    some = [row | {"p_holm": 0.02} for row in alone[:2]]
    tested = told(ABOUT, made(), **systems | {"system_comparisons": [*some, *alone[2:]]})["Systems"]
    assert "Holm's correction across the 2 pairs of each criterion" in tested


def test_a_long_scale_is_told_by_its_ends_and_a_short_one_point_by_point():
    small = documents.parse(factories.SMALL, "small.yaml")
    points = tuple(CriterionPoint(value, f"p{value}") for value in range(13))
    asked = [
        replace(small.criteria[0], points=points, best="lowest"),
        replace(small.criteria[1], points=points[:12], best="none"),
    ]
    text = told(ABOUT, made(protocol=replace(small, criteria=tuple(asked)), plan_sha256=""))
    assert "ordinal, from 0 (p0) to 12 (p12); low is best. " in text["Protocol"]
    assert text["Protocol"].endswith("9 (p9), 10 (p10) and 11 (p11); no end is best.")


def test_metrics_are_told_with_their_level_and_their_preparation():
    levels = [
        {"criterion": "clarity", "metric": name, "level": "pooled"}
        for name in ("bleu", "chrf", "bleu")
    ]
    nqg, raw = ({"preparation": {"hypothesis": side, "reference": side}} for side in ("nqg", "raw"))
    own = {"preparation": {"hypothesis": "nqg", "reference": "raw"}}
    kinds = [("bleu", "computed", nqg), ("rouge", "computed", nqg), ("chrf", "computed", raw)]
    kinds += [("nist", "computed", own), ("ter", "imported", {"column": "ter"})]
    metrics = [{"name": name, "kind": kind, "made": how} for name, kind, how in kinds]
    text = told(
        ABOUT | {"metric_level": "systems"}, made(), correlations=levels, metric_definitions=metrics
    )
    assert text["Metrics"] == (
        "We correlated each metric (bleu and chrf) with the mean human rating (Spearman's ρ, system level, "
        "sign-aligned so that higher is better). Intervals and tests keep the questions on a source together; "
        "Holm's correction is over the metrics of a criterion. "
        "Text preparation of the metrics computed here: for bleu and rouge questions and references "
        "normalised as QG-Bench does (nqg); for chrf questions and references left as they are; for "
        "nist questions normalised as QG-Bench does (nqg), references left as they are."
    )
    plain = told(ABOUT, made(), correlations=levels, metric_definitions=metrics[-1:])["Metrics"]
    assert "Spearman's ρ, pooled, sign-aligned" in plain
    assert plain.endswith("the metrics of a criterion.")
