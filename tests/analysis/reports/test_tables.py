"""Tables as files, letter by letter."""

from analysis.reports.tables import document_json, to_csv


def test_named_columns_come_first_and_the_others_by_name() -> None:
    rows = [
        {"z": 1, "b": None, "a": "Ümlaut", "system": "=1"},
        {"system": "Alba", "a": {"y": 1, "x": "é"}, "b": [2, "ö"]},
    ]
    assert to_csv(rows, ["system", "z", "absent"]) == (
        "\ufeffsystem,z,a,b\n"
        "'=1,1,Ümlaut,\n"
        'Alba,,"{""x"": ""é"", ""y"": 1}","[2, ""ö""]"\n'
    )  # fmt: skip


def test_no_part_of_a_cell_is_a_formula_where_semicolons_part_cells() -> None:
    rows = [{"system": "Alba;=1", "seen": ["x;=1"], "a;=1": 1}]
    assert to_csv(rows, ["system", "seen"]) == (
        "\ufeffsystem,seen,a;'=1\n"
        "Alba;'=1,\"[\"\"x;'=1\"\"]\",1\n"
    )  # fmt: skip


def test_a_table_without_rows_keeps_its_head() -> None:
    assert to_csv([], ["system", "mean"]) == "\ufeffsystem,mean\n"


def test_documents_are_the_same_text_for_the_same_content() -> None:
    assert document_json({"b": [1], "a": "ü"}) == '{\n "a": "ü",\n "b": [\n  1\n ]\n}\n'
