"""The human evaluation datasheet (HEDS 3.0): the elements of its form, and answers as its JSON and
as Markdown.

Elements are named by their ids; the Markdown prints the form's own labels of the options that are
ticked. An answer that the campaign's data cannot give has no value: it is omitted from the JSON, so
that the form itself asks for it, and marked in the Markdown.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judging.base.markdown import escape_markdown

PAPER, SYSTEM = "heds-paper_and_resources", "heds-system"
SAMPLE = "heds-sample_evaluators_design-sample"
PEOPLE = "heds-sample_evaluators_design-evaluators"
DESIGN = "heds-sample_evaluators_design-experimental_design"
CRITERION, ETHICS = "heds-criteria-criterion", "heds-ethics"
ELICITED = f"{CRITERION}-response_elicitation"
Kind = Literal["text", "options"]
# number, id of the element, kind, what it is about
ELEMENTS: Sequence[tuple[str, str, Kind, str]] = (
    ("1.1.1", f"{PAPER}-paper-link", "options", "where the experiment is reported"),
    ("1.1.2", f"{PAPER}-paper-experiment_identification", "text", "which experiment this is"),
    ("1.2", f"{PAPER}-resources-links", "options", "where the resources are"),
    *(
        (f"1.3.{place}.{at}", f"{PAPER}-names_and_affiliations-{who}-{what}", "text", f"{words}: {what}")
        for place, who, words in (
            (1, "person_completing_this_sheet", "person completing this sheet"),
            (2, "contact_author", "contact"),
        )
        for at, what in enumerate(("name", "affiliation", "email"), start=1)
    ),
    ("2.1", f"{SYSTEM}-input_types", "options", "what systems get"),
    ("2.2", f"{SYSTEM}-output_types", "options", "what systems make"),
    ("2.3", f"{SYSTEM}-tasks", "options", "task of the systems"),
    ("2.4", f"{SYSTEM}-input_languages", "options", "languages of the input"),
    ("2.5", f"{SYSTEM}-output_languages", "options", "languages of the output"),
    ("3.1.1", f"{SAMPLE}-number_of_system_outputs", "text", "outputs judged of each system"),
    ("3.1.2", f"{SAMPLE}-system_output_selection", "options", "how outputs were selected"),
    ("3.1.3.1", f"{SAMPLE}-statistical_power-method", "text", "method of the power analysis"),
    ("3.1.3.2", f"{SAMPLE}-statistical_power-value", "text", "its outcome"),
    ("3.1.3.3", f"{SAMPLE}-statistical_power-script", "text", "its code"),
    ("3.2.1", f"{PEOPLE}-number_of_evaluators", "text", "number of annotators"),
    ("3.2.2.1", f"{PEOPLE}-evaluators-expertise", "options", "whether they are experts"),
    ("3.2.2.2", f"{PEOPLE}-evaluators-payment", "options", "whether they were paid"),
    ("3.2.2.3", f"{PEOPLE}-evaluators-known_to_authors", "options", "whether authors know them"),
    ("3.2.2.4", f"{PEOPLE}-evaluators-are_authors", "options", "whether authors are among them"),
    ("3.2.3", f"{PEOPLE}-recruitment_method", "text", "how they were recruited"),
    ("3.2.4", f"{PEOPLE}-training_practice", "text", "training and practice"),
    ("3.2.5", f"{PEOPLE}-characteristics", "text", "other characteristics"),
    ("3.3.1", f"{DESIGN}-preregistered", "options", "preregistration"),
    ("3.3.2", f"{DESIGN}-dataset_method", "text", "medium"),
    ("3.3.3.1", f"{DESIGN}-quality_assurance-method", "options", "kinds of quality assurance"),
    ("3.3.3.2", f"{DESIGN}-quality_assurance-description", "text", "quality assurance"),
    ("3.3.4.1", f"{DESIGN}-what_evaluators_see-link", "text", "link to the interface"),
    ("3.3.4.2", f"{DESIGN}-what_evaluators_see-description", "text", "what annotators see"),
    ("3.3.5", f"{DESIGN}-evaluator_freedom", "options", "limits of time"),
    ("3.3.6", f"{DESIGN}-evaluators_can_ask_questions", "options", "questions and feedback"),
    ("3.3.7", f"{DESIGN}-experimental_conditions", "options", "where annotators work"),
    ("3.3.8", f"{DESIGN}-evaluators_place_of_choosing", "text", "how conditions vary"),
    ("4.1.1", f"{CRITERION}-criteria-quality_type", "options", "type of quality"),
    ("4.1.2", f"{CRITERION}-criteria-output_aspect", "options", "form or content"),
    ("4.1.3", f"{CRITERION}-criteria-self_vs_external_frame", "options", "frame of reference"),
    ("4.2.1", f"{CRITERION}-evaluation_mode-objective_or_subjective", "options", "objective or not"),
    ("4.2.2", f"{CRITERION}-evaluation_mode-absolute_or_relative", "options", "absolute or relative"),
    ("4.2.3", f"{CRITERION}-evaluation_mode-intrinsic_or_extrinsic", "options", "intrinsic or not"),
    ("4.3.1.1", f"{ELICITED}-qc_name-participant_criterion_name", "text", "name shown"),
    ("4.3.1.2", f"{ELICITED}-qc_name-mapped_criterion_name", "text", "standard name"),
    ("4.3.2", f"{ELICITED}-participant_criterion_definiiton", "text", "definition"),
    ("4.3.3", f"{ELICITED}-size_of_scale", "text", "size of the scale"),
    ("4.3.4", f"{ELICITED}-list_or_range", "text", "values"),
    ("4.3.5", f"{ELICITED}-scale_presented_as", "options", "how the scale is presented"),
    ("4.3.6", f"{ELICITED}-task_description", "text", "task without a scale"),
    ("4.3.7", f"{ELICITED}-verbatim_question", "text", "question asked"),
    ("4.3.8", f"{ELICITED}-form_of_response", "options", "form of the response"),
    ("4.3.9", f"{ELICITED}-response_aggregation", "text", "aggregation"),
    ("4.3.10", f"{ELICITED}-effect_size_method", "text", "effect sizes and tests"),
    ("4.3.11.1", f"{ELICITED}-inter_annotator-agreement", "text", "agreement, method"),
    ("4.3.11.2", f"{ELICITED}-inter_annotator-agreement_score", "text", "agreement, score"),
    ("4.3.12.1", f"{ELICITED}-intra_annotator-intra_annotator_agreement", "text",
     "agreement with oneself, method"),
    ("4.3.12.2", f"{ELICITED}-intra_annotator-intra_annotator_agreement_score", "text",
     "agreement with oneself, score"),
    ("5.1", f"{ETHICS}-review_body", "text", "ethics committee"),
    ("5.2", f"{ETHICS}-personal_data", "options", "personal data"),
    ("5.3", f"{ETHICS}-special_category_data", "options", "special categories of data"),
    ("5.4", f"{ETHICS}-impact_assessments", "text", "impact assessment"),
)  # fmt: skip

# Labels of the form's options that answers tick, as the form prints them
LANGUAGES: Mapping[int, str] = {
    8: "7. Arabic",
    24: "23. Bulgarian",
    30: "29. Chinese",
    37: "36. Czech",
    38: "37. Danish",
    40: "39. Dutch, Flemish",
    42: "41. English",
    48: "47. Finnish",
    49: "48. French",
    56: "55. German",
    57: "56. Greek, Modern (1453–)",
    63: "62. Hebrew",
    65: "64. Hindi",
    67: "66. Hungarian",
    71: "70. Indonesian",
    76: "75. Irish",
    77: "76. Italian",
    78: "77. Japanese",
    90: "89. Korean",
    117: "116. Norwegian",
    128: "127. Persian",
    129: "128. Polish",
    130: "129. Portuguese",
    133: "132. Romanian, Moldavian, Moldovan",
    136: "135. Russian",
    150: "149. Spanish, Castilian",
    154: "153. Swedish",
    161: "160. Thai",
    167: "166. Turkish",
    171: "170. Ukrainian",
    175: "174. Vietnamese",
    185: "184. Other (please describe)",
}
OPTIONS: Mapping[str, Mapping[int, str]] = {
    "2.1": {
        4: "4. Text: subsentential unit of text",
        5: "5. Text: sentence",
        6: "6. Text: multiple sentences",
        13: "13. Control feature",
    },
    "2.2": {
        5: "5. Text: sentence",
        6: "6. Text: multiple sentences",
    },
    "2.3": {
        11: "11. Question generation",
    },
    "2.4": LANGUAGES,
    "2.5": LANGUAGES,
    "3.1.2": {
        1: "1. By simple automatic random selection",
        2: "2. By an automatic random process but using stratified sampling over given properties",
        3: "3. By non-random automatic selection",
        6: "6. Other (please describe)",
    },
    "3.2.2.2": {
        1: "1. Paid (monetary compensation)",
    },
    "3.2.2.4": {
        1: "1. Yes",
    },
    "3.3.3.1": {
        2: "2. Automatic quality checking methods are used during and/or after evaluation",
        4: "4. Evaluators are excluded if they fail quality checks (often or badly enough)",
        7: "7. None of the above (no quality assurance methods used)",
    },
    "3.3.5": {
        5: "5. None of the above (please describe)",
    },
    "3.3.6": {
        1: "1. Evaluators can ask questions during the evaluation",
        3: "3. Evaluators provide feedback after the evaluation",
        4: "4. Other (please describe)",
    },
    "3.3.7": {
        1: "1. Evaluators carry out assessments at a place of their own choosing",
    },
    "4.1.1": {
        1: "1. Correctness",
        2: "2. Goodness",
        3: "3. Feature",
    },
    "4.1.2": {
        1: "1. Form of output",
        2: "2. Content of output",
        3: "3. Both form and content of output",
    },
    "4.1.3": {
        1: "1. Quality of output in its own right",
        2: "2. Quality of output relative to the input",
        3: "3. Quality of output relative to a system-external frame of reference",
    },
    "4.2.1": {
        2: "2. Subjective",
    },
    "4.2.2": {
        1: "1. Absolute",
    },
    "4.2.3": {
        1: "1. Intrinsic",
    },
    "4.3.5": {
        1: "1. Multiple-choice options",
    },
    "4.3.8": {
        2: "2. Direct quality estimation",
        7: "7. Output classification or labelling",
    },
}


@dataclass(frozen=True, slots=True)
class HedsAnswer:
    """One answer: a text, or numbers of options with what explains them. Nothing is to fill."""

    text: str = ""
    options: tuple[int, ...] = ()

    @property
    def is_known(self) -> bool:
        return bool(self.text or self.options)


TO_FILL = HedsAnswer()
Answers = Mapping[str, HedsAnswer]  # by the number of the element


def datasheet_json(study: Answers, criteria: Mapping[str, Answers]) -> str:
    """Return the answers as the form imports them; `criteria` by the name that annotators saw."""
    held: dict[str, dict[str, Any]] = {}
    for number, element, kind, _words in ELEMENTS:
        told = criteria if number.startswith("4.") else {"": study}
        for name, answers in told.items():
            _put(held, element, kind, name, answers.get(number, TO_FILL))
    names = list(criteria)
    held[CRITERION] = {
        "data": {},
        "control": {name: name == names[0] for name in names},
        "text": {},
    }
    return json.dumps(held, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _put(
    held: dict[str, dict[str, Any]], element: str, kind: Kind, name: str, answer: HedsAnswer
) -> None:
    if not answer.is_known:
        return
    if kind == "text":
        held.setdefault(element, {"data": {}, "control": {}})["data"][name] = answer.text
        return
    for option in answer.options:
        own = held.setdefault(f"{element}-{option}", {"data": {}, "control": {}, "text": {}})
        own["data"][name] = True
    if answer.text:
        beside = held.setdefault(f"{element}-other_text", {"data": {}, "control": {}})
        beside["data"][name] = answer.text


def to_markdown(title: str, study: Answers, criteria: Mapping[str, Answers]) -> str:
    """Return the answers as readable Markdown, with the elements that are still to fill in."""
    lines = [f"# Human evaluation datasheet (HEDS 3.0): {escape_markdown(title)}", ""]
    known, of = count_answers(study, criteria)
    lines += [f"{known} of {of} answers follow from the study; the others are marked.", ""]
    for number, _element, _kind, words in ELEMENTS:
        if not number.startswith("4."):
            lines.append(_line(number, words, study.get(number, TO_FILL)))
        elif number == "4.1.1":
            for name, answers in criteria.items():
                lines += ["", f"## 4. {escape_markdown(name)}", ""]
                for own, _element, _kind, what in ELEMENTS:
                    if own.startswith("4."):
                        lines.append(_line(own, what, answers.get(own, TO_FILL)))
            lines += ["", "## 5.", ""]
    return "\n".join(lines) + "\n"


def _line(number: str, words: str, answer: HedsAnswer) -> str:
    if not answer.is_known:
        return f"- **{number}** {words}: **TO FILL IN**"
    ticked = [OPTIONS[number][option] for option in answer.options]
    return f"- **{number}** {words}: {'; '.join(filter(None, [*ticked, escape_markdown(answer.text)]))}"


def count_answers(study: Answers, criteria: Mapping[str, Answers]) -> tuple[int, int]:
    """Return how many answers are known, and of how many; those of a criterion count for each."""
    told = [
        answers.get(number, TO_FILL)
        for number, *_ in ELEMENTS
        for answers in (criteria.values() if number.startswith("4.") else (study,))
    ]
    return sum(each.is_known for each in told), len(told)
