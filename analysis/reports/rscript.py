"""An R script for what Python has no light library for: a cumulative-link mixed model of ordinal ratings."""

from collections.abc import Mapping, Sequence

SCRIPT = """# Compares systems on ordinal ratings by a cumulative-link mixed model, one for each criterion.
# Sources are a random effect, and so are annotators; one or two annotators are too few for that and stand as fixed.
# Only the main round counts, and nobody who is left out of the analysis.
# A positive estimate means higher values; codebook.csv says which end of a scale is the best.
# Run it beside judgments.csv:  Rscript mixed-model.R     Needs R with the packages ordinal and emmeans.
library(ordinal)
library(emmeans)

missing_values <- list({criteria})

compare_systems <- function(rows) {{
  rows$value <- factor(rows$value, levels = sort(unique(rows$value)), ordered = TRUE)
  for (column in c("system", "rater", "source_id")) rows[[column]] <- factor(rows[[column]])
  if (nlevels(rows$value) < 2 || nlevels(rows$system) < 2 || nlevels(rows$source_id) < 3) {{
    return(cat("Undefined: it needs two values, two systems and three sources.\\n"))
  }}
  raters <- if (nlevels(rows$rater) > 2) "(1 | rater)" else if (nlevels(rows$rater) == 2) "rater"
  model <- reformulate(c("system", raters, "(1 | source_id)"), response = "value")
  fit <- clmm(model, data = rows)
  print(summary(fit))
  print(pairs(emmeans(fit, "system"), adjust = "holm"))
}}

judgments <- read.csv("judgments.csv", na.strings = "", encoding = "UTF-8")
if (!"value" %in% names(judgments)) stop("judgments.csv holds no judgments.")
keep <- !is.na(judgments$value) & judgments$judgment.round == "main"
if ("judgment.left_out" %in% names(judgments)) keep <- keep & !(judgments$judgment.left_out %in% "yes")
judgments <- judgments[keep, ]

for (criterion in names(missing_values)) {{
  cat("\\n==", criterion, "==\\n")
  rows <- judgments[judgments$criterion == criterion & !(judgments$value %in% missing_values[[criterion]]), ]
  tryCatch(compare_systems(rows), error = function(problem) cat("No model:", conditionMessage(problem), "\\n"))
}}
"""


def mixed_model_script(criteria: Mapping[str, Sequence[int]]) -> str:
    """Return the script for the criteria of a study, each with the values that count as missing."""
    listed = (f'"{key}" = c({", ".join(map(str, missing))})' for key, missing in criteria.items())
    return SCRIPT.format(criteria=", ".join(listed))
