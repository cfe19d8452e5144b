"""The public names: documented, light to import, and the same numbers as other programs."""

import inspect
import re
import subprocess
import sys

import krippendorff
import numpy as np
import pytest
from published_data import KRIPPENDORFF_C, SHROUT_FLEISS
from statsmodels.stats import inter_rater

import quaestor_stats as qs

FUNCTIONS = [name for name in qs.__all__ if inspect.isfunction(getattr(qs, name))]
CLASSES = [
    "Bootstrap",
    "ConfidenceInterval",
    "Design",
    "Jackknife",
    "Result",
    "ResultTable",
    "Variances",
]
CANNOT_RAISE = {"ranks"}
WITHOUT_REFERENCE = {
    "human_ceiling",  # no published method
}
LIGHT = """
import sys, quaestor_stats
heavy = {"scipy.stats", "pandas", "django", "krippendorff", "statsmodels"} & set(sys.modules)
assert not heavy, heavy
"""


def test_import_loads_no_heavy_package() -> None:
    subprocess.run([sys.executable, "-c", LIGHT], check=True)


def sections(documented: object) -> set[str]:
    """Return the titles of the numpydoc sections of a docstring."""
    return set(re.findall(r"^([A-Z]\w+)\n-+$", inspect.getdoc(documented) or "", re.M))


def parameters_described(documented: object) -> set[str]:
    """Return the names that the section Parameters describes."""
    text = (inspect.getdoc(documented) or "").partition("\nParameters\n----------\n")[2]
    names = re.findall(r"^(\w+(?:, \w+)*)(?: :|$)", re.split(r"\n\n\w+\n-+\n", text)[0], re.M)
    return {name for listed in names for name in listed.split(", ")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_docstring_has_the_sections_of_numpydoc(name: str) -> None:
    expected = {"Parameters", "Returns", "Examples"}
    expected |= set() if name in CANNOT_RAISE else {"Raises"}
    expected |= set() if name in WITHOUT_REFERENCE else {"References"}
    assert expected - sections(getattr(qs, name)) == set()
    assert ">>>" in inspect.getdoc(getattr(qs, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_function_docstring_describes_every_parameter(name: str) -> None:
    described = parameters_described(getattr(qs, name))
    assert set(inspect.signature(getattr(qs, name)).parameters) - described == set()


@pytest.mark.parametrize("name", CLASSES)
def test_public_class_docstring_has_fields_and_an_example(name: str) -> None:
    assert {"Parameters", "Attributes"} & sections(getattr(qs, name))
    assert "Examples" in sections(getattr(qs, name))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_krippendorff_alpha_equals_the_package_krippendorff(level: str) -> None:
    table = np.asarray(KRIPPENDORFF_C, dtype=float)
    expected = krippendorff.alpha(reliability_data=table.T, level_of_measurement=level)
    assert qs.krippendorff_alpha(table, level=level).value == pytest.approx(expected, abs=1e-12)


def test_fleiss_kappa_equals_statsmodels() -> None:
    ratings = np.random.default_rng(1).integers(0, 3, (40, 5)).astype(float)
    counts, _ = inter_rater.aggregate_raters(ratings.astype(int))
    expected = inter_rater.fleiss_kappa(counts)
    assert qs.fleiss_kappa(ratings).value == pytest.approx(expected, abs=1e-12)


def test_icc_of_shrout_and_fleiss_is_the_published_value() -> None:
    assert qs.icc(np.asarray(SHROUT_FLEISS, float), form="2,1").value == pytest.approx(
        0.2898, abs=5e-5
    )


def test_cohen_kappa_of_three_raters_is_refused() -> None:
    with pytest.raises(ValueError, match="for two raters, and there are 3"):
        qs.cohen_kappa(np.ones((4, 3)))


def test_result_undefined_prints_its_reason() -> None:
    assert str(qs.alpha(np.ones((5, 3)), level="ordinal")).startswith(
        "α is undefined: every rating"
    )
