"""The sources of a report's methods as BibTeX: of statistical methods, metrics, protocols and
libraries.

The entries are in `references.bib`; a source is cited where the methods first name it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENTRIES = Path(__file__).with_name("references.bib")
# the words of the methods behind which a source is cited, as regular expressions
WORDS: Mapping[str, str] = {
    "rus2010": r" \([^()]*First Question Generation Shared Task[^()]*\)",
    "godwin2016": r" \([^()]*Collecting Reliable Human Judgements[^()]*\)",
    "nema2018": r" \([^()]*Towards a Better Metric for Evaluating[^()]*\)|Q-(?:BLEU|ROUGE|NIST|METEOR)[-\w]*",
    "ushio2022": r" \([^()]*Generative Language Models for Paragraph-Level[^()]*\)",
    "fu2024": r" \([^()]*QGEval: Benchmarking Multi-dimensional[^()]*\)",
    "schlichtkrull2020": r" \([^()]*Evaluating for Diversity in Question Generation[^()]*\)",
    "krippendorff2011": r"Krippendorff's (?:alpha|α)",
    "pitman1937": r"paired permutation test",
    "holm1979": r"Holm's correction",
    "spearman1904": r"Spearman's (?:rho|ρ)",
    "papineni2002": r"(?i)(?<![\w-])(?:corpus )?BLEU(?!RT)(?:[-_ ]?\d)?(?: \([^()]*\))?(?![\w-])",
    "lin2004": r"(?i)(?<![\w-])ROUGE(?:[-_ ][L\d])?(?: \([^()]*\))?(?![\w-])",
    "denkowski2014": r"(?i)(?<![\w-])METEOR(?: \([^()]*\))?(?![\w-])",
    "doddington2002": r"(?<![\w-])NIST(?: \([^()]*\))?(?![\w-])",
    "popovic2015": r"(?i)(?<![\w-])chrF(?:\+\+|\d)?(?: \([^()]*\))?(?![\w-])",
    "post2018": r"(?i)(?<![\w-])sacreBLEU(?: \([^()]*\))?(?![\w-])",
    "zhang2020": r"(?i)(?<![\w-])BERT[-_ ]?Score(?: \([^()]*\))?(?![\w-])",
    "zhao2019": r"(?i)(?<![\w-])Mover[-_ ]?Score(?: \([^()]*\))?(?![\w-])",
    "sellam2020": r"(?i)(?<![\w-])BLEURT(?: \([^()]*\))?(?![\w-])",
    "yuan2021": r"(?i)(?<![\w-])BART[-_ ]?Score(?: \([^()]*\))?(?![\w-])",
    "quaestor": r"computed with Quaestor",
    "harris2020": r"NumPy [\w.+]*\w",
    "virtanen2020": r"SciPy [\w.+]*\w",
    "mckinney2010": r"pandas [\w.+]*\w",
    "hunter2007": r"Matplotlib [\w.+]*\w",
}
PRINTED = ("author", "title", "booktitle", "journal", "year", "pages", "note")


@dataclass(frozen=True)
class CitedSource:
    """A publication: its key, its entry in BibTeX, and the fields of that."""

    key: str
    entry: str
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Mention:
    """A citation in a text: the characters from `start` to `end` are replaced by the citation."""

    start: int
    end: int
    keys: tuple[str, ...]


@cache
def sources() -> Mapping[str, CitedSource]:
    """Return every source by its key."""
    found = {}
    text = ENTRIES.read_text(encoding="utf-8")
    for entry in re.finditer(r"^@\w+\{(\w+),\n(.*?)^\}\n", text, re.MULTILINE | re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry[2], re.MULTILINE))
        found[entry[1]] = CitedSource(entry[1], entry[0], fields)
    return found


def mentions(texts: Sequence[str]) -> list[list[Mention]]:
    """Return the citations of each text: every source is cited once, where the texts first name it.

    A reference that is written out in parentheses, as in protocols, is replaced by its citation.
    """
    found: list[dict[tuple[int, int], list[str]]] = [{} for _ in texts]
    for key, words in WORDS.items():
        for place, text in enumerate(texts):
            if match := re.search(words, text):
                at = match.span() if match[0].startswith(" (") else (match.end(), match.end())
                found[place].setdefault(at, []).append(key)
                break
    return [
        [Mention(start, end, tuple(keys)) for (start, end), keys in sorted(each.items())]
        for each in found
    ]


def cited(found: Sequence[Sequence[Mention]]) -> list[CitedSource]:
    """Return the sources that are cited, in the order of their authors as a list of references has
    them."""
    keys = {key for mentions in found for mention in mentions for key in mention.keys}
    return sorted(
        (sources()[key] for key in keys), key=lambda each: each.fields["author"].strip("{")
    )


def bib(chosen: Sequence[CitedSource]) -> str:
    """Return sources as a .bib file."""
    return "\n".join(each.entry for each in chosen)


def printed_references(chosen: Sequence[CitedSource]) -> Iterator[str]:
    """Yield the list of references as LaTeX prints it where BibTeX has not run."""
    yield r"\begin{thebibliography}{99}" + "\n"
    for each in chosen:
        told = [each.fields[name].removesuffix(".") for name in PRINTED if name in each.fields]
        yield rf"\bibitem{{{each.key}}} {'. '.join(told)}." + "\n"
    yield r"\end{thebibliography}" + "\n"
