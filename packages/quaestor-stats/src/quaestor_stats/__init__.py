"""Agreement and comparison of human judgments and metrics: arrays in, frozen
dataclasses out.

ratings arrays columns      input: tables of ratings (n_units, n_raters), columns of scores, labels
estimate resampling         results of functions; jackknife and bootstrap over units
percent alpha fleiss gwet   agreement of several raters; kappa of two and of pairs; icc for means
raters dawid_skene bands    the raters themselves; words for agreement
systems                     system means, counts, distributions
comparing letters           tests of differences between systems
components reml             variances of systems, sources, questions and annotators; mixed models
generalisability ceiling    other numbers of annotators; the human ceiling
correlation levels ties     metrics against human ratings: pairs, levels, pairwise accuracy
metric_differences dependent  differences between two correlations: by source; Williams, as in papers
multiplicity                many tests at once
protocol                    protocols' own aggregates

Forms, caveats and sources are in docs/statistics.md.
"""
