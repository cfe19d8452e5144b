"""A report as LaTeX: tables in the manner of booktabs, a name for every number, and texts that no
character breaks."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Self

from django.utils.text import slugify

from analysis.reports import other_scripts
from analysis.reports.bibliography import Mention
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import p_alone
from analysis.reports.rows import Record

LONG = 40  # lines from which a table may break over pages
NAMES_READ_AT_ONCE = 300_000  # characters of a table's names in the file that is always read
# numbers of any size, with as many digits as the report's tables give them
SIGNIFICANT = {("correlations", "epsilon"): 3, ("metric_means", "value"): 4}
WORDY = 45  # characters from which a cell's text is set in lines
WORDS: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "−": r"\ensuremath{-}",
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\ldots{}",
    "×": r"\ensuremath{\times}",
    "±": r"\ensuremath{\pm}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "‹": r"\ensuremath{<}",
    "›": r"\ensuremath{>}",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "→": r"\ensuremath{\rightarrow}",
    "·": r"\textperiodcentered{}",
    "•": r"\textbullet{}",
    "≠": r"\ensuremath{\neq}",
    "≈": r"\ensuremath{\approx}",
    "½": r"\textonehalf{}",
    "²": r"\textsuperscript{2}",
    "‐": "-",
    "‑": "-",
    "„": ",,",
    "α": r"\ensuremath{\alpha}",
    "δ": r"\ensuremath{\delta}",
    "ε": r"\ensuremath{\epsilon}",
    "κ": r"\ensuremath{\kappa}",
    "ρ": r"\ensuremath{\rho}",
    "τ": r"\ensuremath{\tau}",
    "Δ": r"\ensuremath{\Delta}",
    "§": r"\textsection{}",
    "©": r"\textcopyright{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u200b": r"\allowbreak{}",
    "°": r"\textdegree{}",
}
# Greek letters beside each other are a word, not symbols, except a difference such as Δρ. A long
# word holds places where it may break, and its accents may be characters of their own.
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff\u0300-\u036f\u200b]+")
GREEK_SYMBOL = re.compile("Δ?.")
# letters for which pdfLaTeX has glyphs without more packages; all others need XeLaTeX, which the
# document says
LETTERS = {
    chr(code)
    for table in ("iso8859-1", "iso8859-2", "iso8859-9")
    for byte in range(0xA1, 0x100)
    for code in [ord(bytes([byte]).decode(table))]
    if chr(code).isalpha()
}
PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
\else
  \usepackage{fontspec}
\fi
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{textcomp,array,graphicx,booktabs,longtable,float}
\floatplacement{table}{H}
\floatplacement{figure}{H}
\setlength{\belowcaptionskip}{6pt}
\sloppy
"""
# Numbers by name: \Q{systems/correctness/alba/value}, and what prints texts in other scripts.
COMMANDS = (
    r"""\makeatletter
\def\quaestor@file#1/#2/#3\@nil{numbers/#1/#2}
\ifdefined\Q\else
\DeclareRobustCommand{\Q}[1]{%
  \@ifundefined{quaestor@#1}{%
    \edef\quaestor@name{\quaestor@file#1//\@nil}%
    \@ifundefined{quaestor@read@\quaestor@name}{%
      \global\expandafter\let\csname quaestor@read@\quaestor@name\endcsname\@empty
      \setbox\z@\hbox{\InputIfFileExists{\quaestor@name}{}{}}}{}}{}%
  \@ifundefined{quaestor@#1}{\textbf{??}\@latex@warning{No number is called #1}}%
    {\csname quaestor@#1\endcsname}}
\fi
\providecommand{\QuaestorNumber}[2]{\expandafter\gdef\csname quaestor@#1\endcsname{#2}}
"""
    + other_scripts.COMMANDS
    + "\\makeatother\n"
)


