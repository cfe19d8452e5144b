"""The limits on resources. They protect the server from mistakes and from visitors, and hold the
envelope of docs/adr/0036; statistical requirements are not limits."""

from datetime import timedelta

MAX_VISITOR_BODY_BYTES = 512 * 1024  # a request of anyone who is not logged in
MAX_BODY_BYTES = 5 * 1024 * 1024  # any other request that is no uploaded file
MAX_UPLOAD_BYTES = 200 * 1024 * 1024  # a researcher's file

MAX_TEXT_CHARACTERS = 1_000_000  # a text in a file, or a protocol's document
MAX_DOCUMENT_CHARACTERS = 50_000  # a text that is written on a page: consent, guideline, prompt
MAX_NOTE_CHARACTERS = 5_000  # an annotator's note
MAX_NAME_CHARACTERS = 200  # the name of a system, column, key or event
MAX_FILE_NAME_CHARACTERS = 255
MAX_EXCERPT_CHARACTERS = 500  # a long text in a list on a page

MAX_PAGE_ROWS = 200  # a table on a page; files have all rows
MAX_PAGE_CELLS = 20_000  # the tables of one page

# Processes: settings can raise these
MAX_JOB_SECONDS = 12 * 60 * 60  # a job that does not wait for another server
MAX_WEB_MEMORY_BYTES = 1024**3  # a web process: work that needs more is a job
MIN_JOB_MEMORY_BYTES = 2 * 1024**3  # on small machines; METEOR's program needs 1 GB alone

MAX_JSON_DEPTH = 50  # nested lists and objects, or XML elements

# Imported files
MAX_TABLE_ROWS = 1_000_000  # those of the file, or blank ones that it implies
MAX_TABLE_COLUMNS = 2_000
MAX_UNPACKED_BYTES = 200_000_000  # all parts of a workbook
MAX_FILES_PER_UPLOAD = 100
MAX_SYSTEMS = 1_000  # of one dataset
MAX_QUESTIONS_PER_SET = 10_000  # of one system about one source, or repetitions of an item

# Analyses
MAX_REPORT_ROWS = 120_000  # one table of a report; a page that reads it takes about 300 MB
MAX_RATING_CELLS = 25_000_000  # units x annotators x values of one coefficient: about 200 MB
MAX_SWAPPED_MEANS = 2_000_000_000  # system means in permutation tests: about four minutes

# Visitors and annotators
MAX_LOGIN_ATTEMPTS_PER_MINUTE = 60  # of researchers, of annotators, and of unknown browsers
MAX_LOGIN_ATTEMPTS_OF_ONE = 20  # per minute, for a name or by a visitor; also a user's API tokens
MAX_LOGIN_PAUSE = timedelta(minutes=15)
MAX_ARRIVALS_PER_MINUTE = 200  # people who join one campaign by unsigned links
MAX_REQUESTS_OF_USER = 3_000  # per minute, over the API
MAX_REQUESTS_OF_VISITOR = 60  # per minute, from one address without a log-in
MAX_CROWD_MESSAGES_PER_MINUTE = 600  # from one crowd platform, to one web process
MAX_MARKS = 5_000  # passages' spans that one assignment marks

# Other servers
MAX_REPLY_BYTES = 2_000_000  # of a language model or crowd platform, with its headers

# Campaigns
MAX_ASSIGNMENTS = 5_000_000  # of one round
MAX_PAGE_QUESTIONS = 500  # on one page of judging
MAX_PAGE_CHOICES = 12_000  # points of scales on one page of judging; writing so many takes 2 s
