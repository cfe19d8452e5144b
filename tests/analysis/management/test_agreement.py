import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analysis.stats.alpha import LEVELS, krippendorff_alpha
from analysis.stats.kappa import cohen_kappa
from tests.published.stats_data import FLEISS_1971, KRIPPENDORFF_C, SHROUT_FLEISS


def long(table: np.ndarray, *, criterion: str = "") -> list[str]:
    rows = []
    for (unit, rater), value in np.ndenumerate(table):
        cell = "" if np.isnan(value) else f"{value:g}"
        rows.append(",".join([f"u{unit}", f"r{rater}", cell, *([criterion] if criterion else [])]))
    return rows


def write(path: Path, rows: list[str], *, header: str = "unit,rater,value") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def run(path: Path, *more: str) -> str:
    out = StringIO()
    columns = ["--unit", "unit", "--rater", "rater", "--value", "value"]
    call_command("agreement", str(path), *columns, *more, stdout=out, stderr=out)
    return out.getvalue()


def records(path: Path, *more: str) -> dict[str, dict]:
    return {row["coefficient"]: row for row in json.loads(run(path, "--json", *more))}


@pytest.mark.parametrize("level", LEVELS)
def test_agreement_prints_alpha_at_full_precision_with_its_check(tmp_path: Path, level: str) -> None:
    found = records(write(tmp_path / "c.csv", long(KRIPPENDORFF_C)), "--level", level)["krippendorff_alpha"]
    expected = krippendorff_alpha(KRIPPENDORFF_C, level=level)
    assert (found["value"], found["low"], found["n"], found["dropped"]) == (expected.value, expected.low, 11, 1)
    assert found["checked_by"] == "krippendorff"
    assert abs(found["checked_difference"]) < 1e-12


def test_agreement_prints_every_coefficient_of_categories(tmp_path: Path) -> None:
    found = records(write(tmp_path / "f.csv", long(FLEISS_1971)), "--level", "nominal", "--scale", "1,2,3,4,5")
    published = {"fleiss_kappa": 0.43024, "randolph_kappa": 0.44444, "krippendorff_alpha": None}
    for name, value in published.items():
        assert value is None or found[name]["value"] == pytest.approx(value, abs=5e-6)
    assert found["fleiss_kappa"]["checked_by"] == "statsmodels"
    assert "cohen_kappa_mean_linear" not in found


def test_agreement_gives_intraclass_correlations_for_intervals(tmp_path: Path) -> None:
    found = records(write(tmp_path / "s.csv", long(SHROUT_FLEISS)), "--level", "interval")
    assert found["icc_3,1"]["value"] == pytest.approx(0.7148, abs=5e-5)


def test_agreement_by_criterion(tmp_path: Path) -> None:
    rows = long(KRIPPENDORFF_C, criterion="clear") + long(np.ones((4, 2)), criterion="grammar")
    path = write(tmp_path / "two.csv", rows, header="unit,rater,value,criterion")
    found = json.loads(run(path, "--criterion", "criterion", "--json"))
    alphas = {row["criterion"]: row for row in found if row["coefficient"] == "krippendorff_alpha"}
    assert alphas["clear"]["value"] == pytest.approx(0.815388, abs=5e-7)
    assert alphas["grammar"]["value"] is None
    assert alphas["grammar"]["reason"].startswith("every rating has the same value")


def test_agreement_as_text_names_what_is_undefined(tmp_path: Path) -> None:
    text = run(write(tmp_path / "one.csv", long(np.ones((4, 2)))))
    assert "krippendorff_alpha" in text
    assert "every rating has the same value" in text
    assert "nan" not in text.lower().replace("nominal", "")


def test_agreement_takes_names_for_nominal_values(tmp_path: Path) -> None:
    path = write(tmp_path / "n.csv", ["1,a,yes", "1,b,no", "2,a,yes", "2,b,yes", "3,a,no", "3,b,no"])
    assert records(path, "--level", "nominal")["percent_agreement"]["value"] == pytest.approx(2 / 3)
    with pytest.raises(CommandError, match="row 2, column value: 'yes' is not a number"):
        run(path, "--level", "ordinal")


def test_agreement_of_continuous_values(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(300, 1)) + np.random.default_rng(1).normal(size=(300, 3))
    found = records(write(tmp_path / "x.csv", long(values)), "--level", "interval")
    assert 0.3 < found["krippendorff_alpha"]["value"] < 0.7
    assert "fleiss_kappa" not in found


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["1,a,3", "1,a,4"], "rater a judged unit 1 more than once"),
        (["1,a,x"], "row 2, column value: 'x' is not a number"),
        (["1,,3"], "row 2: the column rater is blank"),
        (["1,a"], "row 2: The row has 2 cells"),
    ],
)
def test_agreement_refuses_a_table_with_the_row(tmp_path: Path, rows: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        run(write(tmp_path / "bad.csv", rows))


def test_agreement_refuses_values_off_the_scale(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", ["1,a,31", "1,b,1"])
    with pytest.raises(CommandError, match="rating 31 is not on the scale 1 to 2"):
        run(path, "--scale", "1,2")
    with pytest.raises(CommandError, match="--scale: 'a,b' is not a list of numbers"):
        run(path, "--scale", "a,b")


def test_agreement_says_which_column_or_file_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", ["1,a,1"], header="item,rater,value")
    with pytest.raises(CommandError, match="there is no column unit; the table has item, rater, value"):
        run(path)
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(CommandError, match=r"empty\.csv"):
        run(tmp_path / "empty.csv")


def test_agreement_warns_of_more_raters_than_units(tmp_path: Path) -> None:
    assert "is the table transposed?" in run(write(tmp_path / "t.csv", long(KRIPPENDORFF_C.T)))


def test_agreement_of_raters_with_themselves_where_units_come_again(tmp_path: Path) -> None:
    first = np.array([[1.0, 1], [2, 3], [3, 3], [2, 2]])
    rows = [*long(first), "u0,r0,1", "u1,r0,3", "u2,r0,3", "u0,r1,1"]
    path = write(tmp_path / "again.csv", rows)
    found = json.loads(run(path, "--json", "--repeats", "--scale", "1,2,3"))
    own = {(row["coefficient"], row["rater"]): row for row in found if "rater" in row}
    assert (own["intra_rater_percent", "r0"]["value"], own["intra_rater_percent", "r0"]["n"]) == (2 / 3, 3)
    assert own["intra_rater_kappa_quadratic", "r0"]["value"] == cohen_kappa([1, 2, 3], [1, 3, 3], scale=[1, 2, 3],
                                                                            weights="quadratic").value  # fmt: skip
    assert (own["intra_rater_percent", "r1"]["value"], own["intra_rater_percent", "r1"]["n"]) == (1, 1)
    between = {row["coefficient"]: row for row in found if "rater" not in row}
    assert between["krippendorff_alpha"]["value"] == krippendorff_alpha(first, level="ordinal", scale=[1, 2, 3]).value
    assert "intra_rater_percent" in run(path, "--repeats")
