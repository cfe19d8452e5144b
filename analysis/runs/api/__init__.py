"""The REST API of analyses: runs, scoring, planning, dry runs, published studies."""
