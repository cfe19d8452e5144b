"""A run into the paper: its LaTeX is whole and compiles; the PDF and the methods say what was
done."""

import re
import shutil
import subprocess
import zlib

import pytest
from django.urls import reverse
from pylatexenc.latexwalker import LatexWalker

from analysis.evidence.actions import examples
from analysis.models import Result, Run
from analysis.reports import bibliography, latex, text_tables
from analysis.reports.layout import Cell, Line, PageTable
from analysis.runs.actions import exports, papers, runs
from judging.datasets.models.dataset import System, Unit
from tests.analysis import studies

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(lasting):
    study = studies.imported()
    System.objects.filter(name="Brisa").update(name="Brisa_2 & 50% {系统}")
    unit = Unit.objects.get(
        question_set__system__name="Corvo", question_set__source__key="1", position=1
    )
    examples.keep_example(
        campaign=study,
        unit=unit.pk,
        note="too short & vague",
        by=study.created_by,
        now=study.created_at,
    )
    return studies.analysed(study)


@pytest.fixture
def run(made, db):
    return Run.objects.get(pk=made.pk)


@pytest.fixture(scope="module")
def folder(made, tmp_path_factory):
    """Return the folder with every file of the run; tests only read there."""
    written = tmp_path_factory.mktemp("files")
    exports.write_report(Run.objects.get(pk=made.pk), written)
    return written


def test_latex_is_whole_and_every_file_it_names_is_there(folder):
    text = (folder / "latex/report.tex").read_text()
    for path in (folder / "latex").rglob("*.tex"):
        if path.name != "numbers.tex":
            LatexWalker(path.read_text(), tolerant_parsing=False).get_latex_nodes()
    named = re.findall(r"\\input\{(.*?)\}", text)
    assert set(named) == {"numbers", "methods", "examples"}
    assert [name for name in named if not (folder / f"latex/{name}.tex").exists()] == []
    drawn = re.findall(r"\]\{(figures/.*?)\}", text)
    assert drawn
    assert [
        name for name in drawn if not (folder / "latex" / name).read_bytes().startswith(b"%PDF")
    ] == []


def test_latex_tables_have_a_file_for_each_section_with_those_that_the_report_omits(folder):
    report = (folder / "latex/report.tex").read_text()
    distributions = (folder / "latex/tables/distributions.tex").read_text()
    caption = r"\caption{Spearman\textquotesingle{}s \ensuremath{\rho} between metric and mean human rating"
    assert caption in (folder / "latex/tables/correlations.tex").read_text() and caption in report
    label = r"\label{tab:distributions}"
    assert label in distributions and label not in report


def test_every_citation_has_its_entry_and_every_entry_is_cited(folder):
    text = (folder / "latex/methods.tex").read_text()
    cited = {key for keys in re.findall(r"~\\cite\{(.*?)\}", text) for key in keys.split(",")}
    bib = (folder / "latex/references.bib").read_text()
    entries = re.findall(r"^@\w+\{(\w+),\n((?:  \w+ = \{.*\},\n)+)\}$", bib, re.MULTILINE)
    assert {key for key, _fields in entries} == cited
    assert {
        "krippendorff2011",
        "pitman1937",
        "holm1979",
        "spearman1904",
        "denkowski2014",
        "virtanen2020",
    } <= cited
    assert text.count("holm1979") == 1
    assert "Holm\\textquotesingle{}s correction~\\cite{holm1979} across the 3 pairs" in text
    for _key, fields in entries:
        assert fields.count("{") == fields.count("}")
        assert {"author", "title", "year"} <= set(re.findall(r"^  (\w+) =", fields, re.MULTILINE))
    assert (
        set(re.findall(r"\\bibitem\{(\w+)\}", (folder / "latex/report.bbl").read_text())) == cited
    )
    assert "\\bibliography{references}" in (folder / "latex/report.tex").read_text()


def test_every_source_has_an_entry():
    assert list(bibliography.sources()) == list(bibliography.WORDS)


def test_a_reference_written_out_gives_way_to_its_citation_and_the_first_mention_carries_it():
    texts = [
        "Judged by X, version 1 (Preksha Nema and Mitesh M. Khapra. 2018. Towards a Better Metric for Evaluating "
        "Question Generation Systems.). More & more.",
        "Metrics (BLEU-1 (coco), BLEU-4 (coco), sacreBLEU and BLEURT) by Spearman's rho; Spearman's rho.",
    ]
    protocol, metrics = latex.paragraphs(
        [("Protocol", texts[0]), ("Metrics", texts[1])], bibliography.mentions(texts)
    )
    assert (
        protocol
        == "\\paragraph{Protocol} Judged by X, version 1~\\cite{nema2018}. More \\& more.\n"
    )
    assert metrics == (
        "\\paragraph{Metrics} Metrics (BLEU-1 (coco)~\\cite{papineni2002}, BLEU-4 (coco), sacreBLEU~\\cite{post2018} "
        "and BLEURT~\\cite{sellam2020}) by Spearman\\textquotesingle{}s rho~\\cite{spearman1904}; "
        "Spearman\\textquotesingle{}s rho.\n"
    )


