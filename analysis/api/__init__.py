"""REST API of analyses."""