def escaped(text: str) -> str:
    """Return a text as LaTeX prints it; every character that LaTeX would act on is written out.

    >>> escaped("100% of A_1 & B")
    '100 \\\\% of A\\\\_1 \\\\& B'
    """
    done: list[str] = []
    other = ""  # a run in other scripts, with the spaces inside it
    text = " ".join(map(_breakable, text.split()))
    in_greek = {
        place
        for word in GREEK.finditer(text)
        if not GREEK_SYMBOL.fullmatch(word[0])
        for place in range(*word.span())
    }
    for place, character in enumerate(text):
        known = WORDS.get(character) or (
            character if character in LETTERS or " " <= character <= "~" else ""
        )
        if place in in_greek and character.isalpha():
            known = ""
        if not known:
            is_shown = character.isprintable() or character in other_scripts.JOINERS
            other += character if is_shown else ""
        elif other and character == " ":
            other += " "
        else:
            done += [_in_script(other), known]
            other = ""
    return "".join([*done, _in_script(other)])


def _breakable(word: str) -> str:
    """Return a word that may break where it is longer than a column."""
    if len(word) <= WORDY:
        return word
    return re.sub(rf"(.{{{WORDY // 2}}})(?=.)", "\\1\u200b", word)


def _in_script(run: str) -> str:
    """Return LaTeX for a run in other scripts; a space at its end goes after the command."""
    words = run.rstrip(" ")
    return (other_scripts.glyph_commands(words) if words else "") + run[len(words) :]


def number_name(*parts: object) -> str:
    """Return the name of a number: words of plain letters, digits and hyphens, joined by slashes.

    Names in other scripts keep their code points, so that two of them never become one.

    >>> name_of("correlations", "fluency", "ROUGE-L", "value")
    'levels/fluency/rouge-l/value'
    """
    return "/".join(
        slugify(str(part)) or "u" + "-".join(f"{ord(each):x}" for each in str(part)[:20])
        for part in parts
    )


def latex_number_files(
    tables: Iterable[tuple[str, Sequence[Record], Sequence[str]]], *, most: int = NAMES_READ_AT_ONCE
) -> Iterator[tuple[str, str]]:
    """Yield files with a command for every number of every table, given as its key, its rows, and
    the columns that identify a row.

    `numbers.tex` has those of small tables. TeX cannot hold the names of all numbers of seventeen
    metrics: a table with more than `most` characters of names has a file for each value of its
    first column, which is read when one of its numbers is used.
    """
    small: list[str] = [COMMANDS]
    large: dict[str, list[str]] = {}
    for key, rows, identity in tables:
        named = list(_named_numbers(key, rows, identity))
        is_large = bool(identity) and sum(len(name) for name, _ in named) > most
        for name, value in named:
            line = rf"\QuaestorNumber{{{name}}}{{{value}}}" + "\n"
            if is_large:
                large.setdefault("/".join(["numbers", *name.split("/")[:2]]), []).append(line)
            else:
                small.append(line)
    yield "numbers.tex", "".join(small)
    for file, lines in large.items():
        yield f"{file}.tex", "".join(lines)


