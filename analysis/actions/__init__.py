"""The verbs of the workshop: starting a run, and what it works out."""
