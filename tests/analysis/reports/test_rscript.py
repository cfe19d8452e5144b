import csv
import random
import shutil
import subprocess

import pytest

from analysis.reports.rscript import mixed_model_script

COLUMNS = ("source_id", "system", "rater", "criterion", "value", "judgment:round", "judgment:left_out")
NEEDED = 'for (name in c("ordinal", "emmeans")) library(name, character.only = TRUE)'


def test_script_names_every_criterion_with_its_missing_values_and_keeps_r_s_braces():
    script = mixed_model_script({"relevance": [], "variety": [8, 9]})
    assert 'missing_values <- list("relevance" = c(), "variety" = c(8, 9))' in script
    assert 'for (criterion in names(missing_values)) {\n  cat("\\n==", criterion, "==\\n")' in script
    assert "{{" not in script


def rows(chance: random.Random, criterion: str, raters: str) -> list[tuple[object, ...]]:
    """Return ratings by which system a is better than b; a 9 stands for cannot say, and Z is left out."""
    made: list[tuple[object, ...]] = [("s1", "a", raters[0], criterion, 9, "main", "")]
    for number in range(20):
        for system, best in (("a", 3), ("b", 2)):
            made += [(f"s{number}", system, rater, criterion, chance.randint(1, best), "main", "") for rater in raters]
            made += [(f"s{number}", system, "Z", criterion, 9 - best, "main", "yes")]
            made += [(f"s{number}", system, raters[0], criterion, 9 - best, "pilot", "")]
    return made


def test_script_runs_in_r(tmp_path):
    r = shutil.which("Rscript")
    if r is None or subprocess.run([r, "-e", NEEDED], capture_output=True, check=False).returncode:
        pytest.skip("no R with the packages ordinal and emmeans (Debian: r-cran-ordinal r-cran-emmeans)")
    chance = random.Random(1)
    with (tmp_path / "judgments.csv").open("w") as file:
        csv.writer(file).writerows([COLUMNS, *rows(chance, "three", "ABC"), *rows(chance, "two", "AB")])
    script = mixed_model_script({"three": [9], "absent": [], "two": [9]})
    (tmp_path / "mixed-model.R").write_text(script)

    ran = subprocess.run([r, "mixed-model.R"], cwd=tmp_path, capture_output=True, text=True, check=True)

    three, absent, two = ran.stdout.split("\n== ")[1:]
    assert "(1 | rater) + (1 | source_id)" in three
    assert "nobs" in three and " 120 " in three
    assert "a - b" in three
    assert absent.strip().endswith("Undefined: it needs two values, two systems and three sources.")
    assert "value ~ system + rater + (1 | source_id)" in two
    assert " 80 " in two