def test_markdown_of_a_table_stands_whatever_its_names_are():
    shown = PageTable(
        "A|B",
        ["p", "n"],
        [
            Line(
                "*x*_y|z\n2", [Cell("2.5", "1 to 4", best=True, letters="a"), Cell("7")], chip="new"
            )
        ],
        first="System",
        notes=["low", ""],
        caption="n = 3.",
    )
    assert text_tables.markdown(shown) == (
        "**A\\|B**\n\nn = 3.\n\n| System | p (low) | n |\n|:---|---:|---:|\n"
        "| \\*x\\*\\_y\\|z 2 (new) | **2.5** <sup>a</sup> (1 to 4) | 7 |\n"
    )


def test_tabs_hold_numbers_alone_and_no_formula():
    shown = PageTable(
        "T",
        ["p\tq"],
        [Line("=cmd()", [Cell("−.25", "n = 3")]), Line("b", [Cell("1,000")])],
        first="-1+2",
    )
    assert text_tables.tabs(shown) == "'-1+2\tp q\n'=cmd()\t-.25\nb\t1,000\n"


def test_table_is_taken_as_latex_markdown_and_tabs(run, client):
    client.force_login(run.campaign.created_by)

    def taken(key, ending, query=""):
        where = [run.campaign.uuid, run.number, key, ending]
        return client.get(reverse("analysis:table_text", args=where) + query)

    assert taken("systems", "md").text.startswith(
        "**Systems**\n\nTest of the systems: paired permutation test over sources.\n\n"
        "| System | Grammaticality (high is best) |"
    )
    assert taken("systems", "tsv").text.splitlines()[0].split("\t")[:2] == [
        "System",
        "Grammaticality",
    ]
    assert "\\begin{tabular}" in taken("systems", "tex").text
    whole, one = taken("correlations", "md").text, taken("correlations", "md", "?table=1").text
    assert whole.count("\n|:---|") > 6
    assert one.count("\n|:---|") == 1
    assert one in whole
    unknown = [
        ("nothing", "md", ""),
        ("systems", "pdf", ""),
        ("systems", "md", "?table=99"),
        ("systems", "md", "?table=x"),
    ]
    assert [taken(*each).status_code for each in unknown] == [404] * 4
    client.logout()
    assert taken("systems", "md").status_code == 302


def test_latex_compiles(folder, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex (Debian: texlive-latex-base texlive-latex-recommended)")
    latex_folder = shutil.copytree(folder / "latex", tmp_path / "latex")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "report.tex",
    ]

    def called(*words):
        done = subprocess.run(
            words, cwd=latex_folder, capture_output=True, timeout=120, check=False
        )
        log = done.stdout.decode(errors="replace")
        assert done.returncode == 0, log[-3000:]
        return log

    kept = (latex_folder / "report.bbl").read_text()
    called(*command)
    if shutil.which("bibtex"):
        called("bibtex", "report")
        made = (latex_folder / "report.bbl").read_text()
        assert sorted(re.findall(r"\\bibitem\{(\w+)\}", made)) == sorted(
            re.findall(r"\\bibitem\{(\w+)\}", kept)
        )
    called(*command)
    log = called(*command)
    for complaint in (
        "No number is called",
        "undefined",
        "multiply defined",
        "Overfull \\hbox",
        "LaTeX Warning",
    ):
        assert complaint not in log, log


def test_numbers_are_those_of_the_run_under_their_names(folder, run):
    text = (folder / "latex/numbers.tex").read_text()
    told = dict(re.findall(r"\\QuaestorNumber\{(.*?)\}\{(.*)\}\n", text))
    # the second system has 2.5 on even sources and 2 on odd ones; the third 1 and 1.5
    assert told["systems/correctness/corvo/value"] == "1.25"
    assert told["systems/correctness/alba/value"] == "3.00"
    assert told["about/judgments"] == "72"
    rows = [
        row
        for rows in dict(runs.StoredTables(run)).values()
        if isinstance(rows, list)
        for row in rows
    ]
    assert len(told) > len(rows)


def test_examples_stand_in_latex_csv_and_pdf(folder):
    assert (
        r"\textbf{Corvo}: \emph{What?} Answer: Ada Lind."
        in (folder / "latex/examples.tex").read_text()
    )
    assert r"too short \& vague" in (folder / "latex/examples.tex").read_text()
    assert "too short & vague" in (folder / "examples.csv").read_text()


