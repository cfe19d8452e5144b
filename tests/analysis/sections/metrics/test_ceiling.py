"""The human ceiling's interval needs as many clusters of sources as any other."""

from analysis.sections.metrics.ceiling import Ceiling
from tests.analysis.sections import rated
from tests.analysis.sections.computing import picked, records


def test_ceiling_four_passages_have_no_interval() -> None:
    read = rated.study(rated.drawn(3, 24, 3, seed=1, gap=0.3))
    rows = records(Ceiling, rated.in_passages(read, 4))

    for level in ("pooled", "within_source"):
        for row in picked(rows, level=level):
            assert (row["n"], row["clusters"], row["low"]) == (24, 4, None)
            assert row["reason"] == "the 24 sources share 4 passages; an interval needs at least 10"
