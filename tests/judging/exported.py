"""Studies as whole files, as pages export them in pieces."""

from judging.formats.recipes import writers
from judging.formats.records import StudyRecords


def long_csv(study: StudyRecords) -> str:
    return "".join(writers.study_pieces(study))


def long_jsonl(study: StudyRecords) -> str:
    return "".join(writers.jsonl_pieces([study]))


def label_studio(study: StudyRecords) -> str:
    raters = dict.fromkeys(rating.rater for rating in study.ratings)
    return "".join(writers.label_studio_pieces([study], raters=raters))
