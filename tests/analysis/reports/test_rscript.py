import csv
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from analysis.reports.rscript import mixed_model_script
from quaestor_stats._variance_components import variance_components

COLUMNS = (
    "source_id",
    "system",
    "annotator",
    "criterion",
    "value",
    "judgment:round",
    "judgment:excluded",
)
NEEDED = 'for (name in c("ordinal", "emmeans")) library(name, character.only = TRUE)'


def test_script_names_every_criterion_with_its_missing_values_and_keeps_r_s_braces():
    script = mixed_model_script({"relevance": [], "variety": [8, 9]})
    assert 'missing_values <- list("relevance" = c(), "variety" = c(8, 9))' in script
    assert (
        'for (criterion in names(missing_values)) {\n  cat("\\n==", criterion, "==\\n")' in script
    )
    assert "{{" not in script


def test_script_packages_missing_says_what_to_install(tmp_path):
    script = mixed_model_script({"three": []})
    assert script.index("required_packages <-") < script.index("library(ordinal)")
    r = shutil.which("Rscript")
    if r is None:
        pytest.skip("no R (Debian: r-base-core)")
    (tmp_path / "mixed-model.R").write_text(script)
    nowhere = {"PATH": os.environ["PATH"], "R_LIBS_SITE": str(tmp_path), "R_LIBS": str(tmp_path)}
    ran = subprocess.run(
        [r, "mixed-model.R"], cwd=tmp_path, capture_output=True, text=True, check=False, env=nowhere
    )
    assert ran.returncode != 0
    assert 'install.packages(c("ordinal", "emmeans"))' in ran.stderr


def rows(chance: random.Random, criterion: str, raters: str) -> list[tuple[object, ...]]:
    """Return ratings by which system a is better than b; a 9 stands for cannot say, and Z is left
    out."""
    made: list[tuple[object, ...]] = [("s1", "a", raters[0], criterion, 9, "main", "")]
    for number in range(20):
        for system, best in (("a", 3), ("b", 2)):
            made += [
                (f"s{number}", system, rater, criterion, chance.randint(1, best), "main", "")
                for rater in raters
            ]
            made += [(f"s{number}", system, "Z", criterion, 9 - best, "main", "yes")]
            made += [(f"s{number}", system, raters[0], criterion, 9 - best, "pilot", "")]
    return made


def write_data(folder: Path, judgments: list[tuple[object, ...]], clusters: dict[str, str]) -> None:
    """Write the two tables that the script reads."""
    (folder / "data").mkdir()
    tables = {"judgments": judgments, "items": [("source_id", "cluster"), *clusters.items()]}
    for name, table in tables.items():
        with (folder / "data" / f"{name}.csv").open("w") as file:
            csv.writer(file).writerows(table)


def test_script_runs_in_r(tmp_path):
    r = shutil.which("Rscript")
    if r is None or subprocess.run([r, "-e", NEEDED], capture_output=True, check=False).returncode:
        pytest.skip(
            "no R with the packages ordinal and emmeans (Debian: r-cran-ordinal r-cran-emmeans)"
        )
    chance = random.Random(1)
    made = [*rows(chance, "three", "ABC"), *rows(chance, "two", "AB")]
    write_data(tmp_path, [COLUMNS, *made], {str(row[0]): str(row[0]) for row in made})
    script = mixed_model_script({"three": [9], "absent": [], "two": [9]})
    (tmp_path / "mixed-model.R").write_text(script)

    ran = subprocess.run(
        [r, "mixed-model.R"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    three, absent, two = (" ".join(part.split()) for part in ran.stdout.split("\n== ")[1:])
    effects = "(1 | source_id) + (1 | question_unit) + (1 | annotator) + (1 | annotator:system)"
    assert f"point ~ system + {effects}" in three
    assert "nobs" in three and " 120 " in three
    assert "a - b" in three
    assert absent.endswith("Undefined: it needs two values, two systems and three sources.")
    assert "point ~ system * annotator + (1 | source_id) + (1 | question_unit)" in two
    assert " 80 " in two


@pytest.mark.parametrize("in_clusters", [False, True])
def test_linear_model_of_the_script_has_our_variances(tmp_path, in_clusters):
    r = shutil.which("Rscript")
    needed = NEEDED + '; library("lmerTest")'
    if r is None or subprocess.run([r, "-e", needed], capture_output=True, check=False).returncode:
        pytest.skip(
            "no R with the packages ordinal, emmeans and lmerTest (Debian: r-cran-lmertest)"
        )
    made = ratings_of_questions(random.Random(2))
    columns = (
        "source_id",
        "system",
        "position",
        "annotator",
        "value",
        "criterion",
        "judgment:round",
    )
    source, system, position, rater, value = zip(*made, strict=True)
    cluster_of = {key: f"s{int(key[1:]) // 3}" for key in source}
    clusters = cluster_of if in_clusters else {key: key for key in source}
    write_data(tmp_path, [columns, *((*row, "only", "main") for row in made)], clusters)
    (tmp_path / "mixed-model.R").write_text(mixed_model_script({"only": []}))

    ran = subprocess.run(
        [r, "mixed-model.R"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    ours = variance_components(
        [float(each) for each in value],
        systems=system,
        sources=source,
        annotators=rater,
        questions=[f"{a}/{b}/{c}" for a, b, c in zip(source, system, position, strict=True)],
        clusters=[cluster_of[each] for each in source] if in_clusters else None,
    )
    linear = ran.stdout.split("-- linear, REML --")[1]
    table = linear.split("contrast")[0].splitlines()[2:]
    theirs = {cells[1]: float(cells[2]) for cells in (line.split() for line in table) if cells}
    names = {
        "question": "question_unit",
        "source": "source_id",
        "source:system": "source_id:system",
        "cluster": "cluster",
        "annotator": "annotator",
        "annotator:system": "annotator:system",
        "residual": "Residual",
    }
    assert {names[name]: variance for name, variance in ours.variances.items()} == pytest.approx(
        theirs, abs=1e-4
    )
    assert ("cluster" in theirs) == in_clusters
    difference = float(linear.split("a - b")[1].split()[0])
    assert difference == pytest.approx(ours.means[0] - ours.means[1], abs=1e-4)


def ratings_of_questions(chance: random.Random) -> list[tuple[str, str, int, str, int]]:
    """Return ratings of two questions of two systems by three annotators: source, system, position,
    annotator, value. Three sources in a row are alike."""
    made = []
    for number in range(24):
        if number % 3 == 0:
            of_cluster = chance.choice((0, 2))
        for system in "ab":
            for position in (1, 2):
                level, lower = chance.choice((0, 1)), chance.choice((0, 1))
                for rater in "ABC":
                    value = 2 + of_cluster + level * chance.choice((0, 1)) - lower * (rater == "A")
                    made.append((f"s{number}", system, position, rater, value))
    return made
