"""Pearmut's log."""

from typing import Any

from tests.judging.imports.recipes.reading import lines, read


def page(*said: Any, user: str = "ha", **fields: Any) -> dict[str, Any]:
    shown = {"src": "Owls hunt.", "tgt": {"T5": "Who?", "NQG": "What?"}}
    items = [{"item_id": f"owl_{place}"} | shown for place, _ in enumerate(said)]
    return {"annotation": list(said), "item": items, "user_id": user, "item_i": 0} | fields


def test_frame_takes_the_numbers_of_every_item_and_system() -> None:
    spans = [{"start_i": 0, "end_i": 2, "severity": "major"}, {"start_i": "x"}]
    said = {"T5": {"score": 87, "error_spans": spans}, "NQG": {"more": {"Fluency": 0}}}
    found = read(lines(page(said), page({"T5": {"score": 3}}, user="uw")))
    assert found.key == "pearmut"
    assert found.cells("item_id", "model", "tgt", "user_id", "criterion", "value", "textfield") == [
        ("owl_0", "T5", "Who?", "ha", "score", "87", ""),
        ("owl_0", "T5", "Who?", "ha", "", "", "major: “Who” (0 to 3)"),
        ("owl_0", "NQG", "What?", "ha", "Fluency", "0", ""),
        ("owl_0", "T5", "Who?", "uw", "score", "3", ""),
        ("owl_0", "NQG", "What?", "uw", "", "", ""),
    ]
    assert set(found.roles) == set(found.frame.columns)


def test_frame_refuses_pages_that_do_not_count() -> None:
    score = {"T5": {"score": 1}}
    reset = page() | {"annotation": "__RESET__"}
    tutorial = page(score, item_i="welcome_0")
    found = read(lines(page(score), reset, page(score), tutorial, {"x": 1}))
    assert found.told == [(1, "row"), (4, "row"), (5, "row")]
    assert found.frame["value"].tolist() == ["1", ""]
