"""Agreement, aggregation and comparison of human judgments and metrics: arrays in, frozen
dataclasses out.

ratings arrays columns      the doors: tables of ratings (n_units, n_raters), columns of scores, labels
estimate resampling         what functions answer with; jackknife and bootstrap over units
percent alpha fleiss gwet   agreement of several raters; kappa of two and of pairs; icc for means
raters dawid_skene bands    the raters themselves; words for agreement
aggregation systems         one value per unit, normalised ratings; system means, counts, distributions
comparing letters           do systems differ
components reml             variances of systems, sources, questions and annotators; mixed models
generalisability ceiling    other numbers of annotators; how well people agree with people
correlation levels ties     does a metric follow people: pairs, levels, pairwise accuracy
clustered dependent         does one metric follow better: by source; Williams, as in papers
multiplicity                many tests at once
crosscheck                  the same number from somebody else's library
spans protocol weightings   marked spans; protocols' own aggregates; sums under random weights

Forms, caveats and sources are in docs/statistics.md.
"""
