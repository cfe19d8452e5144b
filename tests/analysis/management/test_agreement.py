import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from published_data import FLEISS_1971, KRIPPENDORFF_C

from quaestor_stats._alpha import LEVELS, krippendorff_alpha
from quaestor_stats._cohen_kappa import cohen_kappa
from quaestor_stats._fleiss import fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import intraclass
from quaestor_stats._percent_agreement import percent_agreement


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
def test_agreement_prints_alpha_at_full_precision_with_its_check(
    tmp_path: Path, level: str
) -> None:
    found = records(write(tmp_path / "c.csv", long(KRIPPENDORFF_C)), "--level", level)[
        "krippendorff_alpha"
    ]
    expected = krippendorff_alpha(KRIPPENDORFF_C, level=level)
    assert (found["value"], found["low"], found["n"], found["dropped"]) == (
        expected.value,
        expected.low,
        11,
        1,
    )


def test_agreement_prints_every_coefficient_of_categories(tmp_path: Path) -> None:
    found = records(
        write(tmp_path / "f.csv", long(FLEISS_1971)), "--level", "nominal", "--scale", "1,2,3,4,5"
    )
    published = {"fleiss_kappa": 0.43024, "randolph_kappa": 0.44444, "krippendorff_alpha": None}
    for name, value in published.items():
        assert value is None or found[name]["value"] == pytest.approx(value, abs=5e-6)
    assert "cohen_kappa_mean_linear" not in found


def test_agreement_by_criterion(tmp_path: Path) -> None:
    rows = long(KRIPPENDORFF_C, criterion="clear") + long(np.ones((4, 2)), criterion="grammar")
    path = write(tmp_path / "two.csv", rows, header="unit,rater,value,criterion")
    found = json.loads(run(path, "--criterion", "criterion", "--json"))
    alphas = {row["criterion"]: row for row in found if row["coefficient"] == "krippendorff_alpha"}
    assert alphas["clear"]["value"] == pytest.approx(0.815388, abs=5e-7)
    assert alphas["grammar"]["value"] is None
    assert alphas["grammar"]["reason"].startswith("every rating has the same value")


