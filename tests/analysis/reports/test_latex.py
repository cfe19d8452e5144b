"""LaTeX that no name can break: read by pylatexenc everywhere, compiled by pdfLaTeX where there is
one."""

import re
import shutil
import subprocess

import pytest
from pylatexenc.latexwalker import LatexWalker

from analysis.reports import latex
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Line, PageTable

HOSTILE = [
    "100% of T5_large & Co.",
    "=cmd()|' /C calc'!A0",
    r"\input{/etc/passwd}",
    "a^2 ~ {b} #1 $x$",
    "<b> \"quoted\" 'so' `as`",
    "−.07 to ½ – “yes” … 5 ± 1 ≤ 7, a › b ‹ c «d» → ρ², α",
    "Žluťoučký kůň, Ærøskøbing, İstanbul",
    "שאלה عربية",
    "系统一",
    "🙂 émoji\u0301",
    "x" * 500,
    "two\nlines\x07",
]


def hostile_table(lines=12):
    cells = [Cell("1.00", "0.9 to 1.1, n = 3", best=True, letters="a_b"), Cell("–")]
    shares = Cell("", shares=(("1: 50%", ItemQuery()),))
    return PageTable(
        "Every name & sign",
        ["A_1", "50%", "use"],
        [
            Line(
                HOSTILE[n % len(HOSTILE)],
                [*cells, shares],
                last="# & %",
                under=f"n = {n}",
                chip="~",
            )
            for n in range(lines)
        ],
        first="Name",
        last="Words",
        notes=["", "low is best", ""],
        caption="All of it: 100%.",
        reasons=["none_such"],
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_escaped_text_holds_no_command_but_ours(text):
    written = latex.escaped(text)
    nodes, _position, _length = LatexWalker(written, tolerant_parsing=False).get_latex_nodes()
    names = set()

    def walk(each):
        if name := getattr(each, "macroname", None):
            names.add(name)
        parts = (
            getattr(each, "nodelist", None)
            or getattr(getattr(each, "nodeargd", None), "argnlist", None)
            or []
        )
        for part in parts:
            if part is not None:
                walk(part)

    for node in nodes:
        walk(node)
    ours = set(re.findall(r"\\([a-z]+)", "".join(latex.WORDS.values()))) | {"otherscript"}
    assert names <= ours | set("{}$&#%_,")
    assert "input" not in names


def test_examples_give_answer_ratings_and_note_in_this_order():
    row = {"system": "a", "question": "Who?", "answer": "Ada", "note": "short & vague", "form": 3}
    written = latex.latex_examples([row], [("form", "Form"), ("depth", "Depth")])
    told = r"\item \textbf{a}: \emph{Who?} Answer: Ada. Form 3. short \& vague"
    assert told in written


def test_escaped_says_letter_by_letter():
    assert latex.escaped("T5_large & 100%") == r"T5\_large \& 100\%"
    assert latex.escaped("−.07") == r"\ensuremath{-}.07"
    assert latex.escaped("نظام ب A") == r"\otherscript{Arabic}{نظام ب} A"
    assert latex.escaped("テスト。 語") == r"\otherscript{CJK}{テスト。 語}"
    assert latex.escaped("语ב") == r"\otherscript{CJK}{语}\otherscript{Hebrew}{ב}"
    assert latex.escaped("می\u200cشود") == "\\otherscript{Arabic}{می\u200cشود}"
    assert latex.escaped("🙂") == r"\otherscript{Symbols}{🙂}"
    assert latex.escaped("系统 A") == r"\otherscript{CJK}{系统} A"
    assert latex.escaped("a › b") == r"a \ensuremath{>} b"
    assert latex.escaped("Žluť") == "Žluť"
    assert latex.escaped("Ποια ερώτηση; τα ρ, Δρ") == (
        r"\otherscript{Greek}{Ποια ερώτηση}; \otherscript{Greek}{τα} \ensuremath{\rho},"
        r" \ensuremath{\Delta}\ensuremath{\rho}"
    )
    assert latex.escaped("ρ" * 47) == r"\allowbreak{}".join(
        rf"\otherscript{{Greek}}{{{'ρ' * n}}}" for n in (22, 22, 3)
    )
    assert latex.escaped("two\nlines\x07") == "two lines"


def test_table_has_rules_bold_letters_notes_and_a_label():
    text = latex.latex_table(hostile_table(1), label="x")
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
    assert r"\caption{Every name \& sign. All of it: 100\%.}\label{tab:x}" in text
    assert (
        r"\begin{tabular}[t]{@{}l@{}}100\% of T5\_large \& Co. (\textasciitilde{})\\ {\scriptsize n = 0}\end{tabular}"
        r" & \begin{tabular}[t]{@{}r@{}}\textbf{1.00}\textsuperscript{a\_b}\\" in text
    )
    assert r"1: 50\% & \# \& \%" in text


def test_caption_that_begins_with_the_title_says_it_once():
    shown = PageTable(
        "Spearman's rho", ["a"], [Line("x", [Cell("1")])], caption="Spearman's rho over questions."
    )
    text = latex.latex_table(shown, label="x")
    assert r"\caption{Spearman\textquotesingle{}s rho over questions.}" in text


def test_a_table_of_sixty_columns_stands_in_parts_that_a_page_is_wide_enough_for(tmp_path):
    lines = [
        Line(f"System_{n}", [Cell(f"{n}.{place}", "0.1 to 0.2") for place in range(60)])
        for n in range(100)
    ]
    shown = PageTable(
        "Wide",
        [f"M_{n}" for n in range(60)],
        lines,
        first="System",
        caption="Means.",
        reasons=["none"],
    )
    text = latex.latex_table(shown, label="wide")
    assert re.findall(r"\\caption\{(.*?)\}\\label\{(.*?)\}", text)[:2] == [
        ("Wide. Means. Columns 1 to 8 of 60.", "tab:wide"),
        ("Wide. Means. Columns 9 to 16 of 60.", "tab:wide-2"),
    ]
    assert text.count("none") == 1
    assert {f"7.{place} \\\\" in text or f"7.{place}\\\\" in text for place in range(60)} == {True}
    (tmp_path / "numbers.tex").write_text(latex.COMMANDS)
    log = compiled(tmp_path, latex.latex_document("Wide", [text]))
    assert "Overfull \\hbox" not in log


def test_numbers_have_names_and_are_written_as_papers_do():
    rows = [
        {
            "criterion": "fluency",
            "system": "T5 Large",
            "value": 2.25,
            "n": 1200,
            "p": 0.0004,
            "low": None,
            "why": "x",
        },
        {
            "criterion": "fluency",
            "system": "系统",
            "value": -0.004,
            "n": 3,
            "p": 0.25,
            "low": 0.5,
            "why": "",
        },
    ]
    [(_name, text)] = latex.latex_number_files([("systems", rows, ("criterion", "system"))])
    told = dict(re.findall(r"\\QuaestorNumber\{(.*?)\}\{(.*)\}\n", text))
    assert told == {
        "systems/fluency/t5-large/value": "2.25",
        "systems/fluency/t5-large/n": "1{,}200",
        "systems/fluency/t5-large/p": r"\ensuremath{<}.001",
        "systems/fluency/u7cfb-7edf/value": "0.00",
        "systems/fluency/u7cfb-7edf/n": "3",
        "systems/fluency/u7cfb-7edf/p": ".250",
        "systems/fluency/u7cfb-7edf/low": "0.50",
    }


def test_numbers_are_written_with_the_digits_of_the_reports_tables():
    tables = [
        ("metric_means", [{"system": "T5", "value": 0.031612}], ("system",)),
        ("correlations", [{"metric": "BLEU", "value": 0.031612, "epsilon": 0.00123}], ("metric",)),
        (
            "system_comparisons",
            [{"test": "t", "p": 0.99996, "p_holm": 1.0, "floor": 0.0625}],
            ("test",),
        ),
    ]
    [(_name, text)] = latex.latex_number_files(tables)
    told = re.findall(r"\\QuaestorNumber\{(.*?)\}\{(.*)\}\n", text)
    assert dict(told) == {
        "metric_means/t5/value": "0.03161",
        "correlations/bleu/value": "0.03",
        "correlations/bleu/epsilon": "0.00123",
        "system_comparisons/t/p": r"\ensuremath{>}.999",
        "system_comparisons/t/p_holm": r"\ensuremath{>}.999",
        "system_comparisons/t/floor": ".062",
    }


def test_two_rows_that_share_a_name_get_numbers_of_their_own():
    rows = [{"system": "T5 large", "value": 1.0}, {"system": "T5-Large", "value": 2.0}]
    [(_name, text)] = latex.latex_number_files([("systems", rows, ("system",))])
    assert re.findall(r"Number\{(.*?)\}\{(.*)\}", text) == [
        ("systems/t5-large/1/value", "1.00"),
        ("systems/t5-large/2/value", "2.00"),
    ]


def compiled(folder, text, program="pdflatex"):
    """Compile a document and return the log of LaTeX."""
    if shutil.which(program) is None:
        pytest.skip(f"no {program} (Debian: texlive-latex-recommended, texlive-xetex)")
    (folder / "report.tex").write_text(text)
    command = [
        program,
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "report.tex",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-3000:]
    return log


def test_hostile_tables_short_and_long_compile(tmp_path):
    rows = [{"system": "A", "value": 1.5}]
    [(_name, numbers)] = latex.latex_number_files([("systems", rows, ("system",))])
    (tmp_path / "numbers.tex").write_text(numbers)
    long = latex.latex_table(hostile_table(60), label="long")
    assert r"\begin{longtable}" in long
    parts = [
        latex.latex_table(hostile_table(), label="short"),
        long,
        *latex.paragraphs([("About & so", "_".join(HOSTILE[:3]))]),
        r"The mean is \Q{systems/a/value}.",
        latex.latex_examples(
            [
                {
                    "system": "A_1",
                    "question": "Who & what?",
                    "answer": "50%",
                    "note": "#1",
                    "f": "3 2",
                }
            ],
            [("f", "Flu_ency")],
        ),
    ]
    log = compiled(tmp_path, latex.latex_document(HOSTILE[0], parts))
    assert "No number is called" not in log
    assert "Undefined control sequence" not in log
    assert "Overfull \\hbox" not in log
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_every_letter_that_is_not_set_apart_is_one_that_pdflatex_has(tmp_path):
    (tmp_path / "numbers.tex").write_text(latex.COMMANDS)
    compiled(tmp_path, latex.latex_document("Letters", [" ".join(sorted(latex.LETTERS))]))


def test_space_behind_a_word_in_another_script_stands_outside_of_its_command():
    """Inside, it would be printed before a word that is read from the right."""
    assert latex.escaped("שאלה Москва x") == (
        r"\otherscript{Hebrew}{שאלה} \otherscript{Cyrillic}{Москва} x"
    )


def test_other_scripts_are_printed_by_xelatex_or_named_and_never_excluded(tmp_path):
    """A font without a glyph prints nothing: every script has a font of its own, or is named."""
    (tmp_path / "numbers.tex").write_text(latex.COMMANDS)
    texts = ["نظام ب", "系统一", "שאלה", "Москва", "ἄνθρωπος", "έρευνα", "ᚠᚢ"]
    parts = [latex.escaped(" ".join(texts)), rf"\section{{{latex.escaped('系统 نظام')}}}"]
    log = compiled(tmp_path, latex.latex_document("名前_نظام", parts), "xelatex")
    assert "Missing character" not in log
    assert "Undefined control sequence" not in log


def test_pdflatex_names_the_script_that_it_cannot_print(tmp_path):
    (tmp_path / "numbers.tex").write_text(latex.COMMANDS)
    compiled(tmp_path, latex.latex_document("T", [latex.escaped("نظام ب")]))
    read = ["pdftotext", "report.pdf", "-"]
    if shutil.which(read[0]):
        said = subprocess.run(read, cwd=tmp_path, capture_output=True, timeout=30, check=True)
        assert b"[Arabic script: use XeLaTeX]" in said.stdout


def test_numbers_of_a_large_table_are_read_when_they_are_asked_for(tmp_path):
    """TeX cannot hold the names of all numbers of seventeen metrics and seven criteria."""
    rows = [
        {"criterion": criterion, "metric": f"M{n}", "value": n / 10}
        for criterion in ("Fluency (mean)", "Clarity")
        for n in range(20)
    ]
    tables = [
        ("correlations", rows, ("criterion", "metric")),
        ("systems", [{"system": "A", "value": 1.5}], ("system",)),
    ]
    files = dict(latex.latex_number_files(tables, most=200))
    assert list(files) == [
        *(
            "numbers.tex",
            "numbers/correlations/fluency-mean.tex",
            "numbers/correlations/clarity.tex",
        ),
    ]
    assert "correlations" not in files["numbers.tex"].replace("numbers/", "")
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    asked = (
        r"a\Q{correlations/clarity/m3/value}b\Q{correlations/clarity/m4/value}c\Q{systems/a/value}d"
    )
    log = compiled(
        tmp_path, latex.latex_document("T", [asked, r"\section{\Q{correlations/clarity/m5/value}}"])
    )
    assert "No number is called" not in log
    read = ["pdftotext", "report.pdf", "-"]
    if shutil.which(read[0]):
        said = subprocess.run(read, cwd=tmp_path, capture_output=True, timeout=30, check=True)
        assert b"a0.30b0.40c1.50d" in said.stdout
        assert b"0.50" in said.stdout
    assert "No number is called x/y" in compiled(
        tmp_path, latex.latex_document("T", [r"\Q{x/y} \Q{x}"])
    )


@pytest.mark.parametrize("name", ["[9cm]", "*x"])
def test_a_row_that_begins_with_a_bracket_or_a_star_is_no_part_of_the_row_before(name):
    """LaTeX reads both as arguments of the line break before them, blanks and all."""
    assert latex._line([latex.escaped(name), "1"]).startswith("{}" + name[0])
    assert latex._line([latex.escaped("Alba"), name]) == rf"Alba & {name} \\" + "\n"
