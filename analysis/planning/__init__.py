"""Before a study: how many items and judges it takes, and dry runs of its design."""
