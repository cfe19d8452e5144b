"""The kinds of jobs about the files of a dataset."""

ADD = "judging.add_files"
ADD_ROWS = "judging.add_rows"
EXAMINE = "judging.examine_file"
PREVIEW_ALL = "judging.preview_files"
TAKE_BACK = "judging.take_back_file"
FILE_JOBS = (ADD, ADD_ROWS, PREVIEW_ALL, TAKE_BACK)
