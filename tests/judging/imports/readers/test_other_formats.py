"""Files of formats that are not read are named, with the remedy."""

import bz2
import gzip
import lzma
import pickle
import sqlite3
from pathlib import Path

import pytest

from judging.imports.actions import reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.imports.readers.text import Unreadable
from tests import shared_data
from tests.judging.imports.formats.test_workbook import as_ods, compound_file
from tests.judging.imports.readers.test_unpacking import zipped

HTML = b"<table border=1><tr><td>question</td></tr><tr><td>Who hunts?</td></tr></table>"
EXCEL_XML = (
    b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
    b'<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>'
)
ODT = as_ods(("q",), ("a",)).replace(b"opendocument.spreadsheet", b"opendocument.text-mastered")
OTHERS = {
    "ratings.sav": (b"$FL2@(#) SPSS DATA FILE MS Windows" + bytes(400), "an SPSS file"),
    "packed.zsav": (b"$FL3@(#) SPSS DATA FILE" + bytes(400), "an SPSS file"),
    "ratings.por": (b"ASCII SPSS PORT FILE".ljust(200) + b"x" * 100, "an SPSS file"),
    "ratings.dta": (b"<stata_dta><header><release>118</release>", "a Stata file"),
    "old.dta": (b"\x72\x02\x01\x00" + bytes(300), "a Stata file"),
    "ratings.rds": (gzip.compress(b"X\n\x00\x00\x00\x03\x00\x04\x01\x02"), "an R file"),
    "ratings.RData": (gzip.compress(b"RDX3\nX\n\x00\x00\x00\x03"), "an R file"),
    "ratings.sas7bdat": (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf" + bytes(300), "a SAS file"),
    "ratings.xpt": (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "a SAS file"),
    "paper.pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF"),
    "export.xls": (HTML, "a web page"),
    "page.csv": (b"\xef\xbb\xbf\n<!DOCTYPE html><html><body>Sign in</body></html>", "a web page"),
    "saved.xls": (EXCEL_XML, "an Excel 2003 XML file"),
    "list.docx": (zipped(word__document__xml=b"<w/>", mimetype=b"x").replace(b"word.", b"word/"), "a Word"),
    "list.doc": (compound_file("WordDocument", b"x"), "a Word document"),
    "text.odt": (ODT, "an OpenDocument text"),
    "scores.pkl": (pickle.dumps({"a": 1}), "a Python pickle"),
    "scores.csv.bz2": (bz2.compress(b"question\nWho?\n"), "a file compressed by bzip2"),
    "scores.csv.xz": (lzma.compress(b"question\nWho?\n"), "a file compressed by xz"),
    "plot.png": (b"\x89PNG\r\n\x1a\n" + bytes(50), "an image"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("keeps_name", [True, False])
def test_read_head_of_another_format_names_it_and_the_remedy(name: str, keeps_name: bool) -> None:
    data, what = OTHERS[name]
    with pytest.raises(
        Unreadable, match=f"^This is {what}.*[.] (Export|Save|Unpack|Upload) "
    ) as said:
        reading_plans.read_head(name=name if keeps_name else "a.csv", data=data, plan=Plan())
    assert said.value.reason.endswith(".")


def test_read_head_of_a_database_names_it(tmp_path: Path) -> None:
    file = tmp_path / "scores.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE scores (question text)")
    database.close()
    with pytest.raises(Unreadable, match=r"This is an SQLite database\. Export its table as CSV\."):
        reading_plans.read_head(name="scores.db", data=file.read_bytes(), plan=Plan())


def test_read_head_of_an_spss_file_of_other_people_names_it() -> None:
    data = shared_data.path("cases/10-parquet-arrow-ods-spss-stata/06.sav").read_bytes()
    with pytest.raises(Unreadable) as said:
        reading_plans.read_head(name="06.sav", data=data, plan=Plan())
    assert said.value.reason == "This is an SPSS file. Export it as CSV or Parquet."


@pytest.mark.parametrize(
    "data",
    [
        b"RDA_score,question\n1,Who hunts?\n",
        b"FEA1,question\n1,Who hunts?\n",
        b"question,markup\nWho hunts?,<html>\n",
        b"<table> owls,question\n<table> mice,Who hunts?\n",
    ],
)
def test_read_head_of_a_table_that_begins_like_another_format_reads_it(data: bytes) -> None:
    head = reading_plans.read_head(name="a.csv", data=data, plan=Plan(format="csv"))
    assert len(head.header) == 2