def _named_numbers(
    key: str, rows: Sequence[Record], identity: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield names and numbers. If rows would share a name, such as those of "T5 large" and
    "T5-large", each gets the name only with its place, so that they are not confused."""
    told = [
        [row[column] for column in identity if row.get(column) not in (None, "")] for row in rows
    ]
    names = [number_name(key, *own) for own in told]
    times = Counter(names)
    for place, (row, name) in enumerate(zip(rows, names, strict=True), 1):
        for column, value in row.items():
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if column not in identity and is_number:
                parts = [name] if times[name] == 1 else [name, str(place)]
                yield "/".join([*parts, number_name(column)]), _number(key, column, value)


def _number(key: str, column: str, value: float) -> str:
    """Write a number as papers do: counts whole, p never 0 or 1, everything else with two
    decimals."""
    if isinstance(value, int):
        return f"{value:,}".replace(",", "{,}").replace("-", r"\ensuremath{-}")
    if column in ("p", "floor") or column.startswith("p_") or column.endswith("_p"):
        return p_alone(value).replace("< ", r"\ensuremath{<}").replace("> ", r"\ensuremath{>}")
    digits = SIGNIFICANT.get((key, column))
    written = f"{value:.{digits}g}" if digits else f"{round(value, 2) + 0.0:.2f}"
    return written.replace("-", r"\ensuremath{-}")


def latex_table(shown: PageTable, *, label: str) -> str:
    """Return a table of the report as floats with captions and notes.

    A page is not wide enough for many columns: they are split over several tables, each with all
    lines.
    """
    parts = shown.in_parts()
    labels = [label, *(f"{label}-{number}" for number in range(2, len(parts) + 1))]
    return "".join(_one_table(part, label) for part, label in zip(parts, labels, strict=True))


_FLOAT = Template(
    r"""\begin{table}\centering\small
$named
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tabular}{$columns}
\toprule
$head\midrule
$body\bottomrule
\end{tabular}}
$notes\end{table}
"""
)
_LONG = Template(
    r"""{\footnotesize\setlength{\tabcolsep}{4pt}\begin{longtable}{$columns}
$named\\
\toprule
$head\midrule\endhead
\bottomrule\endfoot
$body\end{longtable}
$notes}
"""
)


@dataclass(frozen=True, slots=True)
class _Wordy:
    """The columns of a table that contain words and break them into lines."""

    names: bool
    cells: list[bool]
    last: list[bool]  # of the last column, if there is one

    @classmethod
    def of(cls, shown: PageTable) -> Self:
        return cls(
            any(len(line.name) > WORDY for line in shown.lines),
            [
                any(len(line.cells[place].text) > WORDY for line in shown.lines)
                for place in range(len(shown.columns))
            ],
            [any(len(line.last) > WORDY for line in shown.lines)] if shown.last else [],
        )

    def columns(self) -> str:
        """Return how LaTeX sets the columns; those with words share what numbers leave free."""
        wordy = [self.names, *self.cells, *self.last]
        free = max(0.35, 0.92 - 0.14 * (len(wordy) - sum(wordy)))
        width = f"{free / max(1, sum(wordy)):.2f}"
        words = rf">{{\raggedright\arraybackslash}}p{{{width}\linewidth}}"
        sides = ["l", *("r" for _ in self.cells), *("l" for _ in self.last)]
        return "".join(
            words if is_wordy else side for is_wordy, side in zip(wordy, sides, strict=True)
        )


def _one_table(shown: PageTable, label: str) -> str:
    wordy = _Wordy.of(shown)
    head = _line(
        escaped(each) for each in [shown.first, *shown.columns, *filter(None, [shown.last])]
    )
    if any(shown.notes):
        head += _line(["", *(_small(note) for note in shown.notes), *("" for _ in wordy.last)])
    body = ""
    for line in shown.lines:
        name = escaped(line.name) + (f" ({escaped(line.chip)})" if line.chip else "")
        cells = zip(line.cells, wordy.cells, strict=True)
        body += _line(
            [
                _stacked(name, line.under, "l", in_lines=wordy.names),
                *(_cell(cell, in_lines=in_lines) for cell, in_lines in cells),
                *(escaped(line.last) for _ in wordy.last),
            ]
        )
    # a caption that names the same measure as the title replaces it
    title = "" if shown.caption.startswith(shown.title.partition(",")[0]) else shown.title
    caption = ". ".join(filter(None, [title, shown.caption.rstrip(".")])) + "."
    template = _LONG if len(shown.lines) > LONG else _FLOAT
    return template.substitute(
        columns=wordy.columns(),
        head=head,
        body=body,
        named=rf"\caption{{{escaped(caption)}}}\label{{tab:{label}}}",
        notes="".join(
            rf"\par\footnotesize {escaped(why.rstrip('.'))}." + "\n" for why in shown.reasons
        ),
    )


def _line(cells: Iterable[str]) -> str:
    r"""Return a row; \\\\ before it would take a bracket or a star that it begins with for its own."""
    row = " & ".join(cells)
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\" + "\n"


def _cell(cell: Cell, *, in_lines: bool) -> str:
    text = rf"\textbf{{{escaped(cell.text)}}}" if cell.best else escaped(cell.text)
    letters = rf"\textsuperscript{{{escaped(cell.letters)}}}" if cell.letters else ""
    shares = "" if cell.text else ", ".join(escaped(share) for share, _query in cell.shares)
    return _stacked(text + letters + shares, cell.under, "r", in_lines=in_lines)


def _stacked(text: str, under: str, side: str, *, in_lines: bool) -> str:
    """Return a text with another text below it. `in_lines`: its column breaks texts into lines by
    itself."""
    if not under or in_lines:
        return text + (rf"\newline {_small(under)}" if under else "")
    return rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{text}\\ {_small(under)}\end{{tabular}}"


def _small(text: str) -> str:
    return rf"{{\scriptsize {escaped(text)}}}" if text else ""


def latex_document(title: str, parts: Sequence[str], *, references: bool = False) -> str:
    """Return a whole document that compiles by itself: a title and the parts below it."""
    body = "\n".join(
        [
            *parts,
            *([r"\bibliographystyle{plain}", r"\bibliography{references}"] if references else []),
        ]
    )
    return (
        f"{PREAMBLE}\\input{{numbers}}\n\\title{{{escaped(title)}}}\n\\author{{}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n{body}\n\\end{{document}}\n"
    )


def paragraphs(
    texts: Sequence[tuple[str, str]], mentions: Sequence[Sequence[Mention]] | None = None
) -> Iterator[str]:
    """Yield paragraphs with their headings, and with citations if these are given for each
    paragraph."""
    for place, (about, text) in enumerate(texts):
        written = _cited(text, mentions[place]) if mentions else escaped(text)
        yield rf"\paragraph{{{escaped(about)}}} {written}" + "\n"


def _cited(text: str, mentions: Sequence[Mention]) -> str:
    pieces, behind = [], 0
    for mention in mentions:
        before = text[behind : mention.start]
        pieces += [_spaced(before), rf"~\cite{{{','.join(mention.keys)}}}"]
        behind = mention.end
    return "".join([*pieces, _spaced(text[behind:])])


def _spaced(text: str) -> str:
    """Return a piece of a text as LaTeX prints it, with the space at its end that the next piece
    needs."""
    lead, end = (
        (" " if text[:1].isspace() else ""),
        (" " if len(text) > 1 and text[-1].isspace() else ""),
    )
    return f"{lead}{escaped(text)}{end}"


def latex_figure(name: str, alt: str) -> str:
    """Return a figure whose PDF is in the folder `figures` beside the document."""
    return (
        rf"\begin{{figure}}\centering\includegraphics[width=.9\linewidth]{{figures/{name}.pdf}}"
        rf"\caption{{{escaped(alt)}.}}\label{{fig:{name}}}\end{{figure}}" + "\n"
    )


def latex_examples(rows: Sequence[Record], criteria: Sequence[tuple[str, str]]) -> str:
    """Return the kept examples: each question with its answer, its ratings, and what it shows."""
    items = []
    for row in rows:
        ratings = "; ".join(
            f"{escaped(name)} {escaped(str(row[key]))}" for key, name in criteria if row.get(key)
        )
        told: list[Any] = [
            rf"\textbf{{{escaped(str(row['system']))}}}: \emph{{{escaped(str(row['question']))}}}",
            f"Answer: {escaped(str(row['answer']))}." if row["answer"] else "",
            f"{ratings}." if ratings else "",
            f"{escaped(str(row['note']))}" if row["note"] else "",
        ]
        items.append(rf"\item {' '.join(filter(None, told))}" + "\n")
    return "\\begin{itemize}\n" + "".join(items) + "\\end{itemize}\n" if items else ""
