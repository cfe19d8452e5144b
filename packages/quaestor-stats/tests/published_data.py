"""Ratings printed in papers and documentations, with their sources; what they give is in
test_stats_agreement."""

import numpy as np

NAN = np.nan


def table(*raters: str) -> np.ndarray:
    """Return (n_units, n_raters) from one line of ratings per rater, a dot where not judged."""
    return np.array(
        [[NAN if cell == "." else float(cell) for cell in line.split()] for line in raters]
    ).T


def from_counts(rows: str) -> np.ndarray:
    """Return ratings 1, 2, ... from one word of counts per unit."""
    return np.array(
        [np.repeat(np.arange(1, len(row) + 1), [int(c) for c in row]) for row in rows.split()],
        float,
    )


# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C; also Gwet's
# cac.raw4raters
KRIPPENDORFF_C = table(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
# Wikipedia, "Krippendorff's alpha", also in the docstring of the krippendorff package
WIKIPEDIA_ALPHA = table(
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)
# Fleiss (1971), 30 patients x 6 psychiatrists, five diagnoses (R irr: diagnoses)
FLEISS_1971 = from_counts(
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
# Wikipedia, "Fleiss' kappa": ten subjects, fourteen raters, five categories
_WIKIPEDIA_FLEISS_COUNTS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
WIKIPEDIA_FLEISS = np.array(
    [np.repeat(np.arange(1, 6), row) for row in _WIKIPEDIA_FLEISS_COUNTS], float
)
# R irr: anxiety, 20 subjects x 3 raters
_ANXIETY_ROWS = "332 361 344 464 523 542 221 346 531 231 221 632 133 533 221 221 113 233 432 342"
ANXIETY = np.array([[int(c) for c in row] for row in _ANXIETY_ROWS.split()], float)
# Shrout & Fleiss (1979), table 2: six targets, four judges
SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
# Gwet's cont3x3abstractors (R irrCAC): joint counts of two abstractors
ABSTRACTORS = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]], float)


def from_joint(joint: np.ndarray) -> np.ndarray:
    """Return ratings (n_units, 2) in 1, 2, ... from a table of joint counts."""
    cells = [(i + 1, j + 1) for i, j in np.ndindex(*joint.shape) for _ in range(int(joint[i, j]))]
    return np.array(cells, float)


# Gwet's cac.raw4raters (R irrCAC): Krippendorff's example, but the lone rating of unit 12 is the
# third rater's
GWET_RAW4 = np.vstack([KRIPPENDORFF_C[:11], [[NAN, NAN, 3, NAN]]])
