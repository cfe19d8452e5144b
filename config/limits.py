"""How large a request may be, for what reads requests before Django does."""

# What was typed and chosen on a page; a judging page of 12,000 choices has 400,000
FORM = 2_500_000
# Of a stranger's form. Pages say again what was typed, an apostrophe in six letters; who was logged
# out meanwhile may have sent a page of 12,000 choices.
OF_STRANGERS = 512 * 1024
SMALL = 5 * 1024 * 1024  # anything else that is no file
UPLOAD = 200 * 1024 * 1024  # a researcher's file
