"""How large a request may be, for what reads requests before Django does."""

FORM = (
    2_500_000  # what was typed and chosen on a page; a judging page of 12,000 choices has 400,000
)
SMALL = 5 * 1024 * 1024  # anything else that is no file
UPLOAD = 200 * 1024 * 1024  # a researcher's file