def test_methods_say_protocol_people_agreement_tests_versions_and_seed(run):
    text = papers.methods_text(run, runs.found_by(run))
    assert (
        "“Does it ask for the answer?”, ordinal, 1 (no), 2 (maybe) and 3 (yes); high is best."
        in text
    )
    assert "2 annotators gave 72 judgments in 6 tasks." in text
    assert "Brisa_2 & 50% {系统}" in text
    assert "Holm's correction across the 3 pairs of each criterion" in text
    assert f"seed 1, 100 resamples, from input with SHA-256 {run.input_sha256}" in text
    assert f"Python {run.versions['python']}" in text
    [alpha] = [
        row["value"]
        for row in dict(runs.StoredTables(run))["agreement"]
        if (row["criterion"], row["coefficient"], row["level"])
        == ("correctness", "krippendorff_alpha", "ordinal")
    ]
    assert f"{alpha:.2f}".removeprefix("0") in text


def test_pdf_is_made_with_the_run_and_the_same_twice(run):
    first = papers.kept_pdf(run)
    assert first.startswith(b"%PDF")
    found = runs.found_by(run)
    light = {
        row.key.removeprefix("figure-"): row.file_id and papers.storage.content_of(row.file)
        for row in Result.objects.filter(run=run, key__startswith="figure-").select_related("file")
    }
    assert papers.make_pdf(run, found, light) == papers.make_pdf(run, found, light)


def test_pdf_names_scripts_that_need_a_font(run):
    report = papers.typeset.PrintedReport("Título 系统", "", [], [("a", "Ω и א")], [], [])
    assert papers.typeset.uncovered(report) == [
        "This report holds letters of other scripts (CJK). They are printed where the server has a font for them."
    ]


@pytest.mark.long
def test_pdf_of_a_hundred_systems_with_hostile_names_is_set():
    names = ["=cmd()", "#set text(red)", "*bold* _it_ $x$ \\ [", "שאלה", "系统", "x" * 500]
    heads = [f"System {n}" for n in range(100)]
    wide = PageTable(
        "Wide", heads, [Line(name, [Cell("1.00", "n = 3")] * 100) for name in names], first="Of"
    )
    long = PageTable(
        "Long",
        ["n"],
        [Line(f"{names[n % 6]} {n}", [Cell("1")], last="w " * 80) for n in range(200)],
        last="Why",
    )
    card = papers.typeset.PrintedCard("Card #1", "*", [wide, long], [], ["– $"])
    report = papers.typeset.PrintedReport(
        "T #1 $", "", ["_w_"], [("a", "#b")], [], [("C", "", [card])]
    )
    assert papers.typeset.typeset_report(report, {}).startswith(b"%PDF")


def test_figure_that_is_no_svg_is_told_by_name():
    card = papers.typeset.PrintedCard("Card", "", [], [("broken", "alt")], [])
    report = papers.typeset.PrintedReport("T", "", [], [], [], [("C", "", [card])])
    with pytest.raises(papers.typeset.CannotSet):
        papers.typeset.typeset_report(report, {"broken": b"<svg"})


def test_pages_and_files(run, client):
    client.force_login(run.campaign.created_by)
    campaign = run.campaign.uuid
    page = client.get(reverse("analysis:report", args=[campaign])).content.decode()
    assert "too short &amp; vague" in page
    answer = client.get(reverse("analysis:pdf", args=[campaign, 1]))
    assert answer["Content-Type"] == "application/pdf"
    assert 'filename="locks-released-ratings-report-1.pdf"' in answer["Content-Disposition"]
    assert zlib.crc32(answer.content) == zlib.crc32(papers.kept_pdf(run))
    text = client.get(
        reverse("analysis:table_text", args=[campaign, 1, "systems", "tex"])
    ).content.decode()
    assert r"Brisa\_2 \& 50\% \{\otherscript{CJK}{系统}\}" in text
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG")):
        answer = client.get(
            reverse("analysis:printed_figure", args=[campaign, 1, "systems", ending])
        )
        assert answer.content.startswith(start)


def test_run_from_before_there_was_a_pdf_has_a_page_without_it(run, client):
    Result.objects.filter(run=run, key__startswith="print-").delete()
    Result.objects.filter(run=run, key=papers.PDF).delete()
    client.force_login(run.campaign.created_by)
    page = client.get(reverse("analysis:report", args=[run.campaign.uuid])).content.decode()
    assert "The report, PDF" not in page
    assert client.get(reverse("analysis:pdf", args=[run.campaign.uuid, 1])).status_code == 404
