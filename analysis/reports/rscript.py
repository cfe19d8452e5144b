"""An R script for what Python has no light library for: cumulative-link mixed models."""

from collections.abc import Mapping, Sequence

SCRIPT = """# Compares systems on ordinal ratings by a cumulative-link mixed model, one for each
# criterion, and also by a linear one, whose t tests allow for few annotators.
# Random effects: sources, questions (a system's question on a source), annotators, and annotators
# by system. If sources share clusters, these are random too.
# One or two annotators are too few for random effects: they and their differences between systems
# are fixed, and the systems' differences are averaged over them.
# The cumulative-link model's tests are large-sample ones: with fewer than about ten annotators
# its p is too small. The linear model's degrees of freedom are Satterthwaite's.
# Only the main round counts, without the annotators who are excluded from the analysis.
# A positive estimate means higher values; codebook.csv says which end of a scale is the best.
# Run it in the folder that holds data/:  Rscript mixed-model.R
required_packages <- c("ordinal", "emmeans")
optional_packages <- "lmerTest"  # for the linear model

is_missing <- function(packages) {{
  packages[!vapply(packages, requireNamespace, logical(1), quietly = TRUE)]
}}
install_command <- function(packages) {{
  sprintf("install.packages(c(%s))", paste0('"', packages, '"', collapse = ", "))
}}
if (length(missing_packages <- is_missing(required_packages)) > 0) {{
  stop("R packages are missing. Install them: ", install_command(missing_packages), call. = FALSE)
}}
if (length(missing_packages <- is_missing(optional_packages)) > 0) {{
  cat("The linear model is skipped. To fit it, install: ", install_command(missing_packages), "\\n")
}}
library(ordinal)
library(emmeans)

missing_values <- list({criteria})

repeated <- function(groups) any(table(groups) > 1)

effects_of <- function(rows) {{
  random <- "(1 | source_id)"
  if (repeated(unique(rows[c("source_id", "cluster")])$cluster)) random <- c("(1 | cluster)", random)
  if (repeated(rows$question_unit)) random <- c(random, "(1 | question_unit)")
  per_cell <- unique(rows[c("source_id", "system", "question_unit")])
  if (repeated(paste(per_cell$source_id, per_cell$system))) {{
    random <- c(random, "(1 | source_id:system)")
  }}
  if (nlevels(rows$annotator) > 2) {{
    return(c("system", random, "(1 | annotator)", "(1 | annotator:system)"))
  }}
  if (nlevels(rows$annotator) == 1) return(c("system", random))
  crossed <- all(table(rows$annotator, rows$system) > 0)
  c(if (crossed) "system * annotator" else c("system", "annotator"), random)
}}

compare_systems <- function(rows) {{
  rows$point <- factor(rows$value, levels = sort(unique(rows$value)), ordered = TRUE)
  slot <- if ("position" %in% names(rows)) rows$position else rep(1, nrow(rows))
  rows$question_unit <- paste(rows$source_id, rows$system, slot, sep = "/")
  for (column in c("system", "annotator", "source_id", "cluster", "question_unit")) {{
    rows[[column]] <- factor(rows[[column]])
  }}
  if (nlevels(rows$point) < 2 || nlevels(rows$system) < 2 || nlevels(rows$source_id) < 3) {{
    return(cat("Undefined: it needs two values, two systems and three sources.\\n"))
  }}
  effects <- effects_of(rows)
  fit <- clmm(reformulate(effects, response = "point"), data = rows)
  print(summary(fit))
  print(pairs(emmeans(fit, "system"), adjust = "holm"))
  if (length(is_missing(optional_packages)) > 0) return(invisible())
  cat("\\n-- linear, REML --\\n")
  linear <- lmerTest::lmer(reformulate(effects, response = "value"), data = rows)
  print(as.data.frame(lme4::VarCorr(linear))[c("grp", "vcov", "sdcor")], digits = 5)
  print(pairs(emmeans(linear, "system", lmer.df = "satterthwaite"), adjust = "holm"))
}}

judgments <- read.csv("data/judgments.csv", na.strings = "", encoding = "UTF-8",
                      colClasses = c(source_id = "character"))
keep <- !is.na(judgments$value) & judgments$judgment.round == "main"
if ("judgment.excluded" %in% names(judgments)) {{
  keep <- keep & !(judgments$judgment.excluded %in% "yes")
}}
judgments <- judgments[keep, ]

items <- read.csv("data/items.csv", na.strings = "", encoding = "UTF-8",
                  colClasses = c(source_id = "character", cluster = "character"))
judgments$cluster <- items$cluster[match(judgments$source_id, items$source_id)]

for (criterion in names(missing_values)) {{
  cat("\\n==", criterion, "==\\n")
  rows <- judgments[judgments$criterion == criterion, ]
  rows <- rows[!(rows$value %in% missing_values[[criterion]]), ]
  no_model <- function(problem) cat("No model:", conditionMessage(problem), "\\n")
  tryCatch(compare_systems(rows), error = no_model)
}}
"""


def mixed_model_script(criteria: Mapping[str, Sequence[int]]) -> str:
    """Return the script for the criteria of a study, each with the values that count as missing."""
    listed = (f'"{key}" = c({", ".join(map(str, missing))})' for key, missing in criteria.items())
    return SCRIPT.format(criteria=", ".join(listed))
