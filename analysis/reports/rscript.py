"""An R script for what Python has no light library for: a cumulative-link mixed model of ordinal ratings."""

from collections.abc import Sequence

SCRIPT = """# Compares systems on ordinal ratings by a cumulative-link mixed model.
# Annotators and sources are random effects.
# Run it beside judgments.csv:  Rscript mixed-model.R     Needs R with the packages ordinal and emmeans.
library(ordinal)
library(emmeans)

judgments <- read.csv("judgments.csv", stringsAsFactors = FALSE)
judgments <- subset(judgments, !is.na(value) & value != "")
if ("judgment.left_out" %in% names(judgments)) judgments <- subset(judgments, judgment.left_out != "yes")

for (criterion in c({criteria})) {{
  rows <- judgments[judgments$criterion == criterion, ]
  rows$value <- factor(rows$value, levels = sort(unique(as.numeric(rows$value))), ordered = TRUE)
  for (column in c("system", "rater", "source_id")) rows[[column]] <- factor(rows[[column]])
  cat("\\n==", criterion, "==\\n")
  if (nlevels(rows$value) < 2 || nlevels(rows$system) < 2) {{
    cat("Undefined: it needs two values and two systems.\\n")
    next
  }}
  fit <- clmm(value ~ system + (1 | rater) + (1 | source_id), data = rows)
  print(summary(fit))
  print(pairs(emmeans(fit, "system"), adjust = "holm"))
}}
"""


def mixed_model_script(criteria: Sequence[str]) -> str:
    """Return the script for the criteria of a study; their keys are plain words, so they need no escaping."""
    return SCRIPT.format(criteria=", ".join(f'"{key}"' for key in criteria))
