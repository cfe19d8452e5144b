"""Actions of the analysis: starting a run, and computing its results."""
