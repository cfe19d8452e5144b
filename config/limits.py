"""How large a request may be, for what reads requests before Django does."""

SMALL = 5 * 1024 * 1024  # a judging page with thousands of fields, or a protocol's YAML
UPLOAD = 200 * 1024 * 1024  # a researcher's file