def test_agreement_takes_names_for_nominal_values(tmp_path: Path) -> None:
    path = write(
        tmp_path / "n.csv", ["1,a,yes", "1,b,no", "2,a,yes", "2,b,yes", "3,a,no", "3,b,no"]
    )
    assert records(path, "--level", "nominal")["percent_agreement"]["value"] == pytest.approx(2 / 3)
    with pytest.raises(CommandError, match="row 2, column value"):
        run(path, "--level", "ordinal")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["1,a,3", "1,a,4"], "unit 1"),
        (["1,a,x"], "row 2, column value"),
        (["1,,3"], "row 2"),
        (["1,a,3", "2,a"], "row 3"),
    ],
)
def test_agreement_refuses_a_table_with_the_row(
    tmp_path: Path, rows: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        run(write(tmp_path / "bad.csv", rows))


def test_agreement_refuses_values_off_the_scale(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", ["1,a,31", "1,b,1"])
    with pytest.raises(CommandError, match="31"):
        run(path, "--scale", "1,2")
    with pytest.raises(CommandError, match="--scale"):
        run(path, "--scale", "a,b")


@pytest.mark.parametrize("value", ["-2", "-0.5"])
def test_agreement_ratio_level_refuses_a_negative_value_with_its_row(
    tmp_path: Path, value: str
) -> None:
    path = write(tmp_path / "r.csv", ["1,a,1", "1,b,2", f"2,a,{value}", "2,b,3"])

    for more in ([], ["--repeats"], ["--json"]):
        with pytest.raises(CommandError) as refused:
            run(path, "--level", "ratio", *more)
        assert f"row 4, column value: {value} is negative" in str(refused.value)
        assert "--level interval" in str(refused.value)
        assert refused.value.returncode == 1
    assert "krippendorff_alpha" in run(path, "--level", "interval")


def test_agreement_ratio_level_takes_zero_and_blank(tmp_path: Path) -> None:
    path = write(tmp_path / "z.csv", ["1,a,0", "1,b,-0", "2,a,3", "2,b,4", "3,a,", "3,b,2"])
    assert records(path, "--level", "ratio")["krippendorff_alpha"]["n"] == 2


def test_agreement_says_which_column_or_file_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", ["1,a,1"], header="item,rater,value")
    with pytest.raises(CommandError, match="column unit"):
        run(path)
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "none.csv")
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(CommandError, match=r"empty\.csv"):
        run(tmp_path / "empty.csv")


def test_agreement_warns_of_more_raters_than_units(tmp_path: Path) -> None:
    assert "is the table transposed?" in run(write(tmp_path / "t.csv", long(KRIPPENDORFF_C.T)))


def over_sources() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return ratings of 20 sources' four units each, their sources, and the rows of a table."""
    rng = np.random.default_rng(8)
    worth = rng.integers(1, 5, 20).repeat(4)[:, None]
    table = np.clip(worth + rng.integers(-1, 2, (80, 3)), 1, 4).astype(float)
    table[5, 1] = np.nan
    sources = np.repeat([f"text {number}" for number in range(20)], 4)
    rows = [f"{line},{sources[place // 3]}" for place, line in enumerate(long(table))]
    return table, sources, rows


WITH_SOURCE = "unit,rater,value,text"


@pytest.mark.parametrize("level", LEVELS)
def test_agreement_takes_intervals_over_sources(tmp_path: Path, level: str) -> None:
    table, sources, rows = over_sources()
    path = write(tmp_path / "s.csv", rows, header=WITH_SOURCE)
    found = records(path, "--level", level, "--source", "text", "--scale", "1,2,3,4")
    how = {"clusters": sources, "scale": [1, 2, 3, 4]}
    expected = {
        "krippendorff_alpha": krippendorff_alpha(table, level=level, **how),
        "percent_agreement": percent_agreement(table, **how),
        "fleiss_kappa": fleiss_kappa(table, **how),
        "fleiss_kappa_listwise": fleiss_kappa(table, unequal="listwise", **how),
        "randolph_kappa": randolph_kappa(table, **how),
        "gwet_ac1": gwet_ac(table, **how),
    }
    if level != "nominal":
        expected["gwet_ac2_quadratic"] = gwet_ac(table, weights="quadratic", **how)
    if level in ("interval", "ratio"):
        for form, estimate in intraclass(table, clusters=sources).items():
            expected[f"icc_{form}"] = estimate
        assert found["icc_2,k"]["low"] == expected["icc_2,k"].low
    for name in expected.keys() & found.keys():
        ours, theirs = found[name], expected[name]
        assert (ours["value"], ours["low"], ours["high"]) == (theirs.value, theirs.low, theirs.high)
        assert (ours["clusters"], ours["df"]) == (20, theirs.df)
    assert len(expected.keys() & found.keys()) >= len(expected) - 2


def test_agreement_without_sources_is_what_it_was(tmp_path: Path) -> None:
    table, _, rows = over_sources()
    found = records(write(tmp_path / "s.csv", rows, header=WITH_SOURCE))["krippendorff_alpha"]
    expected = krippendorff_alpha(table, level="ordinal")
    assert (found["low"], found["high"], found["clusters"]) == (expected.low, expected.high, 0)


def test_agreement_refuses_a_unit_of_two_sources_and_a_blank_source(tmp_path: Path) -> None:
    rows = ["1,a,3,x", "1,b,3,y"]
    with pytest.raises(CommandError, match="unit 1"):
        run(write(tmp_path / "two.csv", rows, header=WITH_SOURCE), "--source", "text")
    with pytest.raises(CommandError, match="row 2"):
        run(write(tmp_path / "blank.csv", ["1,a,3,"], header=WITH_SOURCE), "--source", "text")


def test_agreement_of_raters_with_themselves_over_sources(tmp_path: Path) -> None:
    table, sources, rows = over_sources()
    again = [f"u{unit},r0,{1 + unit % 4},{sources[unit]}" for unit in range(80)]
    path = write(tmp_path / "again.csv", rows + again, header=WITH_SOURCE)
    found = json.loads(run(path, "--json", "--repeats", "--source", "text", "--scale", "1,2,3,4"))
    [own] = [row for row in found if row["coefficient"] == "intra_rater_percent"]
    both = np.column_stack([table[:, 0], 1 + np.arange(80) % 4])
    expected = percent_agreement(both, clusters=sources)
    assert (own["value"], own["low"], own["clusters"]) == (expected.value, expected.low, 20)


def test_agreement_of_raters_with_themselves_where_units_come_again(tmp_path: Path) -> None:
    first = np.array([[1.0, 1], [2, 3], [3, 3], [2, 2]])
    rows = [*long(first), "u0,r0,1", "u1,r0,3", "u2,r0,3", "u0,r1,1"]
    path = write(tmp_path / "again.csv", rows)
    found = json.loads(run(path, "--json", "--repeats", "--scale", "1,2,3"))
    own = {(row["coefficient"], row["rater"]): row for row in found if "rater" in row}
    assert (own["intra_rater_percent", "r0"]["value"], own["intra_rater_percent", "r0"]["n"]) == (
        2 / 3,
        3,
    )
    assert (
        own["intra_rater_kappa_quadratic", "r0"]["value"]
        == cohen_kappa([1, 2, 3], [1, 3, 3], scale=[1, 2, 3], weights="quadratic").value
    )
    assert (own["intra_rater_percent", "r1"]["value"], own["intra_rater_percent", "r1"]["n"]) == (
        1,
        1,
    )
    between = {row["coefficient"]: row for row in found if "rater" not in row}
    assert (
        between["krippendorff_alpha"]["value"]
        == krippendorff_alpha(first, level="ordinal", scale=[1, 2, 3]).value
    )
    assert "intra_rater_percent" in run(path, "--repeats")


def test_a_table_in_another_encoding_is_read_by_the_option_and_without_it_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row.replace("u0", "Größe") for row in long(KRIPPENDORFF_C)]
    told = run(write(tmp_path / "utf8.csv", rows))
    western = tmp_path / "western.csv"
    western.write_bytes((tmp_path / "utf8.csv").read_text("utf-8").encode("cp1252"))
    run(western)
    assert "The file is not in UTF-8 and is read as" in capsys.readouterr().err
    assert run(western, "--encoding", "cp1252") == told
    with pytest.raises(CommandError, match="latin-77"):
        run(western, "--encoding", "latin-77")
    with pytest.raises(CommandError, match="--encoding"):
        run(western, "--encoding", "x" * 30)
